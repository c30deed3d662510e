/// Puts a list together whose text is read from front to back, so that every value is met once.
struct PropertyListBuilder {
    private struct Frame {
        var value: Int
        var isDictionary: Bool
        /// Where the values below it begin in `pending`.
        var first: Int
    }

    let source: Bytes
    let decoded = Bytes()
    private var values: [PropertyList.Value] = []
    private var children: [UInt32] = []
    private var frames: [Frame] = []
    /// Values whose container is still open.
    private var pending: [UInt32] = []

    init(_ source: Bytes) { self.source = source }

    /// How many arrays and dictionaries are open.
    var depth: Int { frames.count }
    /// Whether the root has been read to its end.
    var isComplete: Bool { frames.isEmpty && !values.isEmpty }
    var isInDictionary: Bool { frames.last?.isDictionary ?? false }
    /// Whether a key was read whose value is still to come.
    var wantsValue: Bool {
        guard let frame = frames.last, frame.isDictionary else { return false }
        return (pending.count - frame.first) % 2 == 1
    }

    mutating func add(_ content: PropertyList.Content, at byte: Int) throws(PropertyListFault) {
        guard values.count < PropertyList.mostValues else {
            throw .tooLarge("the list has more than \(PropertyList.mostValues) values", at: byte)
        }
        if !frames.isEmpty { pending.append(UInt32(values.count)) }
        values.append(PropertyList.Value(content: content, byte: byte))
    }

    mutating func open(isDictionary: Bool, at byte: Int) throws(PropertyListFault) {
        guard frames.count < PropertyList.deepest else { throw .tooDeep(at: byte) }
        try add(.null, at: byte)
        frames.append(Frame(value: values.count - 1, isDictionary: isDictionary, first: pending.count))
    }

    /// The value that was added last once more, as both key and value.
    mutating func repeatLast() throws(PropertyListFault) {
        let last = values[values.count - 1]
        try add(last.content, at: last.byte)
    }

    mutating func close() {
        guard let frame = frames.popLast() else { preconditionFailure("more is closed than was opened") }
        let count = pending.count - frame.first
        let below = PropertyList.Below(first: children.count, count: frame.isDictionary ? count / 2 : count)
        children += pending[frame.first...]
        pending.removeLast(count)
        values[frame.value].content = frame.isDictionary ? .dictionary(below) : .array(below)
    }

    /// Where a piece begins whose bytes are decoded from now on.
    var decodedStart: Int { source.count + decoded.count }

    func list(_ format: PropertyList.Format, isWide: Bool) -> PropertyList {
        PropertyList(
            format: format,
            source: source,
            isWide: isWide,
            decoded: decoded,
            values: values,
            children: children,
            root: 0
        )
    }
}
