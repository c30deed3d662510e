import DaybookExpressions

/// The rules that a `check_rows` knows, in the order of the help.
public struct RuleTable: Sendable {
    public let rules: [any CheckRule.Type]
    /// The rules as options of an entry, made once for all entries.
    fileprivate let specs: [OptionSpec]

    public init(_ rules: [any CheckRule.Type]) {
        self.rules = rules
        specs = rules.map { RuleEntry.spec(of: $0) }
    }

    public var names: [String] { rules.map { $0.name } }

    public subscript(name: String) -> (any CheckRule.Type)? { rules.first { $0.name == name } }

    /// Every rule that ships with Daybook.
    public static let builtIn = RuleTable([
        // Single values.
        NotMissing.self,
        InSet.self,
        NotInSet.self,
        Between.self,
        Length.self,
        Matches.self,
        NotMatches.self,
        ReadsAs.self,
        DateFormatRule.self,
        HexColour.self,
        FormatRule.self,
        FitsSchema.self,
        TextHygieneRule.self,
        RefersTo.self,
        // Several values of one row.
        Holds.self,
        Implies.self,
        // A row compared with others.
        Unique.self,
        Increasing.self,
        Decreasing.self,
        DependsOn.self,
        ConsistentKind.self,
        Outliers.self,
        // All rows together.
        RowCount.self,
        Freshness.self,
        NoGaps.self,
        ContainsAll.self,
        Distinct.self,
        Sum.self,
        Mean.self,
        Minimum.self,
        Maximum.self,
        Median.self,
        Quantile.self,
        Deviation.self,
        Share.self,
        MissingShare.self,
        Columns.self,
    ])
}

/// The rules of a `CheckRows`, as a type, since a table knows a stage only by its type.
///
/// A package that adds rules declares one with `RuleTable(RuleTable.builtIn.rules + [Mine.self])`; its stages are
/// `StageTable.builtIn(checkingBy:)`.
public protocol RuleSet: Sendable {
    static var table: RuleTable { get }
}

/// The rules that ship with Daybook.
public enum BuiltInRules: RuleSet {
    public static var table: RuleTable { .builtIn }
}

/// One entry under `rules`: the rule, the rows that it applies to, and the fate of rows that break it.
struct RuleEntry: Sendable {
    enum Then: String, OptionChoice { case pass, reject, count }

    var rule: any CheckRule
    /// The columns whose values make groups, each of which is judged; empty for all rows together.
    private(set) var by: [ColumnName] = []
    /// The same rule about the other columns, where `column` is a list.
    private var others: [any CheckRule] = []
    private(set) var id: String
    /// Whether the job wrote the id.
    let hasOwnID: Bool
    let idPlace: SourcePlace?
    /// The suffix of a companion rule's name.
    private(set) var suffix = ""
    private(set) var limits: RuleLimits
    let filter: RowFilter?
    let then: Then
    let place: SourcePlace?

    var fate: Findings.Fate {
        switch then {
        case .pass: .reported
        case .reject: .rejected
        case .count: .counted
        }
    }

    /// Reads one entry, which makes a rule for each of its columns, and of each a second where it has a companion; none if
    /// it names no rule, or no known rule.
    static func read(_ options: inout OptionReader, among table: RuleTable) -> [RuleEntry] {
        guard let first = RuleEntry(reading: &options, among: table) else { return [] }
        let rules = [first.rule] + first.others
        return rules.flatMap { rule in
            var asked = first
            asked.rule = rule
            if rules.count > 1, first.hasOwnID, let column = rule.columns.first { asked.id += "_\(column)" }
            guard let companion = rule.companion else { return [asked] }
            var second = asked
            second.rule = companion.rule
            second.suffix = companion.suffix
            second.id += companion.suffix
            second.limits = companion.limits
            return [asked, second]
        }
    }

