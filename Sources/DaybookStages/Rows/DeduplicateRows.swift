import DaybookTables

/// Keeps one row for each key, and drops the others by name or renumbers them.
///
/// Rows have one key if they are equal in every column of `by`: text byte by byte, numbers by value. A row with a
/// missing value in `by` has no key; it equals no other row and is kept. Rows keep their order.
///
/// Rows and keys stay in memory up to a limit and then go to scratch files.
public struct DeduplicateRows: FoldStage {
    enum Repeats: String, OptionChoice { case drop, renumber }

    let by: [ColumnName]
    let keep: StoredRow
    let newestBy: ColumnName?
    let newestFirst: Bool
    let repeats: Repeats
    let warn: Bool
    /// Memory limit for rows and keys, in bytes. Open to tests, which cannot fill a mebibyte for every property.
    package var memoryLimit: Int

    public static let keepsRows = true
    static let dropName = "duplicates"

    /// Whether duplicates have to be kept to the end.
    var keepsAll: Bool { warn || repeats == .renumber }

    public init(reading options: inout OptionReader) {
        by = options.read(
            "by",
            help: "Columns that make the key: rows that are alike in all of them repeat each other."
        )
        keep = options.read("keep", default: .first, help: "Which row of a key stays as it is.")
        newestBy = options.optional(
            "newest_by",
            help: "Column of dates or numbers, of which the largest is the newest."
        )
        newestFirst = options.read("newest_first", default: false, help: "Whether to put the newest rows first.")
        repeats = options.read(
            "repeats",
            default: .drop,
            help: "Whether to drop the other rows, or to give each the next free whole number as its key."
        )
        warn = options.read("warn", default: false, help: "Whether to warn of each dropped row, and tell the kept one.")
        memoryLimit = options.readMemoryLimit(help: "Rows to hold before they go to disk.")
        if by.isEmpty { options.refuse("by", "'by' names no column") }
        options.refuseRepeats(of: by, in: "by")
        refuseContradictions(&options)
    }

    private func refuseContradictions(_ options: inout OptionReader) {
        if keep == .newest, newestBy == nil {
            options.refuse("keep", "'keep' is newest, and no column says which row is newer", hint: "add 'newest_by'")
        }
        if newestFirst, newestBy == nil {
            options.refuse("newest_first", "'newest_first' needs 'newest_by', the column to sort by")
        }
        if newestBy != nil, keep != .newest, !newestFirst {
            options.refuse("newest_by", "'newest_by' has no meaning without 'keep: newest' or 'newest_first: true'")
        }
        guard repeats == .renumber else { return }
        if by.count > 1 {
            let message = "'repeats: renumber' takes one column of whole numbers, and 'by' names \(by.count)"
            options.refuse("repeats", message)
        }
        if newestFirst {
            let hint = "put sort_rows behind"
            options.refuse("newest_first", "'newest_first' does not go with 'repeats: renumber'", hint: hint)
        }
        if options.isWritten("warn") {
            options.refuse("warn", "'warn' is about dropped rows; a new number is always a warning")
        }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        if repeats == .renumber {
            for column in by { try input.requiring(column, .integer, hint: "only whole numbers can be given anew") }
        } else {
            try input.requireKeys(by)
        }
        if let newestBy {
            let hint = "put normalise_dates before this stage"
            try input.requiring(newestBy, .day, .instant, .integer, .decimal, hint: hint)
        }
        return input
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        wanted.union(ColumnSet(by)).union(ColumnSet(newestBy))
    }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> DistinctRows {
        let numbers = repeats == .renumber
        return DistinctRows(batch, by: by, keep: keep, newestBy: newestBy, keepsAll: keepsAll, wantsLargest: numbers)
    }

    public var keys: (any PartialKeys.Type)? { KeyPartition.self }

    public func merge(
        _ later: DistinctRows,
        into earlier: inout DistinctRows,
        scratch: any Scratch
    ) throws(DaybookError) { try earlier.merge(later, limit: scratch.share(of: memoryLimit), scratch) }

