/// Reads JSON: an array of records, one record per line, the records at a pointer, or one value.
///
/// The columns are inferred from the beginning of each file, and from all of it if a later record contradicts that. A
/// record that is not JSON is rejected with its place; nothing is dropped or changed silently. A document whose
/// brackets do not close has no records to account for, so it stops the run.
public struct ImportJSON: TextSource {
    public let paths: [PathText]
    public let encoding: TextEncoding
    let layout: JSONReadLayout
    let records: RecordsPlace?
    let recordsPlace: SourcePlace?
    let empty: EmptyFiles
    let columns: OptionMap<ColumnKind>
    let notANumber: NotANumber
    /// Nil to combine files without a warning.
    private let columnsDiffer: ColumnsDiffer?
    private let normalForm: NormalForm?
    private let model: CodableModel?
    public let fileColumn: ColumnName?
    public let intake: FileIntake

    public init(reading options: inout OptionReader) {
        paths = options.read("path", help: "Files to read: a path, a pattern such as week-*.json, a list, or -.")
        layout = options.read(
            "layout",
            default: .auto,
            help: "Whether each line is a record or the file is one document."
        )
        records = options.optional("records", help: RecordsPlace.help)
        encoding = options.readEncoding()
        empty = options.read(
            "empty",
            default: .refuse,
            help: "Whether a file that holds nothing at all is an error, where 'layout' is not lines."
        )
        columns = options.readKinds(
            JSONValueKind.self,
            help: "Kinds of columns that the beginning of the file does not tell."
        )
        notANumber = options.read(
            "not_a_number",
            default: .reject,
            help: "Whether a record with NaN or Infinity, which are no JSON, is rejected, or they are missing values."
        )
        columnsDiffer = options.optional(
            "columns_differ",
            help:
                "Whether files whose first records have other keys than those of the first file are an error, or are put "
                + "together by name with a warning; without it, they are put together."
        )
        normalForm = options.readNormalForm()
        model = options.readModel(records, dates: .iso)
        fileColumn = options.readFileColumn()
        intake = options.readIntake(declaresColumns: !columns.entries.isEmpty)
        recordsPlace = options.place(of: "records")
        if records != nil, layout == .lines {
            options.refuse("records", "'records' points into a document, and 'layout' says that there is none")
        }
    }

