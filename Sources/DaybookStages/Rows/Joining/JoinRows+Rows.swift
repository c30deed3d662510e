/// What becomes of rows: each stays or goes by its partners, and gets their columns.
extension JoinRows {
    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let keys = lookup.keys(of: batch, by: by.entries.map(\.column))
        note(rows: 0..<batch.count, of: batch, keys, &findings)
        return kind.takesColumns ? adding(to: batch, lookup.onlyRows(of: keys)) : batch
    }

    public func parts(of batch: Batch) -> (any BatchParts)? {
        guard makesRows else { return nil }
        return JoinedParts(of: batch, keys: lookup.keys(of: batch, by: by.entries.map(\.column)), self)
    }

    /// The rows with the columns that are taken, each from a row of the lookup.
    func adding(to batch: Batch, _ partners: [Int32]) -> Batch {
        var result = batch
        for ((name, field), column) in zip(taken, lookup.columns(of: partners)) {
            result = result.setting(name, to: column, keys: name.text == field.name ? field.keys : nil)
        }
        return result
    }

    /// Rejects or drops the rows that the kind of the join leaves out.
    func note(rows: Range<Int>, of batch: Batch, _ keys: [Int32], _ findings: inout Findings) {
        switch kind {
        case .left, .full: break
        case .anti:
            let matched = findings.dropName(Self.matchedName)
            for row in rows where keys[row] >= 0 { findings.drop(row, matched) }
        case .inner, .right, .semi:
            if kind == .semi || unmatched == .drop {
                let without = findings.dropName(Self.unmatchedName)
                for row in rows where keys[row] < 0 { findings.drop(row, without) }
            } else {
                reject(rows: rows, of: batch, keys, &findings)
            }
        }
    }

    private func reject(rows: Range<Int>, of batch: Batch, _ keys: [Int32], _ findings: inout Findings) {
        let column = by.entries[0].column
        let missing = findings.token(.missingValue, in: column)
        let without = findings.token(.noPartner, in: column)
        let gaps = batch[column].missing
        for row in rows where keys[row] < 0 { findings.reject(row, gaps.isMissing(row) ? missing : without) }
    }
}

/// The rows of a batch, each once for each of its partners.
struct JoinedParts: BatchParts {
    /// About how many rows a part has.
    private static let size = 1 << 14

    private let batch: Batch
    private let keys: [Int32]
    private let stage: JoinRows
    /// The row that is next, and how many of its partners were given.
    private var row = 0
    private var given: Int32 = 0

    init(of batch: Batch, keys: [Int32], _ stage: JoinRows) {
        (self.batch, self.keys, self.stage) = (batch, keys, stage)
    }

    mutating func next(reporting findings: inout Findings) -> BatchPart {
        let first = given > 0 ? row + 1 : row
        var parents: [Int32] = []
        var partners: [Int32] = []
        parents.reserveCapacity(Self.size)
        partners.reserveCapacity(Self.size)
        var unfolded = 0
        let (lookup, keepsRows) = (stage.lookup, stage.kind.keepsRows)
        while row < batch.count, parents.count < Self.size {
            let key = keys[row]
            if key >= 0 || keepsRows {
                let rows = lookup.rows(of: key)
                if given == 0 { unfolded += 1 }
                let start = rows.lowerBound + given
                let end = min(rows.upperBound, start + Int32(Self.size - parents.count))
                for place in start..<end {
                    parents.append(Int32(truncatingIfNeeded: row))
                    partners.append(place)
                }
                given = end == rows.upperBound ? 0 : end - rows.lowerBound
            }
            if given == 0 { row += 1 }
        }
        let end = given > 0 ? row + 1 : row
        stage.note(rows: first..<end, of: batch, keys, &findings)
        findings.unfold(rows: unfolded, into: parents.count)
        let part = stage.adding(to: batch.keeping(parents), partners)
        return BatchPart(part, parents: end - first, isLast: row == batch.count)
    }
}

/// What a right or full join ends with: the rows of the lookup that no row has met.
extension JoinRows: FinishingStage {
    public var finishes: Bool { kind.keepsLookup }

    /// The keys that were met, by their numbers in the lookup.
    public func partial(of batch: Batch, reporting findings: inout Findings) -> RowSet {
        var met = RowSet()
        for key in lookup.keys(of: batch, by: by.entries.map(\.column)) where key >= 0 { met.insert(Int(key)) }
        return met
    }

    public func merge(_ later: RowSet, into earlier: inout RowSet, scratch: any Scratch) {
        earlier.insert(later, raisedBy: 0)
    }

    public func finish(_ met: consuming RowSet?, _ output: FoldOutput) throws(DaybookError) {
        let rest = lookup.rows(outside: met ?? RowSet())
        output.add(rest.count, as: Self.addedName)
        let size = 1 << 14
        for start in stride(from: 0, to: rest.count, by: size) {
            let picks = Array(rest[start..<min(start + size, rest.count)])
            let schema = output.schema
            try output.emit(LateFindings(Findings()) { alone(picks, schema) })
        }
    }

    /// Rows of the lookup with the columns of the others, of which they fill the key.
    private func alone(_ picks: [RowPick], _ schema: Schema) -> Batch {
        let rows = lookup.rows(at: picks)
        let nowhere = [Int32](repeating: 0, count: rows.count)
        let columns = schema.fields.map { field in
            let known =
                by.entries.first { $0.column.text == field.name }?.other.text
                ?? taken.first { $0.name.text == field.name }?.field.name
            return known.map { rows[ColumnName($0)] } ?? Column.missing(field.kind).keeping(nowhere)
        }
        return rows.replacing(schema, columns)
    }
}
