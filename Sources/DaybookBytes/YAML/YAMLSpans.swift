/// The byte range of a node in its text, for rewriting it in place.
package struct YAMLSpan: Sendable {
    package enum Style: Sendable, Hashable {
        case plain, quoted, literal, folded, alias
        case list, map
    }

    package struct Entry: Sendable {
        package var key: String
        package var keyBytes: Range<Int>
        package var value: YAMLSpan
    }

    /// The byte range. A list or map ended by indentation ends with its last scalar.
    package var bytes: Range<Int>
    package var style: Style
    /// Whether it is a list or map in brackets.
    package var isFlow = false
    /// Whether the node is inside brackets.
    package var isInFlow = false
    /// Whether an anchor or a tag precedes it.
    package var hasProperties = false
    package var items: [YAMLSpan] = []
    package var entries: [Entry] = []

    package subscript(key: String) -> Entry? { entries.first { $0.key == key } }

    private struct Open {
        var span: YAMLSpan
        var key: (text: String, bytes: Range<Int>)?
    }

    /// The root of a text that was read before without a fault; nil where it cannot be read.
    package static func root(of source: SourceText) -> YAMLSpan? {
        guard var events = try? YAMLEvents(source.bytes) else { return nil }
        var open: [Open] = []
        while let event = try? events.next() {
            let bytes = source.byte(ofScalar: event.span.lowerBound)..<source.byte(ofScalar: event.span.upperBound)
            var span = YAMLSpan(bytes: bytes, style: .plain)
            span.isInFlow = open.last?.span.isFlow == true
            span.hasProperties = event.anchor != nil || event.hasTag
            var text = ""
            switch event.kind {
            case .scalar(let written, _):
                text = written
                span.style = style(ofScalarAt: bytes.lowerBound, source.bytes)
            case .alias: span.style = .alias
            case .listStart(let isFlow), .mapStart(let isFlow):
                if case .listStart = event.kind { span.style = .list } else { span.style = .map }
                span.isFlow = isFlow
                open.append(Open(span: span))
                continue
            case .listEnd, .mapEnd:
                guard let closed = open.popLast() else { return nil }
                span = closed.span
                if span.isFlow { span.bytes = span.bytes.lowerBound..<bytes.upperBound }
            case .documentEnd, .streamEnd: return nil
            case .documentStart, .streamStart: continue
            }
            guard !open.isEmpty else { return span }
            add(span, text, to: &open[open.count - 1])
        }
        return nil
    }

    private static func add(_ span: YAMLSpan, _ text: String, to open: inout Open) {
        if open.span.style == .list {
            open.span.items.append(span)
        } else if let key = open.key.take() {
            open.span.entries.append(Entry(key: key.text, keyBytes: key.bytes, value: span))
        } else {
            open.key = (text, span.bytes)
        }
        if !open.span.isFlow {
            let end = max(open.span.bytes.upperBound, span.bytes.upperBound)
            open.span.bytes = open.span.bytes.lowerBound..<end
        }
    }

    private static func style(ofScalarAt start: Int, _ bytes: [UInt8]) -> Style {
        guard start < bytes.count else { return .plain }
        return switch bytes[start] {
        case UInt8(ascii: "|"): .literal
        case UInt8(ascii: ">"): .folded
        case UInt8(ascii: "\""), UInt8(ascii: "'"): .quoted
        default: .plain
        }
    }
}
