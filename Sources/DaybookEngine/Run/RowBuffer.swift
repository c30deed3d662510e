/// Rows that wait, in order: in memory up to a bound, beyond it on disk.
package struct RowBuffer {
    /// A batch in memory, or where it stands on disk.
    private enum Rows {
        case memory(Batch)
        case file(BatchFile, Int)
    }

    /// The rows of one batch that wait, and which of the rows that came they are.
    private struct Part {
        var rows: Rows
        var first: Int
        /// Nil when all wait.
        var kept: [Int32]?
    }

    /// About how many bytes of rows wait in memory before they go to disk.
    private let memoryLimit: Int
    private var parts: [Part] = []
    private var footprint = 0
    private var rowsSeen = 0
    /// Numbers of rows, counted from 0 in the order in which they came, that will not go on.
    private var rejected = RowSet()

    package init(memoryLimit: Int) { self.memoryLimit = memoryLimit }

    /// Adds rows that stand alone, without a hold on their morsel.
    ///
    /// - Parameters:
    ///   - count: how many rows came.
    ///   - kept: which of them `batch` holds, or nil for all.
    package mutating func append(
        _ batch: Batch,
        of count: Int,
        kept: [Int32]? = nil,
        _ scratch: any Scratch
    ) throws(DaybookError) {
        defer { rowsSeen += count }
        guard batch.count > 0 else { return }
        parts.append(Part(rows: .memory(batch), first: rowsSeen, kept: kept))
        footprint += batch.footprint
        if footprint > memoryLimit { try spill(scratch) }
    }

    private mutating func spill(_ scratch: any Scratch) throws(DaybookError) {
        var file = BatchFile(file: try scratch.makeFile())
        var places: [(part: Int, place: Int)] = []
        for (index, part) in parts.enumerated() {
            guard case .memory(let batch) = part.rows else { continue }
            places.append((index, file.places.count))
            try file.append(batch)
        }
        for (part, place) in places { parts[part].rows = .file(file, place) }
        footprint = 0
    }

    /// Notes which rows are rejected by what is said of them at the end.
    package mutating func reject(_ late: LateFindings) {
        guard let kept = late.findings.keptRows(of: late.numbers.count) else { return }
        var isKept = [Bool](repeating: false, count: late.numbers.count)
        for row in kept { isKept[Int(row)] = true }
        for (row, number) in late.numbers.enumerated() where !isKept[row] { rejected.insert(number) }
    }

    /// Hands on the rows that may go on, in order.
    package func release(
        _ isCancelled: () -> Bool,
        _ body: (Batch) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        for part in parts {
            if isCancelled() { throw .interrupted }
            let batch: Batch
            switch part.rows {
            case .memory(let own): batch = own
            case .file(let file, let place): batch = try file.batch(place)
            }
            guard !rejected.isEmpty else {
                try body(batch)
                continue
            }
            let rest = (0..<batch.count).filter { row in
                !rejected.contains(part.first + (part.kept.map { Int($0[row]) } ?? row))
            }
            try body(batch.keeping(rest.map { Int32($0) }))
        }
    }
}
