import DaybookJSON

/// Unnests a column of JSON arrays: each element becomes a row, with the columns of its original row.
///
/// The job declares the element columns, since their kinds have to be known before the first row. An element that does
/// not fit rejects its whole row: a part of an order would be a wrong order, and the reject holds all of it.
public struct ExplodeRows: TransformStage {
    public static var keepsRows: Bool { false }

    enum Empty: String, OptionChoice { case drop, keep }
    enum Single: String, OptionChoice { case reject, element }

    let column: ColumnName
    let columns: OptionMap<ColumnKind>
    let prefix: String
    let into: ColumnName?
    let index: ColumnName?
    let kind: ColumnKind
    private let empty: Empty
    private let reader: JSONElementReader?

    static let dropName = "without elements"

    public init(reading options: inout OptionReader) {
        let column: ColumnName = options.read("column", help: "Column of JSON arrays, whose elements become rows.")
        columns = options.readKinds(
            JSONValueKind.self,
            help: "Keys of elements that are objects, each with the kind of its column; other keys are not read."
        )
        let prefix: String? = options.optional(
            "prefix",
            help:
                "What stands before each key in the name of its column; the name of 'column' and a dot unless it is written."
        )
        let into: ColumnName? = options.optional(
            "into",
            help:
                "New column for the whole element; without 'columns' it is there at any rate, in the place of 'column'."
        )
        let kind: JSONValueKind = options.read(
            "kind",
            default: .json,
            help: "The kind of elements that become one column."
        )
        self.kind = kind.columnKind
        index = options.optional("index", help: "New column for the number of the element in its array, from 0.")
        empty = options.read(
            "empty",
            default: .drop,
            help: "Whether a row whose array is missing or empty is dropped, or kept once without an element."
        )
        let single: Single = options.read(
            "single",
            default: .reject,
            help: "Whether a value that is no array rejects its row, or is the only element."
        )
        (self.column, self.prefix) = (column, prefix ?? column.text + ".")
        self.into = into ?? (columns.entries.isEmpty ? column : nil)
        if columns.entries.isEmpty {
            options.refuse("prefix", without: "columns", hint: "name the column of the elements with 'into'")
        } else if options.isWritten("kind") {
            let hint = "leave it out"
            options.refuse("kind", "'kind' has no meaning beside 'columns', whose elements are objects", hint: hint)
        }
        let rules = JSONElementReader.Rules(keepsEmpty: empty == .keep, takesSingle: single == .element)
        do {
            reader =
                columns.entries.isEmpty
                ? try JSONElementReader(values: self.kind, rules)
                : try JSONElementReader(objects: columns.entries.map { ($0.key, $0.value) }, rules)
        } catch {
            reader = nil
            options.refuse("columns", error.message, hint: error.hint)
        }
    }

    /// The columns that replace the array column, in order.
    private var made: [(name: ColumnName, kind: ColumnKind, steps: [InnerStep])] {
        var made: [(name: ColumnName, kind: ColumnKind, steps: [InnerStep])] = []
        if let index { made.append((index, .integer, [.number])) }
        if let into { made.append((into, columns.entries.isEmpty ? kind : .json, [])) }
        let places = Dictionary(columns.entries.map { ($0.key, $0.place) }) { first, _ in first }
        guard !columns.entries.isEmpty, let reader else { return made }
        return made
            + reader.columns.map { field, path in
                let name = ColumnName(prefix + field.name, at: places[field.name] ?? column.place)
                return (name, field.kind, path.map { .key($0) })
            }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requiring(column, .json, hint: "only a column of JSON holds arrays")
        let place = input.index(of: column) ?? input.fields.count
        var result = Schema(input.fields.filter { $0.name != column.text }, isOpen: input.isOpen)
        for (name, kind, _) in made { result = try result.adding(name, kind) }
        var fields = Array(result.fields.dropLast(made.count))
        fields.insert(contentsOf: madeFields(of: input[column]), at: place)
        return Schema(fields, isOpen: input.isOpen)
    }

