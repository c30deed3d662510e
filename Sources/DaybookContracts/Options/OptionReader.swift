/// Reads the options of one stage, each named once, and collects every problem instead of stopping at the first.
///
/// The same initialiser of a stage runs against a job, or against a reader that only listens and so collects the keys,
/// kinds, defaults and help for `stages`, `schema` and "did you mean".
public struct OptionReader: Sendable {
    /// Facts of the whole run that a stage may read.
    public struct Context: Sendable {
        /// The day that the job calls `as_of`.
        public var asOf: CalendarDay
        /// The time zone of the job, or nil when it names none.
        public var timezone: String?
        /// The column that an import adds to its rows; nil without one.
        package var given: GivenColumn?

        public init(asOf: CalendarDay, timezone: String?) {
            self.asOf = asOf
            self.timezone = timezone
        }
    }

    /// The options in the order in which the stage reads them.
    public private(set) var specs: [OptionSpec] = []
    /// Every bad, missing or contradictory option so far.
    public private(set) var problems: [DaybookError] = []
    /// Warnings about what is allowed but probably not intended.
    public private(set) var warnings: [JobWarning] = []
    public let context: Context
    /// The place of the stage's name in the job.
    public let place: SourcePlace?
    private let entries: [OptionNode.Entry]
    private let isListening: Bool
    /// The options whose values are missing or unreadable; problems with their substitute values are not reported.
    private var unreadable: Set<String> = []
    /// Whether keys that no option has read have a meaning.
    private var takesAnyKey = false

    /// A reader of the options in a job.
    public init(_ entries: [OptionNode.Entry], at place: SourcePlace?, context: Context) {
        self.entries = entries
        self.place = place
        self.context = context
        isListening = false
    }

    private init() {
        entries = []
        place = nil
        context = Context(asOf: CalendarDay(number: 0), timezone: "Etc/UTC")
        isListening = true
    }

    /// A reader that only listens, to learn which options are read.
    public static func listening() -> OptionReader { OptionReader() }

    /// The options that `stage` reads, collected by listening.
    public static func specs(of stage: any Stage.Type) -> [OptionSpec] { specs { stage.init(reading: &$0) } }

    /// The options that something reads, collected by listening.
    package static func specs<Value>(_ read: (inout OptionReader) -> Value) -> [OptionSpec] {
        var reader = OptionReader()
        _ = read(&reader)
        return reader.specs
    }

    /// Reads an option that must be there.
    public mutating func read<Value: OptionValue>(_ key: String, help: String) -> Value {
        specs.append(OptionSpec(key: key, kind: Value.kind, help: help, fallback: nil, isRequired: true))
        if let value: Value = value(of: key) { return value }
        if !isListening, entry(key) == nil { noteMissing(key, help) }
        return .placeholder
    }

    /// Reads an option that has a default.
    public mutating func read<Value: OptionValue>(_ key: String, default fallback: Value, help: String) -> Value {
        specs.append(OptionSpec(key: key, kind: Value.kind, help: help, fallback: fallback.written, isRequired: false))
        return value(of: key) ?? fallback
    }

    /// Reads an option that may be left out, which then is nil.
    public mutating func optional<Value: OptionValue>(_ key: String, help: String) -> Value? {
        specs.append(OptionSpec(key: key, kind: Value.kind, help: help, fallback: nil, isRequired: false))
        return value(of: key)
    }

    /// Reads a list of maps, each with its own reader, whose problems and options are added to this reader.
    ///
    /// A stage that only listens receives one empty entry, so that its options are collected.
    public mutating func readEach<Value>(
        _ key: String,
        help: String,
        _ body: (inout OptionReader) -> Value
    ) -> [Value] {
        var values: [Value] = []
        let nested = isListening ? OptionReader.specs(body) : []
        specs.append(OptionSpec(key: key, kind: .list(of: .object(nested)), help: help, isRequired: true))
        guard !isListening else { return [] }
        guard let node = entry(key)?.value else {
            noteMissing(key, help)
            return []
        }
        for item in node.list ?? [node] {
            guard let entries = item.map else {
                problems.append(item.expected("a map of options"))
                continue
            }
            var reader = OptionReader(entries, at: item.place, context: context)
            values.append(body(&reader))
            add(reader)
        }
        return values
    }

