/// The kind of an option's value. Help pages, JSON Schema and error texts are made from it.
public indirect enum OptionKind: Sendable, Hashable {
    case text, integer, decimal, flag, day, path
    /// The name of a column that the stage reads.
    case column
    /// A value or a condition in the expression language.
    case expression
    /// A date format: `iso`, a unit of time, or a pattern.
    case dateFormat
    /// A JSON Schema: a map of any form.
    case schema
    case choice([String])
    case list(of: OptionKind)
    case map(of: OptionKind)
    case object([OptionSpec])
    case either([OptionKind])

    /// How help and errors name it: `a whole number`, `one of keep, upper, lower`.
    public var displayText: String {
        switch self {
        case .text: "text"
        case .integer: "a whole number"
        case .decimal: "a number"
        case .flag: "true or false"
        case .day: "a date such as 2026-11-21"
        case .path: "a path"
        case .column: "a column name"
        case .expression: "an expression such as count > 3"
        case .dateFormat: "a date format such as iso or yyyy/MM/dd"
        case .schema: "a JSON Schema"
        case .choice(let names): "one of \(names.joined(separator: ", "))"
        case .list(let kind): "a list of \(kind.displayText)"
        case .map(let kind): "a map to \(kind.displayText)"
        case .object: "a map of options"
        case .either(let kinds): kinds.map(\.displayText).joined(separator: ", or ")
        }
    }
}

/// One option of a stage as help and schema show it.
public struct OptionSpec: Sendable, Hashable {
    public var key: String
    public var kind: OptionKind
    public var help: String
    /// The default as it would be written in a job, or nil when there is none.
    public var fallback: String?
    public var isRequired: Bool
    /// Whether the entries of this map may be among the options themselves, without the key of the map.
    public var isBare: Bool

    public init(
        key: String,
        kind: OptionKind,
        help: String,
        fallback: String? = nil,
        isRequired: Bool = false,
        isBare: Bool = false
    ) {
        self.key = key
        self.kind = kind
        self.help = help
        self.fallback = fallback
        self.isRequired = isRequired
        self.isBare = isBare
    }
}

/// A value of an option. Reads the written node, or reports what was expected.
public protocol OptionValue: Sendable {
    static var kind: OptionKind { get }
    /// Any valid value; used in place of an unknown or invalid value, and never to run.
    static var placeholder: Self { get }
    init(reading node: OptionNode) throws(DaybookError)
    /// How this value is written in a job; shown as the default in help.
    var written: String { get }
    /// A warning about a valid value, which `validate` reports. Nil for most.
    var warning: JobWarning? { get }
}

extension OptionValue {
    public var warning: JobWarning? { nil }
}

extension String: OptionValue {
    public static var kind: OptionKind { .text }
    public static var placeholder: String { "" }
    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else { throw node.expected("text") }
        self = text
    }
    public var written: String { isEmpty ? "\"\"" : self }
}

extension Int: OptionValue {
    public static var kind: OptionKind { .integer }
    public static var placeholder: Int { 0 }
    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.plainText, let value = Int(text), String(value) == text else {
            var digits = node.plainText ?? ""
            let isTooLarge = digits.withUTF8 { CellReading.isTooLargeInteger($0) }
            throw node.expected("a whole number", hint: isTooLarge ? "it is too large" : nil)
        }
        self = value
    }
    public var written: String { String(self) }
}

extension Double: OptionValue {
    public static var kind: OptionKind { .decimal }
    public static var placeholder: Double { 0 }
    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.plainText, let value = Double(text), value.isFinite else {
            throw node.expected("a number")
        }
        self = value
    }
    public var written: String { String(self) }
}

extension Bool: OptionValue {
    public static var kind: OptionKind { .flag }
    public static var placeholder: Bool { false }
    public init(reading node: OptionNode) throws(DaybookError) {
        switch node.plainText {
        case "true": self = true
        case "false": self = false
        case "yes", "on", "y": throw node.expected("true or false", hint: "write true")
        case "no", "off", "n": throw node.expected("true or false", hint: "write false")
        default: throw node.expected("true or false")
        }
    }
    public var written: String { self ? "true" : "false" }
}

/// A list; a single value is read as a list of one.
extension Array: OptionValue where Element: OptionValue {
    public static var kind: OptionKind { .list(of: Element.kind) }
    public static var placeholder: [Element] { [] }
    public init(reading node: OptionNode) throws(DaybookError) {
        self = try (node.list ?? [node]).map { (item) throws(DaybookError) in try Element(reading: item) }
    }
    public var written: String { "[\(map(\.written).joined(separator: ", "))]" }
}

/// A map in the order in which it was written.
public struct OptionMap<Value: OptionValue>: OptionValue {
    public var entries: [(key: String, value: Value, place: SourcePlace)]
    public static var kind: OptionKind { .map(of: Value.kind) }
    public static var placeholder: OptionMap { OptionMap(entries: []) }

