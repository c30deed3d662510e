/// Finds the keys of records in JSON Lines: the texts of some values, as they are written.
struct JSONLineKeys: Sendable {
    private let finders: [JSONFieldFinder]

    init(_ columns: [ColumnName]) { finders = columns.map { JSONFieldFinder([Array($0.text.utf8)]) } }

    /// Adds each whole line to `runs`, with its key and its range.
    ///
    /// - Returns: the end of the last whole line; nil if a line has no value of a column.
    func scan(_ bytes: Cell, isLast: Bool, _ runs: inout KeyRuns) -> Int? {
        let built = Bytes()
        var start = 0
        while start < bytes.count {
            guard let end = bytes.place(of: 0x0a, from: start).map({ $0 + 1 }) ?? (isLast ? bytes.count : nil) else {
                break
            }
            let line = Cell(rebasing: bytes[start..<end])
            guard let first = finders[0].range(in: line) else { return nil }
            if finders.count == 1 {
                guard runs.add(Cell(rebasing: line[first]), start..<end) else { return start }
            } else {
                built.removeAll()
                for (place, finder) in finders.enumerated() {
                    guard let range = finder.range(in: line) else { return nil }
                    if place > 0 { built.append(0) }
                    built.append(Cell(rebasing: line[range]))
                }
                guard runs.add(built.filled, start..<end) else { return start }
            }
            start = end
        }
        return start
    }
}
