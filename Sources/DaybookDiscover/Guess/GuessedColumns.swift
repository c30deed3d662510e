import DaybookBytes
import DaybookDates

/// The stages and options for the columns of one table.
package struct GuessedColumns {
    /// A column with a declared kind.
    struct Declared {
        var name: String
        var kind: String
        var reason: String
    }

    /// A `normalise_dates`, or one to choose.
    package struct Dates {
        package var column: String
        /// A sentence about its values.
        package var evidence: String
        /// Each format with its reason.
        package var formats: [(text: String, reason: String)]
        /// Further formats from which a person must choose, with the evidence.
        var choice: (evidence: String, formats: [(text: String, reason: String)])?
        var makesInstants: Bool
        var hasTwoDigitYears = false
        /// The unit of a column of numbers.
        var unit: EpochUnit?
    }

    /// Date stages that only a person can choose.
    package struct Choice {
        package var evidence: String
        package var stages: [(dates: Dates, reason: String)]
    }

    private(set) var declared: [Declared] = []
    private var numbers = GuessedNumbers()
    /// Columns of numbers that stay text until a person says how they are written.
    private var undecided: [String] = []
    package private(set) var gaps: [String: Int] = [:]
    /// Text columns with words that may be values, such as `NA` for Namibia, and the count of each.
    private(set) var gapsInTexts: [(column: String, gaps: [String: Int])] = []
    /// Remarks about columns that stay text.
    private(set) var remarks: [String] = []
    package private(set) var dates: [Dates] = []
    private(set) var choices: [Choice] = []
    /// Columns of colours, with their misfits.
    private(set) var colours: [(name: String, evidence: String)] = []

    private let cellsAreText: Bool
    private let namesFiles: Bool
    private static let mostRemarks = 12
    /// How many rows a job may reject without a choice by a person.
    private static let handful = 5

    /// - Parameter namesFiles: whether samples name their file, because there are several.
    package init(_ look: TableInference, cellsAreText: Bool, namesFiles: Bool = false) {
        (self.cellsAreText, self.namesFiles) = (cellsAreText, namesFiles)
        for column in look.columns where column.present > 0 {
            switch column.kind {
            case .text: readText(column, look)
            case .integer, .decimal: readNumbers(column, look)
            case .flag, .day, .instant, .json: break
            }
        }
        if look.schema.fields.count > look.columns.count {
            let (seen, all) = (DisplayText.count(look.columns.count), DisplayText.count(look.schema.fields.count))
            remarks.append("only the first \(seen) of \(all) columns were looked at")
        }
    }

    private mutating func readText(_ column: ColumnInference, _ look: TableInference) {
        let text = column.text
        let values = column.present - text.gapCount
        guard values > 0 else { return keep(gaps: text, of: column) }
        let isWhole = text.integers.fitting == values
        let verdict = look.dateVerdict(of: column)
        if let verdict, !isWhole || (verdict.unread == 0 && (values >= 5 || DateWords.are(in: column.name))) {
            note(gaps: text, of: column)
            return add(verdict, column)
        }
        if let verdict = column.numberVerdict, cellsAreText {
            note(gaps: text, of: column)
            return add(verdict, column, values)
        }
        let kind =
            isWhole ? "integer" : text.areDecimals(values) ? "decimal" : text.flags.fitting == values ? "flag" : nil
        if let kind {
            note(gaps: text, of: column)
            if cellsAreText { declare(column, kind, values) }
            // Digits in JSON strings stay text, and are read as dates from there.
            if kind != "flag" { addEpoch(column) }
            return
        }
        if text.colours.fitting * 5 >= values * 3 {
            let misfit = text.colours.misfit.map { "; \(quoted($0)) is none" } ?? ""
            let share = text.colours.fitting == values ? "all" : DisplayText.count(text.colours.fitting) + " of"
            colours.append((column.name, "\(share) \(DisplayText.count(values, "value")) are hex colours\(misfit)"))
        }
        guard cellsAreText else { return }
        if let nulls = text.gaps[TextInference.databaseNull] {
            gaps[TextInference.databaseNull, default: 0] += nulls
        }
        keep(gaps: text, of: column)
        remark(column, values)
    }

    private mutating func keep(gaps text: TextInference, of column: ColumnInference) {
        let words = text.gaps.filter { $0.key != TextInference.databaseNull }
        if !words.isEmpty { gapsInTexts.append((column.name, words)) }
    }

    /// The text columns with a gap word, and the number of its cells.
    func texts(with word: String) -> (columns: [String], cells: Int) {
        let found = gapsInTexts.filter { $0.gaps[word] != nil }
        return (found.map(\.column), found.reduce(0) { $0 + ($1.gaps[word] ?? 0) })
    }

    private mutating func readNumbers(_ column: ColumnInference, _ look: TableInference) {
        if let verdict = look.dateVerdict(of: column), verdict.unread == 0, verdict.count == column.present,
            column.present >= 5 || DateWords.are(in: column.name)
        {
            return add(verdict, column)
        }
        addEpoch(column)
    }

    private mutating func note(gaps text: TextInference, of column: ColumnInference) {
        guard cellsAreText, text.gapCount > 0 else { return }
        gaps.merge(text.gaps, uniquingKeysWith: +)
    }

    private mutating func declare(_ column: ColumnInference, _ kind: String, _ values: Int) {
        var reason = "all \(DisplayText.count(values, "value"))"
        if values == 1 { reason = "the only value" }
        if kind != "flag" {
            let (numbers, isWhole) = (column.numbers, kind == "integer")
            let least = isWhole ? String(numbers.wholes.least) : GuessedColumns.displayText(numbers.least)
            let most = isWhole ? String(numbers.wholes.most) : GuessedColumns.displayText(numbers.most)
            reason += least == most ? ": \(least)" : ": \(least) to \(most)"
        }
        if kind == "decimal", let respelt = column.text.respelt, let number = Double(respelt.text) {
            reason += "; \(respelt.text) becomes \(GuessedColumns.displayText(number))"
        }
        if column.missing > 0 { reason += "; \(DisplayText.count(column.missing)) missing" }
        declared.append(Declared(name: column.name, kind: kind, reason: reason))
    }

    /// The number format as an option of the import.
    var numberFormat: SuggestedOption? {
        numbers.option(besides: declared.filter { $0.kind == "decimal" }.map(\.name) + undecided)
    }

    /// The columns with a number format.
    var formattedNumbers: [Declared] { declared.filter { numbers.covers($0.name) } }

    private mutating func add(_ verdict: NumberVerdict, _ column: ColumnInference, _ values: Int) {
        if case .format = verdict {} else { undecided.append(column.name) }
        switch verdict {
        case .format(let format, let told, let isWhole, let isGrouped):
            let reason = "\(told.text)\(told.line.map { " on line \(DisplayText.count($0))" } ?? "")"
            numbers.add(column.name, format, because: reason, hasDecimals: !isWhole, isGrouped: isGrouped)
            let missing = column.missing > 0 ? "; \(DisplayText.count(column.missing)) missing" : ""
            let all = values == 1 ? "the only value" : "all \(DisplayText.count(values, "value"))"
            let kind = isWhole ? "integer" : "decimal"
            declared.append(Declared(name: column.name, kind: kind, reason: "\(all), such as \(reason)\(missing)"))
        case .ambiguous(let sample, let mark):
            let isPoint = mark == .point
            let other = isPoint ? "decimal: \",\", thousands: \".\"" : "thousands: \"\(mark.text)\""
            let decimal = isPoint ? "columns: { \(column.name): decimal }" : "number_format: { decimal: \",\" }"
            remarks.append(
                "'\(column.name)' stays text: in \(quoted(sample)), and in every other value, the mark may group thousands or "
                    + "begin decimals; 'number_format: { \(other) }' says the one, '\(decimal)' the other"
            )
        case .currencies(let currencies, let sample):
            let names = currencies.isEmpty ? "many currencies" : DisplayText.list(currencies.map { "'\($0)'" })
            remarks.append(
                "'\(column.name)' stays text: its amounts are in \(names), as \(quoted(sample)), and a number would not say in "
                    + "which; if these are spellings of one currency, name them in 'number_format: { currency: […] }'"
            )
        case .percent(let sample):
            remarks.append(
                "'\(column.name)' stays text: its numbers have a percent sign, as \(quoted(sample)); "
                    + "'number_format: { percent: divide }' makes hundredths of them, 'percent: keep' leaves the sign out"
            )
        }
    }

    /// Declares a column of days, which needs no stage of its own.
    mutating func declareDays(_ column: String, _ reason: String, among names: [String]) {
        let places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        declared.append(Declared(name: column, kind: "day", reason: reason))
        declared.sort { places[$0.name] ?? 0 < places[$1.name] ?? 0 }
        dates.removeAll { $0.column == column }
    }

    /// Notes why a column that is nearly of another kind stays text.
    private mutating func remark(_ column: ColumnInference, _ values: Int) {
        let text = column.text
        guard remarks.count < GuessedColumns.mostRemarks else { return }
        let stays = "'\(column.name)' stays text"
        if let lossy = text.lossySample(of: values) {
            return remarks.append("\(stays): as a number, \(quoted(lossy)) would not come out as it went in")
        }
        for (form, what) in [
            (text.integers, "whole numbers"), (text.decimals, "numbers"), (text.flags, "true or false"),
        ] {
            guard form.fitting * 10 >= values * 9, let misfit = form.misfit else { continue }
            let most = "\(DisplayText.count(form.fitting)) of \(DisplayText.count(values, "value"))"
            return remarks.append("\(stays): \(most) are \(what), but \(quoted(misfit)) is not")
        }
    }

    // MARK: - Dates

    private mutating func add(_ verdict: DateVerdict, _ column: ColumnInference) {
        var stage = Dates(
            column: column.name,
            evidence: evidence(verdict, column),
            formats: verdict.formats.map {
                ($0.text, "\(DisplayText.count($0.count)), such as \(quoted($0.sample))")
            },
            makesInstants: verdict.isTimed,
            hasTwoDigitYears: verdict.hasTwoDigitYears
        )
        let choices = verdict.choices.map { ($0.format, $0.order) }
        guard !choices.isEmpty else {
            guard verdict.unread > GuessedColumns.handful else { return dates.append(stage) }
            // Only a person may want a stage that rejects many rows.
            let evidence = "\(stage.evidence), and their rows would be rejected"
            return self.choices.append(Choice(evidence: evidence, stages: [(stage, "")]))
        }
        let sample = verdict.doubtful.map(quoted) ?? ""
        let doubtful = DisplayText.count(verdict.doubtfulCount, "date")
        if verdict.doubtfulCount + verdict.unread <= GuessedColumns.handful, verdict.doubtfulCount * 10 <= verdict.count
        {
            // The other dates are worth reading now; doubtful ones are rejected until a person chooses.
            let evidence = "choose one for \(doubtful) such as \(sample), which nothing in the file decides"
            stage.choice = (evidence, choices)
            return dates.append(stage)
        }
        let evidence =
            "the \(doubtful) in '\(column.name)', such as \(sample), can be read in \(choices.count) ways, "
            + "and nothing in the file decides"
        let stages = choices.map { format, order in
            var chosen = stage
            chosen.formats.append((format, ""))
            return (chosen, order)
        }
        self.choices.append(Choice(evidence: evidence, stages: stages))
    }

    private func evidence(_ verdict: DateVerdict, _ column: ColumnInference) -> String {
        let read = verdict.count - verdict.unread
        let ways = verdict.formats.count + (verdict.choices.isEmpty ? 0 : 1)
        var text = "'\(column.name)' holds \(DisplayText.count(read, "date"))"
        text +=
            verdict.first == verdict.last
            ? ", \(read > 1 ? "all " : "")\(verdict.first)" : " from \(verdict.first) to \(verdict.last)"
        if ways > 1 { text += ", written in \(ways) ways" }
        if let misfit = verdict.misfit {
            let others = DisplayText.count(verdict.unread, "value is no date", "values are no dates")
            text += "; \(others), such as \(quoted(misfit))"
        }
        if let odd = column.dates.oddYears { text += "; \(odd)" }
        if let decider = verdict.decider { text += "; \(quoted(decider)) tells the day from the month" }
        return text
    }

    private mutating func addEpoch(_ column: ColumnInference) {
        guard let evidence = EpochEvidence(column.numbers, column: column.name) else {
            if let days = SpreadsheetDays(column.numbers, column: column.name) {
                remarks.append("'\(column.name)' \(days.displayText)")
            }
            return
        }
        func stage(_ unit: EpochUnit, _ reason: String) -> Dates {
            let (told, formats) = ("'\(column.name)': \(evidence.displayText)", [(unit.rawValue, reason)])
            return Dates(column: column.name, evidence: told, formats: formats, makesInstants: true, unit: unit)
        }
        if evidence.isConvincing {
            let reason = "told by \(DisplayText.list(evidence.signs))"
            return dates.append(stage(evidence.readings[0].unit, reason))
        }
        let isOne = evidence.readings.count == 1 || evidence.isClear
        let readings = isOne ? evidence.readings.prefix(1) : evidence.readings[...]
        let (ways, rest) = isOne ? ("", ". Nothing else tells that they are") : (" in two ways", "")
        let words = "'\(column.name)' holds numbers that may be dates\(ways): \(evidence.displayText)\(rest)"
        choices.append(Choice(evidence: words, stages: readings.map { (stage($0.unit, ""), $0.days) }))
    }

    // MARK: - Words

    /// A sample with its line in brackets, and its file if there are several.
    private func quoted(_ sample: InferenceSample) -> String {
        guard namesFiles, let line = sample.line, let file = sample.source else { return sample.quoted }
        return "'\(sample.text)' (\(FilePath.name(of: file)) line \(DisplayText.count(line)))"
    }

    private static func displayText(_ number: Double) -> String {
        Int(exactly: number).map { String($0) } ?? "\(number)"
    }
}

