/// Reads the days of a column that are spelt in ten bytes, such as `2026-11-21`, and leaves all other rows to others.
///
/// Up to two spellings are read side by side; no row depends on the one before it.
struct PlainDays: Sendable {
    private let first: TenByteDay
    private let second: TenByteDay

    /// Nil for no spelling. Of more than two, the first two are read here.
    init?(_ spellings: [TenByteDay]) {
        guard let first = spellings.first else { return nil }
        self.first = first
        second = spellings.first { $0.separator != first.separator } ?? first
    }

    /// Gives every row that it can read its day, and every other one without a value 0. Returns the rest, in order.
    func read<Date: FixedWidthInteger & BitwiseCopyable>(
        _ views: UnsafeBufferPointer<TextView>,
        _ base: UnsafePointer<UInt8>,
        _ missing: Mask?,
        into dates: UnsafeMutableBufferPointer<Date>
    ) -> [Int32] {
        var rest: [Int32] = []
        let (first, second) = (first, second)
        let separator = second.separator
        for row in 0..<views.count {
            let view = views[row]
            var date = CivilDate(year: 0, month: 0, day: 0)
            if view.length == 10 {
                let text = base + Int(view.offset)
                let spelling = text[4] == separator ? second : first
                if spelling.read(text, into: &date),
                    CivilDate.exists(year: date.year, month: date.month, day: date.day)
                {
                    let day = CivilDate.number(year: date.year, month: date.month, day: date.day)
                    dates.initializeElement(at: row, to: Date(truncatingIfNeeded: day))
                    continue
                }
            }
            dates.initializeElement(at: row, to: 0)
            if !missing.isMissing(row) { rest.append(Int32(truncatingIfNeeded: row)) }
        }
        return rest
    }
}