    public init(entries: [(key: String, value: Value, place: SourcePlace)]) {
        self.entries = entries
    }

    public init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else { throw node.expected(Self.kind.displayText) }
        entries = []
        for entry in map { entries.append((entry.key, try Value(reading: entry.value), entry.keyPlace)) }
    }

    public var written: String {
        entries.isEmpty ? "{}" : "{ \(entries.map { "\($0.key): \($0.value.written)" }.joined(separator: ", ")) }"
    }
}

extension OptionMap<ColumnKind> {
    /// The declared columns; a file may have others.
    package var declaredSchema: Schema { Schema(entries.map { Field($0.key, $0.value, source: $0.key) }, isOpen: true) }

    /// An error for each declared column that is not among `names`, the columns of the input.
    package func missing(among names: [String], _ message: (_ name: String) -> String) -> [DaybookError] {
        let known = Set(names)
        let shown = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        return entries.filter { !known.contains($0.key) }.map { entry in
            DaybookError(
                DaybookError.unknownColumn,
                message(entry.key),
                at: entry.place,
                hint: NearestName.hint(for: entry.key, among: names)
                    ?? "its columns are \(shown)",
                column: entry.key
            )
        }
    }
}

/// An option with a fixed set of words: an enumeration whose raw values are those words.
public protocol OptionChoice: OptionValue, CaseIterable, RawRepresentable where RawValue == String {
    /// Other words that people write, each with the word they mean. They are refused with that hint.
    static var otherWords: [String: String] { get }
}

extension OptionChoice {
    public static var otherWords: [String: String] { [:] }
    public static var kind: OptionKind { .choice(allCases.map { $0.rawValue }) }
    public static var placeholder: Self { allCases[allCases.startIndex] }
    public init(reading node: OptionNode) throws(DaybookError) { self = try Self.choice(reading: node) }

    /// The choice that a node names.
    public static func choice(reading node: OptionNode) throws(DaybookError) -> Self {
        guard let text = node.text else { throw node.expected(kind.displayText) }
        if let value = Self(rawValue: text) { return value }
        let hint = NearestName.hint(for: text, among: allCases.map { $0.rawValue }, otherWords)
        throw node.expected(kind.displayText, hint: hint)
    }
    public var written: String { rawValue }
}

extension ColumnName: OptionValue {
    public static var kind: OptionKind { .column }
    public static var placeholder: ColumnName { ColumnName("placeholder") }
    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else { throw node.expected("a column name") }
        self.init(text, at: node.place)
    }
    public var written: String { text }
}

extension TextEncoding: OptionValue {
    public static var kind: OptionKind { .text }
    public static var placeholder: TextEncoding { .utf8 }

    public init(reading node: OptionNode) throws(DaybookError) {
        guard let name = node.text else { throw node.expected("the name of an encoding") }
        try self.init(named: name)
    }

    public var written: String { name }
}

/// A path as the job writes it, relative to the job file; `-` is standard input or output.
public struct PathText: OptionValue, Hashable {
    public let text: String
    public let place: SourcePlace?

    public init(_ text: String, at place: SourcePlace? = nil) {
        self.text = text
        self.place = place
    }

    public static var kind: OptionKind { .path }
    public static var placeholder: PathText { PathText("placeholder") }
    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else { throw node.expected("a path") }
        guard !text.utf8.contains(0) else {
            throw DaybookError("bad-path", "a path cannot hold a NUL character", at: node.place)
        }
        self.init(text, at: node.place)
    }
    public var written: String { text }
    public var isStandardStream: Bool { text == "-" }

    public static func == (first: PathText, second: PathText) -> Bool { first.text == second.text }
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension CalendarDay: OptionValue {
    public static var kind: OptionKind { .day }
    public static var placeholder: CalendarDay { CalendarDay(number: 0) }
    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, let day = CalendarDay(iso: text) else {
            if let text = node.text, CalendarDay.isShapedLikeDay(text) {
                throw DaybookError(
                    "wrong-type",
                    "'\(text)' is not a day of the calendar",
                    at: node.place,
                    hint: "write a date such as 2026-11-21"
                )
            }
            throw node.expected("a date such as 2026-11-21")
        }
        self = day
    }
    public var written: String { description }

    /// Whether `text` has the digits and hyphens of `2026-02-30`, and so was meant as a day.
    public static func isShapedLikeDay(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.enumerated().allSatisfy { index, byte in
                index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte)
            }
    }
}

extension ColumnKind: OptionChoice {
    public static var otherWords: [String: String] {
        [
            "int": "integer", "number": "decimal", "float": "decimal", "double": "decimal", "bool": "flag",
            "boolean": "flag", "string": "text", "str": "text", "date": "day", "datetime": "instant",
            "timestamp": "instant",
        ]
    }
}
