import CScan

/// The format of one JSON file, by its beginning: the layout of its records, and their keys.
public struct JSONFormat: SourceFormat {
    package enum Layout: Sendable {
        /// One record a line.
        case lines
        /// One array or object of records, and what is around it, outermost first.
        case array(around: [JSONHolder], Container)
        /// One value, which is the only record.
        case value
        /// One value behind another, with blanks or nothing between them.
        case values

        /// The form of an array or object; nil for other layouts.
        var container: Container? { if case .array(_, let form) = self { form } else { nil } }
    }

    /// How records follow one another between two brackets.
    package enum Container: Sendable {
        case elements
        /// Each with its key, in an object.
        case members
        /// Each behind its key, in an array.
        case pairs

        var closing: UInt8 { self == .members ? UInt8(ascii: "}") : UInt8(ascii: "]") }
        var noun: String { self == .members ? "object" : "array" }

        /// The place of the comma or bracket behind the record that begins at `start`.
        @inline(__always)
        func end(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
            let stop = json_element_end(base, start, end)
            guard self == .pairs, stop < end, base[stop] == UInt8(ascii: ",") else { return stop }
            return json_element_end(base, stop + 1, end)
        }
    }

    package let source: SourceName
    package let layout: Layout
    public let dataStart: Int
    /// Where the records begin, for errors about the document.
    package let place: JSONPlace
    /// The pointer of the array that holds the records.
    package let prefix: String
    /// The column of the keys of records; nil where they have none.
    let keyColumn: [UInt8]?
    package private(set) var shape: JSONShape
    /// The container's facts about the text.
    package let facts: ContainerFacts
    package let plan = SharedPlan()
    /// Whether NaN and Infinity are missing values.
    package let takesNotANumber: Bool
    /// Whether there is nothing in the file, though it is not known to be JSON Lines.
    package var isEmpty = false
    /// Whether there is no record in the file.
    package let isRowless: Bool

    public var lineEnd: LineEnd { place.lineEnd }

    /// The reader of the records, once the plan for all texts has been set.
    ///
    /// - Parameter model: the app's type that has to read them.
    package func reader(_ schema: Schema, _ model: CodableModel? = nil) -> any RecordReader {
        guard let plan = plan.value else {
            preconditionFailure("a JSON text is read before the schema of all texts was asked for")
        }
        let reader = JSONReader(self, plan, schema: schema)
        guard let model else { return reader }
        return ModelReader(reader: reader, model: model.reading(facts), self, plan)
    }

    public func makeCutter() -> any RecordCutter {
        switch layout {
        case .lines: JSONLinesCutter(file: source.path, lineEnd: lineEnd)
        case .array(let around, let form): JSONArrayCutter(around: around, form, place: place)
        case .value: JSONValueCutter(file: source.path, lineEnd: lineEnd)
        case .values: JSONValuesCutter(file: source.path, lineEnd: lineEnd)
        }
    }

    public func makeCutter(of part: TextPart) -> (any RecordCutter)? {
        switch layout {
        case .lines: makeCutter()
        case .array(let around, let form): JSONArrayCutter(around: around, form, place: place, of: part)
        case .value, .values: nil
        }
    }

    /// - Parameters:
    ///   - records: the place of the records, and `recordsPlace` if the job names it.
    package init(
        of head: SourceHead,
        _ layout: JSONReadLayout,
        records: RecordsPlace? = nil,
        at recordsPlace: SourcePlace? = nil,
        takesNotANumber: Bool = false
    ) throws(DaybookError) {
        source = head.source
        self.takesNotANumber = takesNotANumber
        let found = try JSONLayoutFinder(head: head).find(layout, records, recordsPlace)
        self.layout = found.layout
        dataStart = found.start
        prefix = records?.pointer.written ?? ""
        keyColumn = records?.keys?.name
        var place = JSONPlace(head)
        place.advance(over: Cell(rebasing: head.bytes.filled[..<found.start]))
        self.place = place
        let inference = JSONInference(keyColumn, takesNotANumber: takesNotANumber)
        var shape = JSONHeadRecords(head, found.layout, from: found.start, inference).shape
        var lines = LineCursor(head.bytes.filled, firstLine: 1, lineEnd: place.lineEnd)
        shape.place(by: &lines, offset: 0)
        facts = head.facts
        for name in facts.instants { shape.noteInstants(name) }
        self.shape = shape
        isRowless = head.isWhole && shape.nodes.count == 1 && shape.nodes[0].seen.isEmpty
        if let form = found.layout.container, head.isWhole, dataStart == head.bytes.count {
            throw place.error(JSONFault.endsEarly.kind, "the file ends before its \(form.noun) does")
        }
    }

    public static let unlearntCodes: Set = ["unexpected-key", "unlearnt-kind", "empty-object"]

