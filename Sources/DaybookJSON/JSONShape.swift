/// The keys of records, as a tree: nested objects are nodes with children.
package struct JSONShape: Sendable {
    package struct Node: Sendable {
        package var key: [UInt8]
        package var parent: Int
        var children: [Int] = []
        package var seen: JSONSeen = []
        /// The first place of each kind of value, in the order in which they were met.
        var firsts: [First] = []
        /// The kind that the job declares.
        var declared: ColumnKind?
    }

    /// The first value of a kind under a key.
    struct First: Sendable {
        var kind: JSONSeen
        /// The byte of the text, counted from where the look at it began until its line is known.
        var at: Int
        var line = 0
        var column = 0
    }

    /// Past so many keys the data is a map, not a table.
    static let mostNodes = 4096

    package private(set) var nodes = [Node(key: [], parent: -1)]
    private var places: [Place: Int] = [:]
    /// Whether elements other than objects were seen; their key is `value`.
    var hasBareValues = false
    var hasObjects = false
    /// Objects with the key `value` were seen.
    var hasBareKey = false

    private struct Place: Hashable {
        var parent: Int
        var key: [UInt8]
    }

    package static let root = 0
    package static let bareKey = Array("value".utf8)

    package init() {}

    /// The union of the shapes of several texts.
    package init(of formats: [JSONFormat]) { for format in formats { merge(format.shape) } }

    /// The child with that key, created if there is none.
    package mutating func child(_ key: [UInt8], of parent: Int) -> Int {
        let place = Place(parent: parent, key: key)
        if let known = places[place] { return known }
        nodes.append(Node(key: key, parent: parent))
        nodes[parent].children.append(nodes.count - 1)
        places[place] = nodes.count - 1
        return nodes.count - 1
    }

    /// The same, with a guess at the child that spares the search.
    mutating func child(_ key: some Collection<UInt8>, of parent: Int, guess: Int) -> Int {
        if guess < nodes[parent].children.count {
            let node = nodes[parent].children[guess]
            if nodes[node].key.elementsEqual(key) { return node }
        }
        return child(Array(key), of: parent)
    }

    package func find(_ key: [UInt8], of parent: Int) -> Int? { places[Place(parent: parent, key: key)] }

    package mutating func note(_ seen: JSONSeen, at node: Int) { nodes[node].seen.formUnion(seen) }

    /// The same for a value at `byte` of the examined bytes.
    mutating func note(_ seen: JSONSeen, at node: Int, byte: Int) {
        guard !nodes[node].seen.contains(seen) else { return }
        nodes[node].seen.formUnion(seen)
        nodes[node].firsts.append(First(kind: seen, at: byte))
    }

    /// Gives the first values, which were found in the bytes of `lines`, their lines and their places in the whole text.
    mutating func place(by lines: inout LineCursor, offset: Int) {
        for node in nodes.indices {
            nodes[node].firsts = nodes[node].firsts.map { first in
                let (line, column) = lines.place(of: first.at)
                return First(kind: first.kind, at: first.at + offset, line: line, column: column)
            }
        }
    }

    /// Adds the shape of another file.
    package mutating func merge(_ other: JSONShape) {
        hasBareValues = hasBareValues || other.hasBareValues
        hasObjects = hasObjects || other.hasObjects
        hasBareKey = hasBareKey || other.hasBareKey
        var mine = [JSONShape.root]
        for index in other.nodes.indices.dropFirst() {
            let theirs = other.nodes[index]
            // Parents come before their children, so the place of the parent is known.
            let node = child(theirs.key, of: mine[theirs.parent])
            mine.append(node)
            nodes[node].firsts += theirs.firsts.filter { !nodes[node].seen.contains($0.kind) }
            note(theirs.seen, at: node)
        }
    }

    /// Gives the column `name` the kind that the job declares; it need not have been seen.
    package mutating func declare(_ name: String, _ kind: ColumnKind) {
        let node = known(name) ?? made(Array(name.utf8))
        nodes[node].declared = kind
    }

    /// Makes a column one of instants whose values are text so far.
    mutating func noteInstants(_ name: String) {
        guard let node = known(name), nodes[node].seen == .text else { return }
        nodes[node].seen = .instant
    }

    /// The same for columns of instants that have more values since.
    mutating func keepInstants(_ names: [String]) {
        for node in names.compactMap(known) where nodes[node].seen == [.instant, .text] { nodes[node].seen = .instant }
    }

    /// Whether every record so far shows dates of the container itself under the name.
    package func isInstant(_ name: String) -> Bool { known(name).map { nodes[$0].seen == .instant } ?? false }

    /// The first place of each kind of value under a key, in text order.
    func firsts(at path: [[UInt8]]) -> [First] {
        node(at: path).map { nodes[$0].firsts.sorted { $0.at < $1.at } } ?? []
    }

    /// The node that the keys lead to.
    func node(at path: [[UInt8]]) -> Int? {
        path.reduce(JSONShape.root) { node, key in node.flatMap { find(key, of: $0) } }
    }

    /// The names of columns that no record has and that look like misspellings of keys that records have.
    ///
    /// A key that the job names as well is not reported, nor a name unlike any key: that key may be optional.
    package func missing(
        _ option: String,
        _ names: [(key: String, place: SourcePlace)],
        beside others: [String]
    ) -> [DaybookError] {
        let named = Set(names.map(\.key) + others)
        return names.compactMap { name, place in
            guard known(name) == nil, let near = slip(name, unlike: named) else { return nil }
            let message = "'\(option)' names '\(name)', which no record has"
            let hint = "did you mean '\(near)'? Where records may have both, name both"
            return DaybookError(DaybookError.unknownColumn, message, at: place, hint: hint, column: name)
        }
    }

    /// The key beside the first missing key of the name that this one looks like a misspelling of.
    private func slip(_ name: String, unlike named: Set<String>) -> String? {
        var node = JSONShape.root
        var path = ""
        for key in name.split(separator: ".", omittingEmptySubsequences: false) {
            if let next = find(Array(key.utf8), of: node) {
                node = next
                path += key + "."
                continue
            }
            // In a hostile file, keys are many and long.
            let siblings = nodes[node].children.prefix(1_000).map { nodes[$0].key }.filter { $0.count <= 200 }
                .map { String(decoding: $0, as: UTF8.self) }
                .filter { sibling in
                    !named.contains { $0 == path + sibling || $0.hasPrefix(path + sibling + ".") }
                }
            return NearestName.slip(String(key), among: siblings).map { path + $0 }
        }
        return nil
    }

    private func known(_ name: String) -> Int? { known(Array(name.utf8)[...], of: JSONShape.root) }

    /// A dot in `main.temp` may belong to a key or separate two.
    private func known(_ name: ArraySlice<UInt8>, of parent: Int) -> Int? {
        if let node = find(Array(name), of: parent) { return node }
        for dot in name.indices where name[dot] == UInt8(ascii: ".") {
            guard let object = find(Array(name[..<dot]), of: parent) else { continue }
            if let node = known(name[(dot + 1)...], of: object) { return node }
        }
        return nil
    }

    private mutating func made(_ name: [UInt8]) -> Int {
        var node = JSONShape.root
        for key in name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            // A parent that was only null or empty so far is in fact an object with keys.
            if node != JSONShape.root, nodes[node].seen.isSubset(of: .emptyObject) { note(.object, at: node) }
            node = child(Array(key), of: node)
        }
        return node
    }
}