    /// A reader of the options under a value: the options of a map, or a bare value as the option `shorthand`.
    public func reader(of node: OptionNode, shorthand: String?) -> OptionReader {
        if isListening { return OptionReader() }
        let short = shorthand.map { [OptionNode.Entry(key: $0, keyPlace: node.place, value: node)] }
        return OptionReader(node.map ?? short ?? [], at: node.place, context: context)
    }

    /// Adds the problems and warnings of another reader.
    public mutating func add(_ other: OptionReader) {
        guard !isListening else { return }
        problems += other.problems
        warnings += other.warnings
    }

    /// Adds problems found elsewhere.
    public mutating func add(problems others: [DaybookError]) {
        if !isListening { problems += others }
    }

    /// Adds the warnings of another reader.
    public mutating func add(warnings others: [JobWarning]) {
        if !isListening { warnings += others }
    }

    /// Records a warning about something allowed that is probably not intended. Placed at the option `key` by default.
    public mutating func warn(
        _ code: DaybookError.Code,
        _ key: String,
        _ message: String,
        at place: SourcePlace? = nil,
        hint: String? = nil
    ) {
        add(warnings: [JobWarning(code, message, at: place ?? entry(key)?.value.place ?? self.place, hint: hint)])
    }

    /// Declares an option that is read elsewhere.
    public mutating func note(_ spec: OptionSpec) { specs.append(spec) }

    /// The options that the job writes, in its order.
    public var written: [OptionNode.Entry] { entries }

    /// Reads the map that is the main option of the stage, whose key may be left out: `rename_columns: { a: b }` equals
    /// `rename_columns: { names: { a: b } }`.
    ///
    /// Call it after the other options, whose keys are no entries of the map; an entry with such a key must be under
    /// `key`. Help shows it first. Each wrong value is reported at its own entry.
    public mutating func readBare<Value: OptionValue>(_ key: String, help: String) -> OptionMap<Value> {
        let others = specs.map(\.key)
        specs.insert(
            OptionSpec(key: key, kind: OptionMap<Value>.kind, help: help, isRequired: true, isBare: true),
            at: 0
        )
        var map = OptionMap<Value>(entries: [])
        guard !isListening else { return map }
        // A scalar is no map, and so the value of an entry that happens to have this key.
        let named = entry(key).flatMap { $0.value.text == nil ? $0.value : nil }
        if let named {
            guard let written = named.map else {
                unreadable.insert(key)
                problems.append(prefixed(named.expected(OptionMap<Value>.kind.displayText), key))
                return map
            }
            read(written, into: &map, under: key)
            return map
        }
        takesAnyKey = true
        let bare = entries.filter { !others.contains($0.key) }
        read(bare, into: &map, under: key, beside: [key] + others)
        if bare.isEmpty { noteMissing(key, help) }
        return map
    }

    private mutating func read<Value: OptionValue>(
        _ written: [OptionNode.Entry],
        into map: inout OptionMap<Value>,
        under key: String,
        beside options: [String] = []
    ) {
        for entry in written {
            do {
                let value = try Value(reading: entry.value)
                note(value.warning, entry.key, at: entry.value.place)
                map.entries.append((entry.key, value, entry.keyPlace))
            } catch {
                unreadable.insert(key)
                var problem = prefixed(error.located(at: entry.value.place), entry.key)
                // A key that is nearly an option was meant as one.
                let meant = options.filter { $0 != entry.key }
                problem.hint = problem.hint ?? NearestName.hint(for: entry.key, among: meant)
                problems.append(problem)
            }
        }
    }