    /// The output fields made from the array's field.
    private func madeFields(of array: Field?) -> [Field] {
        made.map { name, kind, steps in
            var field = Field(name.text, kind, source: array?.source)
            if kind == .json { field.dates = array?.dates.inside([.element] + steps) ?? InnerDates() }
            if field.source != nil { field.inside = (array?.inside ?? []) + [.element] + steps }
            return field
        }
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { wanted.making(made.map(\.name), from: [column]) }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        guard let reader, case .json(let arrays) = batch[column], let place = batch.schema.index(of: column) else {
            preconditionFailure("the schema check asks for a column of arrays")
        }
        var elements = reader.read(arrays)
        report(elements, &findings)
        elements.leaveOutFaulty()
        account(for: elements, of: batch.count, &findings)
        let parents = elements.parents
        var fields = batch.schema.fields
        var columns = batch.columns.enumerated().map { $0 == place ? $1 : $1.keeping(parents) }
        fields.replaceSubrange(place...place, with: madeFields(of: fields[place]))
        columns.replaceSubrange(place...place, with: values(of: elements))
        return Batch(Schema(fields), columns, count: parents.count, provenance: batch.provenance.keeping(parents))
    }

    /// The values of the new columns.
    private func values(of elements: JSONElements) -> [Column] {
        let numbers = index.map { _ in Column.integers(elements.numbers) }
        if self.columns.entries.isEmpty { return [numbers].compactMap(\.self) + elements.columns }
        return [numbers, into.map { _ in .json(elements.whole) }].compactMap(\.self) + elements.columns
    }

    private func report(_ elements: JSONElements, _ findings: inout Findings) {
        for fault in elements.faults {
            let message = fault.displayText
            findings.reject(fault.row, findings.token(fault.kind, in: column), saying: message, inside: fault.pointer)
        }
        for warning in elements.warnings where !elements.isFaulty(warning.row) {
            let token = findings.token(warning.kind, in: column)
            findings.warn(warning.row, token, saying: warning.displayText, inside: warning.pointer)
        }
    }

    /// Records the result of each row.
    private func account(for elements: JSONElements, of rows: Int, _ findings: inout Findings) {
        let name = findings.dropName(Self.dropName)
        let (parents, faults) = (elements.parents.span, elements.faults)
        var (next, fault) = (0, 0)
        for row in 0..<rows {
            let first = next
            while next < parents.count, Int(parents[next]) == row { next += 1 }
            if fault < faults.count, faults[fault].row == row {
                fault += 1
            } else if next > first {
                findings.unfold(into: next - first)
            } else {
                findings.drop(row, name)
            }
        }
    }

