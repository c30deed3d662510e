import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// Whether a run says on which line of a file each of 1,000 faults stands.
///
/// The line that counts is the one that a person has to change, which in a row of several lines need not be its first:
/// - of a delimiter that is missing or too many: the line on which it is missing or stands;
/// - of a quote out of place: the line of that quote. Where one of a pair was left out, what is out of place is the other:
///   a cell that is never closed is reported where it opens, one that is never opened where it closes;
/// - of bytes that are no text, and of a value: the line of the bytes, and the line on which the cell begins.
///
/// A fault counts as reported when any reject stands on that line. One stray quote may make several lines of its row
/// unreadable, which are then reported each; they are counted, and so is every report on a line of a row that is fine. Such
/// are rows whose note begins with an empty line, when the quote before theirs is a stray one that opens a cell: its cell
/// then seems to end where theirs begins.
@Suite struct FaultPlacesTests {
    typealias Layout = FaultyTable.Layout

    static let layouts = [
        Layout(name: "commas, a note in the middle"),
        Layout(
            name: "semicolons, a note at the end",
            delimiter: ";",
            columns: [.id, .date, .count, .emotion, .colour, .note]
        ),
        Layout(name: "all cells quoted", quotesAll: true),
        Layout(
            name: "CRLF, a note at the end",
            lineEnd: "\r\n",
            columns: [.id, .date, .emotion, .count, .colour, .note]
        ),
        Layout(name: "no header, few long notes", hasHeader: false, longNotes: 1),
        Layout(
            name: "tabs and few quotes",
            delimiter: "\t",
            columns: [.date, .id, .colour, .emotion, .count, .note],
            longNotes: 0
        ),
        Layout(name: "CP949", encoding: "cp949"),
        Layout(name: "UTF-16", lineEnd: "\r\n", encoding: "utf-16"),
    ]

    @Test(arguments: layouts) func `faults are reported on their lines`(_ layout: Layout) throws {
        var figures = FaultFigures()
        for seed in TestSize.seeds(1, of: 3) {
            var random = SeededGenerator(seed: seed)
            let table = FaultyTable(layout, rows: 6_000, faults: 1_000, &random)
            let (rejects, written) = try run(table)
            figures.add(table, rejects, written: written)
        }
        print("\(layout.name)\n\(figures.text)\n")
        #expect(figures.share(of: .delimiters) >= 0.99)
        #expect(figures.share(of: .quotes) >= 0.95)
        #expect(figures.share(of: .encoding) >= 0.99)
        #expect(figures.share(of: .values) >= 0.99)
        #expect(
            figures.falseReports.count * 1_000 <= figures.fineRows && figures.lost.count * 1_000 <= figures.fineRows
        )
    }

    @Test func `neither threads nor morsels change what is reported`() throws {
        for layout in FaultPlacesTests.layouts.prefix(4) {
            var random = SeededGenerator(seed: 9)
            let table = FaultyTable(layout, rows: 700, faults: 200, &random)
            let (rejects, written) = try run(table)
            for (threads, morsel) in [(1, 1 << 20), (3, 777), (2, 4_096)] {
                let (others, otherWritten) = try run(table, threads: threads, morsel: morsel)
                #expect(others == rejects && otherWritten == written, "\(layout.name), morsels of \(morsel)")
            }
        }
    }

    /// Runs the engine as a user would, and gives what it rejected and the numbers of the rows that it wrote.
    private func run(
        _ table: FaultyTable,
        threads: Int = 2,
        morsel: Int = 1 << 16
    ) throws -> (rejects: [FaultFigures.Reject], written: Set<Int>) {
        let scratch = Scratch()
        scratch.write("in.csv", try table.bytes)
        let layout = table.layout
        var options = "path: in.csv, columns: { count: integer }"
        if layout.delimiter != "," { options += ", delimiter: \(layout.delimiter == "\t" ? "tab" : "\";\"")" }
        if !layout.hasHeader { options += ", header: [\(layout.columns.map(\.rawValue).joined(separator: ", "))]" }
        if let encoding = layout.encoding { options += ", encoding: \(encoding)" }
        let text = """
            daybook: 1
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_csv: { \(options) }
              - normalise_dates: { column: date, formats: [iso] }
              - validate_hex_colours: { column: colour }
              - select_columns: { columns: [id] }
              - export_csv: { path: out.csv }
            """
        let job = try JobParser { _ in nil }.job(Array(text.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(
            threads: threads,
            directory: scratch.path,
            state: StateDirectory(scratch["state"]),
            morselSize: morsel
        )
        let outcome = Runner(plan, settings).run()
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        let lines = (scratch.read("rejects.ndjson") ?? "").split(separator: "\n")
        let rejects = try lines.map { try JSONDecoder().decode(FaultFigures.Reject.self, from: Data($0.utf8)) }
        let written = (scratch.read("out.csv") ?? "").split(separator: "\n").compactMap { Int($0) }
        return (rejects, Set(written))
    }
}

extension FaultyTable {
    /// The file.
    var bytes: [UInt8] {
        get throws {
            var bytes: [UInt8] = []
            switch layout.encoding {
            case "utf-16":
                bytes = [0xFF, 0xFE]
                for scalar in scalars {
                    for unit in String(scalar).utf16 { bytes += [UInt8(unit & 255), UInt8(unit >> 8)] }
                }
            case "cp949":
                let writer = try EncodingWriter(TextEncoding(named: "cp949"))
                let output = Bytes()
                for line in scalars.split(separator: "\u{E0FF}", omittingEmptySubsequences: false) {
                    var text = ""
                    text.unicodeScalars.append(contentsOf: line)
                    writer.encode(Bytes(text), 0..<text.utf8.count, into: output) { _ in }
                    output.append(0xFF)
                }
                bytes = output.array.dropLast()
            default:
                for scalar in scalars { bytes += scalar == "\u{E0FF}" ? [0xFF] : Array(String(scalar).utf8) }
            }
            return bytes
        }
    }
}
