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
        /// One value behind another, with blanks or nothing between them.
        case values
    }

    package let source: SourceName
    package let layout: Layout
    public let dataStart: Int
    /// Where the records begin, for errors about the document.
    package let place: JSONPlace
    /// The pointer of the array that holds the records.
    package let prefix: String
    package private(set) var shape: JSONShape
    /// What the container of the text says of it.
    package let facts: ContainerFacts
    package let plan = SharedPlan()
    /// Whether NaN and Infinity are missing values.
    package let takesNotANumber: Bool
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
        case .values: JSONValuesCutter(file: source.path, lineEnd: lineEnd)
        }
    }

    public func makeCutter(of part: TextPart) -> (any RecordCutter)? {
        switch layout {
        case .lines: makeCutter()
        case .array(let around): JSONArrayCutter(around: around, place: place, of: part)
        case .value, .values: nil
        }
    }

    /// - Parameters:
    ///   - records: where the array of records stands, and `recordsPlace` where the job says so.
    package init(
        of head: SourceHead,
        _ layout: JSONReadLayout,
        records: JSONPointer? = nil,
        at recordsPlace: SourcePlace? = nil,
        takesNotANumber: Bool = false
    ) throws(DaybookError) {
        source = head.source
        self.takesNotANumber = takesNotANumber
        let found = try JSONLayoutFinder(head).find(layout, records, recordsPlace)
        self.layout = found.layout
        dataStart = found.start
        prefix = records?.written ?? ""
        var place = JSONPlace(head)
        place.advance(over: UnsafeBufferPointer(rebasing: head.bytes.filled[..<found.start]))
        self.place = place
        var shape = JSONHeadRecords(
            head,
            found.layout,
            from: found.start,
            takesNotANumber: takesNotANumber
        ).shape
        var lines = LineCursor(head.bytes.filled, firstLine: 1, lineEnd: place.lineEnd)
        shape.place(by: &lines, offset: 0)
        facts = head.facts
        for name in facts.instants { shape.noteInstants(name) }
        self.shape = shape
        if case .array = found.layout, head.isWhole, dataStart == head.bytes.count {
            throw place.error(JSONFault.endsEarly.kind, "the file ends before its array does")
        }
    }

    public static var learnsOn: Bool { true }

    public mutating func learn(from morsel: Morsel) {
        var later = JSONHeadRecords(morsel, layout, takesNotANumber: takesNotANumber).shape
        var lines = LineCursor(
            morsel.cell,
            firstLine: morsel.firstLine,
            firstColumn: morsel.firstColumn,
            lineEnd: morsel.lineEnd
        )
        later.place(by: &lines, offset: morsel.offset)
        shape.merge(later)
        shape.keepInstants(facts.instants)
    }

    /// One warning for each column that nobody declared and whose values are of several kinds.
    package static func mixedKinds(of formats: [JSONFormat]) -> [(text: Int, warning: SourceWarning)] {
        guard let plan = formats.first?.plan.value else { return [] }
        return plan.leaves.compactMap { leaf in
            guard !leaf.isDeclared, leaf.seen.names.count > 1 else { return nil }
            var before: JSONSeen = []
            for (text, format) in formats.enumerated() {
                for first in format.shape.firsts(at: leaf.path) {
                    let names = before.names
                    before.formUnion(first.kind)
                    guard !names.isEmpty, before.names.count > names.count else { continue }
                    let kind = Finding.Kind.mixedKinds(leaf.field, first.kind.names[0], before: names[0])
                    return (
                        text,
                        SourceWarning(
                            kind,
                            at: first.at,
                            line: first.line,
                            column: first.column,
                            field: leaf.field.name
                        )
                    )
                }
            }
            return nil
        }
    }

    package static func lineFeed(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        let place = json_line_feed(base, start, end)
        return place < end ? place : nil
    }
}
