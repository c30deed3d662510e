/// The days that each file of an import belongs to: one that its name says, or those of its rows.
///
/// All files of a day are read together: if one of them is new, a run reads the others too, so that what is made of the
/// day is made of all its rows.
public struct FileDay: Sendable, Hashable {
    /// The column with the day of each row.
    public let column: ColumnName
    /// The form of the names; nil where the rows have the days.
    package let pattern: DayPattern?

    /// Whether the rows have the days, so that a file may have rows of several.
    public var isOfRows: Bool { pattern == nil }

    /// The day of a file; nil if its name does not match the pattern, or in more than one way.
    public func day(ofPath path: String) -> CalendarDay? { pattern?.reading(ofPath: path).day }

    /// Refuses a file whose name does not say its day.
    package func refusal(of path: String) -> DaybookError {
        let (form, move) = (pattern?.text ?? "", "move the file to another directory, or ")
        let (reason, hint) =
            switch pattern?.reading(ofPath: path) {
            case .impossible(let date)?: ("there is no \(date)", "give the file the name of its day")
            case .several(let first, let second)?:
                (
                    "by '\(form)' its name says \(first) and \(second)",
                    "put more of the names into 'pattern', so that one day is left"
                )
            case .beside(let date)?:
                (
                    "a digit stands beside \(date) in its name",
                    "rename the file, or put these digits into 'pattern': those of a time as {yyyyMMddHHmmss}"
                )
            default:
                (
                    "its name is not of the form '\(form)'",
                    move + "change 'path' or 'pattern'; '*' stands for any characters"
                )
            }
        return DaybookError(
            "no-day",
            "'\(path)' does not say its day: \(reason)",
            at: pattern?.place,
            hint: hint,
            blame: .data
        )
    }
}

extension Schema {
    /// Requires the column of days, where the rows have them.
    package func requiringDays(of day: FileDay?) throws(DaybookError) {
        guard let day, day.isOfRows else { return }
        try requiring(day.column, .day, hint: "declare '\(day.column)' as day under 'columns' of the import")
    }
}

/// The form of names that contain a day: `orders-{yyyy-MM-dd}-*.csv`.
package struct DayPattern: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case byte(UInt8)
        case any
        case year, month, day
        /// Two digits of a time, which say nothing of the day.
        case time

        /// How many digits it has.
        var width: Int {
            switch self {
            case .year: 4
            case .month, .day, .time: 2
            case .byte, .any: 0
            }
        }
    }

    package let text: String
    package let place: SourcePlace?
    private let parts: [Part]

    private static let letters: [(text: String, part: Part)] = [
        ("yyyy", .year), ("MM", .month), ("dd", .day), ("HH", .time), ("mm", .time), ("ss", .time),
    ]

    init(_ text: String, at place: SourcePlace) throws(DaybookError) {
        var parts: [Part] = []
        var isInside = false
        var rest = text[...]
        while let character = rest.first {
            if isInside, let letter = DayPattern.letters.first(where: { rest.hasPrefix($0.text) }) {
                parts.append(letter.part)
                rest.removeFirst(letter.text.count)
                continue
            }
            rest.removeFirst()
            switch character {
            case "{" where !isInside: isInside = true
            case "}" where isInside: isInside = false
            case "{", "}": throw DayPattern.bad("'\(text)' has a brace without its other", at: place)
            case "/": throw DayPattern.bad("'\(text)' has a directory, and a name has none", at: place)
            case "*" where !isInside: parts.append(.any)
            case _ where isInside && character.isLetter:
                throw DayPattern.bad("'\(character)' in braces is no letter of a day", at: place)
            default: parts += character.utf8.map(Part.byte)
            }
        }
        guard !isInside else { throw DayPattern.bad("'\(text)' has a brace without its other", at: place) }
        for letter in DayPattern.letters.prefix(3) where parts.count(where: { $0 == letter.part }) != 1 {
            throw DayPattern.bad("'\(text)' must have \(letter.text) in braces, once", at: place)
        }
        (self.text, self.place, self.parts) = (text, place, parts)
    }

    private static func bad(_ message: String, at place: SourcePlace) -> DaybookError {
        DaybookError(
            "bad-option",
            message,
            at: place,
            hint: "write the names with the day in braces, such as orders-{yyyy-MM-dd}.csv or {yyyyMMdd}_*.json"
        )
    }

    /// What a name says.
    enum Reading: Equatable {
        case day(CalendarDay)
        /// Two of several, as the name has them.
        case several(String, String)
        /// A digit stands beside it, so that another day may be meant, or none.
        case beside(String)
        /// It has the form of a day, and no calendar has it.
        case impossible(String)
        case otherForm

        var day: CalendarDay? { if case .day(let day) = self { day } else { nil } }
    }

    func reading(ofPath path: String) -> Reading {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
        // Names in file systems have at most 255 bytes.
        return name.count > 255 ? .otherForm : NameReader(parts: parts, name: Array(name)).reading()
    }

    /// Reads a name in every way that the parts allow.
    private struct NameReader {
        /// A place in both, and what is known by then.
        private struct State: Hashable {
            var part = 0
            var place = 0
            var year = 0
            var month = 0
            var day = 0
            var isBeside = false

            var isLikely: Bool { 1...12 ~= month && 1...31 ~= day }
            var text: String {
                "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
            }
        }

        let parts: [Part]
        let name: [UInt8]
        private var seen: Set<State> = []
        /// The first two different days that stand alone.
        private var alone: [State] = []
        private var beside: State?
        private var unlikely: State?

        init(parts: [Part], name: [UInt8]) { (self.parts, self.name) = (parts, name) }

        func reading() -> Reading {
            var reader = self
            reader.read(State())
            if reader.alone.count > 1 { return .several(reader.alone[0].text, reader.alone[1].text) }
            if let date = reader.alone.first {
                return CalendarDay(year: date.year, month: date.month, day: date.day).map(Reading.day)
                    ?? .impossible(date.text)
            }
            return reader.beside.map { .beside($0.text) } ?? reader.unlikely.map { .impossible($0.text) } ?? .otherForm
        }

        /// More ways than any name has that a person would give.
        private static let mostStates = 100_000

        private mutating func read(_ state: State) {
            guard alone.count < 2, seen.count < NameReader.mostStates else { return }
            var next = state
            next.part += 1
            guard state.part < parts.count else {
                if state.place == name.count { take(state) }
                return
            }
            switch parts[state.part] {
            case .byte(let byte):
                guard state.place < name.count, name[state.place] == byte else { return }
                next.place += 1
                read(next)
            case .any:
                guard seen.insert(state).inserted else { return }
                for end in state.place...name.count {
                    next.place = end
                    read(next)
                }
            case let part:
                let end = state.place + part.width
                guard end <= name.count, (state.place..<end).allSatisfy(isDigit) else { return }
                let number = name[state.place..<end].reduce(0) { $0 * 10 + Int($1 & 0x0f) }
                switch part {
                case .year: next.year = number
                case .month: next.month = number
                case .day: next.day = number
                default: break
                }
                next.place = end
                // Digits of the pattern itself are meant; those of a star may belong to the number.
                if isAny(state.part - 1), isDigit(state.place - 1) { next.isBeside = true }
                if isAny(next.part), isDigit(end) { next.isBeside = true }
                read(next)
            }
        }

        private mutating func take(_ state: State) {
            if !state.isLikely {
                unlikely = unlikely ?? state
            } else if state.isBeside {
                beside = beside ?? state
            } else if alone.allSatisfy({ $0.text != state.text }) {
                alone.append(state)
            }
        }

        private func isDigit(_ place: Int) -> Bool { name.indices.contains(place) && 0x30...0x39 ~= name[place] }
        private func isAny(_ part: Int) -> Bool { parts.indices.contains(part) && parts[part] == .any }
    }

    fileprivate static var placeholder: DayPattern { DayPattern() }

    private init() { (text, place, parts) = ("", nil, []) }
}

