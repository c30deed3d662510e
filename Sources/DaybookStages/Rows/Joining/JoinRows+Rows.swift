/// What becomes of rows: each stays or goes by its partners, and gets their columns.
extension JoinRows {
    public func process(_ batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> Batch {
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

    public func parts(of batch: Batch) -> (any BatchParts)? {
        guard makesRows else { return nil }
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
            let matched = findings.dropName(Self.matchedName)
            for row in rows where partners.hasPartner(row) { findings.drop(row, matched) }
            warnOfTwins(rows: rows, of: batch, partners, &findings)
        case .inner, .right, .semi:
            if kind == .semi || unmatched == .drop {
                let without = findings.dropName(Self.unmatchedName)
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
    private let stage: JoinRows
    /// The partners of some rows; not of the next one where it stands behind them.
    private var partners: JoinPartners?
    /// The row that is next, and how many of its partners were given.
    private var row = 0
    private var given: Int32 = 0

    init(of batch: Batch, _ probe: JoinProbe, _ stage: JoinRows) {
        (self.batch, self.probe, self.stage) = (batch, probe, stage)
    }

    mutating func next(reporting findings: inout Findings) throws(DaybookError) -> BatchPart {
        let partners = try partnersOfNext()
        let first = given > 0 ? row + 1 : row
        var parents: [Int32] = []
        var places: [Int32] = []
        parents.reserveCapacity(Self.size)
        places.reserveCapacity(Self.size)
        var unfolded = 0
        let keepsRows = stage.kind.keepsRows
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
        stage.note(rows: first..<end, of: batch, partners, &findings)
        findings.unfold(rows: unfolded, into: parents.count)
        let part = stage.adding(partners.columns(of: places), to: batch.keeping(parents))
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
extension JoinRows: FinishingStage {
    public var finishes: Bool { kind.keepsLookup }

    /// The rows of the lookup that were met, by their numbers.
    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> RowSet {
        kind.keepsLookup ? try probe(batch).met() : RowSet()
    }

    public func merge(_ later: RowSet, into earlier: inout RowSet, scratch: any Scratch) {
        earlier.insert(later, raisedBy: 0)
    }

    public func finish(_ met: consuming RowSet?, _ output: FoldOutput) throws(DaybookError) {
        let schema = output.schema
        try lookup.forEachUnmet(met ?? RowSet()) { (rows) throws(DaybookError) in
            output.add(rows.count, as: Self.addedName)
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
