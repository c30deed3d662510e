import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// Whatever the bytes are, a job file gives a job or problems with places inside the file, and never a trap.
@Suite struct JobFuzzTests {
    private static let pieces = [
        "daybook: 1\n", "stages:\n", "- ", "  ", "\n", ": ", "a", "import_csv", "{", "}", "[", "]", ", ", "\"", "'",
        "#",
        "#EC007F", "&x ", "*x", "!t ", "? ", "|\n", ">-\n", "---\n", "...\n", "\t", "\r\n", "\r", "${a}", "${", "$${",
        "${env:H}", "한글", "é", "😀", "\u{85}", "\u{2028}", "\u{FEFF}", "\\", "%", "@", "<<: ", "~", "null", "id: x\n",
        "from: x\n", "rejects: { allow: 1% }\n", "params: { a: 1 }\n", "  - b: { c: d }\n", "timezone: Asia/Seoul\n",
    ]

    private func check(_ bytes: [UInt8], seed: UInt64) {
        let reading = JobParser(settings: [ParamSetting(name: "a", value: "{ ${a}")], environment: { _ in "e" })
            .read(bytes, file: "f.yaml")
        #expect(reading.job != nil || !reading.problems.isEmpty, "seed \(seed)")
        for problem in reading.problems {
            guard let place = problem.place else { continue }
            let isInside = place.line >= 1 && place.line <= reading.source.lineCount && place.column >= 1
            #expect(isInside, "seed \(seed): \(problem)")
        }
        _ = ErrorRenderer(source: reading.source).render(reading.problems)
        if let root = YAMLReader().read(bytes, file: "f.yaml").root { check(root, in: reading.source, seed: seed) }
    }

    /// A plain scalar of one line stands where its place says, letter by letter.
    private func check(_ node: OptionNode, in source: SourceText, seed: UInt64) {
        switch node.content {
        case .text(let text, quoted: false) where !text.contains(" ") && text.unicodeScalars.count == node.place.length:
            let start = source.byte(of: node.place) ?? -1
            let found = start < 0 ? [] : Array(source.bytes[start...].prefix(text.utf8.count))
            #expect(found == Array(text.utf8), "seed \(seed): \(text.debugDescription) at \(node.place)")
        case .list(let items): for item in items { check(item, in: source, seed: seed) }
        case .map(let entries): for entry in entries { check(entry.value, in: source, seed: seed) }
        default: break
        }
    }

    @Test func randomBytes() {
        for seed in 1...1_500 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            check(
                (0..<Int.random(in: 0...200, using: &random)).map { _ in .random(in: 0...255, using: &random) },
                seed: seed
            )
        }
    }

    @Test func randomPieces() {
        for seed in 1...3_000 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            let count = Int.random(in: 0...60, using: &random)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
            check(Array(text.utf8), seed: seed)
        }
    }

    @Test func damagedJobs() {
        let whole = """
            daybook: 1
            job: 밤
            params: { a: { default: "${env:H}/x", secret: true } }
            rejects: { path: out.ndjson, allow: 0.5% }
            stages:
              - import_csv: &o { path: "${a}", columns: [가, "나", '다'] }
                id: entries
              - sort_rows: { by: date, colour: "#EC007F" }
                from: [entries, entries.rejects]
              - export_csv: *o

            """
        for seed in 1...2_000 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            var bytes = Array(whole.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = Array(" \n:-#{}[]\"'&*!,$\t\u{0}x".utf8).randomElement(using: &random) ?? 0
                default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 12)], at: index)
                }
            }
            check(bytes, seed: seed)
        }
    }
}
