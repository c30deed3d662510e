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

    /// The day of a file; nil if its name does not match the pattern.
    public func day(ofPath path: String) -> CalendarDay? {
        guard let pattern else { return nil }
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
        return pattern.day(of: Array(name))
    }

    /// Refuses a file whose name does not say its day.
    package func refusal(of path: String) -> DaybookError {
        DaybookError(
            "no-day",
            "'\(path)' does not say its day: its name is not of the form '\(pattern?.text ?? "")'",
            at: pattern?.place,
            hint: "move the file to another directory, or change 'path' or 'pattern'; '*' stands for any characters",
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

        /// How many digits it has.
        var width: Int {
            switch self {
            case .year: 4
            case .month, .day: 2
            case .byte, .any: 0
            }
        }
    }

    package let text: String
    package let place: SourcePlace?
    private let parts: [Part]

    private static let letters: [(text: String, part: Part)] = [("yyyy", .year), ("MM", .month), ("dd", .day)]

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
        for letter in DayPattern.letters where parts.count(where: { $0 == letter.part }) != 1 {
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

    /// The day in a name that matches; with '*', the first day that is one.
    func day(of name: [UInt8]) -> CalendarDay? {
        // Names in file systems have at most 255 bytes.
        guard name.count <= 255 else { return nil }
        var date = (year: 0, month: 0, day: 0)
        var dead: Set<Int> = []
        func match(_ part: Int, _ place: Int) -> CalendarDay? {
            guard part < parts.count else {
                return place == name.count ? CalendarDay(year: date.year, month: date.month, day: date.day) : nil
            }
            switch parts[part] {
            case .byte(let byte):
                return place < name.count && name[place] == byte ? match(part + 1, place + 1) : nil
            case .any:
                // What failed once from here fails again, so that several stars cost no more than their product.
                guard dead.insert(part << 8 | place).inserted else { return nil }
                for end in place...name.count {
                    if let day = match(part + 1, end) { return day }
                }
                return nil
            case .year, .month, .day:
                let width = parts[part].width
                guard place + width <= name.count else { return nil }
                var number = 0
                for byte in name[place..<(place + width)] {
                    guard 0x30...0x39 ~= byte else { return nil }
                    number = number * 10 + Int(byte & 0x0f)
                }
                let before = date
                defer { date = before }
                switch parts[part] {
                case .year: date.year = number
                case .month: date.month = number
                default: date.day = number
                }
                return match(part + 1, place + width)
            }
        }
        return match(0, 0)
    }
}

extension FileDay: OptionValue {
    private static let specs = [
        OptionSpec(
            key: "from",
            kind: .text,
            help:
                "What tells the day: name, for the name of the file; or a column of days, for files with rows of several days.",
            isRequired: true
        ),
        OptionSpec(
            key: "pattern",
            kind: .text,
            help:
                "With 'from: name', the form of the names, with the day in braces: orders-{yyyy-MM-dd}.csv; * stands for any characters."
        ),
        OptionSpec(
            key: "column",
            kind: .text,
            help: "With 'from: name', the column for the day, which must be a new one.",
            fallback: "day"
        ),
    ]

    public static var kind: OptionKind { .object(specs) }
    public static var placeholder: FileDay {
        FileDay(column: ColumnName("day"), pattern: .placeholder)
    }

    public init(reading node: OptionNode) throws(DaybookError) {
        let example = "write { from: name, pattern: \"orders-{yyyy-MM-dd}.csv\" }, or { from: COLUMN }"
        guard let map = node.map else { throw node.expected("a map of options", hint: example) }
        var column: ColumnName?
        var pattern: DayPattern?
        var source: ColumnName?
        for entry in map {
            let value = entry.value
            switch entry.key {
            case "from":
                source = try ColumnName(reading: value)
            case "pattern":
                guard let text = value.text else { throw value.expected("text", hint: example) }
                pattern = try DayPattern(text, at: value.place)
            case "column": column = try ColumnName(reading: value)
            default: throw entry.unknown(to: "the day of a file", among: FileDay.specs.map(\.key))
            }
        }
        guard let source, source.text != "name" || pattern != nil else {
            let missing = source == nil ? "from" : "pattern"
            throw DaybookError("missing-option", "the option '\(missing)' is missing", at: node.place, hint: example)
        }
        guard source.text == "name" || (pattern == nil && column == nil) else {
            throw DaybookError(
                "bad-option",
                "'pattern' and 'column' go with 'from: name'; '\(source)' is the column that has the day of each row",
                at: source.place
            )
        }
        self.init(column: pattern == nil ? source : column ?? ColumnName("day", at: node.place), pattern: pattern)
    }

    public var written: String {
        pattern.map { "{ from: name, pattern: \"\($0.text)\" }" } ?? "{ from: \(column) }"
    }
}

extension DayPattern {
    fileprivate static var placeholder: DayPattern { DayPattern() }

    private init() { (text, place, parts) = ("", nil, []) }
}
