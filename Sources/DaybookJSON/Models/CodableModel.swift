import DaybookBytes
import DaybookDates

/// The app's own type that has to read an output: `{ file: App.swift, type: "[Todo]", dates: iso }`.
package struct CodableModel: Sendable {
    private let model: SwiftModel
    /// How the app's decoder reads dates; nil where it reads what the output writes.
    let dates: CodableDates?
    private var walk: ModelWalk
    /// Whether rows may become values of a property list, in which a text stands for nil.
    private var mayBeOfList = false

    init(_ model: SwiftModel, dates: CodableDates?) {
        (self.model, self.dates) = (model, dates)
        walk = ModelWalk(model, dates: dates ?? .iso)
    }

    /// Takes dates as the job writes or reads them, unless the option says how the app does.
    mutating func readDates(as usual: CodableDates) {
        walk = ModelWalk(model, dates: dates ?? usual, takesListNil: mayBeOfList)
    }

    /// The same for rows that may become values of a property list. What these are is then checked as a whole.
    package func forDefaults(_ dates: CodableDates) -> CodableModel {
        var copy = self
        copy.mayBeOfList = true
        copy.readDates(as: dates)
        return copy
    }

    /// The same for the values of a property list, or for those of JSON.
    package func reading(_ facts: ContainerFacts) -> CodableModel {
        var copy = self
        if facts.isPropertyList { copy.walk = ModelWalk(model, dates: nil, kinds: facts.kinds) }
        return copy
    }

    /// The type as the app names it, such as `[Todo]`.
    var name: String { model.name(model.root) }

    /// The type of one row: an element of the type, or the type itself.
    var element: SwiftModel.Shape {
        switch model.root {
        case .array(let element), .optional(.array(let element)): element
        default: model.root
        }
    }

    /// The type of all rows with their keys; nil for one without keys.
    var dictionary: (key: SwiftModel.Shape, whole: SwiftModel.Shape)? {
        switch model.root {
        case .dictionary(let key, _), .optional(.dictionary(let key, _)): (key, model.root)
        default: nil
        }
    }

    /// Whether Swift writes the keys and values of the dictionary in turn.
    fileprivate var isInPairs: Bool { dictionary.map { !walk.isObjectKey($0.key) } ?? false }

    /// Why the decoder refuses the JSON of a row.
    ///
    /// - Parameters:
    ///   - keys: how its key stands before it; nil if it has none.
    ///   - offset: where in the text of a container the JSON begins.
    func fault(in json: Cell, _ keys: RecordKeys?, at offset: Int = 0) -> ModelWalk.Fault? {
        guard let keys, let dictionary else { return walk.fault(in: json, as: element, at: offset) }
        return walk.fault(inEntry: json, of: dictionary.whole, RowBrackets(keys), at: offset)
    }

    /// Why the decoder refuses the JSON of all rows.
    ///
    /// - Parameter isOne: whether it is one record, and not the elements of an array.
    package func fault(inAll json: Cell, isOne: Bool) -> ModelWalk.Fault? {
        walk.fault(in: json, as: isOne ? element : dictionary?.whole ?? .array(element))
    }

    /// Refuses a type of many records for an output that is one, and one whose rows have keys for others.
    package func check(isOne: Bool, _ keys: RecordKeys?) -> String? {
        let name = model.name(model.root)
        if isOne {
            return element == model.root ? nil : "'\(name)' is no single record, and 'layout: object' writes one"
        }
        guard let dictionary else {
            return keys == nil ? nil : "'\(name)' is no dictionary, and 'each_key' gives each row a key"
        }
        guard let keys else {
            return "'\(name)' is a dictionary; 'records: { each_key: COLUMN }' gives each row its key"
        }
        guard walk.isObjectKey(dictionary.key) == (keys.inPairs == true) else { return nil }
        return keys.inPairs == true
            ? "Swift writes '\(name)' as an object, without 'pairs'"
            : "Swift writes '\(name)' as an array of keys and values in turn; write 'pairs: true' beside 'each_key'"
    }
}

extension OptionReader {
    /// The option of an import: the app's type that its records are held against.
    ///
    /// - Parameter dates: how the import reads dates.
    package mutating func readModel(_ records: RecordsPlace?, dates: CodableDates) -> CodableModel? {
        let help =
            "The app's type that has to read the records: { file: App.swift, type: '[Todo]' }. A record that it refuses is rejected."
        guard var model: CodableModel = optional("model", help: help) else { return nil }
        model.readDates(as: dates)
        var keys = records?.keys
        if keys != nil, keys?.inPairs == nil { keys?.inPairs = model.isInPairs }
        if let reason = model.check(isOne: false, keys) { refuse("model", reason) }
        return model
    }
}