    public static let description = StageDescription(
        name: "import_json",
        summary: "Read JSON documents and JSON Lines, and reject what is not as it should be.",
        details: """
            Each record is a row, and each of its keys a column; a key inside an object becomes a column such as main.temp. The \
            columns and their kinds are learnt from the beginning of each file; where a later record has another key or kind, the run \
            starts once more with columns that all records have told, and fails there where the input cannot be read twice. Under one \
            key, numbers, texts and flags together are text as they stand, with a warning; objects and arrays make a column JSON. A \
            record that is not JSON is rejected with its place; so is one whose text holds a NUL, written \\u0000. An object that is \
            empty in some records and has keys in others has a column of its own as well, which is {} where it is empty; \
            'columns: { main: json }' keeps such an object whole. A key with a dot in it is written back as it was \
            read. A document whose brackets do not close stops the run, and so do a key that stands twice on the way to 'records', for \
            only one of the two could be read, and a file that holds nothing at all, unless 'layout' is lines, for JSON Lines may have no line. A file without records has the columns that 'columns' declares. Several files have the \
            columns of all of them, and what a file lacks is missing; 'columns_differ' warns of the first file whose first records have \
            other keys, or refuses it. With 'model', each record is read as the app's decoder would read it, by the type that a Swift \
            file declares, and one that it refuses is rejected.
            """,
        examples: [
            StageExample(
                "nested objects become dotted columns, arrays keep their text, and null is missing",
                options: "path: input.json",
                input: """
                    {"name": "Seoul", "main": {"temp": 21.3, "humidity": 60}, "tags": ["a", 1]}
                    {"name": "Busan", "main": {"temp": 19, "humidity": null}}
                    """,
                output: """
                    name:text,main.temp:decimal,main.humidity:integer,tags:json
                    Seoul,21.3,60,"[""a"", 1]"
                    Busan,19,,
                    """
            ),
            StageExample(
                "an object that is empty in some records has a column that tells it from one that is not there",
                options: "path: input.json",
                input: """
                    {"id": 1, "counts": {"a": 3}}
                    {"id": 2, "counts": {}}
                    {"id": 3}
                    """,
                output: """
                    id:integer,counts:json,counts.a:integer
                    1,,3
                    2,{},
                    3,,
                    """
            ),
            StageExample(
                "an array of values has the one column 'value', beside that of the file; whole numbers keep every digit",
                options: "path: exports/input.json\nfile_column: file\ncolumns_differ: union",
                input: "[9007199254740993, -1, null]",
                output: "value:integer,file:text\n9007199254740993,input.json\n-1,input.json\n,input.json"
            ),
            StageExample(
                "the records can stand inside a document",
                options: """
                    path: input.json
                    layout: document
                    records: /DdayManager/list
                    """,
                input: """
                    {"version": 2,
                     "DdayManager": {"list": [
                       {"dday": 100, "backgroundColor": "#EC007F"},
                       {"backgroundColor": "#000000", "dday": 200}
                     ]}}
                    """,
                output: """
                    dday:integer,backgroundColor:text
                    100,#EC007F
                    200,#000000
                    """
            ),
            StageExample(
                "records that stand under keys, as web services write them: the keys are a column",
                options: "path: rates.json\nrecords: { at: /rates, each_key: day }\ncolumns: { day: day }",
                input: """
                    {"base": "EUR", "rates": {
                      "2026-03-01": {"KRW": 1571.2, "USD": 1.08},
                      "1 March": {"KRW": 1},
                      "2026-03-02": {"KRW": 1569, "day": 2}
                    }}
                    """,
                output: """
                    day:day,KRW:decimal,USD:decimal
                    2026-03-01,1571.2,1.08
                    """,
                findings: ["2 day not-a-day", "3 - key-taken"]
            ),
            StageExample(
                "keys and values in turn, as Swift writes a dictionary whose keys are of an enum",
                options: "path: counts.json\nrecords: { each_key: mood, pairs: true }",
                input: "[\"good\", 3, \"bad\", 1]",
                output: "mood:text,value:integer\ngood,3\nbad,1"
            ),
            StageExample(
                "records in an array have no keys",
                options: "path: input.json\nrecords: { each_key: day }",
                input: "[{\"id\": 7}]",
                refused:
                    "the value in input.json is an array, not an object, or an array of keys and records in turn"
            ),
            StageExample(
                "a line that is not JSON is rejected; of two equal keys the last one counts",
                options: "path: input.ndjson\nlayout: lines\nencoding: utf-8",
                input: """
                    {"emotion": "행복해", "count": 3}
                    {"emotion": "우울해", "count": 03}

                    {"emotion": "심란해", "count": 1, "count": 2}
                    """,
                output: """
                    emotion:text,count:integer
                    행복해,3
                    심란해,2
                    """,
                findings: ["2 - not-json", "3 - duplicate-key"]
            ),
            StageExample(
                "the app's own type, by which its decoder reads the records",
                options: """
                    path: input.json
                    model:
                      type: "[Todo]"
                      swift: |
                        struct Todo: Codable { let id: Int, kind: Kind, due: [Date]? }
                        enum Kind: String, Codable { case home, work }
                    """,
                input: """
                    [{"id": 1, "kind": "home", "due": ["2026-11-21T05:00:00Z"]},
                     {"id": 2, "kind": "hmoe"},
                     {"id": 3.5, "kind": "work"},
                     {"id": 4}]
                    """,
                output: """
                    id:decimal,kind:text,due:json
                    1,home,"[""2026-11-21T05:00:00Z""]"
                    """,
                findings: ["2 kind not-decodable", "3 id not-decodable", "4 kind not-decodable"]
            ),
            StageExample(
                "values one behind another, as programs print them; NaN and Infinity can be missing",
                options: "path: input.json\nnot_a_number: missing",
                input: """
                    {
                      "id": 1,
                      "load": 0.5
                    }
                    {
                      "id": 2,
                      "load": NaN
                    } {"id": 3, "load": -Infinity}
                    """,
                output: "id:integer,load:decimal\n1,0.5\n2,\n3,"
            ),
            StageExample(
                "letters of full or half width become the common ones",
                options: "path: input.json\nnormalise: nfkc",
                input: "{\"mood\": \"ｶﾞ\"}\n{\"mood\": \"ＯＫ\"}",
                output: "mood:text\nガ\nOK"
            ),
            StageExample(
                "NaN is no JSON",
                options: "path: input.json",
                input: "{\"id\": 1}\n{\"id\": NaN}",
                output: "id:integer\n1",
                findings: ["2 - not-json"]
            ),
            StageExample(
                "values of several kinds are text as they stand, and a column that holds an object or an array is JSON",
                options: "path: input.json",
                input: """
                    {"id": 1, "tags": "a"}
                    {"id": "x2", "tags": ["b"]}
                    {"id": true}
                    """,
                output: "id:text,tags:json\n1,\"\"\"a\"\"\"\nx2,\"[\"\"b\"\"]\"\ntrue,"
            ),
            StageExample(
                "the day that a file belongs to, by its name: the rows of a day are read together",
                options:
                    "path: inbox/2026-03-01.json\nday: { from: name, pattern: \"{yyyy-MM-dd}.json\", column: sent }\nredelivery: { other_bytes: redo }\nlate: { after: 3 days, then: warn }",
                input: "[{\"id\": 7}]",
                output: "id:integer,sent:day\n7,2026-03-01"
            ),
            StageExample(
                "the files of a folder that need not hold any yet, each read by one run that holds",
                options: """
                    path: inbox/*.json
                    optional: true
                    new_only: true
                    columns: { id: integer }
                    describe: { id: Its number }
                    """,
                input: "[{\"id\": 7}]",
                output: "id:integer\n7"
            ),
            StageExample(
                "without a file only the job can tell the columns",
                options: "path: inbox/*.json\noptional: true",
                input: "[]",
                refused: "without a file nothing would tell the columns"
            ),
            StageExample(
                "columns can be declared; what does not fit them is rejected",
                options: """
                    path: input.json
                    columns: { day: day, main: json, note: text }
                    """,
                input: """
                    {"day": "2026-03-01", "main": {"temp": 3}}
                    {"day": "1 March", "main": {}}
                    {"day": "2026-03-03", "note": 7}
                    """,
                output: """
                    day:day,main:json,note:text
                    2026-03-01,"{""temp"": 3}",
                    """,
                findings: ["2 day not-a-day", "3 note unexpected-kind"]
            ),
            StageExample(
                "a declared column that no record has is a mistake where a record has nearly that key",
                options: "path: input.json\ncolumns: { main.tmep: decimal }",
                input: "[{\"main\": {\"temp\": 21}}]",
                refused: "'columns' names 'main.tmep', which no record has"
            ),
            StageExample(
                "a file without records has the columns that are declared",
                options: "path: input.json\ncolumns: { id: integer, isDone: flag }",
                input: "[]",
                output: "id:integer,isDone:flag"
            ),
            StageExample(
                "a file that is empty may be one where 'empty' says so, or where it is known to be JSON Lines",
                options: "path: input.json\nempty: allow\ncolumns: { id: integer }",
                input: " ",
                output: "id:integer"
            ),
            StageExample(
                "with 'empty: refuse_rowless', a file without a record is an error",
                options: "path: input.json\nrecords: /list\nempty: refuse_rowless\ncolumns: { id: integer }",
                input: "{\"list\": []}",
                refused: "'input.json' has no row"
            ),
            StageExample(
                "a document that is not JSON is refused",
                options: "path: input.json",
                input: "{\"done\": True,\n \"id\": 1}",
                refused: "expected a value; JSON knows the words true, false and null, in lower case"
            ),
        ]
    )

