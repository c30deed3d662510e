import DaybookJSON
import DaybookTables

/// Nests rows: the rows of one key become one row with a JSON array, which has an element for each row, in row order.
///
/// Reverses `explode_rows`: with the element number as `index`, a row without a number adds no element. The other
/// columns come from the first row. A group whose rows differ in one of `same` is rejected, since nesting would lose a
/// value. Groups keep the order of their first rows, and go to disk beyond a limit.
public struct NestRows: FoldStage, Grouping {
    enum Missing: String, OptionChoice {
        case writeNull = "write_null"
        case leaveOut = "leave_out"
    }

    package let by: [ColumnName]
    let into: ColumnName
    let columns: [ColumnName]
    let index: ColumnName?
    let same: [ColumnName]
    private let writer: JSONElementWriter
    /// Memory limit for groups, in bytes. Open to tests, which cannot fill a mebibyte for every property.
    package var memoryLimit: Int

    public init(reading options: inout OptionReader) {
        by = options.read("by", help: "Columns that make the key: rows that are alike in all of them become one.")
        into = options.read("into", help: "New column for the array.")
        columns = options.read(
            "columns",
            help: "Columns that become the elements; what stands before a dot is left out of a key where it is 'into'."
        )
        let layout: JSONElementWriter.Layout = options.read(
            "layout",
            default: .objects,
            help: "Whether an element is an object with a key for each column, or the value of the only one."
        )
        let missing: Missing = options.read(
            "missing",
            default: .writeNull,
            help: "Whether a missing value is null in its object, or left out with its key."
        )
        index = options.optional(
            "index",
            help: "Column with the number of each element, which is not written; a row without one makes no element."
        )
        same = options.read(
            "same",
            default: [],
            help: "Other columns in which all rows of a group have to be alike; a group that differs is rejected."
        )
        memoryLimit = options.readMemoryLimit(help: "Groups to hold before they go to disk.")
        writer = JSONElementWriter(columns, in: into.text, layout, leavesOutMissing: missing == .leaveOut)
        for (key, names) in [("by", by), ("columns", columns)] {
            if names.isEmpty, options.isWritten(key) { options.refuse(key, "'\(key)' names no column") }
            options.refuseRepeats(of: names, in: key)
        }
        for column in columns where by.contains(column) {
            options.refuse("columns", "'\(column)' stands in 'by' and in 'columns'", hint: "keep one of them")
        }
        if let index, by.contains(index) || columns.contains(index) {
            options.refuse("index", "'index' names '\(index)', which stands in 'by' or 'columns' too")
        }
        for column in same where by.contains(column) || columns.contains(column) || column == index {
            options.refuse("same", "'same' names '\(column)', which is no other column")
        }
        if layout == .values {
            if columns.count > 1 {
                options.refuse("layout", "'layout: values' takes one column, and 'columns' names \(columns.count)")
            }
            if options.isWritten("missing") {
                options.refuse("missing", "'missing' is about keys of objects, and 'layout' says that there are none")
            }
        }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requireKeys(by)
        for column in columns { _ = try input.requiring(column) }
        for column in same { _ = try input.requiring(column) }
        if let index { try input.requiring(index, .integer) }
        try writer.check(input)
        let gone = Set((columns + [index].compactMap(\.self)).map(\.text))
        // The array takes the position of its first column.
        let place =
            input.fields.firstIndex { field in columns.contains { $0.text == field.name } } ?? input.fields.count
        let before = input.fields[..<place].filter { !gone.contains($0.name) }
        let result = Schema(input.fields.filter { !gone.contains($0.name) }, isOpen: input.isOpen)
        var fields = try result.adding(into, .json).fields
        var array = fields.removeLast()
        array.dates = writer.dates(of: input)
        fields.insert(array, at: before.count)
        return Schema(fields, isOpen: input.isOpen)
    }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> GroupSummary {
        var (elements, leftOut) = writer.elements(of: batch, reporting: &findings)
        let rows = batch.leavingOut(leftOut)
        if let index { elements.missing = rows[index].missing }
        let gone = Set((columns + [index].compactMap(\.self)).map(\.text))
        let kept = rows.schema.fields.indices.filter { !gone.contains(rows.schema.fields[$0].name) }
        let fields = [Field(into.text, .json)] + kept.map { rows.schema.fields[$0] }
        let summary = rows.replacing(Schema(fields), [.json(elements)] + kept.map { rows.columns[$0] })
        return GroupSummary(summary, self)
    }

    package func values(of schema: Schema) -> [(values: any GroupValues, column: ColumnName?)] {
        summarised(of: schema).map { name in (name == into.text ? ListedText() : SharedValues(), ColumnName(name)) }
    }

    /// Columns after the group key: the array, then `same` in the order of the job, since a group is rejected at the
    /// first that differs, then all others.
    private func summarised(of schema: Schema) -> [String] {
        let first = [into.text] + same.map(\.text)
        return first + schema.names.filter { name in !first.contains(name) && !by.contains { $0.text == name } }
    }

    public var keys: (any PartialKeys.Type)? { GroupPartition.self }

