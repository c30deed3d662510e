import DaybookTables

/// A column that a join takes from its lookup: its new name, and its field there.
typealias TakenColumn = (name: ColumnName, field: Field)

/// A join with a complete build side: keeps or drops each row by its partners, and adds their columns.
package struct RowJoin: TransformOperator {
    let stage: JoinRows
    let taken: [TakenColumn]
    let lookup: JoinLookup
    /// The keys of the lookup, if they are few texts.
    private let nearest: NearestNames?

    /// - Parameter name: the name of the lookup in messages.
    init(
        _ stage: JoinRows,
        _ taken: [TakenColumn],
        _ side: BuildSide,
        named name: String,
        _ scratch: any Scratch
    ) throws(DaybookError) {
        let asked = JoinLookup.Asked(
            stage: stage,
            taken: taken.compactMap { side.schema[ColumnName($0.field.name)] },
            name: name,
            fileName: side.fileName
        )
        (self.stage, self.taken) = (stage, taken)
        nearest = try NearestNames(of: side, in: asked.keys)
        lookup = try JoinLookup(side, asked, scratch)
    }

    private var by: JoinKeys { stage.by }
    private var kind: JoinRows.Kind { stage.kind }

    package func process(_ batch: Batch, of _: Int, reporting findings: inout Findings) throws(DaybookError) -> Batch {
        let probe = probe(batch)
        var pieces: [Batch] = []
        try probe.forEachPartners { partners in
            note(rows: partners.rows, of: batch, partners, &findings)
            guard kind.takesColumns else { return }
            let rows = partners.rows.count == batch.count ? batch : batch.keeping(partners.rows.map { Int32($0) })
            pieces.append(adding(partners.columns(of: partners.onlyPlaces), to: rows))
        }
        guard pieces.count > 1 else { return pieces.first ?? batch }
        let picks = pieces.enumerated().flatMap { piece, rows in
            (0..<rows.count).map { RowPick(batch: piece, row: $0) }
        }
        return Batch.take(picks, from: pieces)
    }

    private func probe(_ batch: Batch) -> JoinProbe { JoinProbe(batch, by: by.entries.map(\.column), in: lookup) }

    package func parts(of batch: Batch) -> (any BatchParts)? {
        guard stage.makesRows else { return nil }
        return JoinedParts(batch: batch, probe: probe(batch), join: self)
    }

    /// The batch with the taken columns.
    func adding(_ columns: [Column], to batch: Batch) -> Batch {
        var result = batch
        for ((name, field), column) in zip(taken, columns) {
            result = result.setting(name, to: column, keys: name.text == field.name ? field.keys : nil)
        }
        return result
    }

    /// Rejects or drops the rows that the join kind excludes.
    func note(rows: Range<Int>, of batch: Batch, _ partners: JoinPartners, _ findings: inout Findings) {
        switch kind {
        case .left, .full: break
        case .anti:
            let matched = findings.dropName(JoinRows.matchedName)
            for row in rows where partners.hasPartner(row) { findings.drop(row, matched) }
        case .inner where stage.unmatched == .reject, .right where stage.unmatched == .reject:
            return reject(rows: rows, of: batch, partners, &findings)
        case .inner, .right, .semi:
            let without = findings.dropName(JoinRows.unmatchedName)
            for row in rows where !partners.hasPartner(row) { findings.drop(row, without) }
        }
        warnOfTwins(rows: rows, of: batch, partners, &findings)
    }

    private func reject(rows: Range<Int>, of batch: Batch, _ partners: JoinPartners, _ findings: inout Findings) {
        let column = by.entries[0].column
        let missing = findings.token(.missingValue, in: column)
        // With several key columns, the wrong one is unknown.
        let without = findings.token(noPartner, in: by.entries.count == 1 ? column : nil)
        let gaps = batch[column].missing
        for row in rows where !partners.hasPartner(row) {
            findings.reject(row, gaps.isMissing(row) ? missing : without)
        }
    }
}

/// The rows of a batch, once for each partner.
struct JoinedParts: BatchParts {
    /// Approximate rows of a part.
    private static let size = 1 << 14

    let batch: Batch
    let probe: JoinProbe
    let join: RowJoin
    /// The partners of a row range, replaced once `row` lies behind it.
    private(set) var partners: JoinPartners?
    /// The next row, and the number of its partners already emitted.
    private(set) var row = 0
    private(set) var given: Int32 = 0

