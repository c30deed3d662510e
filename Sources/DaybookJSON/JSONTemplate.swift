import CScan

/// The keys and punctuation of one record, with holes where its values were.
///
/// A record that has the same bytes around its values is as valid as the first, has the same keys, and needs none of
/// them looked up. Guessing the structure from the record before follows Li, Katsipoulakis, Chandramouli, Goldstein and
/// Kossmann, "Mison: A Fast JSON Parser for Data Analytics" (VLDB 2017), section 5.
struct JSONTemplate: BitwiseCopyable {
    /// The bytes before a value, and the value.
    struct Step: BitwiseCopyable {
        var literal: UnsafePointer<UInt8>
        var length: Int
        var slot: UnsafeMutablePointer<JSONSlot>
        /// How far it is from the beginning of the bytes to the end of the value.
        var guess = json_guess(length: 0, misses: 0)
    }

    /// The limit of templates in one morsel.
    static let most = 8
    /// The number of records without a fitting template before guessing pauses.
    static let patience = 16

    let steps: UnsafeMutablePointer<Step>
    let count: Int
    /// The bytes behind the last value.
    let last: UnsafePointer<UInt8>
    let lastLength: Int
    /// How many of them lie behind the record, before the next.
    let gap: Int
    /// Columns that the record does not have.
    let absent: UnsafeMutablePointer<UnsafeMutablePointer<JSONSlot>>
    let absentCount: Int
    private let literals: UnsafeMutablePointer<UInt8>

    /// - Parameter end: where the next record begins.
    init(_ span: RecordSpan, to end: Int, in reading: JSONMorselReading) {
        let (base, trace) = (reading.base, reading.trace)
        count = trace.values.count
        steps = .allocate(capacity: max(1, count))
        // Every literal starts a block of 16, since blocks are compared.
        let length = end - Int(span.start)
        literals = .allocate(capacity: length + 16 * (count + 2))
        literals.initialize(repeating: 0, count: length + 16 * (count + 2))
        var next = literals
        var position = Int(span.start)
        var present = Set<Int>()
        for (index, value) in trace.values.enumerated() {
            let length = value.start - position
            next.update(from: base + position, count: length)
            let step = Step(literal: UnsafePointer(next), length: length, slot: reading.slots + value.column)
            (steps + index).initialize(to: step)
            next += (length + 16) & ~15
            position = value.end
            present.insert(value.column)
        }
        last = UnsafePointer(next)
        lastLength = end - position
        next.update(from: base + position, count: lastLength)
        gap = end - Int(span.end)
        let missing = reading.wanted.filter { !present.contains($0) }
        absentCount = missing.count
        absent = .allocate(capacity: max(1, absentCount))
        for (index, column) in missing.enumerated() { (absent + index).initialize(to: reading.slots + column) }
    }

    func deallocate() {
        steps.deallocate()
        literals.deallocate()
        absent.deallocate()
    }
}

extension JSONMorselReading {
    /// Makes a template of the record that was just read.
    mutating func learn(_ span: RecordSpan, next: Int) {
        // The record must end where the guess would look for the next one to begin.
        guard next >= Int(span.end), next <= end else { return }
        templates.insert(JSONTemplate(span, to: next, in: self), at: 0)
    }

    /// Reads records for as long as one of the templates fits. Returns whether any did.
    ///
    /// Where records differ so much that most guesses fail, guessing rests for a while.
    mutating func followTemplates() -> Bool {
        guard !templates.isEmpty, rest == 0 else {
            rest = max(0, rest - 1)
            return false
        }
        let before = record
        for index in templates.indices {
            if arrays == nil { follow(templates[index]) } else { followElements(templates[index]) }
            if record > before {
                if index > 0 { templates.swapAt(0, index) }
                failures = max(0, failures - 1)
                return true
            }
        }
        failures += 1
        if failures > JSONTemplate.patience {
            failures = JSONTemplate.patience / 2
            rest = 16 * JSONTemplate.patience
        }
        return false
    }

    private mutating func follow(_ template: JSONTemplate) {
        let (steps, count, gap) = (template.steps, template.count, template.gap)
        let (last, lastLength) = (template.last, template.lastLength)
        let (absent, absentCount) = (template.absent, template.absentCount)
        let (base, cells, spans, records, capacity) = (base, cells, spans, records, capacity)
        let (limit, record, firstRow) = (base + end, record, row)
        var (reached, begin, row) = (0, base + position, row)
        rows: while row < capacity {
            var place = begin
            reached = 0
            while reached < count {
                let step = steps + reached
                guard step.pointee.length <= limit - place,
                    json_same(place, step.pointee.literal, step.pointee.length),
                    let next = cells.value(
                        at: place + step.pointee.length,
                        into: step.pointee.slot,
                        row: row,
                        limit: limit
                    )
                else { break rows }
                place = json_ahead(next, place, &step.pointee.guess)
                reached &+= 1
            }
            guard lastLength <= limit - place, json_same(place, last, lastLength) else { break rows }
            place += lastLength
            for index in 0..<absentCount { _ = cells.markMissing(absent[index], row) }
            spans[row] = RecordSpan(start: begin - base, end: place - base &- gap)
            records[row] = UInt32(truncatingIfNeeded: record &+ row &- firstRow)
            begin = place
            row &+= 1
        }
        self.record = record + row - firstRow
        self.row = row
        position = begin - base
        // An attempt that failed may have marked values as missing.
        if row < capacity {
            for index in 0..<reached { cells.clearMissing(steps[index].slot, row) }
        }
    }
}
