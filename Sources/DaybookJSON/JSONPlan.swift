import DaybookDates
import Synchronization

/// Maps keys to columns: the shape of all files of a run together, prepared for reading.
///
/// It has every column, including columns that no later stage needs, so that these do not change what is accepted.
package final class JSONPlan: Sendable {
    struct Node: Sendable {
        let key: [UInt8]
        let parent: Int
        /// The column of its values, or -1 for an object whose keys have columns.
        var column: Int
        /// The column that marks an empty object whose keys have columns, or -1.
        var empty = -1
        /// The columns below it.
        var columns: Range<Int> = 0..<0
        /// The nodes below it that belong to the plan.
        var below: [Int] = []
        /// The key that follows in most records, since most are alike.
        var next = -1
        var first = -1
    }

    package struct Leaf: Sendable {
        package let field: Field
        /// The keys that lead to it.
        package let path: [[UInt8]]
        /// Whether the job declares its kind, rather than the data.
        package fileprivate(set) var isDeclared = false
        /// The kinds of its values.
        package let seen: JSONSeen
        /// The encoding of the values of a column of instants.
        var encoding = CodableDates.iso
        /// Whether it is `{}` where an object whose keys have columns is empty, and missing elsewhere.
        var marksEmpty = false
        /// Whether it is a column of text that also holds numbers, true and false, unchanged.
        var isMixed: Bool { !isDeclared && field.kind == .text && seen.names.count > 1 }
    }

    let nodes: [Node]
    package let leaves: [Leaf]
    package let indexes: [String: Int]
    /// The node of elements other than objects, or -1.
    let bareValue: Int
    /// No record is an object, so the column `value` is the record itself.
    package let isBare: Bool
    private let store: JSONKeyStore

    /// The same tree for the row loop; the plan must outlive it.
    package var keys: JSONKeys { store.keys }

    package var schema: Schema { Schema(leaves.map(\.field)) }

    /// `instants` are columns that become instants, and how they are written.
    package init(
        _ shape: JSONShape,
        declared: [(key: String, value: ColumnKind)],
        instants: [(key: String, value: CodableDates)] = []
    ) throws(DaybookError) {
        var shape = shape
        for entry in declared { shape.declare(entry.key, entry.value) }
        for entry in instants { shape.declare(entry.key, .instant) }
        let encodings = Dictionary(instants.map { ($0.key, $0.value) }) { first, _ in first }
        var nodes = shape.nodes.map { Node(key: $0.key, parent: $0.parent, column: -1) }
        var leaves: [Leaf] = []
        JSONPlan.lay(JSONShape.root, [], shape, encodings, &nodes, &leaves)
        var indexes: [String: Int] = [:]
        for (index, leaf) in leaves.enumerated() {
            guard indexes.updateValue(index, forKey: leaf.field.name) == nil else {
                let message = "two keys of the data would both be the column '\(leaf.field.name)'"
                let hint =
                    "keep one object whole by declaring it: columns: { \(leaf.field.name.prefix { $0 != "." }): json }"
                throw DaybookError.data("ambiguous-column", message, hint: hint)
            }
        }
        guard leaves.count <= JSONShape.mostNodes else {
            let message = "the records have more than \(JSONShape.mostNodes) different keys"
            let hint =
                "if 'records' should point at an array further in, say so; "
                + "an object that is a map can be kept whole: columns: { name: json }"
            throw DaybookError.data("too-many-columns", message, hint: hint)
        }
        self.nodes = nodes
        self.leaves = leaves
        self.indexes = indexes
        bareValue = shape.hasBareValues ? shape.find(JSONShape.bareKey, of: JSONShape.root) ?? -1 : -1
        isBare = shape.hasBareValues && !shape.hasObjects
        store = JSONKeyStore(nodes)
    }

    /// The node of a key of records.
    func node(at key: [UInt8]) -> Int? {
        nodes.indices.first { nodes[$0].parent == JSONShape.root && nodes[$0].key == key }
    }

    /// The columns with values in a text.
    package func columns(in shape: JSONShape) -> [String] {
        leaves.filter { shape.node(at: $0.path) != nil }.map(\.field.name)
    }

    /// The keys that lead to a node, with dots between them.
    func name(of node: Int) -> String {
        let key = String(decoding: nodes[node].key, as: UTF8.self)
        return nodes[node].parent == JSONShape.root ? key : "\(name(of: nodes[node].parent)).\(key)"
    }

    /// Gives columns to a node and all below it, in order.
    private static func lay(
        _ index: Int,
        _ path: [[UInt8]],
        _ shape: JSONShape,
        _ encodings: [String: CodableDates],
        _ nodes: inout [Node],
        _ leaves: inout [Leaf]
    ) {
        let node = shape.nodes[index]
        let start = leaves.count
        if index != JSONShape.root, node.declared != nil || !node.seen.isObject {
            var field = field(at: path, node.declared ?? node.seen.kind)
            if shape.hasBareValues, path == [JSONShape.bareKey] {
                field.bare = !shape.hasObjects ? .all : shape.hasBareKey ? .someBesideTheirKey : .someBesideObjects
                // The elements of one array go back as they came, each with its kind.
                if node.declared == nil, node.seen.names.count > 1 { field.kind = .json }
            }
            nodes[index].column = leaves.count
            var leaf = Leaf(field: field, path: path, seen: node.seen, encoding: encodings[field.name] ?? .iso)
            leaf.isDeclared = node.declared != nil
            leaves.append(leaf)
        } else {
            if index != JSONShape.root, node.seen.contains(.emptyObject) {
                nodes[index].empty = leaves.count
                leaves.append(Leaf(field: field(at: path, .json), path: path, seen: .emptyObject, marksEmpty: true))
            }
            nodes[index].below = node.children
            nodes[index].first = node.children.first ?? -1
            for (child, next) in zip(node.children, node.children.dropFirst() + [-1]) {
                nodes[child].next = next
                lay(child, path + [shape.nodes[child].key], shape, encodings, &nodes, &leaves)
            }
        }
        nodes[index].columns = start..<leaves.count
    }

    private static func field(at path: [[UInt8]], _ kind: ColumnKind) -> Field {
        let keys = path.map { String(decoding: $0, as: UTF8.self) }
        let name = keys.joined(separator: ".")
        return Field(name, kind, source: name, keys: keys.contains { $0.utf8.contains(UInt8(ascii: ".")) } ? keys : nil)
    }
}

