import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookDelimited

/// Rows of CSV against a writer that goes byte by byte, over texts that need quotes anywhere and batches of any size.
@Suite struct CSVRowWriterTests {
    private static let pool = [
        "", "a", "ab ", ",", ";", "\"", "\n", "\r", "\r\n", "\t", "-", "=", "＝1", " =", "\u{FEFF}=1", "\u{FEFF}", "！",
        "NA", "감", "😀",
        "fifteen letters",
        "sixteen letters!", "a run of plain text that is longer than a vector",
    ]

    private static func texts(_ rows: Int, _ random: inout SeededGenerator) -> TextColumn {
        let bytes = Bytes()
        var views: [TextView] = []
        var missing: Mask?
        let isRough = Int.random(in: 0..<3, using: &random) == 0
        for row in 0..<rows {
            let start = bytes.count
            for _ in 0..<Int.random(in: 0..<(isRough ? 5 : 2), using: &random) {
                bytes.append(isRough || row % 50 == 0 ? pool.randomElement(using: &random)! : "plain ")
            }
            // What a gap covers is arbitrary.
            if Int.random(in: 0..<7, using: &random) == 0 { missing.insert(row, of: rows) }
            views.append(TextView(offset: start, length: bytes.count - start))
        }
        return TextColumn(bytes, views: views, missing: missing)
    }

