/// Writes rows as JSON: one array of objects, one object per line, or the only object.
///
/// A missing value is `null`, or its key is left out. Days are written `2026-11-21`, instants as RFC 3339, decimals
/// with the fewest digits that read back as the same number. JSON has no infinity or NaN, so such rows are rejected.
/// Values that were JSON text on input are unchanged. `dates` and `fields` write what an app's `JSONDecoder` reads.
public struct ExportJSON: SinkStage, SinkOperator {
    /// The treatment of a missing value.
    enum Missing: String, OptionChoice {
        case writeNull = "write_null"
        case leaveOut = "leave_out"

        static let otherWords = ["null": "write_null", "nil": "write_null", "omit": "leave_out", "skip": "leave_out"]
    }

    public let output: PathText
    fileprivate var settings = JSONWriteSettings()
    private let parts: OutputParts
    fileprivate let growth: TextGrowth
    let nestPlace: SourcePlace?
    let layoutPlace: SourcePlace?
    package private(set) var encoding: CodableEncoding
    /// Where in the document the rows stand.
    fileprivate let records: JSONPointer
    private let unlisted: UnlistedFields?
    private let unlistedPlace: SourcePlace?
    private var patch: RecordPatch?

    public init(reading options: inout OptionReader) {
        output = options.read("path", help: "File to write, or - for standard output.")
        settings.layout = options.read(
            "layout",
            default: .array,
            help: "An array of objects, one object a line, or one object alone."
        )
        settings.pretty = options.read(
            "pretty",
            default: false,
            help: "Whether every value stands on a line of its own."
        )
        let nest: Bool? = options.optional(
            "nest",
            help: "Whether main.temp becomes a key inside an object main; with 'fields' it does, unless this is false."
        )
        let missing: Missing = options.read(
            "missing",
            default: .writeNull,
            help: "Whether a missing value is null, or left out with its key."
        )
        parts = options.read("parts", default: .one, help: OutputParts.help)
        growth = options.readGrowth(of: output, parts)
        let records: RecordsPlace = options.read(
            "records",
            default: RecordsPlace(),
            help:
                "Where in the document the rows stand, such as /items, or { each_key: day } for an object in which each has a key."
        )
        self.records = records.pointer
        unlisted = options.optional("unlisted", help: UnlistedFields.help + " Without it, only columns are written.")
        unlistedPlace = options.place(of: "unlisted")
        var encoding = CodableEncoding(reading: &options, dates: .iso, leavesOutMissing: missing == .leaveOut)
        encoding.leavesOutGiven = unlisted != nil
        encoding.keys = records.keys
        self.encoding = encoding
        settings.nest = nest ?? (encoding.fields != nil)
        nestPlace = options.place(of: "nest")
        layoutPlace = options.place(of: "layout")
        if settings.pretty, settings.layout == .lines {
            options.refuse("pretty", "'pretty' spreads a row over lines, and 'layout' says that each is one line")
        }
        if parts == .shards, settings.layout != .lines {
            options.refuse("parts", "only JSON Lines can be in parts", hint: "add 'layout: lines'")
        }
        if growth != .none, settings.layout != .lines {
            let key = growth == .appends ? "append" : "replace_by"
            options.refuse(key, "only to JSON Lines can rows be added", hint: "add 'layout: lines'")
        }
        if encoding.fields != nil, !growth.columns.isEmpty {
            let message = "'fields' gives columns other names, by which no row is found again"
            options.refuse("replace_by", message, hint: "leave 'fields' out")
        }
        if parts == .shards, encoding.model != nil {
            let message = "a part is written by its shard alone, and a row that the app refuses fails the whole run"
            options.refuse("model", message, hint: "leave 'parts' or 'model' out")
        }
        if options.isWritten("records"), settings.layout != .array {
            let message = "'records' places rows in a document, and 'layout: \(settings.layout.rawValue)' writes none"
            options.refuse("records", message, hint: "leave one of the two out")
        }
        if let reason = encoding.model?.check(isOne: settings.layout == .object, records.keys) {
            options.refuse("model", reason)
        }
        if encoding.fields != nil, options.isWritten("missing") {
            let message =
                "'missing' is about columns as they stand, and 'fields' says of each field whether it may lack"
            let hint = "take it out, and declare fields that may lack with a ?, such as date?"
            options.refuse("missing", message, hint: hint)
        }
    }