    mutating func next(reporting findings: inout Findings) throws(DaybookError) -> BatchPart {
        let partners = try partnersOfNext()
        let first = given > 0 ? row + 1 : row
        var parents: [Int32] = []
        var places: [Int32] = []
        parents.reserveCapacity(Self.size)
        places.reserveCapacity(Self.size)
        var unfolded = 0
        let keepsRows = join.stage.kind.keepsRows
        while row < partners.rows.upperBound, parents.count < Self.size {
            if keepsRows || partners.hasPartner(row) {
                let rows = partners.places(of: row)
                if given == 0 { unfolded += 1 }
                let start = rows.lowerBound + given
                let end = min(rows.upperBound, start + Int32(Self.size - parents.count))
                for place in start..<end {
                    parents.append(Int32(truncatingIfNeeded: row))
                    places.append(place)
                }
                given = end == rows.upperBound ? 0 : end - rows.lowerBound
            }
            if given == 0 { row += 1 }
        }
        let end = given > 0 ? row + 1 : row
        join.note(rows: first..<end, of: batch, partners, &findings)
        findings.unfold(rows: unfolded, into: parents.count)
        let part = join.adding(partners.columns(of: places), to: batch.keeping(parents))
        return BatchPart(part, parents: end - first, isLast: row == batch.count)
    }

    private mutating func partnersOfNext() throws(DaybookError) -> JoinPartners {
        if let partners, row < partners.rows.upperBound || row == batch.count { return partners }
        let own = try probe.partners(from: row, behind: partners)
        partners = own
        return own
    }
}

/// The end of a right or full join: the lookup rows without a partner.
extension RowJoin: FinishingOperator {
    package var asFinishing: (any FinishingOperator)? { stage.finishes ? self : nil }

    /// The numbers of lookup rows that had a partner in the batch.
    package func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> RowSet {
        try probe(batch).met()
    }

    package func merge(_ later: RowSet, into earlier: inout RowSet, scratch: any Scratch) {
        MetRows().merge(later, into: &earlier, scratch: scratch)
    }

    package func finish(_ met: consuming RowSet?, _ output: FoldOutput) throws(DaybookError) {
        let schema = output.schema
        try lookup.forEachUnmet(met ?? RowSet()) { (rows) throws(DaybookError) in
            output.add(rows.count, as: JoinRows.addedName)
            try output.emit(LateFindings(Findings()) { alone(rows, schema) })
        }
    }

