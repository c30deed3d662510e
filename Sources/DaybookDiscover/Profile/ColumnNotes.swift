/// What is odd about a column, or worth knowing, with the place of an example.
enum ColumnNotes {
    static func notes(of look: ColumnInference, _ verdict: DateVerdict?) -> [String] {
        var notes: [String] = []
        if let verdict {
            if let misfit = verdict.misfit {
                notes.append(
                    "\(Spoken.count(verdict.unread, "value is no date", "values are no dates")), such as \(misfit.quoted)"
                )
            }
            if !verdict.choices.isEmpty, let doubtful = verdict.doubtful {
                let orders = Spoken.list(verdict.choices.map { "\($0.order) (\($0.format))" })
                notes.append(
                    "nothing tells how \(Spoken.count(verdict.doubtfulCount, "date")) such as \(doubtful.quoted) are meant: "
                        + "with \(orders)"
                )
            }
        } else {
            notes += almost(look)
            if let evidence = EpochEvidence(look.numbers, column: look.name), evidence.isClear {
                notes.append("looks like dates: \(evidence.spoken)")
            } else if let days = SpreadsheetDays(look.numbers, column: look.name) {
                notes.append(days.spoken)
            }
        }
        if let odd = look.dates.oddYears, verdict != nil || look.kind == .day { notes.append(odd) }
        if look.dates.impossible > 0, verdict != nil, let sample = look.dates.impossibleSample {
            notes.append("\(sample.quoted) names a day that does not exist")
        }
        if look.text.gapCount > 0, let gap = look.text.gap {
            let words = look.text.gaps.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "'\($0.key)' \(Spoken.count($0.value, "time"))" }
            notes.append("\(Spoken.list(words)), which often means no value\(gap.place)")
        }
        return notes
    }

    /// That a value looks like another, where all values are known.
    static func twins(_ values: FrequentValues) -> [String] {
        guard values.isExact else { return [] }
        let texts = values.sorted.filter(\.isWhole).map(values.text)
        let pairs = LookAlikes.pairs(among: texts)
        guard let first = pairs.first else { return [] }
        let rest = pairs.count > 1 ? "; so it is with \(Spoken.count(pairs.count - 1, "more value"))" : ""
        return ["'\(texts[first.place])' with \(first.oddity) looks like '\(first.twin)' and is another value\(rest)"]
    }

    /// That nearly all values are of one kind, and one that is not.
    private static func almost(_ look: ColumnInference) -> [String] {
        let text = look.text
        let values = look.present - text.gapCount
        guard look.kind == .text, values > 0, text.integers.fitting < values else { return [] }
        switch look.numberVerdict {
        case .format(let format, let told, _, _): return ["numbers written as \(told.quoted): '\(format.option)'"]
        case .ambiguous(let sample, _):
            return ["numbers; the mark in \(sample.quoted), and in every other, may group thousands or begin decimals"]
        case .currencies(_, let sample):
            return ["amounts in several currencies, or several spellings of one, as \(sample.quoted)"]
        case .percent(let sample): return ["numbers with a percent sign, as \(sample.quoted)"]
        case nil: break
        }
        if let lossy = text.lossySample(of: values) {
            return ["as a number, \(lossy.quoted) would not come out as it went in"]
        }
        let forms = [
            (text.integers, "whole numbers"), (text.decimals, "numbers"), (text.flags, "true or false"),
            (text.colours, "hex colours"),
        ]
        for (form, what) in forms where form.fitting < values && form.fitting * 10 >= values * 9 {
            guard let misfit = form.misfit else { continue }
            return ["\(Spoken.count(form.fitting)) are \(what); \(misfit.quoted) is not"]
        }
        return []
    }
}
