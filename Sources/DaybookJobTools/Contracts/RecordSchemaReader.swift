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
        let isArray = root.text("type") == "array"
        let (record, followed) = references.resolved(isArray ? root["items"] ?? root : root, following: [])
        var table = Contract.Table(name: name, isJSON: true, declaresColumns: true)
        table.description = root.text("description") ?? root.text("title")
        let described = RecordSchemaReader.described
        if isArray { table.leaveRest(of: root, besides: described.union(["items"])) }
        let required = Set(record["required"]?.texts ?? [])
        var left = RecordSchemaReader.mostColumns
        for entry in record["properties"]?.map ?? [] {
            table.fields += fields(entry.key, entry.value, followed, isRequired: required.contains(entry.key), &left)
        }
        if left <= 0 { table.leave("columns beyond \(RecordSchemaReader.mostColumns.displayText)") }
        if table.fields.contains(where: { $0.kind == .integer }) {
            contract.notes.append("whole numbers that are written as 1.0 or 1e2, which are rejected")
        }
        let names = table.fields.map(\.name)
        for name in required.sorted() where !names.contains(where: { $0 == name || $0.hasPrefix("\(name).") }) {
            // Nothing else is said of it, so it may be of any kind.
            var field = Contract.Field(name: name, isJSON: true)
            field.ask(.required)
            table.fields.append(field)
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
            let isNeeded = isRequired && !isNullable && required.contains(entry.key)
            return self.fields("\(name).\(entry.key)", entry.value, followed, isRequired: isNeeded, &left)
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
        case [] where !isOfSeveralKinds(node): field.kind = RecordSchemaReader.kind(of: node)
        default:
            // Values of several kinds, and those that hold others, are judged as the JSON that they are.
            let asks = (node.map ?? []).filter { $0.key == "type" || !described.contains($0.key) }
            let schema = OptionNode(.map(asks), at: node.place)
            field.ask(.schema(name, OptionNode(.map(asks + references.definitions(for: schema)), at: node.place)))
            field.isJSON = true
            return field
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
        if kinds.isEmpty, node["enum"] == nil, node["const"] == nil, field.kind != nil {
            field.leave("values of another kind, of which it asks nothing")
        }
        // Without a kind, values may be of any.
        field.isJSON = field.kind == nil
        return field
    }

    /// Whether a schema without a type lists values, and these are of several kinds.
    private func isOfSeveralKinds(_ node: OptionNode) -> Bool {
        (node["enum"] ?? node["const"]) != nil && RecordSchemaReader.kind(of: node) == nil
    }

    /// The kind of values that keys of a schema without a type are about; nil where they are about any.
    private static func kind(of node: OptionNode) -> Contract.Kind? {
        if let values = node["enum"]?.list ?? node["const"].map({ [$0] }) {
            let kinds = Set(values.filter { !$0.isNull }.map(kind(ofValue:)))
            return kinds.count == 1 ? kinds.first ?? nil : nil
        }
        func has(_ keys: String...) -> Bool { keys.contains { node[$0] != nil } }
        if has("pattern", "format", "minLength", "maxLength") { return node.text("format") == "date" ? .day : .text }
        if has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf") { return .decimal }
        return nil
    }

    private static func kind(ofValue node: OptionNode) -> Contract.Kind? {
        guard case .text(let text, let isQuoted) = node.content else { return nil }
        if isQuoted || node.json != text { return .text }
        if ["true", "false"].contains(text) { return .flag }
        return Int(text) == nil ? .decimal : .integer
    }
}

/// What the `$ref`s of a JSON Schema mean, and what stands around a single schema: `allOf` with one, `anyOf` with one and null.
///
/// Only references into the document itself (`#/$defs/address`) are followed, each once on the way to a column.
struct SchemaReferences {
    let root: OptionNode

    /// Keys whose values are schemas that only references ask for.
    static let definitions = ["$defs", "definitions"]

    /// A schema with what it refers to in its place, and the references that were followed for it.
    ///
    /// A reference that leads nowhere, back to itself or out of the document stays.
    func resolved(_ node: OptionNode, following earlier: Set<String>) -> (node: OptionNode, followed: Set<String>) {
        var (node, followed) = (node, earlier)
        while let (key, inner) = onlyOne(node, &followed) {
            let siblings = (node.map ?? []).filter { $0.key != key }
            let own = Set(siblings.map(\.key))
            node = OptionNode(.map(siblings + (inner.map ?? []).filter { !own.contains($0.key) }), at: node.place)
        }
        return (node, followed)
    }

    /// The schema that a key of a schema stands for; nil where none stands for a single one.
    private func onlyOne(_ node: OptionNode, _ followed: inout Set<String>) -> (key: String, schema: OptionNode)? {
        if let reference = node.text("$ref"), let target = target(reference), followed.insert(reference).inserted {
            return ("$ref", target)
        }
        if let list = node["allOf"]?.list, list.count == 1 { return ("allOf", list[0]) }
        for key in ["anyOf", "oneOf"] {
            guard let list = node[key]?.list else { continue }
            let others = list.filter { $0.text("type") != "null" }
            guard others.count == 1, list.count <= 2 else { continue }
            if list.count == 1 { return (key, others[0]) }
            let schema = resolved(others[0], following: followed)
            // Without a type, as beside an 'enum', null is not told from what is missing.
            guard let types = schema.node["type"], schema.node["const"] == nil else { continue }
            followed = schema.followed
            let names = types.texts.map { OptionNode(.text($0, quoted: true), at: types.place) }
            let null = OptionNode(.text("null", quoted: true), at: types.place)
            let rest = (schema.node.map ?? []).map { entry in
                guard entry.key == "type" else { return entry }
                let kinds = OptionNode(.list(names + [null]), at: types.place)
                return OptionNode.Entry(key: "type", keyPlace: entry.keyPlace, value: kinds)
            }
            return (key, OptionNode(.map(rest), at: node.place))
        }
        return nil
    }

    /// The schema at a pointer (RFC 6901) into the document.
    private func target(_ reference: String) -> OptionNode? {
        guard reference.hasPrefix("#/"), let path = String(reference.dropFirst(2)).removingPercentEncoding else {
            return nil
        }
        var node = root
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            let key = String(part).replacing("~1", with: "/").replacing("~0", with: "~")
            guard
                let next = node[key]
                    ?? node.list.flatMap({ list in Int(key).flatMap { list.indices.contains($0) ? list[$0] : nil } })
            else { return nil }
            node = next
        }
        return node.map == nil ? nil : node
    }

    /// The definitions that a schema refers to, and those that these refer to, as it can hold them itself.
    func definitions(for schema: OptionNode) -> [OptionNode.Entry] {
        var wanted: Set<String> = []
        var open = [schema]
        while let node = open.popLast() {
            open += node.list ?? []
            for entry in node.map ?? [] {
                open.append(entry.value)
                if entry.key == "$ref", let reference = entry.value.text, let target = target(reference),
                    wanted.insert(reference).inserted
                {
                    open.append(target)
                }
            }
        }
        return SchemaReferences.definitions.compactMap { key in
            guard let all = root.map?.last(where: { $0.key == key }) else { return nil }
            let own = (all.value.map ?? []).filter { wanted.contains("#/\(key)/\($0.key)") }
            guard !own.isEmpty else { return nil }
            return OptionNode.Entry(key: key, keyPlace: all.keyPlace, value: OptionNode(.map(own), at: all.value.place))
        }
    }
}
