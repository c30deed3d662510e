import CScan
import DaybookCore

/// What the beginning of one JSON file says: how its records are laid out, and what keys they have.
public struct JSONFormat: SourceFormat {
    enum Layout: Sendable {
        /// One record a line.
        case lines
        /// One array of records; the brackets around it, outermost first, true for those of objects.
        case array(around: [Bool])
        /// One value, which is the only record.
        case value
    }

    let source: SourceName
    let layout: Layout
    public let dataStart: Int
    /// Where the records begin, for errors about the document.
    let place: JSONPlace
    /// The pointer of the array that holds the records.
    let prefix: String
    let shape: JSONShape
    let plan = SharedPlan()

    public func makeCutter() -> any RecordCutter {
        switch layout {
        case .lines: JSONLinesCutter(file: source.path)
        case .array(let around): JSONArrayCutter(around: around, place: place)
        case .value: JSONValueCutter(file: source.path)
        }
    }

    init(of head: SourceHead, _ options: ImportJSON) throws(DaybookError) {
        source = head.source
        let found = try JSONLayoutFinder(head).find(options)
        layout = found.layout
        dataStart = found.start
        prefix = options.records?.written ?? ""
        var place = JSONPlace(file: head.source.path)
        place.advance(over: UnsafeBufferPointer(rebasing: head.bytes.filled[..<found.start]))
        self.place = place
        shape = JSONFormat.shape(of: head, found.layout, from: found.start)
        if case .array = layout, head.isWhole, dataStart == head.bytes.count {
            throw place.error(JSONFault.endsEarly.kind, "the file ends before its array does")
        }
    }

    /// The keys of all whole records in the head. A record that is not JSON says nothing about the others.
    private static func shape(of head: SourceHead, _ layout: Layout, from start: Int) -> JSONShape {
        let records = JSONHeadRecords(head, layout, from: start)
        // Almost always every record is JSON, so it is checked beforehand only once one was found that is not.
        return records.shape(checking: false) ?? records.shape(checking: true) ?? JSONShape()
    }

    static func lineFeed(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        let place = json_line_feed(base, start, end)
        return place < end ? place : nil
    }
}

/// The records in the head of a file.
private struct JSONHeadRecords {
    private let base: UnsafePointer<UInt8>
    private let start: Int
    private let end: Int
    private let isWhole: Bool
    private let layout: JSONFormat.Layout

    init(_ head: SourceHead, _ layout: JSONFormat.Layout, from start: Int) {
        base = head.bytes.base
        end = head.bytes.count
        isWhole = head.isWhole
        self.layout = layout
        self.start = start
    }

    /// Their keys; nil when one of them is not JSON and nobody had checked.
    func shape(checking: Bool) -> JSONShape? {
        var inference = JSONInference()
        var position = start
        while position < end {
            let (stop, next, isComplete) = record(at: position)
            // Where not even one record is complete, what there is of it has to do.
            if isComplete || position == start {
                var cursor = JSONCursor(base, from: position, to: stop)
                let isJSON = checking ? check(position, stop) : true
                if isJSON || !isComplete {
                    let isRead = inference.observe(&cursor) && cursor.finish()
                    if isComplete, !isRead, !isBlank(position, stop), !checking { return nil }
                }
            }
            position = next
        }
        return inference.shape
    }

    private func record(at position: Int) -> (stop: Int, next: Int, isComplete: Bool) {
        switch layout {
        case .value: return (end, end, isWhole)
        case .lines:
            let feed = json_line_feed(base, position, end)
            return (feed, min(feed + 1, end), feed < end || isWhole)
        case .array:
            let stop = json_element_end(base, position, end)
            let isMore = stop < end && base[stop] == UInt8(ascii: ",")
            return (stop, isMore ? stop + 1 : end, stop < end)
        }
    }

    private func check(_ start: Int, _ stop: Int) -> Bool {
        var cursor = JSONCursor(base, from: start, to: stop)
        return cursor.skipValue() && cursor.finish()
    }

    private func isBlank(_ start: Int, _ stop: Int) -> Bool {
        (start..<stop).allSatisfy { JSONArrayCutter.isSpace(base[$0]) }
    }
}