    public func finish(_ partial: consuming DistinctRows?, _ output: FoldOutput) throws(DaybookError) {
        guard var rows = partial.take() else { return }
        try rows.chooseRows(keep, output.scratch)
        output.drop(rows.droppedRows, as: DeduplicateRows.dropName)
        var emission = DistinctEmission(self, rows)
        guard let newestBy, newestFirst else { return try emission.emitAll(output.emit) }
        let sort = SortRows(by: [SortKey(column: newestBy, order: .descending)], memoryLimit: memoryLimit)
        var sorted: SortedRuns?
        try emission.emitAll { (rows) throws(DaybookError) in
            // Rows with findings are emitted at once; the others are sorted first.
            guard rows.findings.isEmpty else { return try output.emit(rows) }
            var nothing = Findings()
            let run = try sort.partial(of: try rows.rows(), reporting: &nothing)
            guard var earlier = sorted.take() else {
                sorted = run
                return
            }
            try sort.merge(run, into: &earlier, scratch: output.scratch)
            sorted = earlier
        }
        try sort.finish(sorted, output)
    }

    public func separates(_ column: ColumnName) -> Bool { by.contains(column) }

    public static let description = StageDescription(
        name: "deduplicate_rows",
        summary: "Keep one row for each key, and count or renumber the others.",
        details: """
            Rows repeat each other when they are alike in every column of 'by', text byte by byte. A row without a value in one of \
            them equals no other and stays. The rows that stay keep their order; dropped ones are counted as 'duplicates'. With \
            'repeats: renumber' none is dropped: each repeated number becomes the next above the largest, with a warning. Of \
            equally new rows the later one is the newest. Rows and keys beyond the memory go to disk.
            """,
        examples: [
            StageExample(
                "the first row of a key stays, in its place, and rows without a key equal no other",
                options: "by: [location, units]",
                input: """
                    location:text,units:text,n:integer
                    Seoul,metric,1
                    Busan,metric,2
                    Seoul,metric,3
                    Seoul,imperial,4
                    ,metric,5
                    ,metric,6
                    """,
                output: """
                    location:text,units:text,n:integer
                    Seoul,metric,1
                    Busan,metric,2
                    Seoul,imperial,4
                    ,metric,5
                    ,metric,6
                    """
            ),
            StageExample(
                "the newest location of the Weather app stays and comes first, and each dropped one is told",
                options: """
                    by: location
                    keep: newest
                    newest_by: savedDate
                    newest_first: true
                    warn: true
                    """,
                input: """
                    location:text,savedDate:day
                    Seoul,2026-11-01
                    Busan,2026-11-05
                    Seoul,2026-11-20
                    Jeju,
                    Jeju,2026-10-01
                    """,
                output: """
                    location:text,savedDate:day
                    Seoul,2026-11-20
                    Busan,2026-11-05
                    Jeju,2026-10-01
                    """,
                findings: [
                    "1 location duplicate-row", "1 - dropped as duplicates", "4 location duplicate-row",
                    "4 - dropped as duplicates",
                ]
            ),
            StageExample(
                "two todos with one id both survive, the second with the next free number",
                options: "by: id\nrepeats: renumber\nmemory_mebibytes: 16",
                input: """
                    id:integer,detail:text
                    3,milk
                    1,walk
                    3,letter
                    ,nothing
                    1,call
                    """,
                output: """
                    id:integer,detail:text
                    3,milk
                    1,walk
                    4,letter
                    ,nothing
                    5,call
                    """,
                findings: ["3 id key-renumbered", "5 id key-renumbered"]
            ),
            StageExample(
                "there may be no number above the largest",
                options: "by: id\nkeep: last\nrepeats: renumber",
                input: "id:integer\n9223372036854775807\n9223372036854775807",
                output: "id:integer\n9223372036854775807",
                findings: ["1 id no-free-number"]
            ),
            StageExample(
                "only whole numbers can be given anew",
                options: "by: id\nrepeats: renumber",
                input: "id:text\na",
                refused: "column 'id' holds text, not integer"
            ),
        ]
    )
}

extension Finding.Kind {
    static let duplicateRow = Finding.Kind(
        "duplicate-row",
        "{value} stands in another row too, which is kept",
        severity: .warning
    )
    static let keyRenumbered = Finding.Kind(
        "key-renumbered",
        "{value} is the number of another row too, and became a new one",
        severity: .warning
    )
    static let noFreeNumber = Finding.Kind(
        "no-free-number",
        "{value} is the number of another row too, and there is none above the largest"
    )
}

extension StoredRow: OptionChoice {}

/// Emits the rows of `deduplicate_rows`, with their findings.
struct DistinctEmission {
    private static let rowsInBatch = 4_096
    private static let bytesInBatch = 1 << 20

    let stage: DeduplicateRows
    let rows: DistinctRows
    /// The number for the next repeated key, or nil if none is left.
    private var nextNumber: Int64?
    /// The number of duplicates so far.
    private var beatenBefore = 0

