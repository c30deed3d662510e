/// The options of `normalise_dates` as they were written, and what they come to together.
struct DateOptions {
    var formats: [DateFormatOption]
    var target: DateTarget
    var form: DateFormatOption?
    var timezone: String?
    var locales: [String]?
    var pivotYear: Int?
    var clampsDays = false
    var doubled = ClockChoice.reject
    var skipped = ClockChoice.reject

    /// Compiles the formats. Every option that contradicts another is refused, and then there is no reader.
    func compile(_ options: inout OptionReader) -> (DateColumnReader?, DateTextWriter?) {
        let zone = readZone(&options)
        let names = readNames(&options)
        let pivot = checkedPivotYear(&options)
        var compiled: [DateFormat] = []
        var isComplete = true
        for format in formats {
            switch format.kind {
            case .iso, .isoBasic: compiled += DateFormat.allISO
            case .epoch(let unit): compiled.append(.epoch(unit))
            case .pattern(let pattern):
                do {
                    compiled.append(try DateFormat(pattern, names: names, pivotYear: pivot))
                } catch {
                    options.refuse("formats", error.message, hint: error.hint)
                    isComplete = false
                }
            }
        }
        // A list that could not be read is empty too, and has been complained about.
        if formats.isEmpty, options.problems.isEmpty {
            options.refuse(
                "formats",
                "'formats' names no format",
                hint: "leave it out to read dates such as 2026-11-21"
            )
        }
        let writer = form.flatMap { makeWriter($0, names, zone, &options) }
        guard isComplete, !formats.isEmpty else { return (nil, writer) }
        var reader = DateColumnReader(compiled, to: target, zone: zone, names: names, clampsDays: clampsDays)
        (reader.doubled, reader.skipped) = (doubled, skipped)
        return (reader, writer)
    }

    private func readZone(_ options: inout OptionReader) -> ZoneRules? {
        var name = timezone ?? options.context.timezone
        if name == nil, let reason = reasonForZone { name = options.timezone(because: reason) }
        guard let name else { return nil }
        if let zone = ZoneRules(named: name) { return zone }
        options.refuse("timezone", "'\(name)' is not a time zone", hint: ZoneRules.hint(for: name))
        return nil
    }

    private var reasonForZone: String? {
        if target == .instant { return "normalise_dates makes instants" }
        return formats.first(where: \.kind.readsInstants).map { "'\($0.written)' reads instants" }
    }

    private func readNames(_ options: inout OptionReader) -> [LocaleNames] {
        guard locales != nil || formats.contains(where: \.needsNames) else { return [] }
        var names: [LocaleNames] = []
        for locale in locales ?? ["ko_KR", "en_US"] {
            if let known = LocaleNames.named(locale, reading: &options) { names.append(known) }
        }
        if let locales { LocaleNames.checkCalendars(names, locales, &options) }
        return names
    }

    private func checkedPivotYear(_ options: inout OptionReader) -> Int32? {
        guard let pivotYear else { return nil }
        if (1...9_900).contains(pivotYear) { return Int32(pivotYear) }
        options.refuse(
            "pivot_year",
            "'pivot_year' is \(pivotYear), which is not the first of a hundred years up to 9999",
            hint: "pivot_year: 1970 reads 70 as 1970 and 69 as 2069"
        )
        return nil
    }

    private func makeWriter(
        _ form: DateFormatOption,
        _ names: [LocaleNames],
        _ zone: ZoneRules?,
        _ options: inout OptionReader
    ) -> DateTextWriter? {
        switch form.kind {
        case .iso, .isoBasic: return DateTextWriter(nil, zone: zone ?? .utc)
        case .epoch(let unit):
            options.refuse("as", "'as' writes text, and '\(unit.rawValue)' is a number", hint: "write iso or a pattern")
            return nil
        case .pattern(let pattern):
            if pattern.hasTime, target == .day {
                options.refuse("as", "'as' writes a time, and a day has none", hint: "add 'to: instant'")
                return nil
            }
            if pattern.needsNames, locales == nil {
                options.refuse(
                    "as",
                    "'as' writes names, and no 'locale' says in which language",
                    hint: "add 'locale: ko_KR'"
                )
                return nil
            }
            guard let first = names.first else {
                return pattern.needsNames ? nil : DateTextWriter(DateWriter(pattern, names: nil), zone: zone ?? .utc)
            }
            return DateTextWriter(DateWriter(pattern, names: first), zone: zone ?? .utc)
        }
    }
}

extension DatePattern {
    /// The word for UTC that stands in quotes behind a time, where it is text and says nothing of the zone; nil for none.
    var quotedZone: String? {
        guard hasTime, !contains(.offset) else { return nil }
        let times: Set<DateField?> = [.hour, .minute, .second, .micros, .dayPeriod]
        for (piece, next) in zip(pieces, pieces.dropFirst()) where times.contains(piece.field) {
            guard case .literal(let bytes) = next else { continue }
            let word = String(decoding: bytes.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            if ["Z", "z", "UTC", "GMT"].contains(word) { return word }
        }
        return nil
    }
}

extension DateOptions {
    /// Warns of patterns that read or write times of the job's zone with a word for UTC behind them: in Seoul such times are
    /// nine hours off.
    func warnOfQuotedZones(_ options: inout OptionReader) {
        guard let zone = timezone ?? options.context.timezone, !DateOptions.namesOfUTC.contains(zone) else { return }
        for format in formats {
            guard let pattern = format.pattern, let word = pattern.quotedZone else { continue }
            let meaning =
                target == .instant
                ? "reads times as those of \(zone)" : "takes the day as it is written, and not the one in \(zone)"
            options.warn(
                "quoted-zone",
                "formats",
                "'\(word)' in quotes is plain text and not UTC: '\(pattern.text)' \(meaning)",
                at: format.place,
                hint: word.count == 1
                    ? "write X in place of 'Z', or let iso read such texts"
                    : "write ZZZZ in place of '\(word)'; it reads GMT and UTC"
            )
        }
        guard let form, let pattern = form.pattern, let word = pattern.quotedZone else { return }
        options.warn(
            "quoted-zone",
            "as",
            "'\(word)' in quotes is plain text and not UTC: '\(pattern.text)' writes the time in \(zone) before it",
            at: form.place,
            hint: "write \(word.count == 1 ? "X" : "ZZZZ") in place of '\(word)', or add 'timezone: UTC'"
        )
    }

    private static let namesOfUTC: Set = ["UTC", "GMT", "Etc/UTC", "Etc/GMT", "Etc/UCT", "Etc/Zulu", "Etc/Universal"]
}
