/// Scalar split at its `${…}`; `$${` is the text `${`.
package struct Template {
    package enum Piece: Equatable {
        case text(String)
        /// Text between `${` and `}`, and the number of earlier `${` in the scalar.
        case reference(String, ordinal: Int)
        /// A `${` without its `}`.
        case unclosed(ordinal: Int)
    }

    package private(set) var pieces: [Piece] = []

    /// Nil for a text without `${`, as nearly all are.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        var ordinal = 0
        var written: [UInt8] = []
        var index = 0
        func isOpening(_ index: Int) -> Bool {
            index + 1 < bytes.count && bytes[index] == UInt8(ascii: "$") && bytes[index + 1] == UInt8(ascii: "{")
        }
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "$"), isOpening(index + 1) {
                written += [UInt8(ascii: "$"), UInt8(ascii: "{")]
                index += 3
                ordinal += 1
            } else if isOpening(index) {
                if !written.isEmpty { pieces.append(.text(String(decoding: written, as: UTF8.self))) }
                written = []
                guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")) else {
                    pieces.append(.unclosed(ordinal: ordinal))
                    return
                }
                pieces.append(.reference(String(decoding: bytes[index + 2..<end], as: UTF8.self), ordinal: ordinal))
                // A `${` inside the braces also counts in the source.
                ordinal += 1 + (index + 2..<end).count(where: isOpening)
                index = end + 1
            } else {
                written.append(bytes[index])
                index += 1
            }
        }
        guard ordinal > 0 else { return nil }
        if !written.isEmpty { pieces.append(.text(String(decoding: written, as: UTF8.self))) }
    }

    /// Whether the scalar is exactly one `${name}`.
    package var isOneReference: Bool {
        if pieces.count == 1, case .reference = pieces[0] { true } else { false }
    }
}

/// Places of each `${` of one scalar in the source.
package struct TemplatePlaces {
    private let node: OptionNode
    private let source: SourceText
    private let starts: [Int]

    package init(of node: OptionNode, in source: SourceText) {
        self.node = node
        self.source = source
        let start = source.byte(of: node.place) ?? source.bytes.count
        // Escapes and indentation make the source longer than the text, within these bounds.
        let end = min(source.bytes.count, start + 1_024 + 16 * (node.text?.utf8.count ?? 0))
        starts = (start..<max(start, end - 1)).filter { index in
            source.bytes[index] == UInt8(ascii: "$") && source.bytes[index + 1] == UInt8(ascii: "{")
        }
    }

    /// Place of the `ordinal`th `${`, or of the whole scalar if an escape such as `\x24` hides it.
    package func place(_ ordinal: Int, expecting written: String) -> SourcePlace {
        guard ordinal < starts.count else { return node.place }
        let range = starts[ordinal]..<starts[ordinal] + written.utf8.count
        guard range.upperBound <= source.bytes.count, source.bytes[range].elementsEqual(written.utf8) else {
            return node.place
        }
        return source.place(ofBytes: range)
    }
}