    private func prefixed(_ problem: DaybookError, _ key: String) -> DaybookError {
        var problem = problem
        problem.message = "'\(key)': \(problem.message)"
        return problem
    }

    private mutating func noteMissing(_ key: String, _ help: String) {
        unreadable.insert(key)
        problems.append(
            DaybookError(
                "missing-option",
                OptionReader.missing(key),
                at: place,
                hint: "add '\(key)': \(help.loweredFirst)"
            )
        )
    }

    /// Records a problem that the stage found, such as a number that is out of range. Placed at the option `key`.
    public mutating func refuse(_ key: String, _ message: String, hint: String? = nil) {
        guard !isListening, !unreadable.contains(key) else { return }
        problems.append(DaybookError("bad-option", message, at: entry(key)?.value.place ?? place, hint: hint))
    }

    /// Records a problem that the stage found and that is about no single option.
    public mutating func refuse(_ problem: DaybookError) { add(problems: [problem]) }

    /// Refuses a list that names something twice.
    package mutating func refuseRepeats(of names: [ColumnName], in key: String) {
        for (index, name) in names.enumerated() where names[..<index].contains(name) {
            refuse(key, "'\(key)' names '\(name)' twice")
        }
    }

    /// Refuses whichever of these options the job writes, because the option that gives them a meaning is missing.
    package mutating func refuse(_ keys: String..., without other: String, hint: String) {
        for key in keys where isWritten(key) {
            refuse(key, "'\(key)' has no meaning without '\(other)'", hint: hint)
        }
    }

    /// The place of the value of `key`, if the job has it.
    public func place(of key: String) -> SourcePlace? { entry(key)?.value.place }

    /// Whether the job writes the option at all.
    public func isWritten(_ key: String) -> Bool { entry(key) != nil }

    /// Requires the zone of the job, which must then name one: instants have no meaning without it.
    public mutating func timezone(because reason: String) -> String {
        if let timezone = context.timezone { return timezone }
        problems.append(
            DaybookError(
                "missing-timezone",
                "the job needs a 'timezone' because \(reason)",
                at: place,
                hint: "add a line such as 'timezone: Asia/Seoul' at the top of the job"
            )
        )
        return "Etc/UTC"
    }

    /// Reports the keys that the stage never read. Call it last.
    public mutating func finish(stage: String) {
        guard !takesAnyKey else { return }
        for entry in entries where !specs.contains(where: { $0.key == entry.key }) {
            let names = specs.map(\.key)
            // A mistyped key is one mistake, not also a missing option.
            if let meant = NearestName.of(entry.key, among: names) {
                problems.removeAll { $0.code == "missing-option" && $0.message == OptionReader.missing(meant) }
            }
            problems.append(
                DaybookError(
                    "unknown-option",
                    "\(stage) has no option '\(entry.key)'",
                    at: entry.keyPlace,
                    hint: NearestName.hint(for: entry.key, among: names)
                        ?? "its options are \(names.joined(separator: ", "))"
                )
            )
        }
    }

    private static func missing(_ key: String) -> String { "the option '\(key)' is missing" }

    private func entry(_ key: String) -> OptionNode.Entry? { entries.first { $0.key == key } }

    /// Records the warning of a value.
    private mutating func note(_ warning: JobWarning?, _ key: String, at place: SourcePlace) {
        guard var warning else { return }
        warning.message = "'\(key)': \(warning.message)"
        warning.place = warning.place ?? place
        add(warnings: [warning])
    }

    private mutating func value<Value: OptionValue>(of key: String) -> Value? {
        guard let node = entry(key)?.value else { return nil }
        do {
            let value = try Value(reading: node)
            note(value.warning, key, at: node.place)
            return value
        } catch {
            problems.append(prefixed(error.located(at: node.place), key))
            unreadable.insert(key)
            return Value.placeholder
        }
    }
}
