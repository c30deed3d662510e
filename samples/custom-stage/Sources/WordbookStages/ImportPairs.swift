import DaybookContracts

extension Finding.Kind {
    static let noPair = Finding.Kind("no-pair", "expected 'key=value' between semicolons")
    static let otherKey = Finding.Kind("other-key", "the key is none of 'keys'")
    static let repeatedKey = Finding.Kind("repeated-key", "the key stands in this line already")
}

/// Reads lines of `key=value;key=value`, a record each: a text format with its reader and its detection.
public struct ImportPairs: TextSource {
    public let paths: [PathText]
    let keys: [ColumnName]
    public let intake: FileIntake

    public var encoding: TextEncoding { .utf8 }

    public init(reading options: inout OptionReader) {
        paths = options.read("path", help: "Files to read: a path, a pattern such as week-*.pairs, a list, or -.")
        keys = options.read("keys", help: "Keys that become columns, in this order.")
        intake = options.readIntake(declaresColumns: true)
        if Set(keys.map(\.text)).count < keys.count { options.refuse("keys", "'keys' names one key twice") }
    }

    public static let description = StageDescription(
        name: "import_pairs",
        summary: "Read lines of pairs of key and value.",
        details: "Every value is text. A key that a line does not have is missing, and an empty line is skipped.",
        examples: [
            StageExample(
                "a key that a line does not have is missing",
                options: "path: a.pairs\nkeys: [name, colour]",
                input: "name=Ada;colour=red\ncolour=blue\n\nname=\n",
                output: """
                    name:text,colour:text
                    Ada,red
                    ,blue
                    "",
                    """
            ),
            StageExample(
                "a line with anything else is rejected",
                options: "path: a.pairs\nkeys: [name]\noptional: true\nnew_only: true",
                input: "name=Ada\nname=Bo;blue\nsize=3\nname=Cy;name=Di\n",
                output: "name:text\nAda",
                findings: ["2 - no-pair", "3 - other-key", "4 - repeated-key"]
            ),
            StageExample(
                "the day of a file may stand in its name, as in every import",
                options: """
                    path: 2026-03-01.pairs
                    keys: [name]
                    day: { from: name, pattern: "{yyyy-MM-dd}.pairs" }
                    redelivery: { other_bytes: redo }
                    late: { after: 3 days, then: warn }
                    describe: { name: Who it is }
                    """,
                input: "name=Ada\n",
                output: "name:text,day:day\nAda,2026-03-01"
            ),
            StageExample(
                "a key stands for one column",
                options: "path: a.pairs\nkeys: [name, name]",
                input: "",
                refused: "'keys' names one key twice"
            ),
        ]
    )

    public var declaredSchema: Schema { Schema(keys.map { Field($0.text, .text) }) }

    public func format(of head: SourceHead) -> PairsFormat { PairsFormat(head) }
    public func schema(of formats: [PairsFormat]) -> Schema { declaredSchema }
    public func reader(of format: PairsFormat, schema: Schema) -> any RecordReader {
        PairsReader(keys.map(\.text), schema, format.lineEnd)
    }
}

/// The format of one file, by its beginning: there is nothing to find out but how its lines end.
public struct PairsFormat: SourceFormat {
    let file: String
    public let lineEnd: LineEnd
    public var dataStart: Int { 0 }

    init(_ head: SourceHead) {
        file = head.source.path
        lineEnd = withExtendedLifetime(head.bytes) { LineEnd(of: head.bytes.filled) }
    }

    public func makeCutter() -> any RecordCutter { LineCutter(file: file, lineEnd: lineEnd) }
    /// Any line can be read without those before it, so shards may begin at any.
    public func makeCutter(of part: TextPart) -> (any RecordCutter)? { makeCutter() }
}

/// Where the pairs of one line are.
private struct Pairs {
    struct Pair {
        var key: Range<Int>
        var value: Range<Int>
    }

    private let line: Cell
    private var next: Int

    init(_ line: Cell) { (self.line, next) = (line, 0) }

    /// The next pair, or the place of what is none; nil at the end of the line.
    mutating func pair() -> (pair: Pair?, at: Int)? {
        guard next <= line.count else { return nil }
        let start = next
        let end = line.place(of: UInt8(ascii: ";"), from: start) ?? line.count
        next = end + 1
        guard let sign = line.place(of: UInt8(ascii: "="), from: start), sign < end else { return (nil, start) }
        return (Pair(key: start..<sign, value: sign + 1..<end), start)
    }
}

/// Makes batches of morsels. Text columns point into the bytes of the morsel, so nothing is copied.
private struct PairsReader: RecordReader {
    let schema: Schema
    private let keys: [[UInt8]]
    private let lineEnd: LineEnd

