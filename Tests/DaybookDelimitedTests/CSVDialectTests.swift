import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookDelimited

/// Tables that a plain writer puts into each dialect, read back cell by cell at any cut.
@Suite struct CSVDialectTests {
    /// A dialect, and how a cell is written in it.
    struct Way: CustomTestStringConvertible, Sendable {
        var name: String
        var delimiter = ","
        var quote = "\""
        var quotes = CSVDialect.Quotes.strict
        var escape: Character?
        var trims = false
        /// Whether blanks are put about cells.
        var pads = false
        var lineEnd = "\n"

        var testDescription: String { name }

        var dialect: CSVDialect {
            var dialect = CSVDialect()
            let bytes = Array(delimiter.utf8)
            dialect.delimiter = bytes[0]
            dialect.delimiterTail = DelimiterTail(bytes.dropFirst())
            dialect.quote = quote.utf8.first ?? CSVDialect.noQuote
            dialect.quotes = quotes
            dialect.escape = escape?.asciiValue
            dialect.trims = trims
            return dialect
        }

        /// A cell in quotes or, where that may be, without them.
        func written(_ cell: String, quoted: Bool) -> String {
            var text = ""
            if let escape {
                let special = delimiter + quote + "\n\r" + String(escape)
                for scalar in cell.unicodeScalars {
                    if special.unicodeScalars.contains(scalar) { text.append(escape) }
                    text.unicodeScalars.append(scalar)
                }
                if quoted, !quote.isEmpty { text = quote + text + quote }
            } else if quoted || needsQuotes(cell) {
                text =
                    quote
                    + cell.split(separator: quote, omittingEmptySubsequences: false).joined(separator: quote + quote)
                    + quote
            } else {
                text = cell
            }
            return text
        }

        private func needsQuotes(_ cell: String) -> Bool {
            let beginsQuoted = cell.hasPrefix(quote)
            let isStray = quotes == .lenient ? beginsQuoted : cell.contains(quote)
            // A piece of a delimiter at the end would join the one behind it.
            let special = delimiter.unicodeScalars + "\n\r".unicodeScalars
            return isStray || cell.unicodeScalars.contains { special.contains($0) }
                || (trims && cell.contains { $0 == " " || $0 == "\t" })
        }
    }

    static let ways = [
        Way(name: "as RFC 4180 has it"),
        Way(name: "semicolons and single quotes", delimiter: ";", quote: "'"),
        Way(name: "lenient quotes", quotes: .lenient),
        Way(name: "lenient single quotes", delimiter: ";", quote: "'", quotes: .lenient),
        Way(name: "backslashes", escape: "\\"),
        Way(name: "backslashes and tabs without quotes", delimiter: "\t", quote: "", escape: "\\"),
        Way(name: "lenient quotes and backslashes", quotes: .lenient, escape: "\\"),
        Way(name: "blanks about cells", trims: true, pads: true),
        Way(name: "blanks about cells, and lenient", quotes: .lenient, trims: true, pads: true),
        Way(name: "two bars", delimiter: "||"),
        Way(name: "two bars and backslashes", delimiter: "||", escape: "\\"),
        Way(name: "a section sign", delimiter: "§"),
        Way(
            name: "a full-width comma, lenient, with blanks",
            delimiter: "，",
            quotes: .lenient,
            trims: true,
            pads: true
        ),
        Way(name: "line ends of Windows", quotes: .lenient, trims: true, pads: true, lineEnd: "\r\n"),
    ]

    private static let pieces = ["a", "7", "한", "\"", "'", ",", ";", "|", "||", "§", "，", "\\", " ", "\n", "N", "x y"]