    public static let description = StageDescription(
        name: "explode_rows",
        summary: "Make rows of the elements of an array, each with the other columns of its row.",
        details: """
            Each element of the array in 'column' becomes a row, in their order. Of elements that are objects, 'columns' names the keys \
            that become columns, with their kinds: sku of items becomes items.sku, and a dot in a key steps into an object, as in \
            product.name. What 'columns' does not name is not read; 'into' keeps the whole element as JSON beside them. Without 'columns' \
            the elements become one column of 'kind', which has the name of the array unless 'into' gives another. The new columns \
            stand where the array stood. A row whose array is missing or empty is dropped and counted as 'without elements', unless \
            'empty' is keep. An element that does not fit its columns rejects its row with all elements, and the finding points to it; what later \
            stages find in a column of the elements stands where the array begins.
            """,
        examples: [
            StageExample(
                "lines of orders become rows, and an order without lines is counted",
                options: """
                    column: items
                    columns: { sku: text, quantity: integer, price: decimal }
                    index: line
                    """,
                input: """
                    order:integer,items:json,city:text
                    1,"[{""sku"": ""A-1"", ""quantity"": 2, ""price"": 1.5}, {""sku"": ""B"", ""price"": 3, ""note"": ""gift""}]",서울
                    2,[],부산
                    3,,부산
                    4,"[{""price"": 0.25, ""sku"": ""\\ub9d0""}]",
                    """,
                output: """
                    order:integer,line:integer,items.sku:text,items.quantity:integer,items.price:decimal,city:text
                    1,0,A-1,2,1.5,서울
                    1,1,B,,3,서울
                    4,0,말,,0.25,
                    """,
                findings: ["2 - dropped as without elements", "3 - dropped as without elements"]
            ),
            StageExample(
                "values become a column of their kind, and a row without any can be kept",
                options: "column: tags\ninto: tag\nkind: text\nempty: keep",
                input: """
                    id:integer,tags:json
                    1,"[""a"", null, ""b,c""]"
                    2,[]
                    3,
                    """,
                output: """
                    id:integer,tag:text
                    1,a
                    1,
                    1,"b,c"
                    2,
                    3,
                    """
            ),
            StageExample(
                "without 'columns' and 'kind' elements stay JSON; what is no array can be the only element",
                options: "column: seen\nsingle: element",
                input: """
                    seen:json
                    "[{""a"": [1, 2]}, 3]"
                    "{""a"": 7}"
                    """,
                output: """
                    seen:json
                    "{""a"": [1, 2]}"
                    3
                    "{""a"": 7}"
                    """
            ),
            StageExample(
                "the whole element can stay beside its columns, whose names may begin otherwise",
                options: "column: items\ncolumns: { product.name: text }\nprefix: line_\ninto: item",
                input: """
                    items:json
                    "[{""product"": {""name"": ""tea"", ""id"": 7}}]"
                    """,
                output: """
                    item:json,line_product.name:text
                    "{""product"": {""name"": ""tea"", ""id"": 7}}",tea
                    """
            ),
            StageExample(
                "an element that does not fit rejects its row, and so does what is no array",
                options: "column: items\ncolumns: { sku: text }",
                input: """
                    id:integer,items:json
                    1,"[{""sku"": ""A""}, {""sku"": 7}]"
                    2,"[{""sku"": ""B""}]"
                    3,"[{""sku"": ""C""}, null]"
                    4,"{""sku"": ""D""}"
                    """,
                output: "id:integer,items.sku:text\n2,B",
                findings: ["1 items unexpected-kind", "3 items unexpected-kind", "4 items not-an-array"]
            ),
            StageExample(
                "text is no array, even where it looks like one",
                options: "column: items",
                input: "items:text\n[]",
                refused: "column 'items' holds text, not json"
            ),
        ]
    )
}

extension JSONElements {
    /// The number of each element in its array; missing for rows without an element.
    fileprivate var numbers: Values<Int64> {
        var (before, number): (Int32, Int64) = (-1, 0)
        let numbers = parents.map { parent in
            number = parent == before ? number + 1 : 0
            before = parent
            return number
        }
        return Values(numbers, missing: whole.missing)
    }

    fileprivate func isFaulty(_ row: Int) -> Bool {
        let place = faults.partitioningIndex { $0.row >= row }
        return place < faults.count && faults[place].row == row
    }

    /// Removes the elements of faulty arrays.
    fileprivate mutating func leaveOutFaulty() {
        guard !faults.isEmpty else { return }
        let kept = parents.indices.filter { !isFaulty(Int(parents[$0])) }.map { Int32(truncatingIfNeeded: $0) }
        columns = columns.map { $0.keeping(kept) }
        whole = whole.keeping(kept)
        parents = kept.map { parents[Int($0)] }
    }
}

extension JSONElements.Fault {
    /// The fault, and its place in the array.
    fileprivate var displayText: String {
        let place = pointer.isEmpty ? "" : " at \(JSONPointer(tokens: pointer).written) of the array"
        return (message ?? kind.message) + place
    }
}
