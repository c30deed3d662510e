import Foundation

/// The names that one language has for months, weekdays and the halves of the day.
public struct LocaleNames: Sendable, Hashable {
    /// January first.
    public var wideMonths: [String]
    public var shortMonths: [String]
    /// Monday first.
    public var wideWeekdays: [String]
    public var shortWeekdays: [String]
    /// Before noon, after noon.
    public var dayPeriods: [String]
    /// Other forms that are read and never written, such as the nominative of a month.
    public var furtherMonths: [[String]] = []
    /// The same for day periods such as a.m. and p.m.
    public var furtherDayPeriods: [[String]] = []
    /// By which calendar years are counted.
    public var calendar = YearCalendar.gregorian
    /// Whether the first day of a month may be written as an ordinal, as in `1er mars`.
    var marksFirstDay = false
    /// The locale for looking up eras, if a pattern has some.
    var identifier: String?

    /// The lists of names for a field; a name's index in its list is its value.
    func lists(for field: DateField) -> [[String]] {
        switch field {
        case .month: [wideMonths, shortMonths] + furtherMonths
        case .weekday: [wideWeekdays, shortWeekdays]
        case .dayPeriod: [dayPeriods] + furtherDayPeriods
        case .era: eras
        default: []
        }
    }
}

/// Finds the name at the start of a text; the longest one wins.
///
/// Names are grouped by their first byte, so that a search compares only the few that can match. Names match as listed,
/// in capitals, in lower case, and without a full stop at their end; other mixtures of case do not. Texts are looked up
/// with plain spaces, so names have these too.
final class NameTable: @unchecked Sendable {
    /// One name: the place of its bytes, and its meaning.
    struct Entry: BitwiseCopyable {
        var offset: UInt32
        var length: UInt16
        var value: UInt16
    }

    // Written by the initialiser only, so sharing is safe.
    private let starts: UnsafeMutablePointer<UInt16>
    private let entries: UnsafeMutablePointer<Entry>
    private let bytes: UnsafeMutablePointer<UInt8>
    /// Every spelling with its value.
    let spellings: [(text: [UInt8], value: UInt16)]

    /// A table of the names for `field`. A spelling that would mean two things is left out.
    init(_ field: DateField, of languages: [LocaleNames]) {
        var values: [[UInt8]: UInt16] = [:]
        var contradictory: Set<[UInt8]> = []
        for list in languages.flatMap({ $0.lists(for: field) }) {
            for (index, name) in list.enumerated() {
                for spelling in NameTable.spellings(of: name) where !spelling.isEmpty {
                    let value = UInt16(index + 1)
                    if values.updateValue(value, forKey: spelling) ?? value != value { contradictory.insert(spelling) }
                }
            }
        }
        for spelling in contradictory { values[spelling] = nil }
        spellings = values.map { ($0.key, $0.value) }.sorted { first, second in
            guard first.text[0] == second.text[0] else { return first.text[0] < second.text[0] }
            guard first.text.count == second.text.count else { return first.text.count > second.text.count }
            return first.text.lexicographicallyPrecedes(second.text)
        }
        starts = .allocate(capacity: 257)
        entries = .allocate(capacity: max(1, spellings.count))
        bytes = .allocate(capacity: max(1, spellings.reduce(0) { $0 + $1.text.count }))
        var offset = 0
        for (index, spelling) in spellings.enumerated() {
            let entry = Entry(offset: UInt32(offset), length: UInt16(spelling.text.count), value: spelling.value)
            (entries + index).initialize(to: entry)
            for byte in spelling.text {
                (bytes + offset).initialize(to: byte)
                offset += 1
            }
        }
        for byte in 0...256 {
            let start = spellings.firstIndex { Int($0.text[0]) >= byte } ?? spellings.count
            (starts + byte).initialize(to: UInt16(start))
        }
    }

    deinit {
        starts.deallocate()
        entries.deallocate()
        bytes.deallocate()
    }

    var index: NameIndex { NameIndex(starts: starts, entries: entries, bytes: bytes) }

    private static func spellings(of name: String) -> Set<[UInt8]> {
        let plain = name.hasSuffix(".") ? [name, String(name.dropLast())] : [name]
        let cased = plain.flatMap { [$0, $0.uppercased(), $0.lowercased()] }
        return Set(cased.map { NoBreakSpace.folding(Array($0.utf8)) })
    }
}

/// A name table as row loops see it: pointers without an owner.
struct NameIndex: BitwiseCopyable {
    let starts: UnsafePointer<UInt16>
    let entries: UnsafePointer<NameTable.Entry>
    let bytes: UnsafePointer<UInt8>

