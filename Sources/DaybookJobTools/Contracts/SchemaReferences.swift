import Foundation

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
                return OptionNode.Entry(
                    key: "type",
                    keyPlace: entry.keyPlace,
                    value: OptionNode(.list(names + [null]), at: types.place)
                )
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