/// The plan of all files of an import, shared by their formats and set by the schema check of the stage.
package final class SharedPlan: Sendable {
    private let plan = Mutex<JSONPlan?>(nil)

    package func set(_ new: JSONPlan) { plan.withLock { $0 = new } }

    package var value: JSONPlan? { plan.withLock { $0 } }
}

/// The keys of a plan as bare memory, so that looking one up costs no reference counting.
package struct JSONKeys: BitwiseCopyable {
    struct Node: BitwiseCopyable {
        var key: UnsafePointer<UInt8>
        var length: Int
        var column: Int
        var empty: Int
        var next: Int
        var first: Int
    }

    package struct Slot: BitwiseCopyable {
        /// -1 is free.
        package var node = -1
        package var parent = -1
    }

    let nodes: UnsafeMutablePointer<Node>
    /// Open addressing by hash of parent and key.
    package let table: UnsafeMutablePointer<Slot>
    package let mask: Int

    private func isKey(_ node: Int, _ key: Cell) -> Bool {
        guard nodes[node].length == key.count else { return false }
        let known = nodes[node].key
        for index in 0..<key.count where known[index] != key[index] { return false }
        return true
    }

    /// The child of `parent` with that key, or -1. `guess` is looked at first.
    package func find(_ key: Cell, of parent: Int, guess: Int) -> Int {
        if guess >= 0, isKey(guess, key) { return guess }
        var slot = JSONKeys.hash(parent, key) & mask
        while table[slot].node >= 0 {
            if table[slot].parent == parent, isKey(table[slot].node, key) { return table[slot].node }
            slot = (slot + 1) & mask
        }
        return -1
    }

    /// FNV-1a, which is enough where the head of a file bounds the number of keys.
    package static func hash(_ parent: Int, _ key: Cell) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(truncatingIfNeeded: parent)
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & 0x7FFF_FFFF)
    }
}

/// Owns the memory of `JSONKeys`. Nobody writes to it once it is made, which is why it is sendable.
final class JSONKeyStore: @unchecked Sendable {
    let keys: JSONKeys
    private let bytes: UnsafeMutablePointer<UInt8>

    init(_ nodes: [JSONPlan.Node]) {
        var size = 16
        while size < nodes.count * 3 { size *= 2 }
        let table = UnsafeMutablePointer<JSONKeys.Slot>.allocate(capacity: size)
        table.initialize(repeating: JSONKeys.Slot(), count: size)
        let made = UnsafeMutablePointer<JSONKeys.Node>.allocate(capacity: nodes.count)
        bytes = .allocate(capacity: 1 + nodes.reduce(0) { $0 + $1.key.count })
        var next = bytes
        for (index, node) in nodes.enumerated() {
            node.key.withUnsafeBufferPointer { key in
                if let start = key.baseAddress { next.update(from: start, count: key.count) }
            }
            let (key, length) = (UnsafePointer(next), node.key.count)
            let (column, empty) = (node.column, node.empty)
            (made + index).initialize(
                to: .init(key: key, length: length, column: column, empty: empty, next: node.next, first: node.first)
            )
            next += length
        }
        for (parent, node) in nodes.enumerated() {
            for child in node.below {
                var slot = nodes[child].key.withUnsafeBufferPointer { JSONKeys.hash(parent, $0) } & (size - 1)
                while table[slot].node >= 0 { slot = (slot + 1) & (size - 1) }
                table[slot] = JSONKeys.Slot(node: child, parent: parent)
            }
        }
        keys = JSONKeys(nodes: made, table: table, mask: size - 1)
    }

    deinit {
        keys.nodes.deallocate()
        keys.table.deallocate()
        bytes.deallocate()
    }
}