    public func merge(_ later: GroupSummary, into earlier: inout GroupSummary, scratch: any Scratch)
        throws(DaybookError)
    { try earlier.merge(later, limit: scratch.share(of: memoryLimit), scratch) }

    public func finish(_ partial: consuming GroupSummary?, _ output: FoldOutput) throws(DaybookError) {
        guard var groups = partial.take() else { return }
        let schema = output.schema
        let summarised = summarised(of: schema)
        let outputs = summarised.indices.map { place in
            GroupOutput(values: place, result: same.contains { $0.text == summarised[place] } ? .shared : .value)
        }
        let made = by.map(\.text) + summarised
        let fields = made.compactMap { name in schema.index(of: name).map { schema.fields[$0] } }
        let places = schema.names.compactMap { made.firstIndex(of: $0) }
        let inOrder = FoldOutput(schema: Schema(fields), scratch: output.scratch, room: output.room) {
            (late) throws(DaybookError) in
            try output.emit(
                LateFindings(late.findings, numbers: late.numbers) { () throws(DaybookError) in
                    let rows = try late.rows()
                    return rows.replacing(schema, places.map { rows.columns[$0] })
                }
            )
        }
        try groups.emit(outputs, by: by.count, limit: output.scratch.share(of: memoryLimit), inOrder)
    }

    public func separates(_ column: ColumnName) -> Bool { by.contains(column) }

    public static let description = StageDescription(
        name: "nest_rows",
        summary: "Make one row of the rows of each key, with an array that has an element for each.",
        details: """
            An element is an object with a key for each of 'columns', in their order: items.sku becomes sku in an array named items, \
            and a dot that is left steps into an object. With 'layout: values' it is the value of the one column. The array stands where \
            the first of these columns stood. Elements keep the order of their rows, and groups that of their first rows. The other \
            columns are those of the first row; a group whose rows differ in one that 'same' names is rejected, and JSON is the same \
            where it is written the same. With 'index', the number that explode_rows gave each element, a row without a number \
            makes no element, so that an empty array stays one, and a missing one becomes empty. A decimal that JSON cannot write \
            rejects its row. Groups beyond the memory go to disk; the array of a single group stays in memory.
            """,
        examples: [
            StageExample(
                "lines go back into their orders, in the order in which orders are met",
                options: "by: order\ninto: items\ncolumns: [items.sku, items.size.cm, items.price]",
                input: """
                    order:integer,items.sku:text,items.size.cm:integer,items.price:decimal,city:text
                    2,A,10,1.5,서울
                    1,"B ""b""\",,,
                    2,C,20,3,서울
                    """,
                output: """
                    order:integer,items:json,city:text
                    2,"[{""sku"":""A"",""size"":{""cm"":10},""price"":1.5},{""sku"":""C"",""size"":{""cm"":20},""price"":3}]",서울
                    1,"[{""sku"":""B \\""b\\\"\"\"\",""size"":{""cm"":null},""price"":null}]",
                    """
            ),
            StageExample(
                "values of one column; a row without a number in 'index' makes no element",
                options: "by: [id]\ninto: tags\ncolumns: tag\nlayout: values\nindex: number",
                input: "id:integer,number:integer,tag:text\n1,0,a\n2,,\n1,1,",
                output: """
                    id:integer,tags:json
                    1,"[""a"",null]"
                    2,[]
                    """
            ),
            StageExample(
                "a missing value can be left out with its key, and the other columns be those of the first row",
                options:
                    "by: id\ninto: items\ncolumns: [sku, note]\nmissing: leave_out\nmemory_mebibytes: 64",
                input: "id:integer,sku:text,note:text,city:text\n1,A,,서울\n1,B,new,부산",
                output: """
                    id:integer,items:json,city:text
                    1,"[{""sku"":""A""},{""sku"":""B"",""note"":""new""}]",서울
                    """
            ),
            StageExample(
                "a group whose rows differ in another column is rejected, and so is a row that JSON cannot write",
                options: "by: id\ninto: items\ncolumns: [price]\nsame: [city, day]",
                input: """
                    id:integer,price:decimal,city:text,day:day
                    1,1,서울,2026-11-01
                    2,2,부산,2026-11-02
                    1,3,부산,2026-11-01
                    2,inf,부산,2026-11-02
                    3,4,,
                    3,5,,2026-11-03
                    """,
                output: """
                    id:integer,items:json,city:text,day:day
                    2,"[{""price"":2}]",부산,2026-11-02
                    """,
                findings: ["4 price not-a-json-number", "1 city group-differs", "5 day group-differs"]
            ),
            StageExample(
                "two columns cannot become one key",
                options: "by: id\ninto: x\ncolumns: [x.p, p]",
                input: "id:integer,x.p:text,p:text",
                refused: "'x.p' and 'p' would both be written as 'p'"
            ),
            StageExample(
                "a column cannot tell groups apart and be in their arrays",
                options: "by: id\ninto: items\ncolumns: [id]",
                input: "id:integer",
                refused: "'id' stands in 'by' and in 'columns'"
            ),
        ]
    )
}

extension JSONElementWriter.Layout: OptionChoice {}
