import DaybookCore

/// The keys of an object in the order in which they first stand in the schema.
struct JSONKeyTree {
    enum Member {
        case column(Int)
        case object(JSONKeyTree)
    }

    struct Entry {
        var key: String
        var member: Member
    }

    var members: [Entry] = []

    init() {}

    init(_ names: [String], nests: Bool) { self.init(names.map { JSONKeyTree.path($0, nests: nests) }) }

    /// Each path is the keys that lead to a value.
    init(_ paths: [[String]]) {
        for (column, path) in paths.enumerated() { insert(path[...], column) }
    }

    /// The keys that a name stands for.
    static func path(_ name: String, nests: Bool) -> [String] {
        nests ? name.split(separator: ".", omittingEmptySubsequences: false).map(String.init) : [name]
    }

    /// The column that stands first in the object.
    var first: Int? {
        switch members.first?.member {
        case .column(let column): column
        case .object(let inner): inner.first
        case nil: nil
        }
    }

    private mutating func insert(_ path: ArraySlice<String>, _ column: Int) {
        let key = path.first ?? ""
        guard path.count > 1 else {
            members.append(Entry(key: key, member: .column(column)))
            return
        }
        if let index = members.firstIndex(where: { $0.key == key }), case .object(var inner) = members[index].member {
            inner.insert(path.dropFirst(), column)
            members[index].member = .object(inner)
        } else {
            var inner = JSONKeyTree()
            inner.insert(path.dropFirst(), column)
            members.append(Entry(key: key, member: .object(inner)))
        }
    }
}

/// What stands around the values of an object.
struct JSONOutline {
    private(set) var literals: [[UInt8]] = []
    private(set) var order: [Int] = []
    private var pending: [UInt8] = []
    private let isPretty: Bool

    init(isPretty: Bool) { self.isPretty = isPretty }

    /// Lays out a whole object and closes the last literal.
    mutating func object(_ tree: JSONKeyTree, depth: Int) {
        indent(depth)
        lay(tree, depth: depth)
        literals.append(pending)
    }

    private mutating func lay(_ tree: JSONKeyTree, depth: Int) {
        pending.append(UInt8(ascii: "{"))
        for (index, entry) in tree.members.enumerated() {
            if index > 0 { pending.append(UInt8(ascii: ",")) }
            breakLine(depth + 1)
            let bytes = Bytes()
            bytes.append(jsonString: entry.key)
            pending += bytes.array
            pending += Array((isPretty ? ": " : ":").utf8)
            switch entry.member {
            case .object(let inner): lay(inner, depth: depth + 1)
            case .column(let column):
                order.append(column)
                literals.append(pending)
                pending = []
            }
        }
        if !tree.members.isEmpty { breakLine(depth) }
        pending.append(UInt8(ascii: "}"))
    }

    private mutating func breakLine(_ depth: Int) {
        guard isPretty else { return }
        pending.append(UInt8(ascii: "\n"))
        indent(depth)
    }

    private mutating func indent(_ depth: Int) {
        if isPretty { pending += Array(repeating: UInt8(ascii: " "), count: depth * 2) }
    }
}
