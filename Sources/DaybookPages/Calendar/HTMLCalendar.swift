/// The calendars of one section: facts in words, a grid for each month, and notes on what is outside.
///
/// Every grid is a table with the weekdays as its column heads, so that it reads aloud as it looks.
struct HTMLCalendar {
    /// The limit of entries up to which each has a dot of its own.
    private static let dotLimit: Int64 = 3

    let days: CalendarDays
    let spec: ChartSpec
    private var words: PageWords { spec.words }
    private let months: [CalendarMonth]

    /// Nil when there is nothing to draw.
    init?(_ days: CalendarDays, _ spec: ChartSpec) {
        guard !days.days.isEmpty else { return nil }
        (self.days, self.spec, months) = (days, spec, days.months)
    }

    var markup: HTML {
        let style = hasLabels ? "cals wide" : months.count == 1 ? "cals solo" : "cals"
        return """
            \(facts)<div class="\(style)">
            \(months.map(grid).joined())</div>
            \(notes)
            """
    }

    private var hasLabels: Bool { days.days.values.contains { $0.labels != nil } }

    // MARK: Words

    private var facts: HTML {
        let busy = days.days.filter(\.value.hasEntries)
        var facts: [(String, HTML)] = [(words("Days with entries"), "\(words.grouped(busy.count))")]
        if spec.countsUp {
            let total = busy.values.reduce(0.0) { $0 + Double($1.entries ?? 0) }
            facts.insert((words("Entries"), "\(spec.signs.localised(Figure.displayText(total)))"), at: 0)
        }
        // The earliest of several.
        let fullest = busy.max {
            let (one, two) = ($0.value.entries ?? 0, $1.value.entries ?? 0)
            return one < two || (one == two && $0.key > $1.key)
        }
        // The fullest day is unknown if days are not added up.
        if let fullest, busy.count > 1, repeatedDays == 0 {
            let count = words.grouped(Int(fullest.value.entries ?? 0))
            let day: HTML = "\(CalendarDay(number: fullest.key)) <span class=\"soft\">(\(count))</span>"
            facts.append((words("Fullest day"), day))
        }
        return HTMLDrawing.facts(facts)
    }

    /// Days of several rows that do not add up.
    private var repeatedDays: Int { spec.countsUp ? 0 : days.days.values.count { $0.rows > 1 } }

    /// Notes on what is outside the drawing, by number.
    private var notes: HTML {
        let repeated = "Not drawn: {0} of several rows each, which may be no sums and so are not added."
        let earlier = "Only the latest {0} months are drawn; {1} before them are not."
        let notes = [
            (repeatedDays, words(repeated, words.count(repeatedDays, "day"))),
            (days.earlierRows, words(earlier, "\(CalendarDays.monthLimit)", words.count(days.earlierRows, "row"))),
            (days.unreadableRows, words("Not drawn: {0} without a day.", words.count(days.unreadableRows, "row"))),
        ]
        return HTMLDrawing.note(notes.filter { $0.0 > 0 }.map(\.1))
    }

    // MARK: Grid

    private func grid(of month: CalendarMonth) -> HTML {
        let first = spec.firstWeekday.number
        let lead = month.emptyCells(before: spec.firstWeekday)
        let heads = (0..<7).map { index -> HTML in
            let number = (first - 1 + index) % 7 + 1
            let name = words.weekday(number)
            return
                "<th scope=\"col\"\(" class=\"rest\"", if: number >= 6) aria-label=\"\(name.full)\">\(name.short)</th>"
        }
        var rows: HTML = ""
        for week in 0..<(lead + month.length + 6) / 7 {
            let cells = (0..<7).map { cell(week * 7 + $0 - lead + 1, of: month) }
            rows += "<tr>\(cells.joined())</tr>\n"
        }
        let count: HTML = " <span class=\"soft\">\(words.entries(total(of: month)))</span>"
        return """
            <table class="cal" lang="\(words.tag)">
            <caption>\(words.title(of: month))\(count, if: spec.countsUp)</caption>
            <thead><tr>\(heads.joined())</tr></thead>
            <tbody>
            \(rows)</tbody></table>

            """
    }

    private func total(of month: CalendarMonth) -> Int64 {
        (1...month.length).reduce(Int64(0)) { sum, day in
            let entries = days.days[month.day(day).number]?.entries ?? 0
            let (next, overflowed) = sum.addingReportingOverflow(entries)
            return overflowed ? sum : next
        }
    }

    private func cell(_ day: Int, of month: CalendarMonth) -> HTML {
        guard (1...month.length).contains(day) else { return "<td class=\"off\"></td>" }
        let date = month.day(day)
        let own = days.days[date.number]
        let isToday = date == spec.asOf
        let marked = [(date.weekday >= 6, "rest"), (own?.entries ?? 0 > 0, "busy"), (isToday, "today")]
        let styles = marked.filter(\.0).map(\.1)
        let style: HTML = " class=\"\(styles.joined(separator: " "))\""
        let current: HTML = isToday ? " aria-current=\"date\"" : ""
        var content: HTML = "<time datetime=\"\(date)\">\(day)</time>"
        content += marks(own?.entries ?? 0)
        if isToday { content += "<span class=\"now\">\(words("today"))</span>" }
        if let labels = own?.labels {
            content += "<span class=\"list\" lang=\"\(spec.signs.language)\">\(labels)</span>"
        }
        return "<td\(style, if: !styles.isEmpty)\(current)>\(content)</td>"
    }

    /// A dot for each entry, or one dot and the number of many entries; and the number for screen readers.
    private func marks(_ entries: Int64) -> HTML {
        guard entries != 0 else { return "" }
        let dots: HTML =
            (1...HTMLCalendar.dotLimit).contains(entries)
            ? "\(own: String(repeating: "<i></i>", count: Int(entries)))"
            : "<i></i>\(spec.signs.compact(Double(entries)))"
        return "<span class=\"dots\" aria-hidden=\"true\">\(dots)</span>"
            + "<span class=\"heard\"> \(words.entries(entries)) </span>"
    }
}

