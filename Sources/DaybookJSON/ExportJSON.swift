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
    private var settings = JSONWriteSettings()
    private let parts: OutputParts
    private let growth: TextGrowth
    let nestPlace: SourcePlace?
    let layoutPlace: SourcePlace?
    let encoding: CodableEncoding
    /// Where in the document the rows stand.
    private let records: JSONPointer

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
        var encoding = CodableEncoding(reading: &options, dates: .iso, leavesOutMissing: missing == .leaveOut)
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
            options.refuse(
                "replace_by",
                "'fields' gives columns other names, by which no row is found again",
                hint: "leave 'fields' out"
            )
        }
        if parts == .shards, encoding.model != nil {
            options.refuse(
                "model",
                "a part is written by its shard alone, and a row that the app refuses fails the whole run",
                hint: "leave 'parts' or 'model' out"
            )
        }
        if options.isWritten("records"), settings.layout != .array {
            options.refuse(
                "records",
                "'records' places rows in a document, and 'layout: \(settings.layout.rawValue)' writes none",
                hint: "leave one of the two out"
            )
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
            left out, and with 'nest' an object that has no keys then is too. A day is written 2026-11-21 and an instant as \
            RFC 3339. A decimal that is infinite or not a number cannot be written, and its row is rejected. With \
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
        examples: [
            StageExample(
                "one array, a row a line; what is missing is null",
                options: "path: out.json",
                input: """
                    day:day,emotion:text,share:decimal,done:flag
                    2026-03-01,"say ""hi""\",0.25,true
                    2026-03-02,,3,false
                    """,
                output: """
                    [
                    {"day":"2026-03-01","emotion":"say \\"hi\\"","share":0.25,"done":true},
                    {"day":"2026-03-02","emotion":null,"share":3,"done":false}
                    ]

                    """
            ),
            StageExample(
                "JSON Lines, with dotted columns made objects again",
                options: "path: out.ndjson\nlayout: lines\nnest: true",
                input: """
                    name:text,main.temp:decimal,tags:json,main.humidity:integer
                    Seoul,21.3,"[1, 2]",60
                    Busan,,,-1
                    """,
                output: """
                    {"name":"Seoul","main":{"temp":21.3,"humidity":60},"tags":[1, 2]}
                    {"name":"Busan","main":{"temp":null,"humidity":-1},"tags":null}

                    """
            ),
            StageExample(
                "a part for each shard of a run; one behind the other they are this",
                options: "path: ../out/days.ndjson\nlayout: lines\nparts: shards",
                input: "day:day\n2026-03-01",
                output: "{\"day\":\"2026-03-01\"}\n"
            ),
            StageExample(
                "a file that grows: rows come behind those of the runs before",
                options: "path: all.ndjson\nlayout: lines\nappend: true",
                base: "{\"day\":\"2026-03-01\"}\n",
                input: "day:day\n2026-03-02",
                output: "{\"day\":\"2026-03-01\"}\n{\"day\":\"2026-03-02\"}\n"
            ),
            StageExample(
                "what is missing left out, and an object left without keys too",
                options: "path: out.ndjson\nlayout: lines\nnest: true\nmissing: leave_out",
                input: """
                    name:text,rain.1h:decimal,wind.speed:decimal,wind.gust:decimal
                    Seoul,,2.1,
                    Busan,0.42,6.69,9.3
                    ,,,
                    """,
                output: """
                    {"name":"Seoul","wind":{"speed":2.1}}
                    {"name":"Busan","rain":{"1h":0.42},"wind":{"speed":6.69,"gust":9.3}}
                    {}

                    """
            ),
            StageExample(
                "an object in which each row has a key, inside a document",
                options: "path: days.json\nrecords: { at: /days, each_key: day }",
                input: """
                    day:day,count:integer
                    2026-03-01,3
                    ,4
                    2026-03-02,
                    """,
                output: """
                    {"days":{
                    "2026-03-01":{"count":3},
                    "2026-03-02":{"count":null}
                    }}

                    """,
                findings: ["2 day missing-key"]
            ),
            StageExample(
                "keys and values in turn, as Swift reads a dictionary whose keys are of an enum",
                options: "path: counts.json\nrecords: { each_key: mood, pairs: true }",
                input: "mood:text,value:integer\ngood,3\nbad,1",
                output: "[\n\"good\",{\"value\":3},\n\"bad\",{\"value\":1}\n]\n"
            ),
            StageExample(
                "for people to read",
                options: "path: out.json\npretty: true",
                input: """
                    id:integer,at:instant
                    1,2026-03-01T08:30:00Z
                    """,
                output: """
                    [
                      {
                        "id": 1,
                        "at": "2026-03-01T08:30:00Z"
                      }
                    ]

                    """
            ),
            StageExample(
                "a number that JSON cannot write is rejected with its row",
                options: "path: out.ndjson\nlayout: lines",
                input: """
                    id:integer,ratio:decimal
                    1,nan
                    2,0.1
                    """,
                output: "{\"id\":2,\"ratio\":0.1}\n",
                findings: ["1 ratio not-a-json-number"]
            ),
            StageExample(
                "what an app's own decoder reads: the model as declared, dates as seconds since 2001",
                options: """
                    path: todos.json
                    dates: apple_seconds
                    fields:
                      id: integer
                      title: { from: note, kind: text }
                      due: date
                      done: { from: finished, kind: date? }
                    """,
                input: """
                    note:text,id:decimal,due:day,finished:instant,unread:flag
                    milk,1,2026-03-01,2026-02-28T23:59:59.5Z,true
                    bread,2,2026-03-02,,false
                    salt,2.5,2026-03-02,,false
                    ,4,2026-03-02,,false
                    """,
                output: """
                    [
                    {"id":1,"title":"milk","due":793983600,"done":794015999.5},
                    {"id":2,"title":"bread","due":794070000}
                    ]

                    """,
                findings: ["3 id not-an-integer", "4 note missing-value"]
            ),
            StageExample(
                "the answer of a web service, written back whole",
                options: "path: weather.json\nlayout: object\nnest: true",
                input: """
                    name:text,main.temp:decimal,main.humidity:integer,weather:json
                    Seoul,21.3,60,"[{""id"": 800}]"
                    """,
                output: """
                    {"name":"Seoul","main":{"temp":21.3,"humidity":60},"weather":[{"id": 800}]}

                    """
            ),
            StageExample(
                "a key cannot be a value and an object at once",
                options: "path: out.json\nnest: true",
                input: "main:integer,main.temp:decimal",
                refused: "'main' and 'main.temp' cannot both be written: the one would stand inside the other"
            ),
            StageExample(
                "a declared field says itself whether it may lack",
                options: "path: out.json\nmissing: leave_out\nfields: { day: date? }",
                input: "day:day",
                refused: "'missing' is about columns as they stand, and 'fields' says of each field whether it may lack"
            ),
            StageExample(
                "text that is JSON fills a field of any JSON; dotted fields are keys inside objects",
                options:
                    "path: out.ndjson\nlayout: lines\nfields: { user.id: integer, user.tags: { from: tags, kind: json } }",
                input: """
                    user.id:integer,tags:text
                    1,"[""a"", 2]"
                    2,none
                    """,
                output: "{\"user\":{\"id\":1,\"tags\":[\"a\", 2]}}\n",
                findings: ["2 tags not-json"]
            ),
            StageExample(
                "a file of days: the rows take the place of those of their days, and the others stay",
                options: "path: all.ndjson\nlayout: lines\nreplace_by: [day]",
                base: "{\"day\":\"2026-03-01\",\"count\":3}\n{\"day\":\"2026-03-02\",\"count\":4}\n",
                input: "day:day,count:integer\n2026-03-03,7\n2026-03-02,8",
                output:
                    "{\"day\":\"2026-03-01\",\"count\":3}\n{\"day\":\"2026-03-02\",\"count\":8}\n{\"day\":\"2026-03-03\",\"count\":7}\n"
            ),
            StageExample(
                "the app's own type reads what is written",
                options: """
                    path: todos.ndjson
                    layout: lines
                    model: { swift: "struct Todo: Codable { let id: Int8; let due: Date; let note: String? }", type: Todo }
                    """,
                input: """
                    id:integer,due:instant,note:text
                    7,2026-11-21T05:00:00Z,
                    """,
                output: "{\"id\":7,\"due\":\"2026-11-21T05:00:00Z\",\"note\":null}\n"
            ),
            StageExample(
                "a model must be one that the reader knows",
                options:
                    "path: out.json\nmodel: { swift: 'struct Todo: Codable { let size: CGSize }', type: '[Todo]' }",
                input: "size:json",
                refused: "'model': 'CGSize' is no type that this file declares or this reader knows"
            ),
            StageExample(
                "text is not read as a date here",
                options: "path: out.json\nfields: { day: date }",
                input: "day:text\n1 March",
                refused: "column 'day' holds text, and the field 'day' is date"
            ),
        ]
    )

    public var target: SinkTarget { SinkTarget(output, parts, growth) }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        try encoding.check(inputs.schema, nests: settings.nest, at: nestPlace)
        for column in growth.columns { _ = try inputs.schema.requiring(column) }
        return Binding(inputs.schema, .sink(self))
    }

    public func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> TextPiece {
        // Where a column may be a whole object, rows differ in their keys.
        if encoding.isPlain, !JSONKeyTree(batch.schema.fields, nests: settings.nest).holdsWholes,
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
        return CodableRowWriter(encoding, batch.schema, nests: settings.nest, frame).write(batch, reporting: &findings)
    }

    public func writer(in context: SinkContext) throws(DaybookError) -> JSONWriter {
        let extended = context.base.map { base in
            let keys = JSONRowKeys(encoding, context.schema, nests: settings.nest, at: output.place)
            return (text: ExtendedText(base, name: output.text), keys: keys)
        }
        var writer = JSONWriter(settings.layout, at: layoutPlace, of: output, extending: extended)
        writer.place(at: records, encoding.keys)
        if !growth.columns.isEmpty { try writer.replace(by: growth.columns, in: context, of: output) }
        return writer
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
    private var (opening, closing) = ("[", "]")
    /// The keys written so far; nil where rows have none.
    private var distinct: DistinctKeys?
    /// The file to append to, and its expected keys; nil for an output of its own.
    private let extended: (text: ExtendedText, keys: JSONRowKeys)?
    /// Puts rows in the places of old ones; nil if they come behind them.
    private var replacing: ReplacedText?
    public var groups: SinkGroups? { replacing?.groups }

    init(
        _ layout: JSONWriteSettings.Layout,
        at place: SourcePlace?,
        of output: PathText,
        extending extended: (text: ExtendedText, keys: JSONRowKeys)? = nil
    ) {
        (self.layout, self.place, self.output, self.extended) = (layout, place, output, extended)
    }

    /// Puts rows at a place in a document, or under keys of their own.
    fileprivate mutating func place(at records: JSONPointer, _ keys: RecordKeys?) {
        let brackets = RowBrackets(keys)
        opening =
            records.tokens.map { token in
                let key = Bytes()
                key.append(jsonString: token)
                return "{\(key.text(0..<key.count)):"
            }.joined() + "\(brackets.opening)"
        closing = "\(brackets.closing)" + String(repeating: "}", count: records.tokens.count)
        distinct = keys.map { DistinctKeys($0) }
    }

    /// Lets rows take the places of old ones that have the same in some columns.
    fileprivate mutating func replace(
        by columns: [ColumnName],
        in context: SinkContext,
        of output: PathText
    ) throws(DaybookError) {
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
