extension Findings {
    /// Rejects the rows that have no value in one of the columns, each once and for the first of them, and gives these rows.
    mutating func rejectGaps(in columns: [ColumnName], of batch: Batch) -> Mask {
        var gaps = Mask(count: batch.count)
        for column in columns {
            guard let missing = batch[column].missing else { continue }
            let token = token(.missingValue, in: column)
            missing.subtracting(gaps).forEachRow { reject($0, token) }
            gaps.formUnion(missing)
        }
        return gaps
    }
}

extension Finding.Kind {
    static let missingValue = Finding.Kind("missing-value", "the value is missing")
}