    init(_ keys: [String], _ schema: Schema, _ lineEnd: LineEnd) {
        (self.keys, self.schema, self.lineEnd) = (keys.map { Array($0.utf8) }, schema, lineEnd)
    }

    func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let text = morsel.cell
        var (lines, invalid) = (TextLines(text, lineEnd: lineEnd), InvalidText(morsel))
        var cells = [Range<Int>?](repeating: nil, count: keys.count)
        var views = [[TextView]](repeating: [], count: keys.count)
        var missing = [[Int]](repeating: [], count: keys.count)
        var (spans, records, seen, blank): ([RecordSpan], [UInt32], Int, Int) = ([], [], 0, 0)
        while let line = lines.next() {
            let span = RecordSpan(start: line.content.lowerBound, end: line.end)
            let fault = invalid.first(in: span)
            if line.content.isEmpty {
                blank += 1
                continue
            }
            defer { seen += 1 }
            if let fault {
                findings.reject(record: seen, span, at: fault.at, findings.token(fault.kind), saying: fault.message)
                continue
            }
            if let (kind, at) = fill(&cells, from: Cell(rebasing: text[line.content])) {
                findings.reject(record: seen, span, at: line.content.lowerBound + at, findings.token(kind))
                continue
            }
            for (key, cell) in cells.enumerated() {
                if cell == nil { missing[key].append(spans.count) }
                let cell = cell ?? 0..<0
                views[key].append(TextView(offset: line.content.lowerBound + cell.lowerBound, length: cell.count))
            }
            spans.append(span)
            records.append(UInt32(seen))
        }
        findings.saw(records: seen)
        findings.skip(blank, as: "blank lines")
        // Lines are read the same whichever columns later stages need; only those become columns.
        let columns = schema.names.map { name -> Column in
            let key = keys.firstIndex { $0.elementsEqual(name.utf8) } ?? 0
            var mask: Mask?
            for row in missing[key] { mask.insert(row, of: spans.count) }
            return .text(TextColumn(morsel.bytes, views: views[key], missing: mask))
        }
        let places = Provenance.morsel(morsel, spans: spans, records: records)
        return Batch(schema, columns, count: spans.count, provenance: places)
    }

    /// Finds the values of a line, or what is wrong with it and where.
    private func fill(_ cells: inout [Range<Int>?], from line: Cell) -> (Finding.Kind, at: Int)? {
        for key in cells.indices { cells[key] = nil }
        var pairs = Pairs(line)
        while let (pair, at) = pairs.pair() {
            guard let pair else { return (.noPair, at) }
            guard let key = keys.firstIndex(where: { $0.elementsEqual(line[pair.key]) }) else { return (.otherKey, at) }
            if cells[key] != nil { return (.repeatedKey, at) }
            cells[key] = pair.value
        }
        return nil
    }

    /// Finds the value again in a record, for the column of a later finding about it.
    func finder(of field: String) -> FieldFinder? { PairFinder(Array(field.utf8)) }

    private final class PairFinder: FieldFinder, @unchecked Sendable {
        private let key: [UInt8]

        init(_ key: [UInt8]) { self.key = key }

        override func range(in record: Cell) -> Range<Int>? {
            let line = record.withoutLineEnd
            var (pairs, found): (Pairs, Range<Int>?) = (Pairs(line), nil)
            while let (pair, _) = pairs.pair() {
                if let pair, key.elementsEqual(line[pair.key]) { found = pair.value }
            }
            return found
        }
    }
}

extension ImportPairs: FormatDetecting {
    /// Recognises a file whose first lines all are pairs, and suggests their keys.
    public static func detect(_ file: SniffedFile) -> FormatDetection? {
        guard let text = file.text else { return nil }
        defer { withExtendedLifetime(text.bytes) {} }
        let head = text.bytes.filled
        var (lines, keys, count) = (TextLines(head, lineEnd: LineEnd(of: head)), [String](), 0)
        while count < 20, let line = lines.next(), text.isWhole || line.end < head.count {
            if line.content.isEmpty { continue }
            let content = Cell(rebasing: head[line.content])
            var pairs = Pairs(content)
            while let (pair, _) = pairs.pair() {
                guard let pair, !pair.key.isEmpty else { return nil }
                let key = String(decoding: content[pair.key], as: UTF8.self)
                if !keys.contains(key) { keys.append(key) }
            }
            count += 1
        }
        guard count > 0, keys.count <= 100 else { return nil }
        let option = SuggestedOption("keys", .list(keys.map { .text($0) }), because: "the keys of the first lines")
        let isSure: FormatDetection.Confidence = keys.count > 1 && count > 1 ? .certain : .possible
        return FormatDetection(isSure, form: "lines of pairs", imports: [SuggestedImport(options: [option])])
    }
}