    /// The value of the longest name at `position` and its length, or nil.
    @inline(__always)
    func match(_ position: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> (value: Int32, length: Int)? {
        guard position < end else { return nil }
        let first = Int(position.pointee)
        var index = Int(starts[first])
        let last = Int(starts[first &+ 1])
        while index < last {
            let entry = entries[index]
            let length = Int(entry.length)
            if length <= end - position, equals(bytes + Int(entry.offset), position, length) {
                return (Int32(entry.value), length)
            }
            index &+= 1
        }
        return nil
    }

    @inline(__always)
    private func equals(_ name: UnsafePointer<UInt8>, _ text: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        var place = 1
        while place < length {
            if name[place] != text[place] { return false }
            place &+= 1
        }
        return true
    }
}

extension LocaleNames {
    /// Why there are no names of a locale.
    package enum Refusal: Error {
        case unknown
        case calendar(String)
    }

    /// The names of a locale such as `ko_KR`, `zh_CN` or `fr`. Nil if it is unknown, or has months of its own.
    public init?(locale identifier: String) {
        do throws(Refusal) { try self.init(named: identifier) } catch { return nil }
    }

    /// The same. `th_TH` counts Buddhist years, and `th_TH@calendar=gregorian` does not.
    package init(named identifier: String) throws(Refusal) {
        let (wanted, calendarName) = LocaleNames.parts(of: identifier)
        guard let known = LocaleNames.known(wanted) else { throw .unknown }
        let locale = Locale(identifier: known)
        let counted = calendarName ?? LocaleNames.usualCalendar(of: known, locale)
        guard let years = YearCalendar(rawValue: counted) else { throw .calendar(counted) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.locale = locale
        self.init(
            wideMonths: calendar.monthSymbols,
            shortMonths: calendar.shortMonthSymbols,
            wideWeekdays: LocaleNames.fromMonday(calendar.weekdaySymbols),
            shortWeekdays: LocaleNames.fromMonday(calendar.shortWeekdaySymbols),
            dayPeriods: [calendar.amSymbol, calendar.pmSymbol],
            furtherMonths: [calendar.standaloneMonthSymbols, calendar.shortStandaloneMonthSymbols]
        )
        let language = String(known.prefix { $0 != "_" })
        furtherMonths += OtherNames.months(language)
        furtherDayPeriods = OtherNames.dayPeriods(language, dayPeriods)
        marksFirstDay = ["fr", "it", "pt", "es"].contains(language)
        self.calendar = years
        self.identifier = known
    }

    /// The names for the option `locale`, which is refused if the locale is unknown.
    package static func named(_ identifier: String, reading options: inout OptionReader) -> LocaleNames? {
        do throws(Refusal) {
            return try LocaleNames(named: identifier)
        } catch .calendar(let calendar) {
            let message = "'\(identifier)' counts by the calendar '\(calendar)', whose dates are not read"
            let plain = parts(of: identifier).name
            let hint = "write '\(plain)@calendar=gregorian' where the dates are Gregorian all the same"
            options.refuse("locale", message, hint: hint)
        } catch {
            let nearest = NearestName.hint(for: parts(of: identifier).name, among: Locale.availableIdentifiers)
            let hint = nearest ?? "write a language and country such as ko_KR or en_US"
            options.refuse("locale", "'\(identifier)' is not a locale", hint: hint)
        }
        return nil
    }

    /// Refuses locales with different year calendars: the calendar of a number would be ambiguous.
    package static func checkCalendars(_ names: [LocaleNames], _ locales: [String], _ options: inout OptionReader) {
        guard names.count == locales.count,
            let other = names.indices.dropFirst().first(where: { names[$0].calendar != names[0].calendar })
        else { return }
        options.refuse(
            "locale",
            "'\(locales[0])' counts years by the \(names[0].calendar.rawValue) calendar, and '\(locales[other])' by the "
                + "\(names[other].calendar.rawValue) one",
            hint: "read the two in stages of their own, or name a calendar: \(parts(of: locales[0]).name)@calendar="
                + "\(names[other].calendar.rawValue)"
        )
    }

    /// The locale, and the calendar where one is written: `th_TH@calendar=gregorian`, `th-TH-u-ca-gregory`.
    private static func parts(of identifier: String) -> (name: String, calendar: String?) {
        var name = identifier
        var calendar: String?
        for mark in ["@calendar=", "-u-ca-"] {
            guard let range = name.range(of: mark) else { continue }
            calendar = String(name[range.upperBound...])
            name = String(name[..<range.lowerBound])
        }
        if calendar == "gregory" { calendar = "gregorian" }
        return (name.split(separator: "-").joined(separator: "_"), calendar)
    }

    /// The locale as Foundation has it: with its script, as `zh_CN` is `zh_Hans_CN`, and under the name of today.
    private static func known(_ name: String) -> String? {
        let available = Locale.availableIdentifiers
        if available.contains(name) { return name }
        let whole = Locale.Language(identifier: name).maximalIdentifier.split(separator: "-").map(String.init)
        guard whole.count == 3 else { return nil }
        var tries = [whole.joined(separator: "_")]
        if !name.hasPrefix(whole[0] + "_") { tries.append("\(whole[0])_\(whole[2])") }
        if whole[0] == "no" { tries.append("nb_\(whole[2])") }
        // A language whose name is of two letters alone, or a country that has it.
        guard name.split(separator: "_").count > 1 else { return nil }
        return tries.first(where: available.contains)
    }

    /// The calendar of a locale. Foundation is queried only for locales whose calendar is likely not the Gregorian.
    private static func usualCalendar(of known: String, _ locale: Locale) -> String {
        let parts = known.split(separator: "_")
        let isOther =
            parts.first.map { ["th", "fa", "ar", "ps", "ckb", "lrc", "mzn"].contains($0) } ?? false
            || parts.last.map { ["TH", "IR", "AF", "SA"].contains($0) } ?? false
        guard isOther else { return "gregorian" }
        let name = "\(locale.calendar.identifier)"
        return name.hasPrefix("gregorian") ? "gregorian" : name
    }

    /// The names of the eras, each list in the order of `CalendarEra`.
    var eras: [[String]] {
        guard let identifier else { return [] }
        let locale = Locale(identifier: identifier)
        func symbols(_ calendar: Calendar.Identifier) -> (short: [String], wide: [String]) {
            var calendar = Calendar(identifier: calendar)
            calendar.locale = locale
            return (calendar.eraSymbols, calendar.longEraSymbols)
        }
        let all = [symbols(.gregorian), symbols(.buddhist), symbols(.republicOfChina), symbols(.japanese)]
        func list(_ names: [[String]]) -> [String] {
            [names[0].first, names[0].last, names[1].last, names[2].last].map { $0 ?? "" } + names[3].suffix(5)
        }
        let none = ["", "", "", ""]
        var lists = [list(all.map(\.short)), list(all.map(\.wide))]
        if identifier.hasPrefix("ja") { lists.append(none + ["M", "T", "S", "H", "R"]) }
        if identifier.hasPrefix("en") {
            lists.append(["BCE", "CE", "B.E.", "", "", "Taisho", "Showa", "", ""])
            lists.append(["B.C.", "A.D.", "", "", "", "", "", "", ""])
        }
        return lists
    }

    /// Foundation's weeks start on Sunday.
    private static func fromMonday(_ names: [String]) -> [String] { Array(names.dropFirst()) + names.prefix(1) }
}

/// Names from other versions of the Unicode data (CLDR), or in common use: these are read and never written.
enum OtherNames {
    /// Lists of twelve, with gaps.
    static func months(_ language: String) -> [[String]] {
        guard let others = months[language] else { return [] }
        var lists: [[String]] = []
        for (month, name) in others {
            let free = lists.firstIndex { $0[month - 1].isEmpty }
            if free == nil { lists.append([String](repeating: "", count: 12)) }
            lists[free ?? lists.count - 1][month - 1] = name
        }
        return lists
    }

