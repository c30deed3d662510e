import DaybookTables

/// Sorts all rows by one or several columns.
///
/// The sort is stable: rows with equal keys stay in input order. Text sorts by its bytes, which for UTF-8 is the order
/// of code points: digits, then A to Z, then a to z, then 가 to 힣; the order of no language applies. Numbers sort as
/// numbers, −0 beside 0, and NaN behind every other number in either order; `false` sorts before `true`. Missing values
/// go last in either order, unless the key says `missing: first`.
///
/// Rows stay in memory up to a limit. Beyond it sorted runs go to scratch files and are merged at the end.
public struct SortRows: FoldStage {
    let by: [SortKey]
    /// Memory limit for rows, in bytes. Open to tests, which cannot fill a mebibyte for every property.
    package var memoryLimit: Int
    /// Approximate bytes of rows to merge at a time; open to tests for the same reason.
    package var rangeBytes = 1 << 20

    public static let keepsRows = true
    /// The most runs on disk in one merge, which bounds the number of concurrent readers.
    private static let fanIn = 32

    public init(reading options: inout OptionReader) {
        by = options.read("by", help: "Columns to sort by, the first one first: names, or maps with order and missing.")
        memoryLimit = options.readMemoryLimit(help: "Rows to hold before they go to disk.")
        if by.isEmpty { options.refuse("by", "'by' names no column") }
        options.refuseRepeats(of: by.map(\.column), in: "by")
    }

    /// A sort of another stage's rows.
    init(by: [SortKey], memoryLimit: Int) { (self.by, self.memoryLimit) = (by, memoryLimit) }

    public func separates(_ column: ColumnName) -> Bool { true }

    public static let description = StageDescription(
        name: "sort_rows",
        summary: "Sort all rows by one or several columns.",
        details: """
            Rows that are alike in every key stay in the order of the input. Text sorts by code points: digits, then A to Z, then \
            a to z, then 가 to 힣. Rows without a value go last in either order, unless the key says 'missing: first'. Rows beyond \
            the memory go to disk.
            """,
        examples: [
            StageExample(
                "rows that are alike in every key keep their order",
                options: "by: emotion",
                input: """
                    emotion:text,note:text
                    행복해,first
                    사랑해,second
                    행복해,third
                    ,fourth
                    사랑해,fifth
                    """,
                output: """
                    emotion:text,note:text
                    사랑해,second
                    사랑해,fifth
                    행복해,first
                    행복해,third
                    ,fourth
                    """
            ),
            StageExample(
                "each key has its own order, and says where missing values go",
                options: """
                    by:
                      - { column: date, order: descending, missing: first }
                      - count
                    memory_mebibytes: 64
                    """,
                input: """
                    date:day,count:integer
                    2026-03-01,12
                    2026-03-02,-5
                    ,7
                    2026-03-01,-3
                    2026-03-01,
                    """,
                output: """
                    date:day,count:integer
                    ,7
                    2026-03-02,-5
                    2026-03-01,-3
                    2026-03-01,12
                    2026-03-01,
                    """
            ),
            StageExample(
                "not a number stands behind all numbers, in either order",
                options: "by: { column: share, order: descending }",
                input: """
                    share:decimal
                    0.5
                    nan

                    -inf
                    300
                    """,
                output: """
                    share:decimal
                    300
                    0.5
                    -inf
                    nan

                    """
            ),
            StageExample(
                "text is not guessed to be a number, and a warning tells so",
                options: "by: [id]",
                input: "id:text\n9\n10",
                output: "id:text\n10\n9",
                findings: ["1 id sorted-as-text"]
            ),
            StageExample(
                "a column that is not there is refused",
                options: "by: dtae",
                input: "date:day",
                refused: "no column named 'dtae'"
            ),
        ]
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requireOrder(by.map(\.column))
        return input
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { wanted.union(ColumnSet(by.map(\.column))) }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> SortedRuns {
        SortedRuns(batch, by: by)
    }

    public func merge(_ later: SortedRuns, into earlier: inout SortedRuns, scratch: any Scratch) throws(DaybookError) {
        earlier.append(later)
        guard earlier.footprint > scratch.share(of: memoryLimit) else { return }
        try spill(&earlier, scratch)
        try joinFiles(&earlier, scratch)
    }

    public func finish(_ partial: SortedRuns?, _ output: FoldOutput) throws(DaybookError) {
        guard let partial else { return }
        let form = PackedForm(partial.schema, by: by)
        for (number, range) in RunRange.ranges(of: partial.runs, size: rangeBytes, threads: output.scratch.threads)
            .enumerated()
        {
            if number == 0 {
                let packed = try range.rows()
                let rows = form.batch(packed)
                var findings = Findings()
                TextOrder.warn(of: rows, packed, by: by, &findings)
                try output.emit(rows, findings)
                continue
            }
            try output.emit(LateFindings(Findings()) { () throws(DaybookError) in form.batch(try range.rows()) })
        }
    }

    /// Merges all rows into one run on disk, indexed by key.
    func run(of partial: SortedRuns, _ scratch: any Scratch) throws(DaybookError) -> PackedRun {
        try merged(partial.runs, level: 0, markedEvery: RunMarks.stepForKeys, scratch)
    }

    /// Merges neighbouring runs in memory into one on disk. Only neighbours: the order of runs is the order of the
    /// input.
    private func spill(_ partial: inout SortedRuns, _ scratch: any Scratch) throws(DaybookError) {
        var result: [PackedRun] = []
        var rest = partial.runs[...]
        while let run = rest.first {
            let neighbours = rest.prefix(while: \.isInMemory)
            result.append(neighbours.isEmpty ? run : try merged(Array(neighbours), level: 0, scratch))
            rest = rest.dropFirst(max(1, neighbours.count))
        }
        partial.replaceRuns(result)
    }

    /// Merges the last runs on disk once there are many of one level, so that a row is rewritten only a few times.
    private func joinFiles(_ partial: inout SortedRuns, _ scratch: any Scratch) throws(DaybookError) {
        while let level = partial.runs.last?.level {
            let last = partial.runs.reversed().prefix { $0.level == level }.count
            guard last >= Self.fanIn else { return }
            let joined = try merged(partial.runs.suffix(last), level: level + 1, scratch)
            partial.replaceRuns(partial.runs.dropLast(last) + [joined])
        }
    }

    /// Merges runs into one on disk, as many ranges concurrently as there are threads.
    private func merged(
        _ runs: [PackedRun],
        level: Int,
        markedEvery step: Int = RunMarks.stepOnDisk,
        _ scratch: any Scratch
    ) throws(DaybookError) -> PackedRun {
        let file = try scratch.makeFile()
        let ranges = RunRange.ranges(of: runs, size: rangeBytes, threads: scratch.threads)
        var marks = RunMarks()
        for wave in ranges.indices.pieces(of: scratch.threads) {
            let parts = try scratch.map(wave.count) { (index) throws(DaybookError) in
                try ranges[wave.lowerBound + index].rows().ordered(markedEvery: step)
            }
            for part in parts {
                marks.append(part.marks, shiftedBy: file.length)
                try file.append(part.bytes)
            }
        }
        return PackedRun(.file(file, level: level), length: file.length, marks, raise: runs[0].raise.map { _ in 0 })
    }
}

extension Schema {
    /// Refuses columns by which rows cannot be sorted.
    func requireOrder(_ columns: [ColumnName]) throws(DaybookError) {
        let hint = "a JSON value may be of any kind, so there is no order to sort by"
        for column in columns { try requiringComparable(column, hint: hint) }
    }
}

/// Detects numbers that are sorted as text.
enum TextOrder {
    /// The limits of rows and bytes examined: as many as the first range of a sort has with any number of threads.
    private static let (most, mostBytes) = (1_000, 64 << 10)

