import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookEngine
@testable import DaybookReports
@testable import DaybookWorkbench

#if os(Linux)
    /// What is wrong with a file must not cost memory that grows with the file.
    @Suite struct BoundedMemoryTests {
        /// The most memory that a run has held, in KiB, and how it ended.
        private func run(_ file: String, _ text: String, _ importing: String) throws -> (peak: Int, errors: String) {
            let stages = "  - \(importing)\n  - export_csv: { path: out.csv }\n"
            return try run(file, text, stages: stages, in: try TemporaryDirectory())
        }

        private func run(
            _ file: String,
            _ text: String,
            stages: String,
            in place: TemporaryDirectory
        ) throws -> (peak: Int, errors: String) {
            try place.write(text, to: file)
            try place.write("daybook: 1\nrejects: { path: rejects.ndjson }\nstages:\n\(stages)", to: "job.yaml")
            // The mark of the most memory only rises, so the last look before the end is good.
            let outcome = try CommandTrial(in: place.url).shell(
                """
                "$DAYBOOK" run job.yaml --threads 2 --no-progress & run=$!
                peak=0
                while mark=$(sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' "/proc/$run/status") && [ -n "$mark" ]; do
                    peak=$mark
                    sleep 0.02
                done 2>/dev/null
                echo "$peak"
                """
            )
            let peak = try #require(Int(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(peak > 0)
            return (peak, outcome.errors)
        }

        @Test func `short lines behind a quote that is never closed are read a part at a time`() throws {
            let text = "id,name\n1,\"x\n" + String(repeating: "1\n", count: 1_500_000)
            let (peak, errors) = try run("in.csv", text, "import_csv: { path: in.csv }")
            #expect(errors.hasPrefix("in.csv:2:3: error: a quote opens here and is never properly closed"), "\(errors)")
            #expect(errors.contains("in.csv:3:1: error: found 1 cell, expected 2"), "\(errors)")
            #expect(errors.contains("1,500,001 rows read"), "\(errors)")
            #expect(peak < 150 << 10)
        }

        @Test(
            "bad records that are short are read a part at a time",
            arguments: [
                ("id,name\n", "1\n", "", "import_csv: { path: in }"),
                ("", "x\n", "", "import_json: { path: in, layout: lines, columns: { id: text } }"),
                ("[", "x,", "x]", "import_json: { path: in, columns: { id: text } }"),
            ]
        )
        func badRecords(first: String, record: String, last: String, importing: String) throws {
            let text = first + String(repeating: record, count: 1_500_000) + last
            let (peak, errors) = try run("in", text, importing)
            #expect(errors.contains("the book balances: 1,500,00"), "\(errors)")
            #expect(peak < 150 << 10)
        }

        @Test func `a join in which every row meets every other is made and committed a part at a time`() throws {
            let place = try TemporaryDirectory()
            let rows = 2_000
            let stages = """
                  - import_csv: { path: in.csv }
                    id: rows
                  - import_csv: { path: in.csv }
                    id: others
                  - join_rows: { by: key, take: { number: other }, duplicates: all }
                    from: [rows, others]
                  - summarise_rows: { by: key, values: { pairs: count, numbers: distinct(number), others: distinct(other) } }
                  - export_csv: { path: out.csv }

                """
            let text = "key,number\n" + (0..<rows).map { "k,\($0)\n" }.joined()
            let (peak, errors) = try run("in.csv", text, stages: stages, in: place)
            #expect(
                place.text("out.csv") == "key,pairs,numbers,others\nk,\(rows * rows),\(rows),\(rows)\n",
                "\(errors)"
            )
            // In one piece these rows would take 150 MB beside what a run takes anyway.
            #expect(peak < 110 << 10)
        }
    }
#endif
