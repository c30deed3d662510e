import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

#if os(Linux)
    /// What is wrong with a file must not cost memory that grows with the file.
    @Suite struct BoundedMemoryTests {
        /// Wide texts of some hundred megabytes take minutes without optimisation.
        private static let isOptimised: Bool = {
            var isOptimised = true
            assert(
                {
                    isOptimised = false
                    return true
                }()
            )
            return isOptimised
        }()

        /// The most memory that a run has held, in KiB, and how it ended.
        private func run(_ file: String, _ text: String, _ importing: String) throws -> (peak: Int, errors: String) {
            let stages = "  - \(importing)\n  - export_csv: { path: out.csv }\n"
            return try run(file, text, stages: stages, in: try TemporaryDirectory())
        }

        private func run(
            _ file: String,
            _ text: String,
            stages: String,
            in place: TemporaryDirectory,
            threads: Int = 2
        ) throws -> (peak: Int, errors: String) {
            try place.write(text, to: file)
            try place.write("daybook: 1\nrejects: { path: rejects.ndjson }\nstages:\n\(stages)", to: "job.yaml")
            // The mark of the most memory only rises, so the last look before the end is good.
            let outcome = try CommandTrial(in: place.url).shell(
                """
                "$DAYBOOK" run job.yaml --threads \(threads) --no-progress & run=$!
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

        @Test(.enabled(if: TestSize.isPatient, "only under CI"))
        func `short lines behind a quote that is never closed are read a part at a time`() throws {
            let text = "id,name\n1,\"x\n" + String(repeating: "1\n", count: 600_000)
            let (peak, errors) = try run("in.csv", text, "import_csv: { path: in.csv }")
            #expect(errors.hasPrefix("in.csv:2:3: error: a quote opens here and is never properly closed"), "\(errors)")
            #expect(errors.contains("in.csv:3:1: error: found 1 cell, expected 2"), "\(errors)")
            #expect(errors.contains("600,001 rows read"), "\(errors)")
            #expect(peak < 128 << 10)
        }

        @Test(
            "bad records that are short are read a part at a time",
            arguments: TestSize.most(of: [
                ("id,name\n", "1\n", "", "import_csv: { path: in }"),
                ("", "x\n", "", "import_json: { path: in, layout: lines, columns: { id: text } }"),
                ("[", "x,", "x]", "import_json: { path: in, columns: { id: text } }"),
            ])
        )
        func badRecords(first: String, record: String, last: String, importing: String) throws {
            // More than one morsel of 1 MiB has of them.
            let text = first + String(repeating: record, count: 600_000) + last
            let (peak, errors) = try run("in", text, importing)
            #expect(errors.contains("the ledger balances: 600,00"), "\(errors)")
            #expect(peak < 128 << 10)
        }

        @Test(.enabled(if: TestSize.isPatient, "only under CI"))
        func `a join in which every row meets every other is made and committed a part at a time`() throws {
            let place = try TemporaryDirectory()
            let rows = 1_600
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
            // In one piece these rows would take 100 MB beside what a run takes anyway.
            #expect(peak < 128 << 10)
        }

        /// One record of `width` bytes and as many elements is a few hundred bytes of gzip, and `width` squared as rows.
        private func multiplied(_ stage: String, threads: Int, width: Int = 16_000) throws -> (Int, TemporaryDirectory)
        {
            let place = try TemporaryDirectory()
            let record = "{\"t\":\"" + String(repeating: "x", count: width) + "\",\"a\":["
            let text = record + (0..<width).map(String.init).joined(separator: ",") + "]}\n"
            let stages = """
                  - import_json: { path: in.ndjson, layout: lines, columns: { t: text, a: json } }
                  - explode_rows: { column: a, kind: integer }
                \(stage)
                  - summarise_rows: { values: { rows: count, longest: max(l) } }
                  - export_csv: { path: out.csv }

                """
            return (try run("in.ndjson", text, stages: stages, in: place, threads: threads).peak, place)
        }

        @Test(
            "rows that share a long text are copied a part at a time",
            .enabled(if: BoundedMemoryTests.isOptimised, "only with optimisation"),
            arguments: [
                "sort_rows: { by: a, memory_mebibytes: 16 }\n  - derive_columns: { l: length(t) }",
                "derive_columns: { u: upper(t) }\n  - derive_columns: { l: length(u) }",
                "sort_rows: { by: [t, a], memory_mebibytes: 16 }\n  - derive_columns: { l: length(t) }",
                "window_rows: { by: t, order: a, columns: { n: row_number }, memory_mebibytes: 16 }\n  - derive_columns: { l: length(t) }",
                "deduplicate_rows: { by: [t, a], memory_mebibytes: 16 }\n  - derive_columns: { l: length(t) }",
                "check_rows: { rules: [{ unique: [t, a] }] }\n  - derive_columns: { l: length(t) }",
                "derive_columns: { u: \"t || '!'\" }\n  - derive_columns: { l: length(u) - 1 }",
                "derive_columns: { u: to_json(t) }\n  - derive_columns: { l: length(json_text(u)) }",
                "summarise_rows: { by: [t, a], values: { n: count }, memory_mebibytes: 16 }\n  - derive_columns: { l: length(t) }",
                "summarise_rows: { by: [t, a], values: { n: count }, order: sorted, memory_mebibytes: 16 }\n  - derive_columns: { l: length(t) }",
                "nest_rows: { by: a, into: n, columns: [t], memory_mebibytes: 16 }\n  - derive_columns: { l: \"length(json_text(n, '/0/t'))\" }",
            ],
            [2, 16]
        )
        func sharedTexts(stage: String, threads: Int) throws {
            // In one piece these rows would be 256 MB.
            let (peak, place) = try multiplied("  - \(stage)", threads: threads)
            #expect(place.text("out.csv") == "rows,longest\n16000,16000\n")
            #expect(peak < 200 << 10)
        }

        @Test(.enabled(if: BoundedMemoryTests.isOptimised, "only with optimisation"), arguments: [2, 16])
        func `a long record that became many rows is rejected once`(threads: Int) throws {
            let (peak, place) = try multiplied(
                "  - validate_hex_colours: { column: t }\n    rejects: { allow: 16000 }\n  - derive_columns: { l: length(t) }",
                threads: threads,
                width: 8_000
            )
            #expect(peak < 200 << 10)
            let lines = place.text("rejects.ndjson")?.split(separator: "\n") ?? []
            #expect(lines.count == 8_000)
            #expect(lines.filter { $0.contains("\"original\":null") && $0.contains("\"value\":null") }.count == 7_999)
            #expect(lines.first?.contains("\"original\":\"{") == true)
        }

        @Test(.enabled(if: BoundedMemoryTests.isOptimised, "only with optimisation"))
        func `a join to a wide text is copied a part at a time`() throws {
            let place = try TemporaryDirectory()
            try place.write("key,text\na,\(String(repeating: "y", count: 10_000))\n", to: "wide.csv")
            let stages = """
                  - import_csv: { path: wide.csv }
                    id: wide
                  - import_csv: { path: in.csv }
                    id: rows
                  - join_rows: { by: key, take: [text] }
                    from: [rows, wide]
                  - derive_columns: { upper: upper(text) }
                  - summarise_rows: { values: { rows: count, longest: max(upper) } }
                  - export_csv: { path: out.csv }

                """
            let text = "key,number\n" + (0..<40_000).map { "a,\($0)\n" }.joined()
            let (peak, errors) = try run("in.csv", text, stages: stages, in: place, threads: 16)
            #expect(place.text("out.csv")?.hasPrefix("rows,longest\n40000,YYYY") == true, "\(errors)")
            #expect(peak < 200 << 10)
        }

        @Test(.enabled(if: BoundedMemoryTests.isOptimised, "only with optimisation"))
        func `what hundreds of rules find is told within one bound`() throws {
            let place = try TemporaryDirectory()
            let rules = (0..<300).map { "{ matches: { column: text, pattern: \"never\($0)\" } }" }.joined(
                separator: ", "
            )
            let stages =
                "  - import_csv: { path: in.csv }\n  - check_rows: { rules: [\(rules)] }\n  - export_csv: { path: out.csv }\n"
            let text = "id,text\n" + (0..<2_000).map { "\($0),a text of some length that no rule wants\n" }.joined()
            let (peak, errors) = try run("in.csv", text, stages: stages, in: place)
            #expect(peak < 200 << 10)
            #expect(errors.contains("in.csv:2:"), "\(errors.prefix(2_000))")
        }
    }
#endif