    public mutating func learn(from morsel: Morsel) {
        let inference = JSONInference(keyColumn, takesNotANumber: takesNotANumber)
        var later = JSONHeadRecords(morsel, layout, inference).shape
        let (line, column) = (morsel.firstLine, morsel.firstColumn)
        var lines = LineCursor(morsel.cell, firstLine: line, firstColumn: column, lineEnd: morsel.lineEnd)
        later.place(by: &lines, offset: morsel.offset)
        shape.merge(later)
        shape.keepInstants(facts.instants)
    }

    /// One warning for each undeclared column whose values are of several kinds, and one for records of which only some
    /// are objects.
    package static func mixtures(in formats: [JSONFormat]) -> [(text: Int, warning: SourceWarning)] {
        guard let plan = formats.first?.plan.value else { return [] }
        let bare = mixedRecords(in: formats, plan)
        return (bare.map { [$0] } ?? [])
            + plan.leaves.compactMap { leaf in
                guard !leaf.isDeclared, leaf.seen.names.count > 1 else { return nil }
                var before: JSONSeen = []
                for (text, format) in formats.enumerated() {
                    for first in format.shape.firsts(at: leaf.path) {
                        let names = before.names
                        before.formUnion(first.kind)
                        guard !names.isEmpty, before.names.count > names.count else { continue }
                        let kind = Finding.Kind.mixedKinds(leaf.field, first.kind.names[0], before: names[0])
                        var warning = SourceWarning(kind, at: first.at, line: first.line, column: first.column)
                        warning.field = leaf.field.name
                        return (text, warning)
                    }
                }
                return nil
            }
    }

    private static func mixedRecords(
        in formats: [JSONFormat],
        _ plan: JSONPlan
    ) -> (text: Int, warning: SourceWarning)? {
        let path = [JSONShape.bareKey]
        guard formats.contains(where: \.shape.hasObjects),
            !plan.leaves.contains(where: { $0.path == path && $0.isDeclared }),
            let text = formats.firstIndex(where: \.shape.hasBareValues),
            let first = formats[text].shape.firsts(at: path).first
        else { return nil }
        return (text, SourceWarning(.mixedRecords, at: first.at, line: first.line, column: first.column))
    }

    package static func lineFeed(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        let place = json_line_feed(base, start, end)
        return place < end ? place : nil
    }
}

/// Learns the shape of records from the beginning of a file.
struct JSONInference {
    private(set) var shape = JSONShape()
    /// Whether NaN and Infinity are missing values, and no fault.
    let takesNotANumber: Bool
    /// The column of the keys before records; nil where they have none.
    private let keyColumn: [UInt8]?

    init(_ keyColumn: [UInt8]?, takesNotANumber: Bool) {
        (self.keyColumn, self.takesNotANumber) = (keyColumn, takesNotANumber)
        if let keyColumn { _ = shape.child(keyColumn, of: JSONShape.root) }
    }

    /// Notes the value at the cursor as a record. Stops early where the text does; earlier parts still count.
    mutating func observe(_ cursor: inout JSONCursor) -> Bool {
        cursor.skipSpace()
        if let keyColumn {
            guard value(&cursor, shape.child(keyColumn, of: JSONShape.root)), cursor.stepBehindKey() else {
                return false
            }
        }
        if cursor.byte == UInt8(ascii: "{") {
            shape.hasObjects = true
            return object(&cursor, JSONShape.root)
        }
        guard cursor.position < cursor.end else { return false }
        shape.hasBareValues = true
        return value(&cursor, shape.child(JSONShape.bareKey, of: JSONShape.root))
    }

    private mutating func object(_ cursor: inout JSONCursor, _ node: Int) -> Bool {
        let start = cursor.position
        guard cursor.open() else { return false }
        if cursor.closesAtOnce(UInt8(ascii: "}")) {
            shape.note(.emptyObject, at: node, byte: start)
            return true
        }
        shape.note(.object, at: node, byte: start)
        var guess = 0
        while true {
            guard let key = cursor.key() else { return false }
            if node == JSONShape.root, key.bytes.count == JSONShape.bareKey.count {
                shape.hasBareKey = shape.hasBareKey || cursor.cell(key.bytes).elementsEqual(JSONShape.bareKey)
            }
            var child: Int?
            if !key.isEscaped, node == JSONShape.root, let keyColumn, cursor.cell(key.bytes).elementsEqual(keyColumn) {
                // The reader rejects the record.
            } else if !key.isEscaped {
                child = shape.child(cursor.cell(key.bytes), of: node, guess: guess)
            } else if case let name = cursor.name(key), !name.contains(0) {
                // No column has a NUL in its name; the reader rejects the record.
                child = shape.child(name, of: node)
            }
            guess += 1
            guard child.map({ value(&cursor, $0) }) ?? cursor.skipValue() else { return false }
            guard let more = cursor.next(inObject: true) else { return false }
            if !more { return true }
        }
    }