    private static let months: [String: [(Int, String)]] = [
        "bn": [(1, "জানুয়ারি"), (2, "ফেব্রুয়ারি"), (9, "সেপ্ট")],
        "ca": [
            (1, "de gen."), (2, "de febr."), (4, "d’abr."), (7, "de jul."), (8, "d’ag."), (9, "de set."),
            (10, "d’oct."),
            (11, "de nov."), (12, "de des."),
        ],
        "da": [(9, "sept.")],
        "de": [
            (1, "Jänner"), (1, "Januar"), (1, "Jän."), (1, "Jan."), (2, "Feber"), (2, "Feb."), (3, "Mrz."), (3, "Mär."),
            (6, "Jun."), (7, "Jul."), (9, "Sep."), (9, "Sept."),
        ],
        "en": [(9, "Sept.")],
        "es": [(9, "sep."), (9, "sept."), (9, "set."), (9, "setiembre")],
        "fr": [(1, "jan."), (2, "fév."), (7, "juill."), (7, "juil."), (9, "sep.")],
        "hi": [(10, "अक्टूबर"), (10, "अक्टू॰")],
        "it": [(9, "sett.")],
        "nb": [(9, "sept.")],
        "nn": [(9, "sept.")],
        "ro": [(9, "sep.")],
        "ru": [(2, "фев."), (3, "мар."), (6, "июн."), (7, "июл."), (9, "сен."), (11, "ноя.")],
        "sv": [(9, "sept.")],
    ]

    /// Pairs of names. Two-letter names are written with full stops as well: `pm`, `p.m.`, `p. m.`.
    static func dayPeriods(_ language: String, _ usual: [String]) -> [[String]] {
        var pairs = [["AM", "PM"]]
        if language == "nn" { pairs.append(["fm", "em"]) }
        if language == "fa" { pairs.append(["ق.ظ.", "ب.ظ."]) }
        for pair in [usual] + pairs {
            let letters = pair.map { $0.filter { $0 != "." && $0 != " " && $0 != "\u{A0}" && $0 != "\u{202F}" } }
            guard letters.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isCased) }) else { continue }
            for (between, behind) in [("", ""), (".", "."), (". ", "."), (" ", "")] {
                pairs.append(letters.map { "\($0.prefix(1))\(between)\($0.suffix(1))\(behind)" })
            }
        }
        return pairs
    }
}
