import DaybookCore

/// Puts rows of groups that come part by part in the order in which the groups were met, or in that of other keys.
///
/// What there is to say of a row waits with it: rows are told in their order.
struct GroupOrder {
    private let sort: SortRows
    private let scratch: any Scratch
    private var sorted: SortedRuns?
    /// What rows were rejected for.
    private var subjects: [Finding.Subject] = []

    /// The columns that a row has behind its own while it waits: when its group was met, and why it is rejected.
    private static let extra = [Field("\u{0}met", .integer), Field("\u{0}rejected", .text)]

    /// - Parameter keys: what to sort by; nil for the order in which the groups were met.
    init(by keys: [SortKey]?, memoryLimit: Int, scratch: any Scratch) {
        sort = SortRows(by: keys ?? [SortKey(column: ColumnName(GroupOrder.extra[0].name))], memoryLimit: memoryLimit)
        self.scratch = scratch
    }

    /// - Parameter met: when the group of each row was met.
    mutating func append(_ batch: Batch, met: [Int64], _ findings: Findings) throws(DaybookError) {
        let waiting = batch.replacing(
            Schema(batch.schema.fields + GroupOrder.extra),
            batch.columns + [.integers(Values(met)), .text(reasons(findings, of: batch.count))]
        )
        var nothing = Findings()
        let run = try sort.partial(of: waiting, reporting: &nothing)
        guard var earlier = sorted.take() else {
            sorted = run
            return
        }
        try sort.merge(run, into: &earlier, scratch: scratch)
        sorted = earlier
    }

    /// For each rejected row its first reason: the place in `subjects`, and the message.
    private mutating func reasons(_ findings: Findings, of count: Int) -> TextColumn {
        var reasons: [Int: String] = [:]
        for (index, rejected) in findings.rejectedRows.enumerated() {
            guard reasons[Int(rejected.row)] == nil else { continue }
            let subject = findings.subjects[findings.index(of: rejected.token)]
            if !subjects.contains(subject) { subjects.append(subject) }
            let place = subjects.firstIndex(of: subject) ?? 0
            reasons[Int(rejected.row)] = "\(place) \(findings.message(ofRejectedRow: index) ?? "")"
        }
        var text = TextColumnBuilder(rows: count)
        for row in 0..<count {
            guard let reason = reasons[row] else {
                text.appendMissing()
                continue
            }
            let bytes = Bytes(reason)
            text.append(bytes.filled)
            withExtendedLifetime(bytes) {}
        }
        return text.build()
    }

    /// Gives out all rows in order.
    func finish(
        _ schema: Schema,
        _ emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        try sort.finish(sorted, schema: schema, scratch: scratch) { (batch, _) throws(DaybookError) in
            var findings = Findings()
            let reasons = batch.text(in: ColumnName(GroupOrder.extra[1].name))
            reasons.forEachValue { row, cell in
                let text = String(decoding: cell, as: UTF8.self)
                let message = text.drop { $0 != " " }.dropFirst()
                guard let place = Int(text.prefix { $0 != " " }) else { return }
                let token = findings.token(subjects[place].kind, in: subjects[place].column.map { ColumnName($0) })
                if message.isEmpty {
                    findings.reject(row, token)
                } else {
                    findings.reject(row, token, saying: String(message))
                }
            }
            try emit(batch.replacing(schema, Array(batch.columns.dropLast(GroupOrder.extra.count))), findings)
        }
    }
}