/// The number formats of a table: one for all columns if possible, otherwise one for each group of columns.
package struct GuessedNumbers {
    private struct Entry {
        var format: NumberFormat
        var columns: [String]
        var reason: String
        /// Whether a column has decimals, and whether one has groups; without them the mark may change.
        var hasDecimals: Bool
        var hasGroups = false
    }

    private var entries: [Entry] = []

    /// Whether a column has a format of its own.
    func covers(_ column: String) -> Bool { entries.contains { $0.columns.contains(column) } }

    mutating func add(
        _ column: String,
        _ format: NumberFormat,
        because reason: String,
        hasDecimals: Bool,
        isGrouped: Bool
    ) {
        var new = Entry(format: format, columns: [column], reason: reason, hasDecimals: hasDecimals)
        new.hasGroups = isGrouped
        for index in entries.indices {
            guard let both = GuessedNumbers.joined(entries[index], new) else { continue }
            entries[index] = both
            return
        }
        entries.append(new)
    }

    /// One entry for the columns of two, if one format means the same for both.
    private static func joined(_ first: Entry, _ second: Entry) -> Entry? {
        if first.hasDecimals, second.hasDecimals, first.format.decimal != second.format.decimal { return nil }
        if first.hasGroups, second.hasGroups, first.format.thousands != second.format.thousands { return nil }
        if first.hasGroups, second.hasGroups, first.format.groups != second.format.groups { return nil }
        var both = first
        if second.hasDecimals { both.format.decimal = second.format.decimal }
        if second.hasGroups {
            (both.format.thousands, both.format.groups) = (second.format.thousands, second.format.groups)
        }
        both.hasDecimals = first.hasDecimals || second.hasDecimals
        both.hasGroups = first.hasGroups || second.hasGroups
        if !both.hasDecimals { both.format.decimal = both.format.thousands == .point ? .comma : .point }
        guard both.format.decimal != both.format.thousands else { return nil }
        // An amount in euros is a finding in a column of dollars.
        let currencies = [first, second].map(\.format.currency).filter { !$0.isEmpty }
        guard Set(currencies).count <= 1 else { return nil }
        both.format.currency = currencies.first ?? []
        both.columns += second.columns
        // A sample with both marks tells more.
        if second.hasDecimals && second.hasGroups, !(first.hasDecimals && first.hasGroups) {
            both.reason = second.reason
        }
        return both
    }

    /// The option of an import.
    ///
    /// - Parameter others: its columns that are decimals, or that a person may declare as such.
    func option(besides others: [String]) -> SuggestedOption? {
        guard let first = entries.first else { return nil }
        // A format for people would change decimals that a machine wrote.
        let isForAll = entries.count == 1 && others.allSatisfy(first.columns.contains)
        let maps = entries.map { entry -> SuggestedValue in
            let format = entry.format
            return [
                "decimal": .text(format.decimal.text), "thousands": format.thousands.map { .text($0.text) },
                "groups": format.groups == .three ? nil : .plain(format.groups.rawValue),
                "currency": format.currency.isEmpty ? nil : .texts(format.currency),
                "columns": isForAll ? nil : .texts(entry.columns),
            ]
        }
        let value = maps.count == 1 ? maps[0] : .list(maps)
        return SuggestedOption("number_format", value, because: DisplayText.list(entries.map(\.reason)))
    }
}