/// The kinds of values seen under one key.
package struct JSONSeen: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let text = JSONSeen(rawValue: 1)
    /// Whole numbers that a double holds with every digit: up to 2^53.
    package static let whole = JSONSeen(rawValue: 2)
    /// Other whole numbers of 64 bits.
    static let longWhole = JSONSeen(rawValue: 4)
    package static let decimal = JSONSeen(rawValue: 8)
    /// Numbers that neither an integer nor a decimal column can hold with every digit.
    static let hugeNumber = JSONSeen(rawValue: 16)
    package static let flag = JSONSeen(rawValue: 32)
    package static let array = JSONSeen(rawValue: 64)
    /// Objects with at least one key.
    package static let object = JSONSeen(rawValue: 128)
    package static let emptyObject = JSONSeen(rawValue: 256)
    /// Instants in ISO 8601, if the container of the text declares them.
    package static let instant = JSONSeen(rawValue: 512)

    /// The kind of column that holds all values unchanged.
    package var kind: ColumnKind {
        switch self {
        case [], .text: .text
        case .whole, .longWhole, [.whole, .longWhole]: .integer
        case .decimal, [.decimal, .whole]: .decimal
        case .flag: .flag
        case .instant: .instant
        // JSON keeps every digit of numbers, even where a number column would not; other scalars are text, unchanged.
        default: isNumber || !isSubset(of: .scalars) ? .json : .text
        }
    }

    private static let numbers: JSONSeen = [.whole, .longWhole, .decimal, .hugeNumber]
    private static let scalars: JSONSeen = [.text, .instant, .flag, .whole, .longWhole, .decimal, .hugeNumber]

    /// The names of the kinds in messages.
    var names: [String] {
        let all: [(kinds: JSONSeen, name: String)] = [
            ([.text, .instant], "text"), (.numbers, "a number"), (.flag, "true or false"), (.array, "an array"),
            ([.object, .emptyObject], "an object"),
        ]
        return all.filter { !isDisjoint(with: $0.kinds) }.map(\.name)
    }

    /// Whether all values are numbers.
    package var isNumber: Bool { !isEmpty && isSubset(of: JSONSeen.numbers) }

    /// Whether its keys become columns of their own.
    var isObject: Bool { contains(.object) && isSubset(of: [.object, .emptyObject]) }
}

/// The kinds that JSON values are read as.
package enum JSONValueKind: String, ReadableKind {
    case text, integer, decimal, flag, day, json

    package static func hint(insteadOf other: ColumnKind) -> String? {
        other == .instant ? "read it as text and put normalise_dates behind" : nil
    }
}