    /// Warns at the first row whose number precedes a smaller one, if all texts of the key are numbers.
    ///
    /// - Parameters:
    ///   - batch: the first rows, in order.
    ///   - packed: the same rows, packed.
    static func warn(of batch: Batch, _ packed: PackedRows, by: [SortKey], _ findings: inout Findings) {
        guard let key = by.first, case .text(let texts) = batch[key.column] else { return }
        var (before, wrong) = (-Double.infinity, (row: Int, value: String, smaller: String)?.none)
        var (last, rows, areNumbers) = ("", 0, true)
        for row in 0..<min(most, packed.count(within: mostBytes)) where areNumbers && !texts.missing.isMissing(row) {
            texts.withCell(row) { cell in
                guard var number = CellReading.decimal(cell) else {
                    areNumbers = false
                    return
                }
                let text = String(decoding: cell, as: UTF8.self)
                if key.order == .descending { number = -number }
                if rows > 0, number < before, wrong == nil { wrong = (row, last, text) }
                (before, last, rows) = (number, text, rows + 1)
            }
        }
        guard areNumbers, let wrong else { return }
        let kind = Finding.Kind("sorted-as-text", "numbers are sorted as text", severity: .warning)
        let message =
            "the texts of '\(key.column)' are numbers (\(DisplayText.count(rows, "row")) looked at), and sorted as text '\(wrong.value)' stands before "
            + "'\(wrong.smaller)'; 'cast_columns: { \(key.column): decimal }' before makes numbers of them"
        findings.warn(wrong.row, findings.token(kind, in: key.column), saying: message)
    }
}

extension OptionReader {
    /// Reads the memory limit of a stage, in bytes; rows beyond it go to disk.
    mutating func readMemoryLimit(help: String) -> Int {
        let mebibytes = read("memory_mebibytes", default: 256, help: help)
        if !(1...1 << 20).contains(mebibytes) {
            refuse("memory_mebibytes", "'memory_mebibytes' has to be from 1 to 1048576")
        }
        return max(1, min(mebibytes, 1 << 20)) << 20
    }
}
