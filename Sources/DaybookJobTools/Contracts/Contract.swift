import DaybookBytes
import DaybookDiscover

/// What somebody asks of tables, in whatever form it was written: the readers fill it, and one printer makes a job of it.
package struct Contract {
    package struct Table: Asking {
        var name: String
        /// Where the rows are, from the directory of the contract.
        var paths: [String] = []
        /// What the import has to know of the files.
        var options: [SuggestedOption] = []
        var isJSON = false
        var fields: [Field] = []
        /// What is asked of several columns or of the rows together.
        var clauses: [Clause] = []
        var description: String?
    }

    package struct Field: Asking {
        var name: String
        /// The kind that is written; nil where none is.
        var kind: Kind?
        var description: String?
        var clauses: [Clause] = []
    }

    /// A kind of column that an import may be told.
    enum Kind: String, CaseIterable {
        case text, integer, decimal, day, flag

        /// Its name in Table Schema and ODCS, and but for `date` in JSON Schema.
        var schemaType: String {
            switch self {
            case .text: "string"
            case .integer: "integer"
            case .decimal: "number"
            case .day: "date"
            case .flag: "boolean"
            }
        }

        init?(schemaType: String) {
            guard let kind = Kind.allCases.first(where: { $0.schemaType == schemaType }) else { return nil }
            self = kind
        }
    }

    /// One wish, and in words what of it a job cannot say.
    struct Clause {
        var ask: Ask?
        /// Limits of the rule, such as `fail` and `where`.
        var limits: [SuggestedOption] = []
        var remark: String?

        init(_ ask: Ask?, _ limits: [SuggestedOption] = [], remark: String? = nil) {
            (self.ask, self.limits, self.remark) = (ask, limits, remark)
        }
    }

    struct Bound: Hashable {
        var text: String
        var isExclusive = false
    }

    enum Ask: Hashable {
        case required
        case among([String])
        case notAmong([String])
        case range(min: Bound?, max: Bound?)
        case length(min: Bound?, max: Bound?)
        case matches(String)
        case notMatches(String)
        case dates([String])
        /// No two rows are equal in these columns; those of a primary key are required besides.
        case unique([String], skipsMissing: Bool, isPrimary: Bool)
        case refers([String], table: String, [String])
        case columns([String], missing: String, extra: String, isOrdered: Bool)
        /// A rule as a job writes it.
        case rule(String, SuggestedValue)
    }

    package var form: String
    package var tables: [Table] = []
    /// What the contract says beside its tables, and a job cannot.
    var remarks: [String] = []
}

extension Contract.Ask {
    /// The values of a column are JSON that fits a JSON Schema.
    static func schema(_ column: String, _ schema: OptionNode) -> Self {
        .rule("schema", ["column": .text(column), "is": SuggestedValue(schema)])
    }

    static func holds(_ expression: String) -> Self { .rule("holds", .text(expression)) }
}

/// A part of a contract of which something is asked.
protocol Asking {
    var clauses: [Contract.Clause] { get set }
}

extension Asking {
    mutating func ask(_ ask: Contract.Ask?, _ limits: [SuggestedOption] = [], remark: String? = nil) {
        clauses.append(Contract.Clause(ask, limits, remark: remark))
    }

    /// Adds what a job cannot say; or all of it that is under keys that nobody reads.
    mutating func leave(_ text: String) { ask(nil, remark: text) }

    mutating func leaveRest(of node: OptionNode, besides known: Set<String>) {
        for text in node.rest(besides: known) { leave(text) }
    }
}

/// Columns and values as expressions write them.
enum ExpressionText {
    static func column(_ name: String) -> String { "\"\(name.replacingScalars("\"", with: "\"\""))\"" }

    static func text(_ value: String) -> String { "'\(value.replacingScalars("'", with: "''"))'" }

    /// The value of a column of that kind.
    static func value(_ text: String, _ kind: Contract.Kind?) -> String {
        switch kind {
        // What is no such value is a text, which is refused with the whole rule.
        case .integer, .decimal: Double(text) == nil ? self.text(text) : text
        case .flag: ["true", "false"].contains(text) ? text : self.text(text)
        case .day: "date \(self.text(text))"
        case .text, nil: self.text(text)
        }
    }
}

extension SuggestedValue {
    /// A number or a day as the contract writes it. Anything else is a text in quotes, which a rule refuses.
    static func number(_ text: String) -> SuggestedValue {
        Double(text) != nil || CalendarDay(iso: text) != nil ? .plain(text) : .text(text)
    }

    /// A part of a contract as it stands there.
    init(_ node: OptionNode) {
        switch node.content {
        case .nothing: self = .plain("null")
        case .text(let text, _): self = node.json == text ? .plain(text) : .text(text)
        case .list(let items): self = .list(items.map { SuggestedValue($0) })
        case .map(let entries): self = .map(entries.map { SuggestedOption($0.key, SuggestedValue($0.value)) })
        }
    }

    /// A share from 0 to 1, as limits write it.
    static func percent(_ share: Double) -> String {
        let hundredths = (share * 1e8).rounded() / 1e6
        return hundredths == hundredths.rounded() && abs(hundredths) < 1e9 ? "\(Int(hundredths))%" : "\(hundredths)%"
    }
}

