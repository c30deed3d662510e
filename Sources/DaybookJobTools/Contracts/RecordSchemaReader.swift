import DaybookBytes
import Foundation

/// Reads a JSON Schema whose records are the rows.
struct RecordSchemaReader {
    private let references: SchemaReferences

    private static let described: Set<String> = [
        "$schema", "$id", "$comment", "title", "description", "type", "examples", "example", "default", "deprecated",
        "readOnly", "writeOnly", "$defs", "definitions",
    ]

    /// Definitions that refer to one another may stand for any number of columns.
    private static let mostColumns = 4_096

    static func read(_ root: OptionNode, _ name: String) throws(DaybookError) -> Contract {
        try RecordSchemaReader(references: SchemaReferences(root: root)).contract(name)
    }

    private func contract(_ name: String) throws(DaybookError) -> Contract {
        var contract = Contract(form: "JSON Schema")
        let root = references.resolved(references.root, following: []).node
        // An array of records is the table, and so is one record.
        let (record, followed) = references.resolved(
            root.text("type") == "array" ? root["items"] ?? root : root,
            following: []
        )
        var table = Contract.Table(name: name, isJSON: true)
        table.description = root.text("description") ?? root.text("title")
        let described = RecordSchemaReader.described
        if root.text("type") == "array" { table.leaveRest(of: root, besides: described.union(["items"])) }
        let required = Set(record["required"]?.texts ?? [])
        var left = RecordSchemaReader.mostColumns
        for entry in record["properties"]?.map ?? [] {
            table.fields += fields(entry.key, entry.value, followed, isRequired: required.contains(entry.key), &left)
        }
        if left <= 0 { table.leave("columns beyond \(RecordSchemaReader.mostColumns.displayText)") }
        let names = table.fields.map(\.name)
        for name in required.sorted() where !names.contains(where: { $0 == name || $0.hasPrefix("\(name).") }) {
            table.ask(.rule("not_missing", .text(name)))
        }
        let isClosed = record.text("additionalProperties") == "false"
        table.ask(.columns(names, missing: "allow", extra: isClosed ? "fail" : "allow", isOrdered: false))
        if let more = record["additionalProperties"], more.map != nil {
            table.leave("additionalProperties: \(more.inBrief)")
        }
        table.leaveRest(of: record, besides: described.union(["properties", "required", "additionalProperties"]))
        contract.tables = [table]
        return contract
    }

    /// The field of a property; of an object, those of its properties, which an import writes behind its name.
    private func fields(
        _ name: String,
        _ unresolved: OptionNode,
        _ earlier: Set<String>,
        isRequired: Bool,
        _ left: inout Int
    ) -> [Contract.Field] {
        left -= 1
        guard left > 0 else { return [] }
        let (node, followed) = references.resolved(unresolved, following: earlier)
        let types = node["type"]?.texts ?? []
        guard types.filter({ $0 != "null" }) == ["object"], let properties = node["properties"]?.map,
            !properties.isEmpty
        else { return [field(name, node, isRequired: isRequired)] }
        let isNullable = types.contains("null")
        let required = Set(node["required"]?.texts ?? [])
        var fields = properties.flatMap { entry in
            self.fields(
                "\(name).\(entry.key)",
                entry.value,
                followed,
                isRequired: isRequired && !isNullable && required.contains(entry.key),
                &left
            )
        }
        guard !fields.isEmpty else { return [] }
        if !isRequired || isNullable, !required.isEmpty {
            let names = required.sorted().joined(separator: ", ")
            fields[0].leave("required in '\(name)', which need not be there: \(names)")
        }
        if isRequired, required.isEmpty || isNullable { fields[0].leave("required, though it may be empty") }
        fields[0].leaveRest(of: node, besides: RecordSchemaReader.described.union(["properties", "required"]))
        return fields
    }

    private func field(_ name: String, _ node: OptionNode, isRequired: Bool) -> Contract.Field {
        let described = RecordSchemaReader.described
        var field = Contract.Field(name: name)
        field.description = node.text("description") ?? node.text("title")
        let types = (node["type"]?.texts ?? []) + (node.nodes("type").contains(where: \.isNull) ? ["null"] : [])
        if isRequired {
            // A job does not tell null from a key that is not there.
            types.contains("null") ? field.leave("required, where null is allowed") : field.ask(.required)
        }
        let format = node.text("format")
        let kinds = types.filter { $0 != "null" }
        switch kinds {
        case ["string"] where format == "date": field.kind = .day
        case ["string"], ["integer"], ["number"], ["boolean"]: field.kind = Contract.Kind(schemaType: kinds[0])
        case []: break
        case ["array"]:
            let asks = (node.map ?? []).filter { $0.key == "type" || !described.contains($0.key) }
            let schema = OptionNode(.map(asks), at: node.place)
            field.ask(.schema(name, OptionNode(.map(asks + references.definitions(for: schema)), at: node.place)))
            return field
        case let others: field.leave("type: \(others.joined(separator: ", "))")
        }
        switch format {
        case "date-time": field.ask(.rule("type", ["column": .text(name), "is": .plain("instant")]))
        case let format? where format != "date": field.ask(format: format)
        default: break
        }
        if let values = node["enum"]?.list { field.ask(.among(values.compactMap(\.text))) }
        if let value = node.text("const") { field.ask(.among([value])) }
        if let pattern = node.text("pattern") { field.ask(.matches(pattern)) }
        field.askBounds(of: node)
        if let step = node.text("multipleOf"), let number = Int(step), number > 0 {
            field.ask(.holds("\(ExpressionText.column(name)) % \(number) = 0"))
        } else if let step = node.text("multipleOf") {
            field.leave("multipleOf: \(step)")
        }
        let known = described.union(Contract.Field.bounds).union(["format", "enum", "const", "pattern", "multipleOf"])
        field.leaveRest(of: node, besides: known)
        return field
    }
}
