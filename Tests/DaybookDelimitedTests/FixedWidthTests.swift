import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookDelimited

/// What no example of `import_fixed_width` can say: any text comes back that was padded, wherever the input is cut.
@Suite struct FixedWidthTests {
    private static let letters = ["a", "B", "7", "한", "글", "é", "🌸", ".", "-"]

    @Test(
        "cells that were padded to their widths come back, whatever characters they hold",
        arguments: 1...20 as ClosedRange<UInt64>
    )
    func thereAndBack(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let widths = (0..<Int.random(in: 1...5, using: &random)).map { _ in Int.random(in: 1...6, using: &random) }
        let rows = Self.rows(widths, 40, &random)
        let lineEnd = ["\n", "\r\n", "\r"].randomElement(using: &random)!
        let isRight = Bool.random(using: &random)
        var text = ""
        for row in rows {
            for (cell, width) in zip(row, widths) {
                let blanks = String(repeating: " ", count: width - cell.unicodeScalars.count)
                text += isRight ? blanks + cell : cell + blanks
            }
            text += lineEnd
        }
        let map = widths.enumerated().map { "c\($0): \($1)" }.joined(separator: ", ")
        let stage = try ExampleRunner.make(ImportFixedWidth.self, "path: x\nwidths: { \(map) }\nmissing: [none]")
        #expect(try Self.read(text, stage, size: Int.random(in: 1...400, using: &random)) == rows, "\(random)")
    }

    @Test(
        "a first line that is a row is not lost, unless the job says that it is the header",
        arguments: [
            ("1001  3.50\n1002  4.75\n1003  9.25\n", "", true), ("1001  3.50\n1002  4.75\n", "\nheader: true", false),
            ("1001  3.50\n1002  4.75\n", "\nheader: false", false), ("id    cost\n1002  4.75\n", "", false),
            ("city  2019  2020\nBonn     1     2\n", "", false),
            ("2019  3.50\n2020  4.75\n", "\ncolumns: { '2019': text }", false),
        ]
    )
    func firstRow(_ text: String, _ options: String, _ isRefused: Bool) throws {
        let stage = try ExampleRunner.make(ImportFixedWidth.self, "path: x\(options)")
        do {
            _ = try Self.read(text, stage, size: 100)
            #expect(!isRefused)
        } catch {
            let message = (error as? DaybookError)?.message ?? ""
            #expect(isRefused && message.contains("'1001' and '3.50'"), "\(error)")
        }
    }

    /// What `guess` makes of a text; nil where it is none in columns of fixed width.
    private static func detection(_ text: String) -> FormatDetection? {
        let text = FoundText(bytes: Bytes(text), isWhole: true)
        return FixedWidthGuess.of(text)?.detection(text)
    }

    private static let table = "id  name     amount\n 1  Kim        3.50\n 2  Lee Ho   112.00\n 3  Park       9.25\n"