    public static let description = StageDescription(
        name: "export_json",
        summary: "Write rows as JSON, as any program or an app's own decoder reads it.",
        details: """
            A row becomes an object with a key for each column. A missing value is null; with 'missing: leave_out' its key is \
            left out, and with 'nest' an object that has no keys then is too. A day is written 2026-11-21, an instant as \
            RFC 3339 in UTC, and a decimal with the fewest digits, so that 2.0 is 2; with 'unlisted: keep', a value that nobody changed \
            stays as it stood, and dates have the form in which an import read them. A decimal that is infinite or not a number cannot be written, and its row is rejected. With \
            'fields', the keys, their order and their kinds are those of an app's Codable model, in which main.temp is the key \
            temp of an object main: a date is written as \
            'dates' says, a day is the instant at which it begins in the job's timezone, a missing value of an optional \
            field (date?) is left out with its key, and that of any other rejects its row. A number that fills a date is \
            written as it stands. Text that fills a field of kind json must be JSON, and is written as that value. With 'append', \
            JSON Lines come behind those that the file holds; it is copied and put in place like any output, so a run that fails or \
            is killed adds nothing, and the job may read it as it was. Its first and its last record have to be whole and to have the \
            keys of the rows. With 'model', each row is read as the app's decoder would read it, by the type that a Swift file declares: \
            a missing key, another kind, a number out of range, a date of another strategy or a word that an enum lacks, at any \
            depth, is a finding of the row and fails the run.
            """,
        examples: ExportJSON.examples
    )

    public var readBack: ReadBack? {
        var readBack = ReadBack.json
        readBack.options += RecordsPlace.options(records, encoding.keys)
        return readBack
    }

    public var target: SinkTarget { SinkTarget(output, parts, growth) }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        var bound = self
        bound.encoding = encoding.keepingDates(of: inputs.schema, otherFields)
        try bound.encoding.check(inputs.schema, nests: settings.nest, at: nestPlace)
        for column in growth.columns { _ = try inputs.schema.requiring(column) }
        bound.patch = try bound.encoding.patch(
            unlisted,
            else: .dropAll,
            of: inputs.schema,
            nests: settings.nest,
            at: unlistedPlace
        )
        var binding = Binding(inputs.schema, .sink(bound))
        (binding.keepsRecords, binding.readsRecords) = (bound.patch?.keeps == true, bound.patch != nil)
        return binding
    }

    public func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> TextPiece {
        // Where a column may be a whole object, rows differ in their keys.
        if encoding.isPlain, patch == nil, !JSONKeyTree(batch.schema.fields, nests: settings.nest).holdsWholes,
            !encoding.looksInside(batch.schema)
        {
            return JSONRowWriter(settings, batch.schema).write(batch, reporting: &findings)
        }
        let frame = CodableRowWriter.Frame(
            separator: settings.layout == .lines ? "" : ",\n",
            terminator: settings.layout == .lines ? "\n" : "",
            onOneLine: settings.layout == .lines,
            prettyDepth: settings.pretty ? settings.rowDepth : nil
        )
        return CodableRowWriter(encoding, batch.schema, nests: settings.nest, frame, patching: patch)
            .write(batch, reporting: &findings)
    }

    public func writer(in context: SinkContext) throws(DaybookError) -> JSONWriter {
        try JSONWriter(self, in: context)
    }
}