extension FileDay: OptionObject {
    public static var title: String { "the day of a file" }
    public static var example: String? {
        "write { from: name, pattern: \"orders-{yyyy-MM-dd}.csv\" }, or { from: COLUMN }"
    }
    public static var placeholder: FileDay {
        FileDay(column: ColumnName("day"), pattern: .placeholder)
    }

    public init(reading fields: inout OptionFields) throws(DaybookError) {
        let source: ColumnName? = try fields.optional(
            "from",
            .text,
            isRequired: true,
            help:
                "What tells the day: name, for the name of the file; or a column of days, for files with rows of several days."
        )
        let form = fields.written(
            "pattern",
            .text,
            help:
                "With 'from: name', the form of the names, with the day in braces: orders-{yyyy-MM-dd}.csv; * stands for any characters."
        )
        let pattern = try form.map { form throws(DaybookError) in
            guard let text = form.text else { throw form.expected("text", hint: FileDay.example) }
            return try DayPattern(text, at: form.place)
        }
        let help = "With 'from: name', the column for the day, which must be a new one."
        let named = fields.written("column", .text, default: "day", help: help)
        let column = try named.map { named throws(DaybookError) in try ColumnName(reading: named) }
        guard let source, source.text != "name" || pattern != nil else {
            let missing = source == nil ? "from" : "pattern"
            throw fields.missing(missing, hint: FileDay.example)
        }
        guard source.text == "name" || (pattern == nil && column == nil) else {
            throw DaybookError(
                "bad-option",
                "'pattern' and 'column' go with 'from: name'; '\(source)' is the column that has the day of each row",
                at: source.place
            )
        }
        self.init(
            column: pattern == nil ? source : column ?? ColumnName("day", at: fields.node.place),
            pattern: pattern
        )
    }

    public var written: String {
        pattern.map { "{ from: name, pattern: \"\($0.text)\" }" } ?? "{ from: \(column) }"
    }
}

/// The days that the rows of a file hold in a column, as the history keeps them.
package struct DaysOfFile: Sendable, Equatable {
    package let column: String
    package let days: Set<CalendarDay>

    package init(column: String, days: Set<CalendarDay>) { (self.column, self.days) = (column, days) }

    /// `2026-10-01..2026-10-31,2026-11-02 ordered_on`.
    package init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        var days: Set<CalendarDay> = []
        for range in parts[0].split(separator: ",") {
            let ends = range.split(separator: ".", omittingEmptySubsequences: true).map { CalendarDay(iso: String($0)) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last
            else { return nil }
            days.formUnion((first.number...last.number).map(CalendarDay.init))
        }
        self.init(column: String(parts[1]), days: days)
    }

    package var text: String {
        let texts = RangeSet(days.map { $0.number..<$0.number + 1 }).ranges.map { range in
            let (first, last) = (CalendarDay(number: range.lowerBound), CalendarDay(number: range.upperBound - 1))
            return first == last ? "\(first)" : "\(first)..\(last)"
        }
        return "\(texts.joined(separator: ",")) \(column)"
    }
}