    private init?(reading options: inout OptionReader, among table: RuleTable) {
        id = options.optional("id", help: "Name of the rule in reports; made from the rule when left out.") ?? ""
        let condition: ExpressionText? = options.optional(
            "where",
            help: "Which rows the rule is asked about: those for which this is true. Shares are shares of them."
        )
        let warn: RuleLimit? = options.optional("warn", help: "Warn when more rows break it: '> 0', '>= 5' or '> 1%'.")
        let fail: RuleLimit? = options.optional(
            "fail",
            help: "Fail the run when more rows break it. '> 0' without limits; never with 'warn' alone."
        )
        let atLeast = options.read(
            "at_least",
            default: 1,
            help: "With fewer rows than this breaking it, the rule holds, so that 1% of five rows does not fire."
        )
        then = options.read(
            "then",
            default: .pass,
            help: "What becomes of rows that break it: they go on, are rejected, or go on and are only counted."
        )
        for spec in table.specs { options.note(spec) }
        hasOwnID = options.isWritten("id")
        idPlace = options.place(of: "id")
        limits = RuleLimits(warn: warn, fail: fail, atLeast: atLeast)
        filter = condition.map { RowFilter($0, reading: &options) }
        if atLeast < 1 { options.refuse("at_least", "'at_least' is at least 1, found '\(atLeast)'") }
        if hasOwnID, id.isEmpty { options.refuse("id", "'id' is empty") }
        RuleEntry.refuseWordsOfOthers(&options)
        let asked = options.written.filter { table[$0.key] != nil }
        options.finish(stage: "a rule")
        guard let entry = asked.first, let type = table[entry.key] else {
            if options.problems.isEmpty {
                let hint = "name a rule: \(table.names.joined(separator: ", "))"
                options.refuse(DaybookError("missing-option", "this entry asks nothing", at: options.place, hint: hint))
            }
            return nil
        }
        if asked.count > 1 {
            let message = "one entry asks both '\(entry.key)' and '\(asked[1].key)'"
            let hint = "write a second entry, so that each has limits and a name of its own"
            options.refuse(DaybookError("bad-option", message, at: asked[1].keyPlace, hint: hint))
        }
        guard type.shorthand != nil || entry.value.map != nil else {
            options.refuse(entry.value.expected("a map of options", hint: RuleEntry.hint(for: type)))
            return nil
        }
        place = entry.keyPlace
        let values = RuleEntry.columns(of: entry.value, for: type)
        var reader = options.reader(of: values[0], shorthand: type.shorthand)
        rule = type.init(reading: &reader)
        by = (type as? any GroupedRule.Type)?.readGroups(&reader) ?? []
        reader.finish(stage: entry.key)
        for value in values.dropFirst() {
            var other = options.reader(of: value, shorthand: type.shorthand)
            others.append(type.init(reading: &other))
            // What is wrong with the other options was said for the first column.
            reader.add(
                problems: other.problems.filter { new in
                    !reader.problems.contains { $0.message == new.message && $0.place == new.place }
                }
            )
        }
        if values.count > 1 { reader.refuseRepeats(of: ([rule] + others).compactMap(\.columns.first), in: "column") }
        options.add(reader)
    }

    /// The options of a rule about one column, for each column of a list.
    private static func columns(of value: OptionNode, for type: any CheckRule.Type) -> [OptionNode] {
        let isBare = value.map == nil && type.shorthand == "column"
        let node = isBare ? value : value.map?.first { $0.key == "column" }?.value
        guard let columns = node?.list, !columns.isEmpty, isAboutOneColumn(type) else { return [value] }
        return columns.map { column in
            guard !isBare, var entries = value.map else { return column }
            for place in entries.indices where entries[place].key == "column" { entries[place].value = column }
            return OptionNode(.map(entries), at: value.place)
        }
    }

    private static func isAboutOneColumn(_ type: any CheckRule.Type) -> Bool {
        specs(of: type).contains { $0.key == "column" && $0.kind == .column }
    }

