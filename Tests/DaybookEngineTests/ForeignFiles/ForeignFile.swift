import DaybookTestSupport
import Foundation

@testable import DaybookContracts

/// A file as other programs, people and accidents make it, which stands for all that are wrong in the same way.
///
/// What Daybook says of it is kept in a sheet: what a run makes of it as it is, and with the options that `reads` adds, and
/// what `guess` writes for it.
struct ForeignFile: Sendable {
    enum Content: Sendable {
        case bytes([UInt8])
        /// A test elsewhere stands for it: its file or folder under `Tests`, and its name there.
        case standsIn(String, String)
    }

    let name: String
    let content: Content
    var reads: [String] = []

    init(_ name: String, _ text: String, reads: String...) {
        (self.name, self.content, self.reads) = (name, .bytes(Array(text.utf8)), reads)
    }

    init(_ name: String, bytes: [UInt8], reads: String...) {
        (self.name, self.content, self.reads) = (name, .bytes(bytes), reads)
    }

    /// The bytes that the scalars of a text are, which are below U+0100, and NULs behind them.
    static func raw(_ text: String, zeros: Int = 0) -> [UInt8] {
        text.unicodeScalars.map { UInt8($0.value) } + [UInt8](repeating: 0, count: zeros)
    }

    init(_ name: String, standsIn file: String, _ test: String) {
        (self.name, self.content) = (name, .standsIn(file, test))
    }

    /// The case of that name stands for it.
    init(_ name: String, case test: String) {
        self.init(name, standsIn: "DaybookEngineTests/Cases/\(test)", "")
    }

    /// What is wrong with the place where the class is said to stand; nil where it stands there.
    func misplaced(in tests: URL) -> String? {
        guard case .standsIn(let path, let test) = content else { return nil }
        let file = tests.appendingPathComponent(path)
        if test.isEmpty {
            return FileManager.default.fileExists(atPath: file.path) ? nil : "\(name): there is no '\(path)'"
        }
        let text = try? String(contentsOf: file, encoding: .utf8)
        return text?.contains(test) == true ? nil : "\(name): '\(test)' is not in '\(path)'"
    }

    // MARK: - The sheet

    /// The entry of the sheet: the file, and what Daybook says of it.
    func entry() throws -> String {
        switch content {
        case .standsIn(let path, let test):
            return "=== \(name)\n    stands in \(path)\(test.isEmpty ? "" : ": \(test)")\n"
        case .bytes(let bytes):
            let place = try TemporaryDirectory()
            try place.write(Data(bytes), to: "data.csv")
            var shown = SaidOfFile()
            var text = "=== \(name)\n" + SaidOfFile.indented(SaidOfFile.visible(bytes), "    ", lines: 8)
            for options in [""] + reads {
                try place.write(ForeignFile.job(options), to: "job.yaml")
                let title = options.isEmpty ? "run" : "run, " + options.replacing("\n", with: ", ")
                text += try shown.run(title, "job.yaml", leaving: "out.csv", in: place)
            }
            return try text + shown.guess(in: place)
        }
    }

    /// A job that reads the file so; nearly all rows may be wrong, so that those which are right show.
    private static func job(_ options: String) -> String {
        let lines = options.split(separator: "\n").map { "      \($0)\n" }.joined()
        return """
            daybook: 1
            job: foreign
            rejects: { path: rejects.ndjson, allow: 99% }
            stages:
              - import_csv:
                  path: data.csv
            \(lines)  - export_csv: { path: out.csv }

            """
    }
}

/// What Daybook says of one file, as a sheet shows it: without the ledger, excerpts and what is the same for all files.
private struct SaidOfFile {
    private var tables: Set<String> = []

    mutating func run(
        _ title: String,
        _ job: String,
        leaving output: String,
        in place: TemporaryDirectory
    ) throws -> String {
        let outcome = try CommandTrial(in: place.url).run("run", job, "--as-of", "2026-11-21", "--threads", "2")
        var text = "  \(title): \(outcome.status)\n" + SaidOfFile.findings(outcome.errors)
        if let table = place.text(output) {
            let isNew = tables.insert(table).inserted
            text +=
                isNew
                ? SaidOfFile.indented(SaidOfFile.visible(Array(table.utf8)), "    | ", lines: 5)
                : "    the same table as above\n"
            try FileManager.default.removeItem(at: place.url.appendingPathComponent(output))
        }
        return text
    }

    mutating func guess(in place: TemporaryDirectory) throws -> String {
        let outcome = try CommandTrial(in: place.url).run("guess", "data.csv", "-o", "guess.yaml")
        guard outcome.status == 0 else {
            return "  guess: \(outcome.status)\n" + SaidOfFile.findings(outcome.errors) + "\n"
        }
        let job = place.text("guess.yaml") ?? ""
        let stages = job.split(separator: "\n").drop { $0 != "stages:" }.dropFirst().filter {
            !$0.hasPrefix("      path: data.csv") && !$0.hasPrefix("  - export_csv:") && $0 != "  - import_csv:"
        }
        let text = stages.map { $0.drop { $0 == " " } }.joined(separator: "\n")
        return try "  guess\n" + SaidOfFile.indented(text, "    ", lines: 12)
            + run("its run", "guess.yaml", leaving: "out/data.csv", in: place) + "\n"
    }

    private static func findings(_ errors: String) -> String {
        let lines = errors.split(separator: "\n").filter { line in
            line.contains(#/(error|warning|hint|gate failed[^:]*): /#) || line.hasPrefix("…")
        }
        return indented(lines.map { $0.drop { $0 == " " } }.joined(separator: "\n"), "    ", lines: 6)
    }

    /// The lines of a text, or the first of them.
    static func indented(_ text: String, _ indent: String, lines limit: Int) -> String {
        let lines = text.split(separator: "\n")
        let shown = lines.prefix(limit).map { line in
            line.count > 160 ? "\(line.prefix(100))… (\(line.count) characters)" : String(line)
        }
        let rest = lines.count - shown.count
        return (shown + (rest > 0 ? ["… and \(rest) more"] : [])).map { indent + $0 + "\n" }.joined()
    }

    /// Bytes as text in which everything can be seen.
    static func visible(_ bytes: [UInt8]) -> String {
        var text = ""
        var decoder = UTF8()
        var rest = bytes.prefix(20_000).makeIterator()
        reading: while true {
            switch decoder.decode(&rest) {
            case .emptyInput: break reading
            case .error: text += "\\u{FFFD}"
            case .scalarValue("\n"): text += "⏎\n"
            case .scalarValue(let scalar):
                let isSeen =
                    scalar == " "
                    || ![.control, .format, .spaceSeparator, .lineSeparator].contains(scalar.properties.generalCategory)
                if isSeen, scalar != "\u{FFFD}" {
                    text.unicodeScalars.append(scalar)
                } else {
                    text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                }
            }
        }
        return text
    }
}