    private static func batch(_ rows: Int, _ random: inout SeededGenerator) -> Batch {
        func gaps() -> Mask? {
            var mask: Mask?
            for row in 0..<rows where Int.random(in: 0..<9, using: &random) == 0 { mask.insert(row, of: rows) }
            return mask
        }
        let columns: [Column] = [
            .text(texts(rows, &random)), .text(texts(rows, &random)),
            .integers(
                Values(
                    (0..<rows).map { _ in Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random))
                    }
                )
            ),
            .integers(
                Values((0..<rows).map { _ in Int64.random(in: -5_000...5_000, using: &random) }, missing: gaps())
            ),
            .days(Values((0..<rows).map { _ in Int32.random(in: -9_000...40_000, using: &random) }, missing: gaps())),
            .decimals(Values((0..<rows).map { _ in Double.random(in: -9...9, using: &random) }, missing: gaps())),
            .flags(Values((0..<rows).map { _ in Bool.random(using: &random) }, missing: gaps())),
            .instants(Values((0..<rows).map { _ in Int64.random(in: -9...9, using: &random) }, missing: gaps())),
            .text(texts(rows, &random)),
        ].shuffled(using: &random)
        let fields = columns.enumerated().map { Field("c\($0)", $1.kind) }
        return Batch(Schema(fields), columns, count: rows, provenance: .made)
    }

    private static func copied(_ bytes: Bytes) -> [UInt8] {
        defer { withExtendedLifetime(bytes) {} }
        return Array(bytes.filled)
    }

    private static func isFormula(_ text: String) -> Bool {
        let ranges: [ClosedRange<UInt32>] = [0x2000...0x200F, 0x2028...0x202F, 0x205F...0x2060, 0x2066...0x2069]
        let blanks = Set(" \u{A0}\u{AD}\u{61C}\u{180E}\u{FEFF}\u{3000}".unicodeScalars).union(
            ranges.joined().compactMap { Unicode.Scalar($0) }
        )
        let first = text.unicodeScalars.first { !blanks.contains($0) }
        return first.map { "=+-@\t\r\n\u{B}\u{C}\0＝＋－＠".unicodeScalars.contains($0) } ?? false
    }

    @Test(
        "text that a spreadsheet would run gets an apostrophe, and no other",
        arguments: [
            ("=1", true), ("+1", true), ("-1", true), ("@SUM(A1)", true), ("\t=1", true), ("\tx", true), ("\r=1", true),
            ("\rx", true), ("\n=1", true), ("\nx", true), ("\0=1", true), ("＝1", true), ("＋1", true), ("－1", true),
            ("＠1", true), (" =1", true), ("  \t1", true), ("\u{FEFF}=1", true), ("\u{FEFF} ＝1", true),
            ("\u{A0}=1", true), ("\u{B}=1", true), ("\u{AD}=1", true), ("\u{202A}=1", true),
            ("\u{2066}\u{200E}@A1", true), ("\u{AD}a", false),
            ("\u{3000}=1", true), ("\u{200B}+1", true), ("\r\n=1", true), ("", false), (" ", false), ("1=1", false),
            (" a", false), ("\u{FEFF}", false), ("가=1", false), ("！=1", false), ("'=1", false), ("\"=1", false),
            ("–1", false),
        ]
    )
    func formulas(_ text: String, _ isFormula: Bool) throws {
        let cell = Bytes(text)
        let batch = Batch(
            Schema([Field("a", .text)]),
            [.text(TextColumn(cell, views: [TextView(offset: 0, length: cell.count)]))],
            count: 1,
            provenance: .made
        )
        for quoting in ["needed", "all"] {
            let stage = try ExampleRunner.make(ExportCSV.self, "path: out.csv\nformulas: escape\nquoting: \(quoting)")
            let written = String(decoding: Self.copied(CSVRowWriter(stage.settings).write(batch).bytes), as: UTF8.self)
            #expect(written.unicodeScalars.prefix(2).contains("'") == (isFormula || text.hasPrefix("'")))
            #expect(written == String(decoding: Self.slowly(batch, stage.settings), as: UTF8.self))
        }
        let header = CSVRowWriter(try ExampleRunner.make(ExportCSV.self, "path: out.csv\nformulas: escape").settings)
            .header(Schema([Field(text, .text)]))
        #expect(
            String(decoding: Self.copied(header), as: UTF8.self).contains("'") == (isFormula || text.hasPrefix("'"))
        )
    }

    private static func slowly(_ batch: Batch, _ options: CSVWriteSettings) -> [UInt8] {
        let bytes = Bytes()
        let (delimiter, quote) = (options.dialect.delimiter, options.dialect.quote)
        for row in 0..<batch.count {
            for (place, column) in batch.columns.enumerated() {
                if place > 0 { bytes.append(delimiter) }
                guard !column.missing.isMissing(row) else {
                    bytes.append(options.missing)
                    continue
                }
                let text = Bytes()
                column.appendValue(row, to: text)
                let cell = copied(text)
                let needsQuotes =
                    options.quoting == .all || cell.isEmpty || cell == Array(options.missing.utf8)
                    || cell.contains { $0 == delimiter || $0 == quote || $0 == 10 || $0 == 13 }
                    || place == 0 && (!options.header || options.encoding == .utf8WithMark)
                        && cell.starts(with: [0xEF, 0xBB, 0xBF])
                if needsQuotes { bytes.append(quote) }
                if options.formulas == .escape, column.kind == .text, isFormula(String(decoding: cell, as: UTF8.self)) {
                    bytes.append("'")
                }
                for byte in cell {
                    if byte == quote { bytes.append(quote) }
                    bytes.append(byte)
                }
                if needsQuotes { bytes.append(quote) }
            }
            bytes.append(options.lineEnds == .crlf ? "\r\n" : "\n")
        }
        return copied(bytes)
    }

    @Test(
        "rows come out as byte by byte",
        arguments: [
            "", "delimiter: ';'", "delimiter: '-'", "missing: NA", "quoting: all", "formulas: escape",
            "line_ends: crlf",
            "quoting: all, missing: '-', formulas: escape, line_ends: crlf", "delimiter: tab, missing: '0'",
            "header: false", "encoding: utf-8-bom", "header: false, quoting: all",
        ]
    )
    func everyWay(_ options: String) throws {
        let stage = try ExampleRunner.make(ExportCSV.self, "path: out.csv\n" + options.replacing(", ", with: "\n"))
        let writer = CSVRowWriter(stage.settings)
        var random = SeededGenerator(seed: 5)
        for rows in [0, 1, 2, 63, 64, 65, 500] + (0..<20).map({ _ in Int.random(in: 0..<300, using: &random) }) {
            let batch = Self.batch(rows, &random)
            let written = Self.copied(writer.write(batch).bytes)
            #expect(written == Self.slowly(batch, stage.settings), "\(rows) rows with '\(options)'")
        }
    }

    @Test("a name that begins with a mark of byte order is quoted, and read as it is")
    func names() throws {
        let writer = CSVRowWriter(try ExampleRunner.make(ExportCSV.self, "path: out.csv").settings)
        let header = writer.header(Schema([Field("\u{FEFF}a", .text), Field("\u{FEFF}b", .text)]))
        #expect(Self.copied(header) == Array("\"\u{FEFF}a\",\u{FEFF}b\n".utf8))
    }

    @Test("where each row ends is known for encodings that need it")
    func ends() throws {
        let stage = try ExampleRunner.make(ExportCSV.self, "path: out.csv\nencoding: cp949")
        var random = SeededGenerator(seed: 6)
        for _ in 0..<20 {
            let batch = Self.batch(200, &random)
            let (written, ends) = CSVRowWriter(stage.settings).write(batch)
            let bytes = Self.copied(written)
            #expect(ends.count == 200 && ends.last == bytes.count)
            for (row, end) in ends.enumerated() {
                let one = batch.keeping([Int32(row)])
                #expect(Array(bytes[(row == 0 ? 0 : ends[row - 1])..<end]) == Self.slowly(one, stage.settings))
            }
        }
    }
}