    init(_ stage: DeduplicateRows, _ rows: DistinctRows) {
        self.stage = stage
        self.rows = rows
        nextNumber = rows.largest == .max ? nil : rows.largest + 1
    }

    mutating func emitAll(_ emit: (LateFindings) throws(DaybookError) -> Void) throws(DaybookError) {
        guard stage.keepsAll else { return try emitKept(emit) }
        for index in 0..<rows.batchCount {
            let judged = try judge(index)
            switch stage.repeats {
            case .renumber: try emit(renumbered(judged))
            case .drop:
                if let warnings = warnings(judged) { try emit(warnings) }
                let kept = judged.rows.keeping(rows: judged.isBeaten.indices.filter { !judged.isBeaten[$0] })
                if kept.count > 0 { try emit(LateFindings(Findings()) { kept }) }
            }
        }
    }

    /// Emits kept rows without findings. Batches are built on demand, several small ones in one.
    private func emitKept(_ emit: (LateFindings) throws(DaybookError) -> Void) throws(DaybookError) {
        for stretch in rows.stretches(rows: Self.rowsInBatch, bytes: Self.bytesInBatch) {
            try emit(LateFindings(Findings()) { [rows] () throws(DaybookError) in try rows.kept(stretch) })
        }
    }

    /// Rows, the duplicates among them and, if reported, the place of each duplicate's kept row.
    private struct Judged {
        var rows: Batch
        var isBeaten: [Bool]
        var winners: [RowPlace]

        var beaten: [Int] { isBeaten.indices.filter { isBeaten[$0] } }
    }

    private mutating func judge(_ index: Int) throws(DaybookError) -> Judged {
        let (batch, first) = try rows.rows(ofBatch: index)
        let isBeaten = (first..<first + batch.count).map { rows.beaten.contains($0) }
        var judged = Judged(rows: batch, isBeaten: isBeaten, winners: [])
        let count = judged.beaten.count
        let winners: [Int64] = try rows.winners.values(beatenBefore..<beatenBefore + count)
        beatenBefore += count
        let order = winners.indices.sorted { winners[$0] < winners[$1] }
        let places = try rows.places.provenance(of: order.map { Int(winners[$0]) })
        judged.winners = [RowPlace](repeating: RowPlace(nil, in: [:]), count: count)
        for (origin, place) in zip(places, order) { judged.winners[place] = RowPlace(origin, in: rows.sources) }
        return judged
    }

    /// Emits the dropped rows as well, in a batch of their own, so that each is reported with its place.
    private func warnings(_ judged: Judged) -> LateFindings? {
        let beaten = judged.beaten
        guard !beaten.isEmpty else { return nil }
        let dropped = judged.rows.keeping(rows: beaten)
        let places = RowPlace.places(of: dropped)
        var findings = Findings()
        let token = findings.token(.duplicateRow, in: stage.by[0])
        for row in places.indices {
            let place = judged.winners[row]
            var named: [RowOrigin] = []
            let key = places[row].displayKey(beside: place, naming: &named)
            let kept = place.displayText(beside: places[row], rows.sources, naming: &named)
            findings.warn(row, token, saying: "\(key) stands in \(kept) too, and that row is kept", naming: named)
            findings.drop(row, as: DeduplicateRows.dropName)
        }
        return LateFindings(findings) { dropped }
    }

    private mutating func renumbered(_ judged: Judged) -> LateFindings {
        var findings = Findings()
        let token = findings.token(.keyRenumbered, in: stage.by[0])
        let none = findings.token(.noFreeNumber, in: stage.by[0])
        let places = RowPlace.places(of: judged.rows)
        var numbers = judged.rows.integers(in: stage.by[0])
        for (row, winner) in zip(judged.beaten, judged.winners) {
            guard let number = nextNumber else {
                findings.reject(row, none)
                continue
            }
            var named: [RowOrigin] = []
            let kept = winner.displayText(beside: places[row], rows.sources, naming: &named)
            let message = "'\(numbers.elements[row])' is the number of \(kept) too, and became \(number)"
            findings.warn(row, token, saying: message, naming: named)
            numbers.elements[row] = number
            nextNumber = number == .max ? nil : number + 1
        }
        let renumbered = judged.rows.setting(stage.by[0], to: .integers(numbers), from: stage.by[0])
        return LateFindings(findings) { renumbered }
    }
}
