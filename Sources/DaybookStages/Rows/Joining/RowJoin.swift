/// A column that a join takes from its lookup: its new name, and where it stands there.
typealias TakenColumn = (name: ColumnName, field: Field)

/// A join whose lookup is there: each row stays or goes by its partners, and gets their columns.
package struct RowJoin: TransformOperator {
    let stage: JoinRows
    let taken: [TakenColumn]
    let lookup: JoinLookup
    /// The keys of the lookup, where they are few texts.
    private let nearest: NearestNames?

    /// - Parameter name: what messages call the lookup.
    init(
        _ stage: JoinRows,
        _ taken: [TakenColumn],
        _ side: BuildSide,
        named name: String,
        _ scratch: any Scratch
    ) throws(DaybookError) {
        let asked = JoinLookup.Asked(
            keys: stage.by.entries.map(\.other),
            taken: taken.compactMap { side.schema[ColumnName($0.field.name)] },
            choice: stage.choice,
            refusesRepeats: stage.refusesRepeats,
            keepsRows: stage.kind.keepsLookup,
            name: name,
            fileName: side.fileName,
            partBytes: stage.partBytes
        )
        (self.stage, self.taken) = (stage, taken)
        nearest = try NearestNames(of: side, in: asked.keys)
        lookup = try JoinLookup(side, asked, memoryLimit: stage.memoryLimit, scratch)
    }

    private var by: JoinKeys { stage.by }
    private var kind: JoinRows.Kind { stage.kind }

    package func process(
        _ batch: Batch,
        of _: Int,
        reporting findings: inout Findings
    ) throws(DaybookError) -> Batch {
        let probe = probe(batch)
        var pieces: [Batch] = []
        try probe.forEachPartners { partners in
            note(rows: partners.rows, of: batch, partners, &findings)
            guard kind.takesColumns else { return }
            let rows = partners.rows.count == batch.count ? batch : batch.keeping(partners.rows.map { Int32($0) })
            pieces.append(adding(partners.columns(of: partners.onlyPlaces), to: rows))
        }
        guard pieces.count > 1 else { return pieces.first ?? batch }
        let picks = pieces.enumerated().flatMap { piece, rows in (0..<rows.count).map { RowPick(batch: piece, row: $0) }
        }
        return Batch.take(picks, from: pieces)
    }

    private func probe(_ batch: Batch) -> JoinProbe { JoinProbe(batch, by: by.entries.map(\.column), in: lookup) }

    package func parts(of batch: Batch) -> (any BatchParts)? {
        guard stage.makesRows else { return nil }
        return JoinedParts(of: batch, probe(batch), self)
    }

    /// The rows with the columns that are taken.
    func adding(_ columns: [Column], to batch: Batch) -> Batch {
        var result = batch
        for ((name, field), column) in zip(taken, columns) {
            result = result.setting(name, to: column, keys: name.text == field.name ? field.keys : nil)
        }
        return result
    }

    /// Rejects or drops the rows that the kind of the join leaves out.
    func note(rows: Range<Int>, of batch: Batch, _ partners: JoinPartners, _ findings: inout Findings) {
        switch kind {
        case .left, .full: warnOfTwins(rows: rows, of: batch, partners, &findings)
        case .anti:
            let matched = findings.dropName(JoinRows.matchedName)
            for row in rows where partners.hasPartner(row) { findings.drop(row, matched) }
            warnOfTwins(rows: rows, of: batch, partners, &findings)
        case .inner, .right, .semi:
            if kind == .semi || stage.unmatched == .drop {
                let without = findings.dropName(JoinRows.unmatchedName)
                for row in rows where !partners.hasPartner(row) { findings.drop(row, without) }
                warnOfTwins(rows: rows, of: batch, partners, &findings)
            } else {
                reject(rows: rows, of: batch, partners, &findings)
            }
        }
    }

    private func reject(rows: Range<Int>, of batch: Batch, _ partners: JoinPartners, _ findings: inout Findings) {
        let column = by.entries[0].column
        let missing = findings.token(.missingValue, in: column)
        // Of several columns nobody knows which is wrong.
        let without = findings.token(noPartner, in: by.entries.count == 1 ? column : nil)
        let gaps = batch[column].missing
        for row in rows where !partners.hasPartner(row) {
            findings.reject(row, gaps.isMissing(row) ? missing : without)
        }
    }
}

/// The rows of a batch, each once for each of its partners.
struct JoinedParts: BatchParts {
    /// About how many rows a part has.
    private static let size = 1 << 14

    private let batch: Batch
    private let probe: JoinProbe
    private let join: RowJoin
    /// The partners of some rows; not of the next one where it stands behind them.
    private var partners: JoinPartners?
    /// The row that is next, and how many of its partners were given.
    private var row = 0
    private var given: Int32 = 0

    init(of batch: Batch, _ probe: JoinProbe, _ join: RowJoin) {
        (self.batch, self.probe, self.join) = (batch, probe, join)
    }

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

/// What a right or full join ends with: the rows of the lookup that no row has met.
extension RowJoin: FinishingOperator {
    package var asFinishing: (any FinishingOperator)? { stage.finishes ? self : nil }

    /// The rows of the lookup that were met, by their numbers.
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

    /// Rows of the lookup with the columns of the others, of which they fill the key.
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

/// Merges which rows of a lookup were met.
struct MetRows: ResultMerger {
    func merge(_ later: RowSet, into earlier: inout RowSet, scratch: any Scratch) {
        earlier.insert(later, raisedBy: 0)
    }
}

extension RowJoin {
    private var noPartner: Finding.Kind {
        by.entries.count == 1
            ? Finding.Kind("no-partner", "{value} is the key of no row in the lookup", allowed: nearest)
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
            allowed: nearest,
            isToldOnce: true
        )
    }

    /// Warns of rows without a partner whose key looks like one of the lookup, where they are not rejected.
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