    @Test("text in columns is found, with where they begin")
    func found() throws {
        let found = try #require(Self.detection(Self.table))
        #expect(found.confidence == .likely)
        #expect(found.form == "text in columns of fixed width with a header")
        #expect(found.imports[0].options.isEmpty)
        #expect(
            found.imports[0].notes == [
                "blanks run through all of the first 4 lines, so the columns begin at characters 1, 5, 14; 'widths' would say it for good"
            ]
        )
    }

    @Test("what stands around columns becomes options, with the line on which it was seen")
    func around() throws {
        let titled = "Payments of the second week of March\n\n" + Self.table
        #expect(
            Self.detection(titled)?.imports[0].options == [
                SuggestedOption("skip_lines", .plain("1"), because: "the columns begin on line 3")
            ]
        )
        let ruled = "id  name     amount\n--  ----     ------\n 1  Kim        3.50\n 2  Lee Ho   112.00\n"
        #expect(
            Self.detection(ruled)?.imports[0].options == [
                SuggestedOption("comment", .text("-"), because: "line 2 draws a line below the header")
            ]
        )
        let short = Self.table + " 4\n"
        #expect(
            Self.detection(short)?.imports[0].options == [
                SuggestedOption(
                    "ragged",
                    .plain("pad"),
                    because: "1 line ends before the last column, the first on line 5"
                )
            ]
        )
        let bare = try #require(Self.detection(String(Self.table.drop { $0 != "\n" }.dropFirst())))
        #expect(bare.imports[0].options.map(\.key) == ["header"])
    }

    @Test(
        "what is no table in columns is left to others",
        arguments: [
            "a, b\nc, d\ne, f\n", "one\ntwo\nthree\n", "a    = 1\nbc   = 2\ndef  = 3\n",
            "let a  = 1;\nlet bc = 2;\nlet c  = 3;\n",
            "{ \"a\":  1 }\n{ \"b\":  2 }\n{ \"c\":  3 }\n", "a\tb\n1\t 2\n3\t 4\n",
            "It was a dark and stormy night; the\nrain fell in torrents  except at\noccasional intervals, when it was\n",
        ]
    )
    func others(_ text: String) { #expect(Self.detection(text) == nil) }

    @Test("a blank inside of all values parts no columns where the header has one name for them")
    func halves() throws {
        let text = "at                value\n2026-01-05 10:00   1.5\n2026-01-06 11:30  12.5\n"
        let head = SourceHead(source: SourceName(index: 0, path: "in.txt"), bytes: Bytes(text), isWhole: true)
        #expect(try FixedWidthFormat(of: head, FixedWidthReadSettings()).columns == ["at", "value"])
        let wide = "at          a b\n2026-01-05  1\n2026-01-06  2\n"
        let other = SourceHead(source: SourceName(index: 0, path: "in.txt"), bytes: Bytes(wide), isWhole: true)
        #expect(try FixedWidthFormat(of: other, FixedWidthReadSettings()).columns == ["at", "a b"])
    }

    @Test("a value further down that begins before all others keeps its first digits")
    func begins() throws {
        let rows = (1...120).map { row in String(repeating: " ", count: 4 - "\(row)".count) + "\(row)   x" }
        let stage = try ExampleRunner.make(ImportFixedWidth.self, "path: x")
        let read = try Self.read(
            " id   k\n".replacing(" id", with: "  id") + rows.joined(separator: "\n") + "\n",
            stage,
            size: 64
        )
        #expect(read.map { $0[0] } == (1...120).map { "\($0)" })
    }

    @Test(
        "blanks that run through all lines tell the columns, on whichever side values stand",
        arguments: 1...20 as ClosedRange<UInt64>
    )
    func guesses(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let widths = (0..<Int.random(in: 2...5, using: &random)).map { _ in Int.random(in: 2...6, using: &random) }
        let sides = widths.map { _ in Bool.random(using: &random) }
        let names = widths.indices.map { "n\($0)" }
        // A column is told only where something stands in it.
        let rows = Self.rows(widths, 30, &random)
        var text = ""
        for row in [names] + rows {
            for (column, cell) in row.enumerated() {
                let blanks = String(repeating: " ", count: widths[column] - cell.unicodeScalars.count)
                text += (sides[column] ? blanks + cell : cell + blanks) + "  "
            }
            text += "\n"
        }
        let stage = try ExampleRunner.make(ImportFixedWidth.self, "path: x\nmissing: [none]")
        let head = Self.head(text)
        #expect(try stage.format(of: head).columns == names, "\(random)")
        #expect(try Self.read(text, stage, size: 1000) == rows, "\(random)")
    }

    @Test func `more lines may be passed over than a file has`() throws {
        let stage = try ExampleRunner.make(
            ImportFixedWidth.self,
            "path: x\nskip_lines: \(Int.max)\nheader: false\nwidths: { a: 1 }"
        )
        #expect(try Self.read("1\n2\n", stage, size: 100).isEmpty)
    }

    @Test func `a value that runs into its neighbour is rejected at the blanks that it fills`() throws {
        let lines = (0..<100).map { "\($0 % 10)  x\n" }.joined()
        let text = "a  b\n" + lines + "12  y\n1 23\n1234\n1   long\n"
        let stage = try ExampleRunner.make(ImportFixedWidth.self, "path: x")
        var findings = Findings()
        let rows = try Self.read(text, stage, size: 10_000, &findings)
        #expect(rows.suffix(3) == [["12", "y"], ["1", "23"], ["1", "long"]])
        #expect(
            findings.rejectedRecords.map { findings.subjects[findings.index(of: $0.token)].kind.code } == [
                "value-across-columns"
            ]
        )
        let start = text.utf8.count - "1234\n1   long\n".utf8.count - "a  b\n".utf8.count
        #expect(findings.rejectedRecords.map { Int($0.at) } == [start + 1])
    }

    @Test func `bytes that are no text, and a NUL, cost their own lines`() throws {
        let stage = try ExampleRunner.make(ImportFixedWidth.self, "path: x\nwidths: { a: 2, b: 2 }")
        let bytes =
            Array("abcd\n".utf8) + [0x61, 0xFF, 0x63, 0x64, 0x0A] + Array("a\u{0}cd\nef".utf8) + Array("gh\n".utf8)
        var findings = Findings()
        let rows = try Self.read(bytes, stage, size: 1000, &findings)
        #expect(rows == [["ab", "cd"], ["ef", "gh"]])
        #expect(
            findings.rejectedRecords.map { findings.subjects[findings.index(of: $0.token)].kind.code }
                == ["invalid-encoding", "nul-character"]
        )
        #expect(findings.rejectedRecords.map(\.at) == [6, 11])
    }

    @Test func `a return within a line costs that line`() throws {
        let stage = try ExampleRunner.make(ImportFixedWidth.self, "path: x\nwidths: { a: 3, b: 3 }")
        var findings = Findings()
        let rows = try Self.read("abc1\r2\r\nde 345\r\n\rbc123\n", stage, size: 1000, &findings)
        #expect(rows == [["de", "345"]])
        #expect(
            findings.rejectedRecords.map { findings.subjects[findings.index(of: $0.token)].kind.code }
                == ["stray-return", "stray-return"]
        )
        #expect(findings.rejectedRecords.map(\.at) == [4, 16])
    }

    @Test(
        "any bytes are read without a trap, and every line becomes a row or a finding",
        arguments: 1...30 as ClosedRange<UInt64>
    )
    func anyBytes(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("ab  \n\r\t*".utf8) + [0xED, 0x95, 0x9C, 0, 0xFF]
        let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
        for options in [
            "widths: { a: 2, b: 3 }", "positions: { a: 3, b: 1-2 }\nragged: pad\ncomment: \"*\"", "empty: allow",
        ] {
            let stage = try ExampleRunner.make(ImportFixedWidth.self, "path: x\n\(options)")
            var findings = Findings()
            guard let rows = try? Self.read(bytes, stage, size: 37, &findings) else { continue }
            #expect(rows.count + findings.rejectedRecords.count == findings.recordsSeen, "\(random)")
        }
    }

    @Test(
        "columns that cannot be are refused",
        arguments: [
            ("widths: {}", "'widths' names no column"),
            ("widths: { a: 0 }", "'a' has from 1 to 1000000 characters, found '0'"),
            ("positions: { a: 1-8, b: 8-9 }", "'b' and 'a' share characters"),
            ("positions: { a: 8-1 }", "'positions': expected characters such as 1-8, found '8-1'"),
            ("widths: { a: 1 }\npositions: { a: 1 }", "'widths' and 'positions' both say where the columns stand"),
            ("widths: { a: 1 }\nheader: [b]", "'header' and 'widths' both name the columns"),
            (
                "widths: { a: 1 }\ncolumns: { a: instant }",
                "'columns': expected one of text, integer, decimal, flag, day, found 'instant'"
            ),
        ]
    )
    func refusals(_ options: String, _ message: String) throws {
        let error = #expect(throws: DaybookErrors.self) {
            try ExampleRunner.make(ImportFixedWidth.self, "path: x\n" + options)
        }
        #expect(error?.errors.first?.message == message)
    }

    // MARK: -

    private static func rows(_ widths: [Int], _ count: Int, _ random: inout SeededGenerator) -> [[String]] {
        (0..<count).map { _ in
            widths.map { width in
                (0..<Int.random(in: 1...width, using: &random)).map { _ in letters.randomElement(using: &random)! }
                    .joined()
            }
        }
    }

    private static func head(_ text: String) -> SourceHead {
        SourceHead(source: SourceName(index: 0, path: "x"), bytes: Bytes(text), isWhole: true)
    }

    private static func read(_ text: String, _ stage: ImportFixedWidth, size: Int) throws -> [[String]] {
        var findings = Findings()
        let rows = try read(text, stage, size: size, &findings)
        #expect(findings.rejectedRecords.isEmpty)
        return rows
    }

    private static func read(_ text: String, _ stage: ImportFixedWidth, size: Int, _ findings: inout Findings) throws
        -> [[String]]
    {
        try read(Array(text.utf8), stage, size: size, &findings)
    }

    /// Reads bytes that are handed to the cutter `size` at a time, as a run does.
    private static func read(
        _ bytes: [UInt8],
        _ stage: ImportFixedWidth,
        size: Int,
        _ findings: inout Findings
    ) throws -> [[String]] {
        let all = Bytes(capacity: bytes.count)
        bytes.withUnsafeBufferPointer { all.append($0) }
        let head = SourceHead(source: SourceName(index: 0, path: "x"), bytes: all, isWhole: true)
        let format = try stage.format(of: head)
        let schema = try stage.schema(of: [format])
        let reader = stage.reader(of: format, schema: schema)
        var cutter = format.makeCutter()
        var rows: [[String]] = []
        var (start, end) = (format.dataStart, format.dataStart)
        while start < bytes.count {
            end = min(bytes.count, end + size)
            let window = UnsafeBufferPointer(rebasing: all.filled[start..<end])
            let cut = try cutter.cut(window, isLast: end == bytes.count)
            guard cut.length > 0 else { continue }
            let part = Bytes(capacity: cut.length)
            part.append(UnsafeBufferPointer(rebasing: window[..<cut.length]))
            let morsel = Morsel(
                source: head.source,
                bytes: part,
                offset: start,
                firstLine: 1,
                lineEnd: format.lineEnd,
                firstRecord: 0
            )
            let batch = reader.read(morsel, reporting: &findings)
            for row in 0..<batch.count {
                rows.append(schema.fields.map { batch.text(in: ColumnName($0.name))[row] ?? "" })
            }
            start += cut.length
            end = max(end, start)
        }
        withExtendedLifetime(all) {}
        return rows
    }
}
