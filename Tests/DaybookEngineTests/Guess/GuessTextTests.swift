import DaybookContracts
import DaybookStandard
import DaybookTestSupport
import Testing

@testable import DaybookBytes
@testable import DaybookDates
@testable import DaybookDelimited
@testable import DaybookDiscover
@testable import DaybookEngine

/// That guessed jobs say what they mean, whatever the data holds.
@Suite struct GuessTextTests {
    /// Texts of characters that YAML, jobs and terminals treat in special ways.
    private func text(_ generator: inout SeededGenerator) -> String {
        let characters = Array(
            "ab1 -:#,[]{}&*!|>'\"%@`?~\\/.=$<한날🌸\t\n\r\u{85}\u{2028}\u{0}\u{1B}\u{FEFF}\u{200F}\u{E000}"
        )
        let words = ["${", "$${", "null", "true", "no", " #", ": ", "- ", "---", "...", "0x1", "~"]
        var text = ""
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            text +=
                Bool.random(using: &generator)
                ? words.randomElement(using: &generator) ?? ""
                : String(characters.randomElement(using: &generator) ?? "a")
        }
        return text
    }

    @Test func aScalarIsReadAsTheTextItWasWrittenFor() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<3_000 {
            let (key, value) = (text(&generator), text(&generator))
            let listed = YAMLScalar.of(.list([.text(value), .text(key)]))
            let yaml = """
                daybook: 1
                stages:
                  - a:
                      path: \(YAMLScalar.of(value))
                      \(YAMLScalar.key("k" + key)): \(listed)
                """
            let job = try JobParser(stageNames: ["a"]) { _ in nil }.job(Array(yaml.utf8), file: "job.yaml")
            let options = job.stages[0].options
            // Nothing else than a text may come out, so an empty one is quoted too.
            #expect(options[0].value.text == value, "\(generator)")
            #expect(options[1].key == "k" + key, "\(generator)")
            #expect(options[1].value.list?.map(\.text) == [value, key], "\(generator)")
        }
    }

    @Test func noTextEndsAComment() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            var job = JobText()
            job.add("daybook: 1")
            job.remark(text(&generator) + "\nstages: broken\n" + text(&generator))
            job.add("stages:", text(&generator) + "\u{2028}- b:")
            job.add("  - a: {}", text(&generator))
            let parsed = try JobParser(stageNames: ["a"]) { _ in nil }.job(Array(job.text.utf8), file: "job.yaml")
            #expect(parsed.stages.map(\.type) == ["a"])
        }
    }

    @Test func commentsOfNeighbouringLinesStandUnderEachOther() {
        var job = JobText()
        job.add("a: 1", "one")
        job.add("날짜: 2", "two")
        job.add("b: 3")
        job.add("long: 4", String(repeating: "word ", count: 20))
        #expect(
            job.text == """
                a: 1     # one
                날짜: 2  # two
                b: 3
                # word word word word word word word word word word word word word word word word word word word
                # word
                long: 4

                """
        )
    }

    @Test func namesAreFitForIdsAndFiles() {
        #expect(GuessNames.stem(of: "samples/entries-2026.csv.gz") == "entries-2026")
        #expect(GuessNames.stem(of: "/a/일기 2026.csv") == "일기-2026")
        #expect(GuessNames.stem(of: ".csv") == "csv")
        #expect(GuessNames.name(of: "../../etc/passwd") == "etc-passwd")
        #expect(GuessNames.name(of: "\n\u{1B}[2J") == "2J")
        #expect(GuessNames.unique(["a", "a", "b", "a"]) == ["a", "a-2", "b", "a-3"])
        #expect(GuessNames.name(ofPattern: "in/week-*.csv") == "week")
        #expect(GuessNames.name(ofPattern: "../orders/**/*.csv") == "orders")
        #expect(GuessNames.name(ofPattern: "*.csv") == "rows")
        #expect(GuessNames.shared(["x/entries-2025.csv", "x/entries-2026.csv"]) == "entries")
    }
}

/// A file format of another package, which lines that begin with `word:` have.
private struct ImportWords: TextSource, FormatDetecting {
    let wrapped: ImportCSV