extension CodableModel: OptionObject {
    package static var title: String { "'model'" }
    package static var shape: String { "a map with the keys file and type" }
    package static var example: String? { "write it as { file: App.swift, type: \"[Todo]\" }" }
    package static var unknownHint: String? { example }
    package static var placeholder: CodableModel {
        CodableModel(SwiftModel(root: .text, types: []), dates: nil)
    }

    package init(reading fields: inout OptionFields) throws(DaybookError) {
        let (node, hint) = (fields.node, Self.example)
        let file = fields.written("file", .path, help: "Swift file that declares the type; else 'swift'.")
        let text = fields.written("swift", .text, help: "The Swift source itself, in the place of 'file'.")
        let type = fields.written("type", .text, isRequired: true, help: "What the app decodes: '[Todo]', or Todo.")
        let dates: CodableDates? = try fields.optional(
            "dates",
            help: "How the app's decoder reads dates; by default as the stage does."
        )
        guard let type else { throw node.expected("the key 'type'", hint: hint) }
        guard let name = type.text else { throw type.expected("a type such as \"[Todo]\"", hint: hint) }
        guard (file == nil) != (text == nil) else { throw node.expected("either 'file' or 'swift'", hint: hint) }
        let source: SwiftSource
        if let file {
            // Relative to the job, like every path of it.
            let path = try PathText(reading: file)
            source = try SwiftSource.read(path.fromJob, name: path.text)
        } else {
            source = try SwiftSource(Array(try String(reading: text ?? node).utf8), name: "swift")
        }
        self.init(try source.model(of: name, at: type.place), dates: dates)
    }

    package var written: String { "{ type: \(model.name(model.root)) }" }
}

extension SwiftSource {
    /// Reads a Swift file.
    package static func read(_ path: String, name: String) throws(DaybookError) -> SwiftSource {
        let unreadable = { (why: String) in
            DaybookError("unreadable-model", "cannot read '\(name)': \(why)", hint: "name a Swift file of the app")
        }
        let bytes: Bytes?
        do { bytes = try WholeFile.read(FilePath.canonical(path), limit: SwiftLexer.limit) } catch {
            throw unreadable(error.reason)
        }
        guard let bytes else { throw unreadable("there is no such file") }
        return try SwiftSource(Array(bytes.cell(0...)), name: name)
    }
}

extension Finding.Kind {
    static let notDecodable = Finding.Kind("not-decodable", "the app's decoder refuses {value}")
}

/// Fails the run whose output has rows that its model refuses, once all of them were reported.
package struct ModelProof: Sendable {
    private var refused = 0

    package init() {}

    package mutating func add(_ piece: TextPiece) { refused += piece.refused }

    package func check(_ output: PathText) throws(DaybookError) {
        guard refused > 0 else { return }
        let rows = DisplayText.count(refused, "row")
        let message = "\(rows) of '\(output.text)' \(refused == 1 ? "is" : "are") not as the app's model has them"
        let hint = "a decoder refuses the whole output for one; the findings name the rows, and the places in them"
        throw DaybookError.data("not-decodable", message, at: output.place, hint: hint)
    }
}

/// Rejects the rows whose records the app's decoder would refuse.
struct ModelReader: WrappingReader {
    let reader: any RecordReader
    private let model: CodableModel
    private let keys: RecordKeys?
    /// The way to each column of the schema from a record.
    private let paths: [[String]]

    init(reader: JSONReader, model: CodableModel, _ format: JSONFormat, _ plan: JSONPlan) {
        (self.reader, self.model) = (reader, model)
        keys = format.keyColumn.map { column in
            let name = ColumnName(String(decoding: column, as: UTF8.self))
            return RecordKeys(column: name, inPairs: format.layout.container == .pairs)
        }
        paths = reader.schema.fields.map { field in
            guard !plan.isBare, let index = plan.indexes[field.source ?? field.name] else { return [] }
            return plan.leaves[index].path.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let batch = reader.read(morsel, reporting: &findings)
        guard case .morsel(_, let spans, _) = batch.provenance else { return batch }
        for (row, span) in spans.enumerated() {
            let record = morsel.bytes.cell(Int(span.start)..<Int(span.end))
            let offset = morsel.offset + Int(span.start)
            if let fault = model.fault(in: record, keys, at: offset) { reject(row, fault, &findings) }
        }
        return batch
    }

    @inline(never)
    private func reject(_ row: Int, _ fault: ModelWalk.Fault, _ findings: inout Findings) {
        let field =
            fault.isKey
            ? keys.flatMap { keys in schema.fields.firstIndex { $0.name == keys.column.text } }
            : fault.field(among: paths)
        let token = findings.token(.notDecodable, in: field.map { ColumnName(schema.fields[$0].name) })
        let inside = field.map { Array(fault.steps.dropFirst(paths[$0].count)) } ?? []
        findings.reject(row, token, saying: fault.displayText, inside: inside)
    }
}