/// The names of months and weekdays in a drawn calendar.
extension PageWords {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let koreanWeekdays = ["월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"]

    func title(of month: CalendarMonth) -> String {
        isKorean ? "\(month.year)년 \(month.month)월" : "\(PageWords.months[month.month - 1]) \(month.year)"
    }

    /// The name of a weekday, of which Monday is 1 and Sunday 7, in full and short.
    func weekday(_ number: Int) -> (full: String, short: String) {
        let full = (isKorean ? PageWords.koreanWeekdays : PageWords.weekdays)[number - 1]
        return (full, String(full.prefix(isKorean ? 1 : 3)))
    }

    /// `12 entries`, `12개`.
    func entries(_ count: Int64) -> String {
        let figure = grouped(Int(count))
        return isKorean ? "\(figure)개" : "\(figure) \(count == 1 ? "entry" : "entries")"
    }
}

/// The part of the style sheet for calendars.
enum CalendarStyle {
    static let screen = """
        .cals{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18.5rem),1fr));gap:2rem 2.5rem;\
        margin-top:1.75rem}
        .solo,.wide{grid-template-columns:minmax(0,1fr)}
        .solo{max-width:42rem}
        .cal{table-layout:fixed;width:calc(100% + 6px);min-width:0;margin:0 -3px;border-spacing:3px;font-size:.8125rem;line-height:1.3}
        .cal caption{padding:0 3px .5rem;text-align:start;font-size:1rem;font-weight:600}
        .cal caption .soft{margin-inline-start:.5rem;font-size:.875rem;font-weight:400}
        .cal th,.cal td,.cal tr>:first-child,.cal tr>:last-child{position:static;max-width:none;border:0;text-align:center;\
        padding:.3rem .1rem}
        .cal thead tr>*{padding-bottom:.35rem;background:none;color:var(--soft);font-size:.75rem;font-weight:500}
        .cal tbody tr>*{height:3rem;border-radius:9px;background:var(--card);white-space:normal}
        .cal tbody tr>.off{background:none}
        .cal tbody tr>.busy{background:var(--h1)}
        .cal .rest time,.cal thead tr>.rest{color:var(--rest)}
        .cal tbody tr>.today{outline:2px solid var(--accent);outline-offset:-2px}
        .cal time{display:block;font-variant-numeric:tabular-nums}
        .today time{font-weight:700}
        .dots{display:flex;justify-content:center;align-items:center;gap:3px;min-height:.9rem;color:var(--accent);\
        font-size:.75rem;font-weight:600;font-variant-numeric:tabular-nums}
        .dots i{flex:none;width:5px;height:5px;border-radius:50%;background:var(--accent)}
        .now{display:block;color:var(--accent);font-size:.6875rem;font-weight:600;line-height:1.2}
        .heard{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .list{display:block;margin-top:.15rem;color:var(--soft);font-size:.75rem;line-height:1.35;text-align:start;\
        overflow-wrap:anywhere}
        .solo .cal,.wide .cal{width:calc(100% + 10px);margin:0 -5px;border-spacing:5px;font-size:1rem}
        .solo .cal caption,.wide .cal caption{padding-inline:5px;font-size:1.125rem}
        .solo .cal thead tr>*,.wide .cal thead tr>*{font-size:.8125rem}
        .solo .cal tbody tr>*{height:4.75rem;padding-top:.6rem;border-radius:12px}
        .wide .cal tbody tr>*{height:5.75rem;padding:.55rem .6rem;border-radius:12px}
        .wide .cal tr>*{text-align:start}
        .wide .cal thead tr>*{padding-inline:.6rem}
        .wide time,.wide .dots,.wide .now{display:inline-flex;margin-inline-end:.4rem}
        .solo .dots,.wide .dots{min-height:1.1rem;gap:4px;font-size:.8125rem}
        .solo .dots i,.wide .dots i{width:6px;height:6px}
        .solo .now,.wide .now{font-size:.75rem}
        """

    static let narrow = """
        .solo .cal,.wide .cal{width:calc(100% + 4px);margin:0 -2px;border-spacing:2px;font-size:.875rem}
        .solo .cal tbody tr>*,.wide .cal tbody tr>*{height:3.5rem;padding:.35rem .1rem;border-radius:9px}
        .wide .cal tr>*,.wide .cal thead tr>*,.wide .cal tbody tr>*{padding-inline:.25rem}
        .wide .list{font-size:.625rem}
        """

    static let print = """
        .cals{gap:1rem 1.5rem;margin-top:.75rem;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr))}
        .solo,.wide{grid-template-columns:minmax(0,1fr)}
        .cal{break-inside:avoid}
        .cals table th,.cals table td{padding:.2rem .1rem}
        .cals .cal tbody tr>td{height:2.2rem;border:1px solid var(--rule);background:none;border-radius:4px}
        .wide .cal tbody tr>td{height:3.4rem}
        .cals .cal tbody tr>.off{border-color:transparent}
        .dots i{print-color-adjust:exact;-webkit-print-color-adjust:exact}
        """
}