    /// The options of a rule, with those of its groups behind them.
    private static func specs(of type: any CheckRule.Type) -> [OptionSpec] {
        OptionReader.specs { reader in
            _ = type.init(reading: &reader)
            _ = (type as? any GroupedRule.Type)?.readGroups(&reader)
        }
    }

    /// Suggests the right spelling for words of other tools.
    private static func refuseWordsOfOthers(_ options: inout OptionReader) {
        let words = [
            ("if", "write implies: { if: \"…\", then: \"…\" }, or holds: \"…\" with where: \"…\""),
            ("severity", "write warn: '> 0' for a rule that never fails"),
            ("not_null", "write not_missing: …"), ("required", "write not_missing: …"),
            ("accepted_values", "write in_set: { column: …, values: […] }"),
            ("enum", "write in_set: { column: …, values: […] }"),
            ("relationships", "write refers_to: { column: …, in: STAGE.COLUMN }"),
            ("foreign_key", "write refers_to: { column: …, in: STAGE.COLUMN }"), ("primary_key", "write unique: […]"),
            ("regex", "write matches: { column: …, pattern: … }"),
            ("pattern", "write matches: { column: …, pattern: … }"),
            ("range", "write between: { column: …, min: …, max: … }"), ("expression", "write holds: \"…\""),
            ("min_rows", "write row_count: { min: … }"), ("max_rows", "write row_count: { max: … }"),
        ]
        for (word, hint) in words {
            guard let entry = options.written.first(where: { $0.key == word }) else { continue }
            options.note(OptionSpec(key: word, kind: .text, help: hint))
            options.refuse(
                DaybookError("unknown-option", "a rule has no option '\(word)'", at: entry.keyPlace, hint: hint)
            )
        }
    }

    /// `write between: { column: … }`.
    private static func hint(for type: any CheckRule.Type) -> String {
        let specs = specs(of: type)
        let needed = specs.filter(\.isRequired)
        let shown = needed.isEmpty ? Array(specs.prefix(1)) : needed
        return "write \(type.name): { \(shown.map { "\($0.key): …" }.joined(separator: ", ")) }"
    }

    /// The rule as an option, for help and schema.
    fileprivate static func spec(of type: any CheckRule.Type) -> OptionSpec {
        let specs = specs(of: type).map { spec in
            guard spec.key == "column", spec.kind == .column else { return spec }
            var spec = spec
            spec.kind = .list(of: .column)
            spec.help += " Of a list, each column has the rule for itself."
            return spec
        }
        let object = OptionKind.object(specs)
        let bare = type.shorthand.flatMap { key in specs.first { $0.key == key }?.kind }
        return OptionSpec(key: type.name, kind: bare.map { .either([$0, object]) } ?? object, help: type.summary)
    }

    /// The columns that the rule and its groups read.
    var columns: [ColumnName] { rule.columns + by }
    /// Whether the rule holds each group of rows against earlier runs.
    var comparesGroups: Bool { !by.isEmpty && (rule as? any MeasuringRule)?.against.isEmpty == false }
    /// The age of the newest date of all rows that the rule allows.
    var newestWithin: Int? { by.isEmpty ? rule.newestWithin : nil }
    private var displayGroups: String { by.isEmpty ? "" : ", for each \(by.quoted)" }

    /// The rule as reports name it.
    func reported(as id: String) -> Rule {
        var reported = Rule(
            id: id,
            type: type(of: rule).name,
            columns: columns.map(\.text),
            at: place,
            limits: limits,
            complaint: rule.complaint,
            expectation: rule.expectation + displayGroups,
            isCompanion: !suffix.isEmpty,
            isNamed: hasOwnID
        )
        reported.newestWithin = newestWithin
        return reported
    }

    /// Whether rows are rejected only after the last row.
    var rejectsLate: Bool { then == .reject && (type(of: rule) as? any MemoryRule.Type)?.findsLate == true }
}
