/// Builds a tree of nodes from events, without recursion, and collects problems on the way.
///
/// `take` throws only errors that make the rest unreadable; all other errors go to `problems`.
struct YAMLTreeBuilder {
    private(set) var root: OptionNode?
    private(set) var problems: [DaybookError] = []
    private(set) var isFinished = false
    let source: SourceText
    private let limits: YAMLReader.Limits
    private var open: [YAMLOpenCollection] = []
    private var anchors: [String: YAMLSubtree] = [:]
    private var nodeCount = 0
    private var documentCount = 0
    /// The scalar where the last value, key or bracket ended; up to the next are only punctuation and comments.
    private var lastEnd = 0

    init(source: SourceText, limits: YAMLReader.Limits) {
        self.source = source
        self.limits = limits
    }

    mutating func take(_ event: YAMLEvent) throws(DaybookError) {
        if open.last?.isFlow == true { try refuseColoursBefore(event) }
        let place = place(of: event)
        switch event.kind {
        case .scalar(let text, let isPlain): try takeScalar(text, isPlain: isPlain, event, at: place)
        case .alias(let name): try takeAlias(name, at: place)
        case .listStart(let isFlow): try openCollection(isMap: false, isFlow: isFlow, event, at: place)
        case .mapStart(let isFlow): try openCollection(isMap: true, isFlow: isFlow, event, at: place)
        case .listEnd, .mapEnd: closeCollection()
        case .documentStart:
            documentCount += 1
            guard documentCount == 1 else {
                throw DaybookError(
                    "several-documents",
                    "a second document begins here, and a job file holds one",
                    at: place,
                    hint: "take out the line '---', or put the second job in a file of its own"
                )
            }
        case .streamEnd: isFinished = true
        case .documentEnd, .streamStart: break
        }
        if event.isWritten { lastEnd = max(lastEnd, event.span.upperBound) }
    }

    /// The error for libyaml's failure, or for the unquoted colour that probably caused it.
    func error(for failure: YAMLFailure) -> DaybookError {
        if let colour = UnquotedColour.amongPunctuation(from: source.byte(ofScalar: lastEnd), in: source.bytes).first {
            return UnquotedColour.error(colour, in: source)
        }
        return failure.error(in: source, after: lastEnd)
    }

    // MARK: Scalars and aliases

    private mutating func takeScalar(
        _ text: String,
        isPlain: Bool,
        _ event: YAMLEvent,
        at place: SourcePlace
    ) throws(DaybookError) {
        if open.last?.awaitsKey == true { return try takeKey(text, isPlain: isPlain, event, at: place) }
        var content = OptionNode.Content.text(text, quoted: !isPlain)
        if isPlain, text.isEmpty || text == "~" || text == "null" { content = .nothing }
        var place = place
        var spots = ScalarSpots.spots(of: text, isPlain: isPlain, at: place, to: event.span.upperBound, in: source)
        if isPlain, text.isEmpty, !event.hasTag, event.anchor == nil, let colour = colour(inPlaceOf: event) {
            problems.append(UnquotedColour.error(colour, in: source))
            // Read as if it had been quoted, or every later check would call the value missing.
            content = .text(String(decoding: source.bytes[colour], as: UTF8.self), quoted: true)
            place = source.place(ofBytes: colour)
            spots = nil
        }
        try complete(YAMLSubtree(node: OptionNode(content, at: place, spots: spots), anchor: event.anchor))
    }

    private func colour(inPlaceOf event: YAMLEvent) -> Range<Int>? {
        // In { } libyaml marks a missing value only after the comment that replaced it.
        if open.last?.isFlow == true {
            let gap = source.byte(ofScalar: lastEnd)
            return UnquotedColour.amongPunctuation(from: gap, in: source.bytes, needsDigit: false).last
        }
        return UnquotedColour.inPlaceOfValue(at: source.byte(ofScalar: event.span.lowerBound), in: source.bytes)
    }

