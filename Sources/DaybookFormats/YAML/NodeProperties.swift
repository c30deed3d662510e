/// The anchor and the tag before a node, as they stand in the source.
///
/// libyaml begins a node's mark at its properties, but an error should point at the value itself.
struct NodeProperties {
    private(set) var tag: Range<Int>?
    /// The byte where the node's own text begins.
    private(set) var end: Int

    init(at start: Int, in bytes: [UInt8]) {
        end = start
        var hasAnchor = false
        while end < bytes.count {
            if bytes[end] == UInt8(ascii: "&"), !hasAnchor {
                hasAnchor = true
                end = Self.endOfWord(from: end, in: bytes)
            } else if bytes[end] == UInt8(ascii: "!"), tag == nil {
                let wordEnd = Self.endOfWord(from: end, in: bytes)
                tag = end..<wordEnd
                end = wordEnd
            } else {
                return
            }
            Self.skipBlank(&end, in: bytes)
        }
    }

    private static func endOfWord(from start: Int, in bytes: [UInt8]) -> Int {
        var index = start + 1
        let isVerbatim = index < bytes.count && bytes[start] == UInt8(ascii: "!") && bytes[index] == UInt8(ascii: "<")
        let closers = isVerbatim ? [] : [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")]
        while index < bytes.count, bytes[index] > .space, !closers.contains(bytes[index]) { index += 1 }
        return index
    }

    /// Skips spaces, line ends and comments.
    private static func skipBlank(_ index: inout Int, in bytes: [UInt8]) {
        while index < bytes.count {
            if bytes[index] == .hash {
                while index < bytes.count, !bytes[index].endsLine { index += 1 }
            } else if bytes[index] == .space || bytes[index] == .tab || bytes[index].endsLine {
                index += 1
            } else {
                return
            }
        }
    }
}