/// Concatenates the pieces, in brackets for an array.
public struct JSONWriter: SinkWriter {
    public private(set) var writtenRows = 0
    private let layout: JSONWriteSettings.Layout
    private let place: SourcePlace?
    private let output: PathText
    private var proof = ModelProof()
    /// The text before the rows of a document and behind them, without line ends.
    private let (opening, closing): (String, String)
    /// The keys written so far; nil where rows have none.
    private var distinct: DistinctKeys?
    /// The file to append to, and its expected keys; nil for an output of its own.
    private let extended: (text: ExtendedText, keys: JSONRowKeys)?
    /// Puts rows in the places of old ones; nil if they come behind them.
    private var replacing: ReplacedText?
    public var groups: SinkGroups? { replacing?.groups }

    fileprivate init(_ stage: ExportJSON, in context: SinkContext) throws(DaybookError) {
        let (output, encoding) = (stage.output, stage.encoding)
        (layout, place, self.output) = (stage.settings.layout, stage.layoutPlace, output)
        extended = context.base.map { base in
            let keys = JSONRowKeys(encoding, context.schema, nests: stage.settings.nest, at: output.place)
            return (ExtendedText(base, name: output.text), keys)
        }
        let brackets = RowBrackets(encoding.keys)
        let objects = stage.records.tokens.map { token in
            let key = Bytes()
            key.append(jsonString: token)
            return "{\(key.text(0..<key.count)):"
        }
        (opening, closing) = (
            objects.joined() + "\(brackets.opening)",
            "\(brackets.closing)" + String(repeating: "}", count: objects.count)
        )
        distinct = encoding.keys.map { DistinctKeys($0) }
        let columns = stage.growth.columns
        guard !columns.isEmpty else { return }
        let keys = JSONLineKeys(columns)
        replacing = try ReplacedText(
            of: output,
            in: context,
            lineEnd: [0x0a],
            replacing: columns,
            quotes: true,
            refusing: "a line without a value of the columns in 'replace_by'",
            scan: { keys.scan($0, isLast: $1, &$2) }
        )
    }

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) {
        guard let (text, keys) = extended else { return }
        if replacing != nil {
            if let edges = try text.edges() { try keys.check(edges) }
            return
        }
        _ = try text.copy(to: out, endingLinesBy: [[0x0a]]) { (edges) throws(DaybookError) in try keys.check(edges) }
    }

    public mutating func append(_ piece: TextPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        proof.add(piece)
        guard piece.rows > 0 else { return }
        if replacing != nil {
            writtenRows += piece.rows
            try replacing?.add(piece.bytes)
            return
        }
        switch layout {
        case .array:
            try distinct?.add(piece)
            try out.write(writtenRows == 0 ? opening + "\n" : ",\n")
        case .lines: break
        case .object: if writtenRows + piece.rows > 1 { throw notOneRow("more than one") }
        }
        try out.write(piece.bytes)
        writtenRows += piece.rows
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        try proof.check(output)
        switch layout {
        case .array: try out.write(writtenRows == 0 ? opening + closing + "\n" : "\n" + closing + "\n")
        case .lines: try replacing?.write(to: out, behindHeader: 0)
        case .object:
            if writtenRows == 0 { throw notOneRow("none") }
            try out.write("\n")
        }
    }

    private func notOneRow(_ found: String) -> DaybookError {
        let message = "'layout: object' writes one row, and there is \(found)"
        return DaybookError.data("not-one-row", message, at: place, hint: "'layout: array' writes any number of rows")
    }
}

/// How rows are written as JSON.
struct JSONWriteSettings: Sendable {
    enum Layout: String, OptionChoice { case array, lines, object }

    var layout = Layout.array
    var pretty = false
    var nest = false
    /// How deep the braces of a row are indented.
    var rowDepth: Int { pretty && layout == .array ? 1 : 0 }
}

extension ExportJSON: CodableSink {
    package var nests: Bool { settings.nest }
    package var isOne: Bool { settings.layout == .object }
    package var otherFields: UnlistedFields { unlisted ?? .dropAll }
}
