import CScan

/// What the beginning of one JSON file says: how its records are laid out, and what keys they have.
public struct JSONFormat: SourceFormat {
    package enum Layout: Sendable {
        /// One record a line.
        case lines
        /// One array of records; the brackets around it, outermost first, true for those of objects.
        case array(around: [Bool])
        /// One value, which is the only record.
        case value
    }

    package let source: SourceName
    package let layout: Layout
    public let dataStart: Int
    /// Where the records begin, for errors about the document.
    package let place: JSONPlace
    /// The pointer of the array that holds the records.
    package let prefix: String
    package let shape: JSONShape
    package let plan = SharedPlan()
    /// Whether there is nothing in the file, though it is not known to be JSON Lines.
    package var isEmpty = false

    public var lineEnd: LineEnd { place.lineEnd }

    /// What reads the records, once the plan for all texts has been set.
    package func reader(_ schema: Schema) -> JSONReader {
        guard let plan = plan.value else {
            preconditionFailure("a JSON text is read before the schema of all texts was asked for")
        }
        return JSONReader(self, plan, schema: schema)
    }

    public func makeCutter() -> any RecordCutter {
        switch layout {
        case .lines: JSONLinesCutter(file: source.path, lineEnd: lineEnd)
        case .array(let around): JSONArrayCutter(around: around, place: place)
        case .value: JSONValueCutter(file: source.path, lineEnd: lineEnd)
        }
    }

    public func makeCutter(of part: TextPart) -> (any RecordCutter)? {
        switch layout {
        case .lines: makeCutter()
        case .array(let around): JSONArrayCutter(around: around, place: place, of: part)
        case .value: nil
        }
    }

    /// - Parameters:
    ///   - records: where the array of records stands, and `recordsPlace` where the job says so.
    package init(
        of head: SourceHead,
        _ layout: JSONReadLayout,
        records: JSONPointer? = nil,
        at recordsPlace: SourcePlace? = nil
    ) throws(DaybookError) {
        source = head.source
        let found = try JSONLayoutFinder(head).find(layout, records, recordsPlace)
        self.layout = found.layout
        dataStart = found.start
        prefix = records?.written ?? ""
        var place = JSONPlace(head)
        place.advance(over: UnsafeBufferPointer(rebasing: head.bytes.filled[..<found.start]))
        self.place = place
        var shape = JSONFormat.shape(of: head, found.layout, from: found.start)
        for name in head.instants { shape.noteInstants(name) }
        self.shape = shape
        if case .array = found.layout, head.isWhole, dataStart == head.bytes.count {
            throw place.error(JSONFault.endsEarly.kind, "the file ends before its array does")
        }
    }

    /// The keys of all whole records in the head. A record that is not JSON says nothing about the others.
    private static func shape(of head: SourceHead, _ layout: Layout, from start: Int) -> JSONShape {
        let records = JSONHeadRecords(head, layout, from: start)
        // Almost always every record is JSON, so it is checked beforehand only once one was found that is not.
        return records.shape(checking: false) ?? records.shape(checking: true) ?? JSONShape()
    }

    package static func lineFeed(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        let place = json_line_feed(base, start, end)
        return place < end ? place : nil
    }
}
