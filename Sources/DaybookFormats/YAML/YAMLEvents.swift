import CYAML

/// One event of libyaml, with the scalars of the source that it spans.
package struct YAMLEvent {
    package enum Kind {
        case scalar(String, isPlain: Bool)
        case alias(String)
        case listStart(isFlow: Bool)
        case listEnd
        case mapStart(isFlow: Bool)
        case mapEnd
        case documentStart
        case documentEnd
        case streamStart
        case streamEnd
    }

    package var kind: Kind
    package var anchor: String?
    package var hasTag = false
    package var span: Range<Int>

    /// Whether it marks something written. Where lists and maps end by indentation, libyaml marks what comes next.
    package var isWritten: Bool {
        switch kind {
        case .scalar, .alias: true
        case .listStart(let isFlow), .mapStart(let isFlow): isFlow
        case .listEnd, .mapEnd: !span.isEmpty
        default: false
        }
    }
}

/// What libyaml says when it cannot go on.
package struct YAMLFailure: Error {
    /// libyaml's own words, such as `did not find expected key`.
    package var problem: String
    /// What it was doing, such as `while parsing a block mapping`.
    package var context: String
    /// The scalar where the problem stands.
    package var scalar: Int
    /// The scalar where the unfinished part began, when libyaml says so.
    package var contextScalar: Int?
    /// The byte where the text cannot be read as UTF-8 text at all.
    package var byte: Int?
    package var isMemory = false
}

/// Events of libyaml, one after another, from UTF-8 text.
package struct YAMLEvents: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// libyaml reads it while the parser is there.
    private let text: Bytes

    package init(_ text: [UInt8]) throws(YAMLFailure) {
        self.text = Bytes(capacity: text.count)
        self.text.append(text)
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw YAMLFailure(problem: "", context: "", scalar: 0, isMemory: true)
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, self.text.base, self.text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    package mutating func next() throws(YAMLFailure) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure }
        defer { yaml_event_delete(&event) }
        let start = Int(event.start_mark.index)
        let span = start..<max(start, Int(event.end_mark.index))
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: Int(scalar.length)),
                as: UTF8.self
            )
            return YAMLEvent(
                kind: .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE),
                anchor: Self.text(scalar.anchor),
                hasTag: scalar.tag != nil,
                span: span
            )
        case YAML_ALIAS_EVENT:
            return YAMLEvent(kind: .alias(Self.text(event.data.alias.anchor) ?? ""), span: span)
        case YAML_SEQUENCE_START_EVENT:
            let list = event.data.sequence_start
            return YAMLEvent(
                kind: .listStart(isFlow: list.style == YAML_FLOW_SEQUENCE_STYLE),
                anchor: Self.text(list.anchor),
                hasTag: list.tag != nil,
                span: span
            )
        case YAML_MAPPING_START_EVENT:
            let map = event.data.mapping_start
            return YAMLEvent(
                kind: .mapStart(isFlow: map.style == YAML_FLOW_MAPPING_STYLE),
                anchor: Self.text(map.anchor),
                hasTag: map.tag != nil,
                span: span
            )
        case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .listEnd, span: span)
        case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mapEnd, span: span)
        case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, span: span)
        case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, span: span)
        case YAML_STREAM_START_EVENT: return YAMLEvent(kind: .streamStart, span: span)
        default: return YAMLEvent(kind: .streamEnd, span: span)
        }
    }

    private var failure: YAMLFailure {
        let parser = parser.pointee
        let isUnreadable = parser.error == YAML_READER_ERROR
        return YAMLFailure(
            problem: parser.problem.map { String(cString: $0) } ?? "",
            context: parser.context.map { String(cString: $0) } ?? "",
            scalar: Int(parser.problem_mark.index),
            contextScalar: parser.context == nil ? nil : Int(parser.context_mark.index),
            byte: isUnreadable ? Int(parser.problem_offset) : nil,
            isMemory: parser.error == YAML_MEMORY_ERROR
        )
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}
