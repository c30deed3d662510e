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

    private func isKey(_ node: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        guard nodes[node].length == key.count else { return false }
        let known = nodes[node].key
        for index in 0..<key.count where known[index] != key[index] { return false }
        return true
    }

    /// The child of `parent` with that key, or -1. `guess` is looked at first.
    package func find(_ key: UnsafeBufferPointer<UInt8>, of parent: Int, guess: Int) -> Int {
        if guess >= 0, isKey(guess, key) { return guess }
        var slot = JSONKeys.hash(parent, key) & mask
        while table[slot].node >= 0 {
            if table[slot].parent == parent, isKey(table[slot].node, key) { return table[slot].node }
            slot = (slot + 1) & mask
        }
        return -1
    }

    /// FNV-1a, which is enough where the head of a file bounds the number of keys.
    package static func hash(_ parent: Int, _ key: UnsafeBufferPointer<UInt8>) -> Int {
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
        var room = bytes
        for (index, node) in nodes.enumerated() {
            node.key.withUnsafeBufferPointer { key in
                if let start = key.baseAddress { room.update(from: start, count: key.count) }
            }
            (made + index).initialize(
                to: JSONKeys.Node(
                    key: UnsafePointer(room),
                    length: node.key.count,
                    column: node.column,
                    empty: node.empty,
                    next: node.next,
                    first: node.first
                )
            )
            room += node.key.count
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
