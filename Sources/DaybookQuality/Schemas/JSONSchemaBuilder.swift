import DaybookExpressions

/// Reads the assertions of a schema document, each schema once, so that schemas may refer to each other.
struct JSONSchemaBuilder {
    private typealias Assertion = JSONSchema.Assertion

    private let root: OptionNode
    private(set) var nodes: [[JSONSchema.Assertion]] = []
    private(set) var unjudged: [(words: String, place: SourcePlace)] = []
    /// The schemas that were begun, by the lines and columns of their nodes.
    private var numbers: [SourcePlace: Int] = [:]
    private var places: [SourcePlace] = []

    init(_ root: OptionNode) { self.root = root }

    /// Keywords that ask nothing.
    private static let annotations: Set<String> = [
        "$schema", "$id", "id", "$anchor", "$comment", "$defs", "definitions", "$vocabulary", "title", "description",
        "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType",
        "contentSchema",
    ]
    private static let refused: Set<String> = [
        "$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems",
    ]

    /// The number of the schema at a node.
    mutating func schema(at node: OptionNode) throws(DaybookError) -> Int {
        if let number = numbers[node.place] { return number }
        let number = nodes.count
        numbers[node.place] = number
        places.append(node.place)
        nodes.append([])
        switch (node.plainText, node.map) {
        case ("true", _): break
        case ("false", _): nodes[number] = [.nothing]
        case (_, _?): nodes[number] = try assertions(of: node)
        default: throw node.expected("a JSON Schema: a map, true or false")
        }
        return number
    }

    private mutating func schemas(at node: OptionNode) throws(DaybookError) -> [Int] {
        guard let list = node.list else { throw node.expected("a list of schemas") }
        guard !list.isEmpty else {
            throw DaybookError("wrong-type", "expected a list of schemas, found none", at: node.place)
        }
        return try list.map { one throws(DaybookError) in try schema(at: one) }
    }

    private mutating func assertions(of node: OptionNode) throws(DaybookError) -> [Assertion] {
        let entries = node.map ?? []
        if let id = node["$id"], node.place != root.place, id.text?.hasPrefix("#") != true {
            let message = "a schema within another that has an '$id' is a document of its own, which is not read here"
            let hint = "leave it out, and name the schema by its place: '#/$defs/…'"
            throw DaybookError("nested-id", message, at: id.place, hint: hint)
        }
        var found: [Assertion] = []
        if let types = node["type"] { found.append(.types(try self.types(types))) }
        try addValues(of: node, to: &found)
        try addStrings(of: node, to: &found)
        try addArrays(of: node, to: &found)
        try addObjects(of: node, to: &found)
        for (keyword, make) in [("allOf", Assertion.all), ("anyOf", Assertion.any), ("oneOf", Assertion.one)] {
            if let several = node[keyword] { found.append(make(try schemas(at: several))) }
        }
        if let forbidden = node["not"] { found.append(.not(try schema(at: forbidden))) }
        if let condition = node["if"] {
            let then = try optional(node["then"])
            let otherwise = try optional(node["else"])
            found.append(.condition(try schema(at: condition), then: then, otherwise: otherwise))
        }
        if let reference = node["$ref"] { found.append(.all([try schema(at: try target(of: reference))])) }
        noteUnjudged(entries)
        for entry in entries where Self.refused.contains(entry.key) {
            let message = "'\(entry.key)' is not judged here, and without it values would pass that the schema forbids"
            throw DaybookError("unknown-keyword", message, at: entry.keyPlace)
        }
        return found
    }

    private static let judged: Set<String> = [
        "type", "enum", "const", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
        "minLength",
        "maxLength", "pattern", "format", "minItems", "maxItems", "items", "prefixItems", "additionalItems",
        "uniqueItems",
        "contains", "minContains", "maxContains", "minProperties", "maxProperties", "properties", "patternProperties",
        "additionalProperties", "propertyNames", "required", "dependentRequired", "dependentSchemas", "dependencies",
        "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref",
    ]

    private mutating func noteUnjudged(_ entries: [OptionNode.Entry]) {
        for entry in entries
        where !Self.judged.contains(entry.key) && !Self.annotations.contains(entry.key)
            && !Self.refused.contains(entry.key) && !entry.key.hasPrefix("x-")
        {
            let near = NearestName.of(entry.key, among: Self.judged.sorted()).map { "; did you mean '\($0)'?" } ?? ""
            unjudged.append(("the keyword '\(entry.key)' is not known and is ignored\(near)", entry.keyPlace))
        }
    }

    private mutating func optional(_ node: OptionNode?) throws(DaybookError) -> Int? {
        guard let node else { return nil }
        return try schema(at: node)
    }

