import DaybookCore

/// Writes rows as JSON: one array of objects, or one object a line.
///
/// A missing value is `null`. Days are written `2026-11-21`, instants as RFC 3339, decimals with the fewest digits that
/// read back as the same number. JSON has no infinity and no NaN, so such a row is rejected. Values that were JSON text
/// from the start are written as they stand.
public struct ExportJSON: SinkStage {
    enum Layout: String, OptionChoice { case array, lines }

    public let output: PathText
    let layout: Layout
    let pretty: Bool
    let nest: Bool
    let nestPlace: SourcePlace?

    public init(reading options: inout OptionReader) {
        output = options.read("path", help: "File to write, or - for standard output.")
        layout = options.read("layout", default: .array, help: "One array of objects, or one object a line.")
        pretty = options.read("pretty", default: false, help: "Whether every value stands on a line of its own.")
        nest = options.read("nest", default: false, help: "Whether main.temp becomes a key inside an object main.")
        nestPlace = options.place(of: "nest")
        if pretty, layout == .lines {
            options.refuse("pretty", "'pretty' spreads a row over lines, and 'layout' says that each is one line")
        }
    }

    public static let description = StageDescription(
        name: "export_json",
        summary: "Write rows as a JSON array or as JSON Lines.",
        details: """
            A row becomes an object with a key for each column. A missing value is null, a day is written 2026-11-21 and an \
            instant as RFC 3339. A decimal that is infinite or not a number cannot be written, and its row is rejected.
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
                "a key cannot be a value and an object at once",
                options: "path: out.json\nnest: true",
                input: "main:integer,main.temp:decimal",
                refused: "'main' and 'main.temp' cannot both be written: the one would stand inside the other"
            ),
        ]
    )

    public func check(_ input: Schema) throws(DaybookError) {
        guard nest else { return }
        let names = Set(input.names)
        for name in input.names {
            for dot in name.indices where name[dot] == "." && names.contains(String(name[..<dot])) {
                throw DaybookError(
                    "nested-name",
                    "'\(name[..<dot])' and '\(name)' cannot both be written: the one would stand inside the other",
                    at: nestPlace,
                    hint: "rename one of them, or leave 'nest' away"
                )
            }
        }
    }

    public func piece(of batch: Batch, reporting findings: inout Findings) -> JSONPiece {
        JSONRowWriter(self, batch.schema).write(batch, reporting: &findings)
    }

    public func writer(for inputs: [SinkInput]) -> JSONWriter { JSONWriter(isArray: layout == .array) }
}

extension Finding.Kind {
    static let notAJSONNumber = Finding.Kind("not-a-json-number", "{value} is a number that JSON cannot write")
}

/// The rows of one batch as JSON, with what belongs between two rows but not around them.
public struct JSONPiece: Sendable {
    var bytes: Bytes
    var rows: Int
}

/// Puts the pieces one behind the other, in brackets where they are an array.
public struct JSONWriter: SinkWriter {
    public private(set) var writtenRows = 0
    let isArray: Bool

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) {}

    public mutating func append(_ piece: JSONPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        guard piece.rows > 0 else { return }
        if isArray { try out.write(writtenRows == 0 ? "[\n" : ",\n") }
        try out.write(piece.bytes)
        writtenRows += piece.rows
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        if isArray { try out.write(writtenRows == 0 ? "[]\n" : "\n]\n") }
    }
}
