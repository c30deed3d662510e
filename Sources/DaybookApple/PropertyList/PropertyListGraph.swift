/// Checks the values below the root of a list with shared values.
///
/// One walk without recursion enters every value once, so its time is in proportion to the references, however often
/// they would unfold.
struct PropertyListGraph {
    private enum Mark { static let open: UInt8 = 1, done: UInt8 = 2 }

    private struct Frame {
        var value: Int
        var next: Int
        var end: Int
        /// A key comes next.
        var isAtKey = true
        var isDictionary: Bool
        var height = 0
        var unfolded: UInt64 = 1

        mutating func add(_ height: UInt16, _ unfolded: UInt32) {
            self.height = max(self.height, Int(height))
            // Both fit 32 bits and there are fewer than 2^32 references, so this cannot overflow.
            self.unfolded += UInt64(unfolded)
        }
    }

    /// The most values after unfolding, or `unfoldedPerByte` for each byte of the file if that is more.
    static let unfoldedAtLeast = 1 << 20
    static let unfoldedPerByte = 4

    private let values: [PropertyList.Value]
    private let children: [UInt32]
    private var marks: [UInt8]
    private var heights: [UInt16]
    private var unfolded: [UInt32]
    private var frames: [Frame] = []

    /// Throws if the list has a cycle below the root, is too deep, or has a key that is not text, or if a list of
    /// `size` bytes would unfold to too many values.
    static func check(_ list: PropertyList, size: Int) throws(PropertyListFault) {
        var graph = PropertyListGraph(list)
        let limit = UInt64(max(unfoldedAtLeast, size * unfoldedPerByte))
        let count = try graph.walk(list.root)
        if count > limit {
            let message = "the list refers to the same values so often that it unfolds to more than \(limit) values"
            throw .tooLarge(message, at: list.values[list.root].byte)
        }
    }

    private init(_ list: PropertyList) {
        values = list.values
        children = list.children
        marks = Array(repeating: 0, count: values.count)
        heights = Array(repeating: 0, count: values.count)
        unfolded = Array(repeating: 1, count: values.count)
    }

    private mutating func walk(_ root: Int) throws(PropertyListFault) -> UInt64 {
        try enter(root, from: root)
        while var frame = frames.popLast() {
            guard frame.next < frame.end else {
                leave(frame)
                continue
            }
            let child = Int(children[frame.next])
            frame.next += 1
            if frame.isDictionary {
                if frame.isAtKey, !isKey(child) {
                    let message = "a key of a dictionary is \(values[child].content.displayText), not text"
                    throw .malformed(message, at: values[child].byte)
                }
                frame.isAtKey.toggle()
            }
            // A child's count is added once it is known: now, or when its frame is popped.
            if marks[child] == Mark.done { frame.add(heights[child], unfolded[child]) }
            let depth = frames.count + 1
            guard depth + Int(heights[child]) <= PropertyList.deepest else { throw .tooDeep(at: values[child].byte) }
            frames.append(frame)
            if marks[child] != Mark.done { try enter(child, from: frame.value) }
        }
        return UInt64(unfolded[root])
    }

    private func isKey(_ value: Int) -> Bool { if case .text = values[value].content { true } else { false } }

    private mutating func enter(_ value: Int, from parent: Int) throws(PropertyListFault) {
        guard marks[value] == 0 else { throw .cycle(at: values[parent].byte) }
        let (below, isDictionary): (PropertyList.Below, Bool)
        switch values[value].content {
        case .array(let array): (below, isDictionary) = (array, false)
        case .dictionary(let dictionary): (below, isDictionary) = (dictionary, true)
        default:
            marks[value] = Mark.done
            if !frames.isEmpty { frames[frames.count - 1].add(0, 1) }
            return
        }
        guard frames.count < PropertyList.deepest else { throw .tooDeep(at: values[value].byte) }
        marks[value] = Mark.open
        let end = below.first + (isDictionary ? 2 : 1) * below.count
        frames.append(Frame(value: value, next: below.first, end: end, isDictionary: isDictionary))
    }

    private mutating func leave(_ frame: Frame) {
        marks[frame.value] = Mark.done
        heights[frame.value] = UInt16(frame.height + 1)
        unfolded[frame.value] = UInt32(clamping: frame.unfolded)
        if !frames.isEmpty { frames[frames.count - 1].add(heights[frame.value], unfolded[frame.value]) }
    }
}