/// What a reader of the data of one contract finds otherwise in those of a later one.
///
/// Breaking is what lets data through that the old contract kept away; what is asked besides is only new.
package struct ContractChanges {
    package private(set) var breaking: [String] = []
    package private(set) var new: [String] = []

    package init(from old: Contract, to later: Contract) {
        let isOne = old.tables.count == 1 && later.tables.count == 1
        for table in old.tables {
            guard let after = isOne ? later.tables[0] : later.tables.first(where: { $0.name == table.name }) else {
                breaking.append("table \(table.name) is gone")
                continue
            }
            compare(table, after)
        }
        for table in later.tables where !isOne && !old.tables.contains(where: { $0.name == table.name }) {
            new.append("table \(table.name) is new")
        }
    }

    private mutating func compare(_ old: Contract.Table, _ later: Contract.Table) {
        for field in old.fields {
            let owner = "\(old.name).\(field.name)"
            guard let after = later.fields.first(where: { $0.name == field.name }) else {
                breaking.append("\(owner) is gone")
                continue
            }
            if let kind = field.kind, kind != after.kind {
                let change = "\(owner) held \(kind.rawValue) and holds \(after.kind?.rawValue ?? "anything")"
                // Every whole number is a decimal, and each value has a text.
                if (kind, after.kind) == (.decimal, .integer) || kind == .text {
                    new.append(change)
                } else {
                    breaking.append(change)
                }
            } else if field.kind == nil, let kind = after.kind {
                new.append("\(owner) holds \(kind.rawValue)")
            }
            compare(field.clauses, after.clauses, owner)
        }
        for field in later.fields where !old.fields.contains(where: { $0.name == field.name }) {
            new.append("\(old.name).\(field.name) is new")
        }
        compare(old.clauses, later.clauses, old.name)
    }

    private mutating func compare(_ old: [Contract.Clause], _ later: [Contract.Clause], _ owner: String) {
        let (before, after) = (old.filter(\.isOfValues), later.filter(\.isOfValues))
        for clause in before where !after.contains(where: { $0.ask == clause.ask && $0.limits == clause.limits }) {
            guard let ask = clause.ask else { continue }
            let others = after.compactMap { $0.limits == clause.limits ? $0.ask : nil }
            if let other = others.first(where: { $0.asksNoLess(than: ask) }) {
                new.append("\(owner) asks for more: \(ask.inBrief) was, \(other.inBrief) is")
            } else if let other = others.first(where: { $0.isLike(ask) }) {
                breaking.append("\(owner) asks for less: \(ask.inBrief) was, \(other.inBrief) is")
            } else {
                breaking.append("\(owner) asks no longer: \(ask.inBrief)")
            }
        }
        for clause in after {
            guard let ask = clause.ask, !before.contains(where: { $0.ask?.isLike(ask) == true }) else { continue }
            new.append("\(owner) asks besides: \(ask.inBrief)")
        }
    }
}

extension Contract.Clause {
    /// Whether it asks something that is not about which columns there are, which the fields tell.
    fileprivate var isOfValues: Bool { if case .columns = ask { false } else { ask != nil } }
}

extension Contract.Ask {
    fileprivate var inBrief: String {
        switch self {
        case .required: "a value"
        case .among(let values): "one of \(values.joined(separator: ", "))"
        case .notAmong(let values): "none of \(values.joined(separator: ", "))"
        case .range(let min, let max): "from \(min?.text ?? "anything") to \(max?.text ?? "anything")"
        case .length(let min, let max): "length from \(min?.text ?? "0") to \(max?.text ?? "anything")"
        case .matches(let pattern): "match of '\(pattern)'"
        case .notMatches(let pattern): "no match of '\(pattern)'"
        case .dates(let formats): "dates as \(formats.joined(separator: ", "))"
        case .unique(let columns, _, let isPrimary):
            "\(isPrimary ? "key" : "unique") \(columns.joined(separator: ", "))"
        case .refers(let columns, let table, let far):
            "\(columns.joined(separator: ", ")) in \(table).\(far.joined(separator: ", "))"
        case .columns(let names, _, _, _): "columns \(names.joined(separator: ", "))"
        case .rule(let name, let value): "\(name): \(YAMLScalar.of(value))"
        }
    }

    /// Whether it asks the same thing, with whatever values.
    fileprivate func isLike(_ other: Self) -> Bool {
        switch (self, other) {
        case (.required, .required), (.among, .among), (.notAmong, .notAmong), (.range, .range), (.length, .length),
            (.matches, .matches), (.notMatches, .notMatches), (.dates, .dates), (.unique, .unique), (.refers, .refers):
            true
        case (.rule(let name, _), .rule(let own, _)): name == own
        default: false
        }
    }

    /// Whether what passes it passes the other too, as far as that can be told.
    fileprivate func asksNoLess(than other: Self) -> Bool {
        switch (self, other) {
        case (.among(let own), .among(let values)): Set(own).isSubset(of: values)
        case (.notAmong(let own), .notAmong(let values)): Set(own).isSuperset(of: values)
        case (.range(let min, let max), .range(let low, let high)),
            (.length(let min, let max), .length(let low, let high)):
            Self.isInside(min, low, lower: true) && Self.isInside(max, high, lower: false)
        case (.dates(let own), .dates(let formats)): Set(own).isSubset(of: formats)
        case (.unique(let own, let skips, let isKey), .unique(let columns, let mayMiss, let wasKey)):
            own == columns && (!skips || mayMiss || own.count == 1) && (isKey || !wasKey)
        default: self == other
        }
    }

    /// Whether a bound is no wider than another. Bounds that are no numbers are days or instants, which sort as texts.
    private static func isInside(_ bound: Contract.Bound?, _ other: Contract.Bound?, lower: Bool) -> Bool {
        guard let other else { return true }
        guard let bound else { return false }
        let (own, far) = (Double(bound.text), Double(other.text))
        if bound.text == other.text || own != nil && own == far { return bound.isExclusive || !other.isExclusive }
        guard let own, let far else { return lower ? bound.text > other.text : bound.text < other.text }
        return lower ? own > far : own < far
    }
}
