import CYAML

/// Parses YAML into a tree of nodes with their places, through the events of libyaml.
///
/// Every scalar stays the text that was written: `no`, `012`, `12:30` and `2026-11-21` are texts, and only a plain
/// `null`, `~` or empty place is nothing. Anchors and aliases are followed; tags, merge keys (`<<`), keys that are not
/// text, repeated keys and several documents are refused, each at its place. Size, depth and the number of nodes after
/// following aliases are limited, so no file can exhaust the machine.
public struct YAMLReader: Sendable {
    /// The bounds of a file.
    public struct Limits: Sendable {
        /// The limit of the file in bytes. Larger files are refused unread.
        public var bytes = 4 << 20
        /// How deep lists and maps may be nested.
        public var depth = 64
        /// How many values and keys there may be once every alias is followed.
        public var nodes = 100_000

        public init() {}
    }

    /// The result of reading: the tree as far as it could be parsed, and every problem.
    public struct Reading: Sendable {
        /// The tree; nil when the file is empty or could not be read to its end.
        public var root: OptionNode?
        public var problems: [DaybookError]
        /// The text that was read, for excerpts. Only its beginning when the file was too large.
        public var source: SourceText
    }

    public var limits: Limits

    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Refuses a file by its size alone, so that a caller need not even load it.
    public func checkSize(_ byteCount: Int, file: String) throws(DaybookError) {
        guard byteCount > limits.bytes else { return }
        throw DaybookError(
            "file-too-large",
            "the file has more than \(limits.bytes) bytes, the most that a job file may have",
            at: SourcePlace(file: file, line: 1, column: 1),
            hint: "is this a data file? A job names its data by 'path' and does not hold it"
        )
    }

    /// Reads the bytes of a file, UTF-8 with or without a byte-order mark.
    public func read(_ bytes: [UInt8], file: String) -> Reading {
        do {
            try checkSize(bytes.count, file: file)
        } catch {
            return Reading(problems: [error], source: SourceText(Array(bytes.prefix(4_096)), file: file))
        }
        let source = SourceText(bytes, file: file)
        if let problem = encodingProblem(bytes, file: file) { return Reading(problems: [problem], source: source) }
        var builder = YAMLTreeBuilder(source: source, limits: limits)
        do {
            var events = try YAMLEvents(source.bytes)
            while !builder.isFinished { try builder.take(try events.next()) }
            return Reading(root: builder.root, problems: builder.problems, source: source)
        } catch let failure as YAMLFailure {
            return Reading(problems: builder.problems + [builder.error(for: failure)], source: source)
        } catch {
            return Reading(problems: builder.problems + [error].compactMap { $0 as? DaybookError }, source: source)
        }
    }

    /// Names the encodings that editors on Windows write, which libyaml would report as stray bytes.
    private func encodingProblem(_ bytes: [UInt8], file: String) -> DaybookError? {
        guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) else { return nil }
        return DaybookError(
            "bad-encoding",
            "the file is in UTF-16, and a job file is UTF-8",
            at: SourcePlace(file: file, line: 1, column: 1),
            hint: "save it as UTF-8"
        )
    }
}

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

    /// Whether it marks something written. For lists and maps that end by indentation, libyaml marks the next node.
    package var isWritten: Bool {
        switch kind {
        case .scalar, .alias: true
        case .listStart(let isFlow), .mapStart(let isFlow): isFlow
        case .listEnd, .mapEnd: !span.isEmpty
        default: false
        }
    }
}

/// A fatal error of libyaml.
package struct YAMLFailure: Error {
    /// libyaml's own words, such as `did not find expected key`.
    package var problem: String
    /// The parser's activity, such as `while parsing a block mapping`.
    package var context: String
    /// The scalar at the problem.
    package var scalar: Int
    /// The scalar at the start of the unfinished part, if libyaml reports it.
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
        self.text = Bytes(text)
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
        /// An event of a node, which may have an anchor and a tag.
        func node(_ kind: YAMLEvent.Kind, _ anchor: CText?, tag: CText?) -> YAMLEvent {
            YAMLEvent(kind: kind, anchor: Self.text(anchor), hasTag: tag != nil, span: span)
        }
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: Int(scalar.length)),
                as: UTF8.self
            )
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            return node(.scalar(text, isPlain: isPlain), scalar.anchor, tag: scalar.tag)
        case YAML_ALIAS_EVENT:
            return YAMLEvent(kind: .alias(Self.text(event.data.alias.anchor) ?? ""), span: span)
        case YAML_SEQUENCE_START_EVENT:
            let list = event.data.sequence_start
            return node(.listStart(isFlow: list.style == YAML_FLOW_SEQUENCE_STYLE), list.anchor, tag: list.tag)
        case YAML_MAPPING_START_EVENT:
            let map = event.data.mapping_start
            return node(.mapStart(isFlow: map.style == YAML_FLOW_MAPPING_STYLE), map.anchor, tag: map.tag)
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

    private typealias CText = UnsafeMutablePointer<yaml_char_t>

    private static func text(_ pointer: CText?) -> String? { pointer.map { String(cString: $0) } }
}

/// Reads JSON as the YAML that it is, so that every value has its place and all of it has the bounds of a job file.
package enum JSONDocument {
    package static func read(_ bytes: [UInt8], file: String) -> YAMLReader.Reading {
        YAMLReader().read(pairsJoined(bytes), file: file)
    }

    /// The value in a file of JSON or YAML that a job names.
    package static func root(of path: PathText) throws(DaybookError) -> OptionNode {
        let bytes: Bytes?
        do { bytes = try WholeFile.read(path.fromJob, limit: YAMLReader.Limits().bytes) } catch {
            throw DaybookError("unreadable-file", "cannot read '\(path.text)': \(error.reason)", at: path.place)
        }
        guard let bytes else {
            throw DaybookError("missing-file", "there is no file '\(path.text)'", at: path.place)
        }
        let reading = read(Array(bytes.cell(0...)), file: path.shown)
        if let problem = reading.problems.first { throw problem }
        guard let root = reading.root else {
            throw DaybookError("empty-file", "the file '\(path.text)' is empty", at: path.place)
        }
        return root
    }

    /// JSON writes a character beyond U+FFFF as two escapes, YAML as one.
    private static func pairsJoined(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "\\")), bytes.contains(UInt8(ascii: "{")) else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self)
        let pair = /\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/
        return Array(
            text.replacing(pair) { match in
                let high = UInt32(match.1, radix: 16) ?? 0
                let low = UInt32(match.2, radix: 16) ?? 0
                return "\\U000" + String(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), radix: 16)
            }.utf8
        )
    }
}

extension PathText {
    /// The path as the process finds it: relative to the job, like every path of it.
    package var fromJob: String { FilePath.canonical(shown) }

    /// The same as messages name it, from the working directory.
    fileprivate var shown: String {
        let job = place?.file ?? ""
        let isOfKernel = ["/dev/fd/", "/dev/std", "/proc/"].contains(where: job.hasPrefix)
        let directory = isOfKernel ? "." : FilePath.directory(of: job)
        return directory == "." ? text : FilePath.join(directory, text)
    }
}