    static let description = StageDescription(name: "import_words", summary: "Read words.", examples: [])

    init(reading options: inout OptionReader) { wrapped = ImportCSV(reading: &options) }

    var paths: [PathText] { wrapped.paths }
    var encoding: TextEncoding { wrapped.encoding }
    var declaredSchema: Schema { wrapped.declaredSchema }

    func format(of head: SourceHead) throws(DaybookError) -> CSVFormat { try wrapped.format(of: head) }
    func schema(of formats: [CSVFormat]) throws(DaybookError) -> Schema { try wrapped.schema(of: formats) }
    func reader(of format: CSVFormat, schema: Schema) -> any RecordReader { wrapped.reader(of: format, schema: schema) }

    static func detect(_ file: SniffedFile) -> FormatDetection? {
        guard file.begins(with: Array("word:".utf8)) else { return nil }
        return FormatDetection(
            .certain,
            form: "a word list",
            imports: [
                SuggestedImport(
                    options: [SuggestedOption("header", .list([.text("a"), .text("b")]), because: "it has none")],
                    notes: ["words need care"]
                )
            ]
        )
    }
}

/// Guessing as a library.
@Suite struct GuessTests {
    private func guess(_ table: StageTable = .builtIn, limit: Int = Guess.standardLimit) -> Guess {
        Guess(
            table: table,
            names: ["ko_KR", "en_US"].compactMap { LocaleNames(locale: $0) },
            directory: ".",
            command: "daybook guess",
            limit: limit
        ) { false }
    }

    @Test func importersOfOtherPackagesTakePart() throws {
        let scratch = Scratch()
        let path = scratch.write("words.txt", "word:apple,1\nword:pear,2\n")
        let text = try guess(StageTable(StageTable.builtIn.stages + [ImportWords.self])).job(for: [path]).text
        #expect(
            text.contains(
                """
                  # A word list, in UTF-8: 2 rows, 2 columns.
                  # Words need care.
                  - import_words:
                      path: \(path)
                      header: [a, b]  # it has none
                """
            )
        )
    }

    @Test func aLargeFileIsLookedAtInPart() throws {
        let scratch = Scratch()
        let rows = (0..<200_000).map { "\($0),2026-11-21\n" }.joined()
        let path = scratch.write("large.csv", "id,date\n" + rows)
        let text = try guess(limit: 1 << 20).job(for: [path]).text
        #expect(text.contains("# Only the beginning was looked at; what comes later may not fit.\n"))
        // What was not seen is no reason to give rows up.
        #expect(text.contains("  allow: 0  "))
        #expect(text.contains("one that does not fit fails the run"))
        #expect(!text.contains("200,000 rows"))
        let whole = try guess().job(for: [path]).text
        #expect(whole.contains(": 200,000 rows, 2 columns.\n"))
        #expect(whole.contains("  allow: 0  "))
    }

    @Test func manyColumnsAreNotAllLookedAt() throws {
        let scratch = Scratch()
        let names = (0..<5_000).map { "c\($0)" }.joined(separator: ",")
        let cells = (0..<5_000).map(String.init).joined(separator: ",")
        let text = try guess().job(for: [scratch.write("wide.csv", "\(names)\n\(cells)\n\(cells)\n")]).text
        #expect(text.contains("only the first 1,000 of 5,000 columns were looked at".capitalisedFirst))
        #expect(text.contains("        c999: integer"))
        #expect(!text.contains("c1000: integer"))
    }

    @Test func theFilesOfOneFormShareAnImport() throws {
        let scratch = Scratch()
        let one = scratch.write("a-1.csv", "id,n\n1,2\n")
        let other = scratch.write("a-2.csv", "id,n\n2,x\n")
        let third = scratch.write("b.csv", "id;m\n2;3\n")
        let text = try guess().job(for: [one, other, third]).text
        #expect(text.components(separatedBy: "- import_csv:").count == 3)
        #expect(text.contains("path: [\(one), \(other)]") || text.contains("        - \(one)\n        - \(other)\n"))
        // A column is declared only when the values of all files fit.
        #expect(text.contains("        id: integer"))
        #expect(!text.contains("n: integer"))
    }
}

extension String {
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