    private func types(_ node: OptionNode) throws(DaybookError) -> JSONTypes {
        var types: JSONTypes = []
        if node.list?.isEmpty == true {
            throw DaybookError("wrong-type", "expected a type, found none", at: node.place)
        }
        for one in node.list ?? [node] {
            // YAML reads the word null as nothing.
            let name = if case .nothing = one.content { "null" } else { one.text ?? "" }
            guard let known = JSONTypes.named.first(where: { $0.name == name }) else {
                let hint = NearestName.hint(for: name, among: JSONTypes.named.map(\.name))
                throw one.expected("a type: \(DisplayText.list(JSONTypes.named.map(\.name), "or"))", hint: hint)
            }
            types.insert(known.type)
        }
        return types
    }

    private func addValues(of node: OptionNode, to found: inout [Assertion]) throws(DaybookError) {
        if let list = node["enum"] {
            guard let values = list.list else { throw list.expected("a list of values") }
            found.append(among(values))
        }
        if let value = node["const"] { found.append(among([value])) }
        for keyword in ["Minimum", "Maximum"] {
            for isExclusive in [false, true] {
                guard let bound = try bound(keyword, isExclusive, of: node) else { continue }
                found.append(bound)
            }
        }
        if let step = node["multipleOf"] {
            let number = try JSONNumber(step)
            guard !number.isNegative, !number.digits.isEmpty else { throw step.expected("a number above 0") }
            guard number.digits.count <= 18 else { throw step.expected("a number of at most 18 digits") }
            found.append(.multiple(of: number))
        }
    }

    /// A limit of numbers. Draft 4 writes `exclusiveMinimum: true` beside `minimum`.
    private func bound(_ keyword: String, _ isExclusive: Bool, of node: OptionNode) throws(DaybookError) -> Assertion? {
        let exclusive = node["exclusive" + keyword]
        guard let value = isExclusive ? exclusive : node[keyword.lowercased()] else { return nil }
        if isExclusive, ["true", "false"].contains(value.plainText) { return nil }
        let excludes = isExclusive || exclusive?.plainText == "true"
        return .bound(try JSONNumber(value), isLeast: keyword == "Minimum", isExclusive: excludes)
    }

    private func among(_ values: [OptionNode]) -> Assertion {
        let texts = values.map { $0.json }
        let canonical = texts.map { text in
            let bytes = Bytes(text)
            return withExtendedLifetime(bytes) { JSONSchemaCheck.canonical(bytes.filled) }
        }
        let shown = texts.prefix(8).map(\.shortened).joined(separator: ", ") + (texts.count > 8 ? ", …" : "")
        return .among(Set(canonical), words: texts.count == 1 ? "is not \(shown)" : "is none of \(shown)")
    }

    private mutating func addStrings(of node: OptionNode, to found: inout [Assertion]) throws(DaybookError) {
        if let range = try range("Length", of: node) { found.append(.length(range)) }
        // An empty pattern matches every text.
        if let pattern = node["pattern"], try string(pattern) != "" {
            found.append(.pattern(try RegularExpression(reading: pattern)))
        }
        if let format = node["format"] {
            if let known = format.text.flatMap(JSONSchemaFormat.init) {
                found.append(.format(known))
            } else {
                unjudged.append(("the format \(format.displayText) is not known and is ignored", format.place))
            }
        }
    }

    private mutating func addArrays(of node: OptionNode, to found: inout [Assertion]) throws(DaybookError) {
        if let range = try range("Items", of: node) { found.append(.elements(range)) }
        var prefix = try node["prefixItems"].map { node throws(DaybookError) in try schemas(at: node) } ?? []
        var rest = node["items"]
        if let list = rest, list.list != nil {
            prefix = try schemas(at: list)
            rest = node["additionalItems"]
        }
        let others = try optional(rest)
        if !prefix.isEmpty || others != nil { found.append(.items(prefix: prefix, rest: others)) }
        if let isUnique = node["uniqueItems"] {
            guard let flag = isUnique.plainText, ["true", "false"].contains(flag) else {
                throw isUnique.expected("true or false")
            }
            if flag == "true" { found.append(.unique) }
        }
        if let wanted = node["contains"] {
            let least = try node["minContains"].map { node throws(DaybookError) in try count(node) } ?? 1
            let most = try node["maxContains"].map { node throws(DaybookError) in try count(node) } ?? .max
            let number = try schema(at: wanted)
            found.append(least <= most ? .contains(number, least...most) : .nothing)
        }
    }

