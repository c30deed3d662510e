import Foundation

/// The options of `normalise_dates` as written, and their combined meaning.
package struct DateOptions {
    package var formats: [DateFormatOption] = [.iso]
    package var target = DateTarget.day
    package var form: DateFormatOption?
    package var timezone: String?
    package var locales: [String]?
    package var pivotYear: Int?
    package var clampsDays = false
    package var doubled = ClockChoice.reject
    package var skipped = ClockChoice.reject

    package init() {}

    /// Compiles the formats. Every option that contradicts another is refused, and then there is no reader.
    package func compile(_ options: inout OptionReader) -> (DateColumnReader?, DateTextWriter?) {
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
            let hint = "leave it out to read dates such as 2026-11-21"
            options.refuse("formats", "'formats' names no format", hint: hint)
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
        let names = (locales ?? ["ko_KR", "en_US"]).compactMap { LocaleNames.named($0, reading: &options) }
        if let locales { LocaleNames.checkCalendars(names, locales, &options) }
        return names
    }

    private func checkedPivotYear(_ options: inout OptionReader) -> Int32? {
        guard let pivotYear else { return nil }
        if (1...9_900).contains(pivotYear) { return Int32(pivotYear) }
        let message = "'pivot_year' is \(pivotYear), which is not the first of a hundred years up to 9999"
        options.refuse("pivot_year", message, hint: "pivot_year: 1970 reads 70 as 1970 and 69 as 2069")
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
                let message = "'as' writes names, and no 'locale' says in which language"
                options.refuse("as", message, hint: "add 'locale: ko_KR'")
                return nil
            }
            if pattern.needsNames, names.isEmpty { return nil }
            return DateTextWriter(DateWriter(pattern, names: names.first), zone: zone ?? .utc)
        }
    }
}

extension DatePattern {
    /// The quoted word for UTC behind a time, which is literal text and sets no zone; nil for none.
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
    /// Warns of patterns that read or write times of the job's zone followed by a word for UTC: in Seoul such times are
    /// nine hours off.
    package func warnOfQuotedZones(_ options: inout OptionReader) {
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

/// A format of the option `formats` or `as`: `iso`, the name of a unit, or a pattern.
package struct DateFormatOption: OptionValue, Hashable {
    var kind: DateFormat.Kind
    var place: SourcePlace?

    package static var kind: OptionKind { .dateFormat }
    package static var placeholder: DateFormatOption { iso }
    package static let iso = DateFormatOption(kind: .iso)

    init(kind: DateFormat.Kind, place: SourcePlace? = nil) { (self.kind, self.place) = (kind, place) }

    package init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else {
            throw node.expected("a date format", hint: "write iso, epoch_seconds or a pattern such as yyyy-MM-dd")
        }
        if text == "iso" {
            kind = .iso
        } else if let unit = EpochUnit(rawValue: text) {
            kind = .epoch(unit)
        } else {
            kind = .pattern(try DateFormatOption.pattern(text, at: node.place))
        }
        place = node.place
    }

    private static func pattern(_ text: String, at place: SourcePlace) throws(DaybookError) -> DatePattern {
        // A misspelt `epoch_second` is a name, not a pattern: no pattern has an underscore among its letters.
        let units = ["iso"] + EpochUnit.allCases.map(\.rawValue)
        do {
            return try DatePattern(text)
        } catch {
            let nearest = NearestName.hint(for: text, among: units)
            throw DaybookError("bad-pattern", error.message, at: place, hint: nearest ?? error.hint)
        }
    }

    package var written: String { kind.text }
    package var pattern: DatePattern? { if case .pattern(let pattern) = kind { pattern } else { nil } }
    var needsNames: Bool { pattern?.needsNames ?? false }

    /// Whether the format reads numbers of a JSON document as well as text.
    package var readsNumbers: Bool {
        switch kind {
        case .iso, .isoBasic: false
        case .epoch: true
        case .pattern(let pattern): pattern.pieces.allSatisfy { $0.field != nil }
        }
    }
}

/// The day that counts as 0: the day of the run, a date, or one for each row.
package enum DayAnchor: OptionValue {
    case asOf
    case day(CalendarDay)
    case column(ColumnName)

    package static var kind: OptionKind { .either([.choice(["as_of"]), .day, .column]) }
    package static var placeholder: DayAnchor { .asOf }

    /// A text that is a date is a date, `as_of` is the day of the run, and anything else is a column name.
    package init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else { throw node.expected("as_of, a date or a column name") }
        if text == "as_of" {
            self = .asOf
        } else if let day = CalendarDay(iso: text) {
            self = .day(day)
        } else if DayAnchor.looksLikeDate(text) {
            let hint = "write a date such as 2026-11-21"
            throw DaybookError("wrong-type", "'\(text)' is not a day of the calendar", at: node.place, hint: hint)
        } else {
            self = .column(ColumnName(text, at: node.place))
        }
    }

    package var written: String {
        switch self {
        case .asOf: "as_of"
        case .day(let day): day.written
        case .column(let column): column.written
        }
    }

    /// Digits and hyphens only: a misspelt date, hardly a column.
    private static func looksLikeDate(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: "-") } && text.utf8.contains(0x2D)
    }
}

/// The calendar by which a day recurs every year.
package enum DayCalendar: String, OptionChoice, BitwiseCopyable {
    case gregorian
    case koreanLunar = "korean_lunar"

    package static var otherWords: [String: String] {
        ["lunar": "korean_lunar", "dangi": "korean_lunar", "korean": "korean_lunar", "solar": "gregorian"]
    }

    /// The finding for a day outside the table of the lunar calendar.
    package static let outside = Finding.Kind(
        "outside-the-lunar-calendar",
        "{value} cannot be counted by the Korean lunar calendar, which is known for its years 1900 to 2100"
    )
}

/// The name of a time zone in the IANA database, such as `Asia/Seoul`.
///
/// Abbreviations (`KST`, `PST`) name several zones and are refused, as are offsets such as `+09:00`.
package struct TimezoneName: OptionValue {
    package let text: String

    package static var kind: OptionKind { .text }
    package static var placeholder: TimezoneName { TimezoneName(text: "Etc/UTC") }

    private init(text: String) { self.text = text }

    package init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else { throw node.expected("a time zone such as Asia/Seoul") }
        guard Self.exists(text) else {
            throw DaybookError(
                "unknown-timezone",
                "no time zone \(text.quotedForMessage)",
                at: node.place,
                hint: Self.hint(for: text)
            )
        }
        self.text = text
    }

    package var written: String { text }

    private static func exists(_ name: String) -> Bool {
        if name == "UTC" || name == "GMT" { return true }
        guard name.utf8.count <= 64, let zone = TimeZone(identifier: name), zone.identifier == name else {
            return false
        }
        return name.contains("/") || TimeZone.abbreviationDictionary[name] == nil
    }

    private static func hint(for name: String) -> String {
        let first = name.unicodeScalars.first
        if first == "+" || first == "-" {
            return "name the zone, such as Asia/Seoul: an offset alone does not know of summer time"
        }
        if let zone = TimeZone.abbreviationDictionary[name] { return "did you mean '\(zone)'?" }
        let names = TimeZone.knownTimeZoneIdentifiers
        if name.utf8.count <= 64, let near = NearestName.hint(for: name, among: names) { return near }
        return "name it as the IANA database does, such as Asia/Seoul or Etc/UTC"
    }
}