    /// Lookup rows as output rows, with their keys in the key columns of the other side.
    private func alone(_ rows: Batch, _ schema: Schema) -> Batch {
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

/// Merges the sets of lookup rows that had a partner.
struct MetRows: ResultMerger {
    func merge(_ later: RowSet, into earlier: inout RowSet, scratch: any Scratch) { earlier.insert(later, raisedBy: 0) }
}

extension RowJoin {
    private var noPartner: Finding.Kind {
        by.entries.count == 1
            ? Finding.Kind("no-partner", "{value} is the key of no row in the lookup", hint: nearest?.hint)
            : Finding.Kind(
                "no-partner",
                "no row of the lookup has these values",
                showing: by.entries.map(\.column.text)
            )
    }

    private var lookAlike: Finding.Kind {
        Finding.Kind(
            "look-alikes",
            "{value} is the key of no row in the lookup, where another looks the same",
            severity: .warning,
            hint: nearest?.hint,
            isToldOnce: true
        )
    }

    /// Warns of rows without a partner whose key looks like a lookup key, if the join does not reject them.
    func warnOfTwins(rows: Range<Int>, of batch: Batch, _ partners: JoinPartners, _ findings: inout Findings) {
        guard let nearest, let first = rows.first(where: { !partners.hasPartner($0) }) else { return }
        let (keys, haveOddity) = (batch.text(in: by.entries[0].column), nearest.haveOddity)
        var token: Finding.Token?
        for row in first..<rows.upperBound where !partners.hasPartner(row) && !keys.missing.isMissing(row) {
            let hasTwin = keys.withCell(row) { cell in
                (haveOddity || LookAlikes.oddity(in: cell) != nil) && nearest.twin(of: cell) != nil
            }
            guard hasTwin else { continue }
            let known = token ?? findings.token(lookAlike, in: by.entries[0].column)
            token = known
            findings.warn(row, known)
        }
    }
}

/// The partners of a row range of a batch.
struct JoinPartners: Sendable {
    /// The row range in the batch.
    let rows: Range<Int>
    /// The key number of each row; −1 without a partner.
    let keys: [Int32]
    /// The first partner of each key, and the end of the last; empty if each key has one partner, at the key's number.
    let starts: [Int32]
    let values: TakenValues

    @inline(__always)
    func hasPartner(_ row: Int) -> Bool { keys[row &- rows.lowerBound] >= 0 }

    /// The places of a row's partners; the place of no row if it has none.
    @inline(__always)
    func places(of row: Int) -> Range<Int32> {
        let key = keys[row &- rows.lowerBound]
        guard key >= 0 else { return values.none..<values.none + 1 }
        return starts.isEmpty ? key..<key + 1 : starts[Int(key)]..<starts[Int(key) + 1]
    }

    /// The place of each row's partner, if each has at most one.
    var onlyPlaces: [Int32] { keys.map { $0 < 0 ? values.none : starts.isEmpty ? $0 : starts[Int($0)] } }

    /// The taken columns of the partners in some places.
    func columns(of places: [Int32]) -> [Column] { values.columns.map { $0.keeping(places) } }
}

/// The taken columns of the lookup's rows, with a row without values at the end, so that joined rows only refer to places.
struct TakenValues: Sendable {
    private(set) var columns: [Column] = []
    /// The place of no row.
    private(set) var none: Int32 = 0

    init() {}

    init(_ fields: [Field], of batches: [Batch], at places: [RowPick]) {
        none = Int32(truncatingIfNeeded: places.count)
        guard !fields.isEmpty else { return }
        let schema = Schema(fields)
        let gap = Batch(schema, fields.map { .missing($0.kind) }, count: 1, provenance: .made)
        let pieces = batches.map { batch in
            Batch(schema, fields.map { batch[ColumnName($0.name)] }, count: batch.count, provenance: .made)
        }
        columns = Batch.take(places + [RowPick(batch: pieces.count, row: 0)], from: pieces + [gap]).columns
    }
}

/// A batch of the probe side of a join.
struct JoinProbe: Sendable {
    private enum Keys: Sendable {
        case memory(MemoryLookup, [Int32])
        /// The keys, and the row order by key.
        case disk(DiskLookup, RowKeys, [UInt32])
    }

    private let keys: Keys
    /// The number of rows.
    let count: Int

    init(_ batch: Batch, by columns: [ColumnName], in lookup: JoinLookup) {
        count = batch.count
        switch lookup.index {
        case .memory(let lookup): keys = .memory(lookup, lookup.keys(of: batch, by: columns))
        case .disk(let lookup):
            let own = RowKeys(batch, by: columns)
            keys = .disk(lookup, own, own.sortedRows())
        }
    }

    /// The partners of the rows from `row` on: of all, or of as many as fit in memory.
    ///
    /// - Parameter last: the partners of the rows before, from which the room is estimated.
    func partners(from row: Int, behind last: JoinPartners?) throws(DaybookError) -> JoinPartners {
        switch keys {
        case .memory(let lookup, let keys): return lookup.partners(of: keys)
        case .disk(let lookup, let keys, let order):
            let most = last.map { $0.rows.count * 2 } ?? count
            return try lookup.partners(of: keys, order, row..<min(row + most, count))
        }
    }

    /// Calls `body` with the partners of all rows, range by range; once for no rows.
    func forEachPartners(_ body: (JoinPartners) -> Void) throws(DaybookError) {
        var last: JoinPartners?
        repeat {
            let partners = try partners(from: last?.rows.upperBound ?? 0, behind: last)
            body(partners)
            last = partners
        } while last?.rows.upperBound != count
    }

    /// The numbers of the lookup rows with these keys.
    func met() throws(DaybookError) -> RowSet {
        var met = RowSet()
        switch keys {
        case .memory(let lookup, let keys): lookup.note(keys, metIn: &met)
        case .disk(let lookup, let keys, let order): try lookup.note(keys, order, metIn: &met)
        }
        return met
    }
}