    private mutating func addObjects(of node: OptionNode, to found: inout [Assertion]) throws(DaybookError) {
        if let range = try range("Properties", of: node) { found.append(.members(range)) }
        if let required = node["required"] { addPresence(try texts(required), after: nil, to: &found) }
        let properties = try entries(of: node["properties"]).map { entry throws(DaybookError) in
            (name: Array(entry.key.utf8), schema: try schema(at: entry.value))
        }
        let patterns = try entries(of: node["patternProperties"]).map { entry throws(DaybookError) in
            let pattern = OptionNode(.text(entry.key, quoted: true), at: entry.keyPlace)
            return (try RegularExpression(reading: pattern), try schema(at: entry.value))
        }
        let rest = try optional(node["additionalProperties"])
        if !properties.isEmpty || !patterns.isEmpty || rest != nil {
            found.append(.properties(properties, patterns: patterns, rest: rest))
        }
        if let names = node["propertyNames"] { found.append(.names(try schema(at: names))) }
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            for entry in try entries(of: node[keyword]) {
                let key = Array(entry.key.utf8)
                if entry.value.list != nil, keyword != "dependentSchemas" {
                    addPresence(try texts(entry.value), after: key, to: &found)
                } else {
                    found.append(.dependent(key, try schema(at: entry.value)))
                }
            }
        }
    }

    private func addPresence(_ names: [String], after: [UInt8]?, to found: inout [Assertion]) {
        for start in stride(from: 0, to: names.count, by: 64) {
            found.append(.present(names[start...].prefix(64).map { Array($0.utf8) }, ifPresent: after))
        }
    }

    // MARK: - Parts of the document

    private func entries(of node: OptionNode?) throws(DaybookError) -> [OptionNode.Entry] {
        guard let node else { return [] }
        guard let entries = node.map else { throw node.expected("a map of schemas") }
        return entries
    }

    private func texts(_ node: OptionNode) throws(DaybookError) -> [String] {
        guard let list = node.list else { throw node.expected("a list of keys") }
        return try list.map { one throws(DaybookError) in try string(one) }
    }

    /// A text that is no number and no word of JSON.
    private func string(_ node: OptionNode) throws(DaybookError) -> String {
        guard let text = node.text, node.json != text else { throw node.expected("a string") }
        return text
    }

    private func count(_ node: OptionNode) throws(DaybookError) -> Int {
        guard let count = try JSONNumber(node).count else { throw node.expected("a whole number from 0 on") }
        return count
    }

    /// The limits under `min…` and `max…`.
    private func range(_ suffix: String, of node: OptionNode) throws(DaybookError) -> ClosedRange<Int>? {
        let (min, max) = (node["min" + suffix], node["max" + suffix])
        guard min != nil || max != nil else { return nil }
        let least = try min.map { node throws(DaybookError) in try count(node) } ?? 0
        let most = try max.map { node throws(DaybookError) in try count(node) } ?? .max
        guard least <= most else { throw (max ?? node).expected("at least \(least)") }
        return least...most
    }

    /// The schema that a reference names: the document, a JSON pointer into it, or an anchor.
    private func target(of reference: OptionNode) throws(DaybookError) -> OptionNode {
        guard let text = reference.text else { throw reference.expected("a reference such as '#/$defs/item'") }
        let unknown = DaybookError(
            "unknown-reference",
            "the schema has nothing at '\(text)'",
            at: reference.place,
            hint: text.hasPrefix("#")
                ? nil : "only parts of the same document can be named; put the other under '$defs'"
        )
        guard text.hasPrefix("#") || text == root["$id"]?.text else { throw unknown }
        let fragment = text.hasPrefix("#") ? text.dropFirst() : ""
        if !fragment.isEmpty, !fragment.hasPrefix("/") {
            guard let anchored = anchor(String(fragment), in: root) else { throw unknown }
            return anchored
        }
        var node = root
        for token in fragment.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let plain = (token.removingPercentEncoding ?? String(token))
                .replacingOccurrences(of: "~1", with: "/").replacingOccurrences(of: "~0", with: "~")
            let elements = node.list ?? []
            guard let next = node[plain] ?? Int(plain).flatMap({ elements.indices.contains($0) ? elements[$0] : nil })
            else { throw unknown }
            node = next
        }
        return node
    }

    private func anchor(_ name: String, in node: OptionNode) -> OptionNode? {
        if node["$anchor"]?.text == name || node["$id"]?.text == "#" + name { return node }
        let parts = node.map?.map(\.value) ?? node.list ?? []
        return parts.lazy.compactMap { anchor(name, in: $0) }.first
    }

    /// Refuses schemas that ask for themselves of the same value, which would never end.
    func refuseCircles() throws(DaybookError) {
        // 1 while the schemas below are walked, 2 behind them.
        var states = [UInt8](repeating: 0, count: nodes.count)
        var stack = Array(nodes.indices.reversed())
        while let number = stack.last {
            switch states[number] {
            case 0:
                states[number] = 1
                for next in nodes[number].flatMap(\.sameValue) {
                    guard states[next] != 1 else {
                        throw DaybookError("circular-schema", "this schema asks for itself", at: places[next])
                    }
                    if states[next] == 0 { stack.append(next) }
                }
            default:
                states[number] = 2
                stack.removeLast()
            }
        }
    }
}

extension JSONSchema.Assertion {
    /// The schemas that the assertion holds against the same value.
    fileprivate var sameValue: [Int] {
        switch self {
        case .all(let several), .any(let several), .one(let several): several
        case .not(let one), .dependent(_, let one): [one]
        case .condition(let condition, let then, let otherwise): [condition] + [then, otherwise].compactMap(\.self)
        default: []
        }
    }
}

extension OptionNode {
    fileprivate subscript(_ key: String) -> OptionNode? { map?.last { $0.key == key }?.value }
}