    @Test(arguments: ways) func whatIsWrittenIsRead(_ way: Way) throws {
        var random = SeededGenerator(seed: 18)
        for _ in 0..<TestSize.rounds(150, of: 2000) {
            let width = Int.random(in: 2...4, using: &random)
            let header = (1...width).map { "c\($0)" }
            var rows: [[String]] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                rows.append(
                    (0..<width).map { _ in
                        (0..<Int.random(in: 0...4, using: &random)).map { _ in
                            Self.pieces.randomElement(using: &random)!
                        }.joined()
                    }
                )
            }
            let lines = ([header] + rows).map { row in
                row.map { cell -> String in
                    // What is empty is quoted, so that it is not missing.
                    let written = way.written(cell, quoted: cell.isEmpty || Bool.random(using: &random))
                    guard way.pads else { return written }
                    return ["", " ", " \t"].randomElement(using: &random)! + written + ["", "  "].randomElement(
                        using: &random
                    )!
                }.joined(separator: way.delimiter)
            }
            let text = lines.joined(separator: way.lineEnd) + (Bool.random(using: &random) ? way.lineEnd : "")
            let found = try Self.read(text, way, &random)
            #expect(found.cells == rows, "\(text)")
            #expect(found.rejected == 0, "\(text)")
        }
    }

    /// Whatever the text is, each record becomes a row or is rejected, and cuts change nothing.
    @Test(arguments: ways) func cutsDoNotShow(_ way: Way) throws {
        var random = SeededGenerator(seed: 19)
        let pieces = Self.pieces + [way.delimiter, way.delimiter, way.quote, "\n", "\r\n"]
        for _ in 0..<TestSize.rounds(300, of: 5000) {
            let body = (0..<Int.random(in: 0...30, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            let text = "c1\(way.delimiter)c2\n" + body
            var still = SeededGenerator(seed: 0)
            let whole = try Self.read(text, way, &still, cuts: false)
            let cut = try Self.read(text, way, &random)
            #expect(whole.cells == cut.cells, "\(text)")
            #expect(whole.rejected == cut.rejected, "\(text)")
            if way.quotes == .lenient {
                #expect(whole.codes.allSatisfy { $0 == "ragged-row" || $0 == "stray-return" }, "\(text)")
            }
        }
    }

    /// The scanner of all dialects and that of the plain one say the same of a plain text.
    @Test func bothScannersAgree() {
        var random = SeededGenerator(seed: 20)
        let alphabet = Array("ab,,\n\r\"\"x".utf8)
        for _ in 0..<TestSize.rounds(5000, of: 50_000) {
            let bytes = (0..<Int.random(in: 1...40, using: &random)).map { _ in alphabet.randomElement(using: &random)!
            }
            let isLast = Bool.random(using: &random)
            bytes.withUnsafeBufferPointer { bytes in
                var plain = CSVRecordScanner(dialect: CSVDialect())
                var any = CSVRecordScanner(dialect: CSVDialect())
                let one = plain.scan(bytes, from: 0, isLast: isLast)
                guard one.kind != .blank else { return }
                let other = any.scanUnusual(bytes, from: 0, isLast: isLast)
                #expect(one.kind == other.kind && one.end == other.end && one.fault == other.fault, "\(Array(bytes))")
                guard one.kind == .fields else { return }
                #expect(plain.fields.map(\.whole) == any.fields.map(\.whole), "\(Array(bytes))")
                #expect(plain.fields.map(\.isEncoded) == any.fields.map(\.isEncoded), "\(Array(bytes))")
            }
        }
    }

    /// A quote that nothing closes is given up where the text is as long as a record may be.
    @Test func aLenientQuoteHoldsNoMoreThanARecord() throws {
        var dialect = CSVDialect()
        dialect.quotes = .lenient
        let bytes = Bytes("1,\"open\n2,fine\n3,fine\n")
        var cutter = CSVCutter(dialect: dialect, longestRecord: 20)
        #expect(try cutter.cut(bytes.filled, isLast: false).length == 8)
        withExtendedLifetime(bytes) {}
    }

    /// What stands at the end of a file is no row, whatever it is and however the text arrives.
    @Test(arguments: [ways[0], ways[2], ways[9]]) func footersAreNoRows(_ way: Way) throws {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<TestSize.rounds(200, of: 2000) {
            let rows = (0..<Int.random(in: 0...5, using: &random)).map {
                ["\($0)", ["a", "b\nc", "한"].randomElement(using: &random)!]
            }
            let footer = (1...Int.random(in: 1...3, using: &random)).map { _ in
                ["sum\(way.delimiter)7", "one remark", "6\" of rain", "a\(way.delimiter)b\(way.delimiter)c"]
                    .randomElement(using: &random)!
            }
            let written = ([["n", "t"]] + rows).map {
                $0.map { way.written($0, quoted: false) }.joined(separator: way.delimiter)
            }
            let blank = Bool.random(using: &random) ? ["", ""] : []
            let text = (written + blank + footer + blank).joined(separator: "\n")
            let found = try Self.read(text, way, &random) { $0.skipFooter = footer.count }
            #expect(found.cells == rows, "\(text)")
            #expect(found.rejected == 0 && found.footers == footer.count, "\(text)")
        }
    }

    /// A second table is refused with the line of its header, wherever the text is cut; rows that are odd are not taken for one.
    @Test func aSecondTableIsRefusedAtItsHeader() throws {
        var random = SeededGenerator(seed: 22)
        let first = "id,name\n1,a\n2,\"b\nc\"\n3,d\n"
        let more = "4,e\n5,f\n"
        for (text, line) in [
            (first + "\nday,place,count\n2026-01-01,Seoul,1\n" + more, 7),
            (first + "day,place,count\n2026-01-01,Seoul,1\n2026-01-02,Busan,2\n", 6),
            (first + "day,place,count\n" + more, nil),
            (first + "e,f,g\nh,i,j\nk,l,m\n" + more, nil),
            (first + "4,e,g\n5,f,h\n6,f,i\n7,f,j\n", nil),
            (first + "\nid,name\n" + more, nil),
            (first + "\nsum,of,all\n" + more, nil),
        ] as [(String, Int?)] {
            // With the first way records are indexed, with the others read one by one.
            for way in [Self.ways[0], Self.ways[2], Self.ways[9]] {
                let written = text.replacing(",", with: way.delimiter)
                for _ in 0..<20 { Self.expectSecondTable(at: line, written, way, &random) }
            }
        }
    }

    /// Remarks are no part of either table.
    @Test func aSecondTableIsRefusedAmongRemarks() {
        var random = SeededGenerator(seed: 25)
        let second = "# more\nday,place,count\n# a, remark, of three\n2026-01-01,Seoul,1\n"
        for (text, line) in [
            ("id,name\n# one\n1,a\n\n" + second, 6), ("id,name\n1,a\n" + second + "2026-01-02,Busan,2\n", 4),
            ("id,name\n1,a\n" + second, nil),
        ] as [(String, Int?)] {
            for _ in 0..<20 {
                Self.expectSecondTable(at: line, text, Self.ways[0], &random) {
                    $0.dialect.comment = UInt8(ascii: "#")
                }
            }
        }
    }

    /// Rows are looked at up to the footer, whose own lines are no table.
    @Test(arguments: [ways[0], ways[2]]) func aSecondTableIsRefusedAboveAFooter(_ way: Way) throws {
        var random = SeededGenerator(seed: 23)
        let first = "id,name\n1,a\n2,b\n\n"
        let second = "day,place,count\n2026-01-01,Seoul,1\n"
        for (text, footer, line) in [
            (first + second + "2026-01-02,Busan,2\nsum,,3\n", 1, 5), (first + second + "2 rows\n", 1, 5),
            (first + second, 2, nil), (first + second + "2026-01-02,Busan,2\n", 3, nil),
            (first + second + "# a remark\n", 1, 5),
        ] as [(String, Int, Int?)] {
            for _ in 0..<20 { Self.expectSecondTable(at: line, text, way, &random) { $0.skipFooter = footer } }
        }
    }

    /// A second table with as many columns stands behind a blank line, where names stand in columns of numbers.
    @Test(arguments: [ways[0], ways[2]]) func aSecondTableMayBeAsWide(_ way: Way) throws {
        var random = SeededGenerator(seed: 24)
        let first = "id,name,count\n" + (1...30).map { "\($0),a,\($0 * 3)\n" }.joined()
        for (text, line) in [
            (first + "\nday,place,cost\n2026-01-01,Seoul,1\n2026-01-02,Busan,2\n", 33),
            (first + "day,place,cost\n2026-01-01,Seoul,1\n2026-01-02,Busan,2\n", nil),
            (first + "\n31,place,7\n32,b,9\n", nil), (first + "\nx,,y\n14,b,9\n", nil),
        ] as [(String, Int?)] {
            for _ in 0..<20 { Self.expectSecondTable(at: line, text, way, &random) }
        }
    }

    private static func expectSecondTable(
        at line: Int?,
        _ text: String,
        _ way: Way,
        _ random: inout SeededGenerator,
        _ change: (inout CSVReadSettings) -> Void = { _ in }
    ) {
        do {
            _ = try read(text, way, &random, change)
            #expect(line == nil, "\(way.name): \(text)")
        } catch let error as DaybookError {
            #expect(error.code == "stacked-tables" && error.place?.line == line, "\(way.name): \(text)\(error)")
        } catch {
            Issue.record(error)
        }
    }

    private struct Found {
        var cells: [[String]] = []
        var rejected = 0
        var codes: Set<String> = []
        var footers = 0
    }

    private static func read(
        _ text: String,
        _ way: Way,
        _ random: inout SeededGenerator,
        cuts: Bool = true,
        _ change: (inout CSVReadSettings) -> Void = { _ in }
    ) throws -> Found {
        let source = SourceName(index: 0, path: "input.csv")
        var settings = CSVReadSettings()
        settings.dialect = way.dialect
        settings.delimiter = .text(Array(way.delimiter.utf8))
        settings.namesDelimiter = true
        settings.repeated = .keep
        change(&settings)
        let format = try CSVFormat(of: SourceHead(source: source, bytes: Bytes(text), isWhole: true), settings)
        let schema = Schema((format.columns ?? []).map { Field($0, .text, source: $0) })
        let reader = CSVReader(format, schema: schema, checking: Schema([]))
        var cutter = format.makeCutter()
        var rest = Array(text.utf8)[format.dataStart...]
        var found = Found()
        while !rest.isEmpty {
            let length = cuts ? Int.random(in: 1...rest.count, using: &random) : rest.count
            let part = Bytes()
            rest.prefix(length).withUnsafeBufferPointer { part.append($0) }
            let isLast = length == rest.count && (!cuts || Bool.random(using: &random))
            let cut = try cutter.cut(part.filled, isLast: isLast)
            if cut.length == 0 { continue }
            let own = Bytes()
            rest.prefix(cut.length).withUnsafeBufferPointer { own.append($0) }
            let morsel = Morsel(source: source, bytes: own, offset: 0, firstLine: 1, firstRecord: 0, notes: cut.notes)
            var findings = Findings()
            let batch = reader.read(morsel, reporting: &findings)
            var cells = [[String]](repeating: [String](repeating: "", count: schema.fields.count), count: batch.count)
            for (place, field) in schema.fields.enumerated() {
                batch.text(in: ColumnName(field.name)).forEachValue { row, cell in
                    cells[row][place] = String(decoding: cell, as: UTF8.self)
                }
            }
            #expect(findings.recordsSeen == batch.count + findings.rejectedRecords.count)
            found.cells += cells
            found.footers += findings.skipped.filter { $0.name == "footer rows" }.reduce(0) { $0 + $1.count }
            found.rejected += findings.rejectedRecords.count
            for record in findings.rejectedRecords {
                found.codes.insert(findings.subjects[findings.index(of: record.token)].kind.code)
            }
            rest = rest.dropFirst(cut.length)
        }
        return found
    }
}