    private mutating func takeKey(
        _ text: String,
        isPlain: Bool,
        _ event: YAMLEvent,
        at place: SourcePlace
    ) throws(DaybookError) {
        try count(1, at: place)
        if let anchor = event.anchor {
            anchors[anchor] = YAMLSubtree(node: OptionNode(.text(text, quoted: !isPlain), at: place))
        }
        let last = open.count - 1
        open[last].nodeCount += 1
        if isPlain, text.isEmpty {
            refuseKey("missing-key", "a key is missing before ':'", at: place)
        } else if isPlain, text == "<<" {
            refuseKey(
                "merge-key",
                "the merge key '<<' is not read",
                at: place,
                hint: "write the keys out; an alias may stand for a whole value"
            )
        } else if let first = open[last].keyPlaces[text] {
            refuseKey(
                "duplicate-key",
                "the key \(text.quotedForMessage) stands here a second time",
                at: place,
                hint: "the first is in line \(first.line), column \(first.column)"
            )
        } else {
            open[last].keyPlaces[text] = place
            open[last].key = .written(text, place)
        }
    }

    private mutating func refuse(_ code: DaybookError.Code, _ message: String, at place: SourcePlace, hint: String?) {
        problems.append(DaybookError(code, message, at: place, hint: hint))
    }

    private mutating func refuseKey(
        _ code: DaybookError.Code,
        _ message: String,
        at place: SourcePlace,
        hint: String? = nil
    ) {
        refuse(code, message, at: place, hint: hint)
        open[open.count - 1].key = .refused
    }

    private mutating func takeAlias(_ name: String, at place: SourcePlace) throws(DaybookError) {
        if anchors[name] == nil {
            let isOpen = open.contains { $0.anchor == name }
            refuse(
                "unknown-alias",
                isOpen ? "'*\(name)' stands inside what it names" : "there is no anchor '&\(name)' above '*\(name)'",
                at: place,
                hint: isOpen ? nil : "a text that begins with * needs quotes: \"*\(name)\""
            )
        }
        var subtree = anchors[name] ?? YAMLSubtree(node: OptionNode(.nothing, at: place))
        (subtree.anchor, subtree.aliasPlace) = (nil, place)
        try complete(subtree)
    }

    // MARK: Lists and maps

    private mutating func openCollection(
        isMap: Bool,
        isFlow: Bool,
        _ event: YAMLEvent,
        at place: SourcePlace
    ) throws(DaybookError) {
        try checkDepth(open.count + 1, at: place)
        try count(1, at: place)
        // An anchor is valid for the nodes after it, never inside its own node.
        if let anchor = event.anchor { anchors[anchor] = nil }
        open.append(YAMLOpenCollection(isMap: isMap, isFlow: isFlow, place: place, anchor: event.anchor))
    }

    private mutating func closeCollection() {
        guard let closed = open.popLast() else { return }
        let content = closed.isMap ? OptionNode.Content.map(closed.entries) : .list(closed.items)
        let subtree = YAMLSubtree(
            node: OptionNode(content, at: closed.place),
            anchor: closed.anchor,
            nodeCount: closed.nodeCount,
            height: closed.height
        )
        attach(subtree)
    }

    private mutating func complete(_ subtree: YAMLSubtree) throws(DaybookError) {
        try checkDepth(open.count + subtree.height, at: subtree.place)
        try count(subtree.nodeCount, at: subtree.place)
        attach(subtree)
    }

    /// Attaches a finished node to its parent.
    private mutating func attach(_ subtree: YAMLSubtree) {
        if let anchor = subtree.anchor { anchors[anchor] = subtree }
        guard !open.isEmpty else {
            root = subtree.node
            return
        }
        let last = open.count - 1
        open[last].nodeCount += subtree.nodeCount
        open[last].height = max(open[last].height, subtree.height + 1)
        guard open[last].isMap else {
            open[last].items.append(subtree.node)
            return
        }
        switch open[last].key {
        case .awaited:
            let found = subtree.aliasPlace == nil ? subtree.node.displayText : "an alias"
            refuseKey(
                "wrong-key",
                "expected a text as the key, found \(found)",
                at: subtree.place,
                hint: "a value that begins with { or [ needs quotes when it is text"
            )
        case .written(let key, let keyPlace):
            open[last].entries.append(OptionNode.Entry(key: key, keyPlace: keyPlace, value: subtree.node))
            open[last].key = .awaited
        case .refused: open[last].key = .awaited
        }
    }

