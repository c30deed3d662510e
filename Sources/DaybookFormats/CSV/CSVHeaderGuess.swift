/// Whether the first record of a delimited text names the columns.
package struct CSVHeaderGuess {
    enum Verdict {
        case present, absent
        /// All cells are words, those of the first record too; or years head columns of other numbers.
        case likely
    }

    let verdict: Verdict
    package let reason: String
    package let width: Int
    /// Whether a first record with values may name the columns all the same: its cells differ, and the first is no value.
    private(set) var isDoubtful = false

    package init(_ records: [[CSVCellSample]]) {
        let first = records.first ?? []
        let rest = records.dropFirst()
        width = first.count
        let periods = CSVHeaderGuess.periods(in: first, above: rest)
        let repeated = first.indices.first { index in
            !first[index].text.isEmpty && rest.contains { $0[index].text == first[index].text }
        }
        if let index = first.indices.first(where: { first[$0].isValue && !periods.contains($0) }) {
            verdict = .absent
            reason = "the first row holds '\(first[index].text)', which is a value and no name"
            isDoubtful =
                width > 1 && !rest.isEmpty && !first[0].isValue && repeated == nil
                && CSVHeaderGuess.areDistinct(first)
        } else if let index = periods.first {
            verdict = .likely
            reason = "'\(first[index].text)' stands above other numbers, so it is likely a name and not certainly"
        } else if first.contains(where: { $0.text.isEmpty && !$0.isQuoted }), width == 1 {
            verdict = .present
            reason = "the first row is empty"
        } else if first.indices.contains(where: { index in rest.contains { $0[index].isValue } }) {
            verdict = .present
            reason = "the first row has words where the others have numbers or dates"
        } else if rest.count > 2,
            first.indices.contains(where: { index in
                !first[index].hasDigit && first[index].hasLetter && rest.allSatisfy { $0[index].hasDigit }
            })
        {
            verdict = .present
            reason = "the first row has words where the others have digits"
        } else if let index = repeated {
            verdict = .absent
            reason = "'\(first[index].text)' in the first row stands further down too"
        } else {
            verdict = .likely
            reason = "all cells are words, so this is likely and not certain"
        }
    }

    /// A header of several rows, each with words where rows have values, or the first with years.
    init(several rows: [[CSVCellSample]], width: Int) {
        verdict = .present
        let names = rows.joined().contains(where: \.isPeriod) ? "words or years" : "words"
        reason = "the first \(rows.count) rows have \(names) where the others have numbers or dates"
        self.width = width
    }

    /// The columns that are called by a year or a day: other numbers stand in all of their rows.
    private static func periods(in first: [CSVCellSample], above rest: ArraySlice<[CSVCellSample]>) -> [Int] {
        guard areDistinct(first) else { return [] }
        return first.indices.filter { index in
            let cells = rest.map { $0[index] }.filter { $0.isFilled && !ColumnLook.gaps.contains($0.text) }
            return first[index].isPeriod && !cells.isEmpty && cells.allSatisfy { $0.isValue && !$0.isPeriod }
        }
    }

    private static func areDistinct(_ cells: [CSVCellSample]) -> Bool {
        let filled = cells.filter(\.isFilled)
        return Set(filled.map(\.text)).count == filled.count
    }

    /// What to choose where the first record has values and may name the columns.
    var otherwise: [SuggestedChoice] {
        isDoubtful ? [SuggestedChoice(.plain("true"), because: "if the first row names the columns")] : []
    }

    /// Names for columns that have none.
    var madeNames: SuggestedValue { .list((0..<width).map { .text("column_\($0 + 1)") }) }
}

/// The rows above the header of a table that have as many cells as its rows, nearly all of them empty.
///
/// Spreadsheets pad every row to the width of the widest, so a title, the day of an export and the blank rows between them
/// look like rows of the table. The header is the first row that is filled like those below it.
struct CSVTitleRows {
    /// How many rows stand above the header.
    private(set) var count = 0

    private let rows: [[CSVCellSample]?]
    private let width: Int
    /// How many cells of each row hold anything; nil for rows that are none of the table.
    private let filled: [Int?]

    /// - Parameters:
    ///   - rows: the first rows, nil where their quotes are out of place.
    ///   - limit: how many rows may stand above a header.
    init(_ rows: [[CSVCellSample]?], width: Int, limit: Int) {
        self.rows = rows
        self.width = width
        filled = rows.map { row in row.flatMap { $0.count == width ? $0.count(where: \.isFilled) : nil } }
        let full = filled.indices.prefix(limit + 1).first { index in
            filled[index].map { $0 * 2 > usual(below: index) } ?? false
        }
        if let full, full > 0 { count = titles(above: full) }
    }

    /// How many cells are filled in a usual row below `index`.
    private func usual(below index: Int) -> Int {
        let counts = filled[(index + 1)...].compactMap { $0 }.filter { $0 > 0 }.sorted()
        return counts.isEmpty ? 0 : counts[counts.count / 2]
    }

    /// How many of the sparse rows above `full` are titles: all, unless one of them is a header with gaps or a row.
    private func titles(above full: Int) -> Int {
        guard let last = (0..<full).last(where: { filled[$0] ?? 0 > 0 }), let above = rows[last] else { return full }
        let isAlone = filled[last] == 1 && width > 2
        switch CSVHeaderGuess(rows[full...].compactMap { $0 }.filter { $0.count == width }).verdict {
        case .present: return full
        case .likely: return isAlone || last < full - 1 ? full : 0
        case .absent:
            // What is filled like the others is a row itself, so its names stand above it, or nowhere.
            guard isAlone else { return last }
            return above.contains(where: \.isValue) ? 0 : full
        }
    }
}
