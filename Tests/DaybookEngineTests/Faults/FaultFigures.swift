import DaybookTestSupport

@testable import DaybookContracts

/// What a run says of the faults of a table, counted by kind of fault.
struct FaultFigures {
    /// A line of the reject file.
    struct Reject: Decodable, Equatable {
        var code: String
        var line: Int
        var column: Int
    }

    struct Count {
        var known = 0
        /// Reported on the physical line on which the fault stands.
        var onLine = 0
        /// And at its very column.
        var atColumn = 0
        /// Reported somewhere else in the same row only.
        var inRow = 0
    }

    private(set) var counts: [FaultyTable.Fault: Count] = [:]
    /// Reports on lines of rows that are fine.
    private(set) var falseReports: [Reject] = []
    /// Rows that are fine and do not come out.
    private(set) var lost: [Int] = []
    private(set) var fineRows = 0
    /// Reports on lines of faulty rows beyond the first.
    private(set) var repeated = 0
    private(set) var missed: [FaultyTable.Known] = []

    init() {}

    mutating func add(_ table: FaultyTable, _ rejects: [Reject], written: Set<Int>) {
        var byLine: [Int: [Reject]] = [:]
        for reject in rejects { byLine[reject.line, default: []].append(reject) }
        var faultyLines: Set<Int> = []
        for known in table.known {
            faultyLines.formUnion(known.lines)
            let here = byLine[known.line] ?? []
            let inRow = known.lines.flatMap { byLine[$0] ?? [] }
            var count = counts[known.fault, default: Count()]
            count.known += 1
            if !here.isEmpty {
                count.onLine += 1
            } else if !inRow.isEmpty {
                count.inRow += 1
                missed.append(known)
            } else {
                missed.append(known)
            }
            if here.contains(where: { $0.column == known.column }) { count.atColumn += 1 }
            counts[known.fault] = count
            repeated += max(0, inRow.count - 1)
        }
        falseReports += rejects.filter { !faultyLines.contains($0.line) }
        lost += table.fine.subtracting(written).sorted()
        fineRows += table.fine.count
    }

    /// The share of a family's faults that are reported on their line.
    func share(of family: FaultyTable.Fault.Family) -> Double {
        let of = counts.filter { $0.key.family == family }.values
        let known = of.reduce(0) { $0 + $1.known }
        return known == 0 ? 1 : Double(of.reduce(0) { $0 + $1.onLine }) / Double(known)
    }

    /// A table for the log of a test.
    var text: String {
        func percent(_ part: Int, _ whole: Int) -> String {
            whole == 0 ? "–" : String(Double(part * 10_000 / whole) / 100) + " %"
        }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.count))
        }
        var lines = [
            padded("fault", 28) + padded("known", 8) + padded("on its line", 13) + padded("at its column", 15)
                + "elsewhere in its row"
        ]
        for fault in FaultyTable.Fault.allCases {
            guard let count = counts[fault] else { continue }
            lines.append(
                padded(fault.rawValue, 28) + padded(String(count.known), 8)
                    + padded(percent(count.onLine, count.known), 13)
                    + padded(percent(count.atColumn, count.known), 15) + String(count.inRow)
            )
        }
        for family in FaultyTable.Fault.Family.allCases {
            lines.append("\(family.rawValue): \(Double(Int(share(of: family) * 10_000)) / 100) % on their line")
        }
        lines.append(
            "\(fineRows) rows are fine: \(falseReports.count) reports on their lines, \(lost.count) of them not written; "
                + "\(repeated) reports more than one a faulty row"
        )
        return lines.joined(separator: "\n")
    }
}
