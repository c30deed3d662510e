import DaybookBytes

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