/// Finds out how the records of a file are laid out.
struct JSONLayoutFinder {
    typealias Found = (layout: JSONFormat.Layout, start: Int)

    private let head: SourceHead
    private let base: UnsafePointer<UInt8>
    private let end: Int

    init(_ head: SourceHead) {
        self.head = head
        base = head.bytes.base
        end = head.bytes.count
    }

    func find(_ options: ImportJSON) throws(DaybookError) -> Found {
        if let records = options.records { return try findArray(records, options.recordsPlace) }
        if options.layout == .lines { return (.lines, 0) }
        var cursor = JSONCursor(base, to: end)
        cursor.skipSpace()
        // Nothing at all is JSON Lines without a line.
        guard cursor.position < end else { return (.lines, 0) }
        if cursor.byte == UInt8(ascii: "[") { return (.array(around: []), cursor.position + 1) }
        return options.layout == .document ? (.value, 0) : try linesOrValue(cursor)
    }

    /// Follows `records` to its array.
    private func findArray(_ pointer: JSONPointer, _ place: SourcePlace?) throws(DaybookError) -> Found {
        var cursor = JSONCursor(base, to: end)
        cursor.skipSpace()
        var missing: String?
        if let around = cursor.enter(pointer, missing: &missing) {
            if cursor.byte == UInt8(ascii: "[") { return (.array(around: around), cursor.position + 1) }
            if cursor.position < end {
                throw DaybookError(
                    "records-not-an-array",
                    "'\(pointer.written)' in \(head.source.path) is \(JSONValueName.of(cursor.byte)), not an array",
                    at: place, blame: .data)
            }
        } else if let fault = cursor.fault, fault != .endsEarly || head.isWhole {
            throw error(fault, at: cursor.faultAt)
        }
        let hint = head.isWhole ? nil : "only the first \(end) bytes of the file were looked at"
        throw DaybookError(
            "records-not-found", "\(head.source.path) has nothing at '\(pointer.written)'"
                + (missing.map { ": there is no '\($0)'" } ?? ""), at: place, hint: hint, blame: .data)
    }

    /// A value on its first line with something behind it is JSON Lines; a value over several lines is a document.
    private func linesOrValue(_ start: JSONCursor) throws(DaybookError) -> Found {
        var cursor = start
        let isWhole = cursor.skipValue()
        let firstLine = JSONFormat.lineFeed(base, start.position, end)
        if isWhole {
            let valueEnd = cursor.position
            let isOneLine = firstLine.map { $0 >= valueEnd } ?? true
            cursor.skipSpace()
            if cursor.position == end { return (isOneLine && !head.isWhole ? .lines : .value, 0) }
            if isOneLine, let firstLine, firstLine < cursor.position || holdsValue(after: firstLine) {
                return (.lines, 0)
            }
            throw error(.secondValue, at: cursor.position)
        }
        guard let firstLine else {
            // A first line longer than the head may be either, and the cutter of lines takes both.
            if !head.isWhole { return (.lines, 0) }
            throw error(cursor.fault ?? .noValue, at: cursor.faultAt)
        }
        if cursor.fault == .endsEarly, !head.isWhole { return (.value, 0) }
        if holdsValue(after: firstLine) { return (.lines, 0) }
        throw error(cursor.fault ?? .noValue, at: cursor.faultAt)
    }

    /// Whether the next line that is not blank is a value by itself, so that the one before is a broken line among lines.
    private func holdsValue(after lineFeed: Int) -> Bool {
        var start = JSONCursor(base, from: lineFeed + 1, to: end)
        start.skipSpace()
        guard start.position < end else { return false }
        var line = JSONCursor(
            base, from: start.position, to: JSONFormat.lineFeed(base, start.position, end) ?? end)
        return line.skipValue() && line.finish()
    }

    private func error(_ fault: JSONFault, at byte: Int) -> DaybookError {
        JSONPlace(file: head.source.path).error(fault, at: min(byte, end), of: head.bytes.filled)
    }
}

/// How messages call a value, by its first byte.
enum JSONValueName {
    static func of(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        case UInt8(ascii: "\""): "text"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "true or false"
        case UInt8(ascii: "n"): "null"
        default: "a number"
        }
    }
}