    // MARK: Bounds

    private func checkDepth(_ depth: Int, at place: SourcePlace) throws(DaybookError) {
        guard depth > limits.depth else { return }
        throw DaybookError(
            "nested-too-deep",
            "more than \(limits.depth) lists and maps stand in one another here",
            at: place
        )
    }

    private mutating func count(_ more: Int, at place: SourcePlace) throws(DaybookError) {
        nodeCount += more
        guard nodeCount > limits.nodes else { return }
        throw DaybookError(
            "too-many-nodes",
            "the file has more than \(limits.nodes) values once every alias is followed",
            at: place,
            hint: "an alias repeats all that its anchor holds"
        )
    }

    // MARK: Places

    private mutating func refuseColoursBefore(_ event: YAMLEvent) throws(DaybookError) {
        // Most gaps are ', ', and no colour is shorter than '#' and three digits.
        guard event.span.lowerBound - lastEnd >= 4 else { return }
        let colours = UnquotedColour.amongPunctuation(from: source.byte(ofScalar: lastEnd), in: source.bytes)
        // If a value is empty, the comment after it says why, and the rest of the file is still in step.
        if case .scalar("", isPlain: true) = event.kind { return }
        guard let last = colours.last else { return }
        problems += colours.dropLast().map { UnquotedColour.error($0, in: source) }
        throw UnquotedColour.error(last, in: source)
    }

    /// The place of the node itself: behind its anchor and tag. Refuses the tag.
    private mutating func place(of event: YAMLEvent) -> SourcePlace {
        guard event.anchor != nil || event.hasTag else { return source.place(ofScalars: markedSpan(of: event)) }
        let properties = NodeProperties(at: source.byte(ofScalar: event.span.lowerBound), in: source.bytes)
        if event.hasTag, let tag = properties.tag {
            let written = String(decoding: source.bytes[tag], as: UTF8.self)
            refuse(
                "tag",
                "the tag \(written.quotedForMessage) is not read",
                at: source.place(ofBytes: tag),
                hint: "a value has the type that its option asks for; a text that begins with ! needs quotes"
            )
        }
        let end = source.byte(ofScalar: event.span.upperBound)
        let isBlock = properties.end > end
        return source.place(ofBytes: properties.end..<(isBlock ? properties.end + 1 : max(end, properties.end)))
    }

    private func markedSpan(of event: YAMLEvent) -> Range<Int> {
        switch event.kind {
        case .scalar, .alias: event.span
        default: event.span.lowerBound..<event.span.lowerBound + 1
        }
    }
}

/// A node with the cost of following an alias to it.
struct YAMLSubtree {
    var node: OptionNode
    var anchor: String?
    /// The place of the alias that stands for it; nil for the node itself.
    var aliasPlace: SourcePlace?
    var nodeCount = 1
    var height = 0

    /// Where it is written.
    var place: SourcePlace { aliasPlace ?? node.place }
}

/// A list or map whose end has not been read yet.
struct YAMLOpenCollection {
    enum Key {
        case awaited
        case written(String, SourcePlace)
        /// A key that was wrong; its value is read and dropped.
        case refused
    }

    let isMap: Bool
    let isFlow: Bool
    let place: SourcePlace
    let anchor: String?
    var items: [OptionNode] = []
    var entries: [OptionNode.Entry] = []
    var keyPlaces: [String: SourcePlace] = [:]
    var key = Key.awaited
    var nodeCount = 1
    var height = 1

    var awaitsKey: Bool {
        if isMap, case .awaited = key { true } else { false }
    }
}

/// The anchor and the tag before a node, as written in the source.
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