    public var declaredSchema: Schema { columns.declaredSchema.ofRecords }

    public func format(of head: SourceHead) throws(DaybookError) -> JSONFormat {
        // An empty file has no records at 'records'; whether that is allowed is decided for all files at once.
        let isEmpty = layout != .lines && head.isBlank
        var format = try JSONFormat(
            of: head,
            layout,
            records: isEmpty ? nil : records,
            at: recordsPlace,
            takesNotANumber: notANumber == .missing
        )
        format.isEmpty = isEmpty
        return format
    }

    public func schema(of formats: [JSONFormat]) throws(DaybookError) -> Schema {
        try empty.check(
            formats.filter(\.isEmpty).map(\.source),
            rowless: formats.filter(\.isRowless).map(\.source),
            of: formats.count,
            hint: "its records are likely lost; write 'layout: lines' if it is JSON Lines, which may have no line, "
                + "or 'empty: allow' if a file may hold nothing"
        )
        let shape = JSONShape(of: formats)
        let missing = Set(missing(from: formats).compactMap(\.column))
        let declared = columns.entries.filter { !missing.contains($0.key) }.map { ($0.key, $0.value) }
        let plan = try JSONPlan(shape, declared: declared)
        for format in formats { format.plan.set(plan) }
        try columnsDiffer?.check(
            named(formats).map(\.file),
            hint: "put them together by name with 'columns_differ: union', or import the files in stages of their own"
        )
        return plan.schema.ofRecords
    }

    public func warnings(of formats: [JSONFormat]) -> [(text: Int, warning: SourceWarning)] {
        let mixed = JSONFormat.mixtures(in: formats)
        guard let columnsDiffer else { return mixed }
        let files = named(formats)
        guard let found = columnsDiffer.warning(of: files.map(\.file)) else { return mixed }
        return mixed + [(files[found.file].text, SourceWarning(found.kind, at: 0, line: 1, column: 1))]
    }

    /// The columns in the beginning of each file, with its index in `formats`. A file without records has none.
    private func named(_ formats: [JSONFormat]) -> [(text: Int, file: SameColumns.File)] {
        formats.enumerated().compactMap { text, format -> (text: Int, file: SameColumns.File)? in
            let columns = format.plan.value?.columns(in: format.shape) ?? []
            guard !columns.isEmpty else { return nil }
            return (text, (format.source, 1, columns))
        }
    }

    public func missing(from formats: [JSONFormat]) -> [DaybookError] {
        JSONShape(of: formats).missing("columns", columns.entries.map { ($0.key, $0.place) }, beside: [])
    }

    public func reader(of format: JSONFormat, schema: Schema) -> any RecordReader {
        format.reader(schema, model).normalised(to: normalForm)
    }
}

/// The treatment of NaN and Infinity in JSON.
enum NotANumber: String, OptionChoice { case reject, missing }

/// The layout of records that a job declares.
package enum JSONReadLayout: String, OptionChoice { case auto, lines, document }