    private mutating func value(_ cursor: inout JSONCursor, _ node: Int) -> Bool {
        if takesNotANumber, let length = cursor.notANumber {
            cursor.position += length
            return true
        }
        switch cursor.byte {
        case UInt8(ascii: "{"): return object(&cursor, node)
        case UInt8(ascii: "["): shape.note(.array, at: node, byte: cursor.position)
        case UInt8(ascii: "\""): shape.note(.text, at: node, byte: cursor.position)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): shape.note(.flag, at: node, byte: cursor.position)
        case UInt8(ascii: "-"), 48...57: return number(&cursor, node)
        default: break
        }
        return cursor.skipValue()
    }

    private mutating func number(_ cursor: inout JSONCursor, _ node: Int) -> Bool {
        let start = cursor.position
        guard let isWhole = cursor.number() else { return false }
        let text = cursor.cell(start..<cursor.position)
        if isWhole {
            let value = CellReading.integer(text)
            let seen: JSONSeen = value.map { $0.magnitude <= 1 << 53 ? .whole : .longWhole } ?? .hugeNumber
            shape.note(seen, at: node, byte: start)
        } else {
            let isKept = CellReading.decimal(text).map { JSONDigits.areKept(text, by: $0) } ?? false
            shape.note(isKept ? .decimal : .hugeNumber, at: node, byte: start)
        }
        return true
    }
}

/// The records in the head of a file, or in a later stretch of it.
struct JSONHeadRecords {
    private let bytes: Bytes
    private let start: Int
    private let end: Int
    private let isWhole: Bool
    /// Whether they were cut behind a whole record.
    private let isCut: Bool
    private let layout: JSONFormat.Layout
    /// Has seen nothing yet.
    private let nothing: JSONInference

    init(_ head: SourceHead, _ layout: JSONFormat.Layout, from start: Int, _ nothing: JSONInference) {
        (bytes, self.start, end) = (head.bytes, start, head.bytes.count)
        (isWhole, isCut) = (head.isWhole, false)
        (self.layout, self.nothing) = (layout, nothing)
    }

    /// The records of a morsel.
    init(_ morsel: Morsel, _ layout: JSONFormat.Layout, _ nothing: JSONInference) {
        (bytes, start, end) = (morsel.bytes, 0, morsel.length)
        (isWhole, isCut) = (true, true)
        (self.layout, self.nothing) = (layout, nothing)
    }

    /// The keys of all whole records. A record that is not JSON says nothing about the others.
    var shape: JSONShape {
        // Almost always every record is JSON, so records are checked beforehand only after one was found that is not.
        shape(checking: false) ?? shape(checking: true) ?? nothing.shape
    }

    /// The keys of the records; nil if one is not JSON and the records were not checked.
    private func shape(checking: Bool) -> JSONShape? {
        var inference = nothing
        var position = start
        while position < end {
            let (stop, next, isComplete) = record(at: position)
            // Without one complete record, the beginning of the first must suffice.
            let isTold = isComplete ? !checking || check(position, stop) : position == start
            if isTold {
                var cursor = JSONCursor(bytes.base, from: position, to: stop)
                let isRead = inference.observe(&cursor) && cursor.finish()
                if isComplete, !isRead, !isBlank(position, stop), !checking { return nil }
            }
            position = next
        }
        return inference.shape
    }

    private func record(at position: Int) -> (stop: Int, next: Int, isComplete: Bool) {
        switch layout {
        case .value: return (end, end, isWhole)
        case .values:
            let stop = JSONValuesCutter.end(bytes.base, position, end)
            return (stop ?? end, stop ?? end, stop != nil || isWhole)
        case .lines:
            let feed = json_line_feed(bytes.base, position, end)
            return (feed, min(feed + 1, end), feed < end || isWhole)
        case .array(_, let form):
            let stop = form.end(bytes.base, position, end)
            let isMore = stop < end && bytes[stop] == UInt8(ascii: ",")
            return (stop, isMore ? stop + 1 : end, stop < end || isCut)
        }
    }

    private func check(_ start: Int, _ stop: Int) -> Bool {
        var cursor = JSONCursor(bytes.base, from: start, to: stop)
        if nothing.takesNotANumber || layout.container.map({ $0 != .elements }) == true {
            var trial = nothing
            return trial.observe(&cursor) && cursor.finish()
        }
        return cursor.skipValue() && cursor.finish()
    }

    private func isBlank(_ start: Int, _ stop: Int) -> Bool { (start..<stop).allSatisfy { bytes[$0].isSpace } }
}
