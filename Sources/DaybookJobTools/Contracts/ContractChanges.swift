import DaybookBytes
import DaybookDiscover

/// What a reader of the data of one contract finds otherwise in those of a later one.
///
/// Breaking is what lets data through that the old contract kept away; what is asked besides is only new.
package struct ContractChanges {
    package private(set) var breaking: [String] = []
    package private(set) var new: [String] = []
    /// What a job cannot say of either, so that nobody can tell which of them lets more through.
    package private(set) var uncompared: [String] = []

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
        leave(old.remarks, later.remarks, nil)
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
                // Every whole number is a decimal. In a file of texts, each value has one; of JSON, only days are texts too.
                let isText = kind == .text && (!old.declaresColumns || after.kind == .day)
                if (kind, after.kind) == (.decimal, .integer) || isText {
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
        compareColumns(old, later)
        compareReading(old, later)
        compare(old.clauses, later.clauses, old.name)
    }

    private mutating func tell(_ owner: String, isLess: Bool, _ was: String, _ now: String) {
        let line = "\(owner) asks for \(isLess ? "less" : "more"): \(was) was, \(now) is"
        isLess ? breaking.append(line) : new.append(line)
    }

    // MARK: - Which columns there are

    private mutating func compareColumns(_ old: Contract.Table, _ later: Contract.Table) {
        let (was, now) = (ColumnWish(of: old), ColumnWish(of: later))
        if was.others != now.others {
            tell(old.name, isLess: was.others > now.others, was.others.ofOthers, now.others.ofOthers)
        }
        let names = old.fields.map(\.name).filter { name in later.fields.contains { $0.name == name } }
        let lost = names.filter { was.level(of: $0) > now.level(of: $0) }
        let gained = names.filter { was.level(of: $0) < now.level(of: $0) }
        if !lost.isEmpty { breaking.append("\(old.name) asks no longer that columns are there: \(Self.list(lost))") }
        if !gained.isEmpty { new.append("\(old.name) asks besides that columns are there: \(Self.list(gained))") }
        switch (was.order, now.order) {
        case (let order?, nil):
            breaking.append("\(old.name) asks no longer for the order of columns: \(Self.list(order))")
        case (nil, let order?): new.append("\(old.name) asks besides for the order of columns: \(Self.list(order))")
        case (let order?, let other?):
            let (one, two) = (order.filter(other.contains), other.filter(order.contains))
            guard one != two else { break }
            breaking.append("\(old.name) asks for another order: \(Self.list(one)) was, \(Self.list(two)) is")
        case (nil, nil): break
        }
    }

    private static func list(_ names: [String]) -> String { DisplayText.first(20, of: names) }

    // MARK: - How files are read

    private mutating func compareReading(_ old: Contract.Table, _ later: Contract.Table) {
        let (was, now) = (old.options + old.reading, later.options + later.reading)
        compareMissing(Self.missing(was), Self.missing(now), old)
        var keys: [String] = []
        // A header without a line of its own names the fields, which are compared.
        for key in (was + now).map(\.key) where !["missing", "header"].contains(key) && !keys.contains(key) {
            keys.append(key)
        }
        for key in keys {
            let values = [was, now].map { options in options.last { $0.key == key }.map { YAMLScalar.of($0.value) } }
            guard values[0] != values[1] else { continue }
            let words = values.map { $0.map { "\(key): \($0)" } ?? "no '\(key)'" }
            breaking.append("\(old.name) is read otherwise: \(words[0]) was, \(words[1]) is")
        }
        let most = max(old.allowed.count, later.allowed.count)
        for place in 0..<most {
            let texts = [old.allowed, later.allowed].map { $0.indices.contains(place) ? $0[place] : "0" }
            let shares = texts.map(ShareText.init)
            guard texts[0] != texts[1], shares[0] != shares[1] else { continue }
            let isLess = !shares[1].isWithin(shares[0])
            tell(old.name, isLess: isLess, "\(texts[0]) rejected rows allowed", texts[1])
        }
    }

    private mutating func compareMissing(_ was: [String], _ now: [String], _ old: Contract.Table) {
        let keys = old.clauses.compactMap { clause -> [String]? in
            if case .unique(let columns, _, isPrimary: true) = clause.ask { columns } else { nil }
        }.joined()
        let needed = old.fields.filter { field in
            keys.contains(field.name) || field.clauses.contains { $0.ask == .required }
        }
        let free = old.fields.filter { field in
            !needed.contains { $0.name == field.name }
                && (field.kind.map { $0 != .text } ?? false || field.clauses.contains { $0.ask != nil })
        }
        for word in was where !now.contains(word) {
            let line = "\(old.name) reads '\(word)' as a value, and it was missing"
            needed.isEmpty ? new.append(line) : breaking.append("\(line) where one is asked for")
        }
        for word in now where !was.contains(word) {
            let line = "\(old.name) reads '\(word)' as missing, and it was a value"
            free.isEmpty ? new.append(line) : breaking.append("\(line) of which something is asked")
        }
    }

    private static func missing(_ options: [SuggestedOption]) -> [String] {
        switch options.last(where: { $0.key == "missing" })?.value {
        case .text(let word)?, .plain(let word)?: [word]
        case .list(let words)?:
            words.compactMap {
                if case .text(let word) = $0 { word } else if case .plain(let word) = $0 { word } else { nil }
            }
        case .map?, nil: [""]
        }
    }

    // MARK: - Clauses

    private mutating func compare(_ old: [Contract.Clause], _ later: [Contract.Clause], _ owner: String) {
        leave(old.compactMap(\.remark), later.compactMap(\.remark), owner)
        let (before, after) = (old.filter(\.isOfValues), later.filter(\.isOfValues))
        let gone = before.filter { clause in !after.contains(where: clause.isSame) }
        var besides = after.filter { clause in !before.contains(where: clause.isSame) }
        for clause in gone {
            guard let ask = clause.ask else { continue }
            if let place = besides.firstIndex(where: { $0.asksNoLess(than: clause) }) {
                tell(
                    owner,
                    isLess: false,
                    clause.inBrief(beside: besides[place]),
                    besides[place].inBrief(beside: clause)
                )
                besides.remove(at: place)
            } else if let place = besides.firstIndex(where: { $0.ask?.isLike(ask) == true }) {
                tell(
                    owner,
                    isLess: true,
                    clause.inBrief(beside: besides[place]),
                    besides[place].inBrief(beside: clause)
                )
                besides.remove(at: place)
            } else if !after.contains(where: { $0.asksNoLess(than: clause) }) {
                breaking.append("\(owner) asks no longer: \(ask.inBrief)")
            }
        }
        new += besides.compactMap(\.ask).map { "\(owner) asks besides: \($0.inBrief)" }
    }

    /// Tells which words of a contract are in only one of both, and were not read as anything that is asked.
    private mutating func leave(_ old: [String], _ later: [String], _ owner: String?) {
        let owner = owner.map { "\($0), " } ?? ""
        for text in old where !later.contains(text) { uncompared.append("\(owner)\(text), which is gone or another") }
        for text in later where !old.contains(text) { uncompared.append("\(owner)\(text), which is new or another") }
    }
}

/// Which columns a contract asks for, of all its clauses together.
private struct ColumnWish {
    enum Level: Int, Comparable {
        case allow, warn, fail

        init(_ word: String) { self = word == "fail" ? .fail : word == "warn" ? .warn : .allow }

        static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }

        /// What becomes of columns that are not named.
        var ofOthers: String {
            switch self {
            case .allow: "any other columns"
            case .warn: "a warning of other columns"
            case .fail: "no other columns"
            }
        }
    }

    /// What other columns are met with.
    private(set) var others = Level.allow
    /// What it is met with that a column is not there.
    private var levels: [String: Level] = [:]
    private(set) var order: [String]?

    init(of table: Contract.Table) {
        for clause in table.clauses where clause.limits.isEmpty {
            guard case .columns(let names, let missing, let extra, let isOrdered) = clause.ask else { continue }
            others = max(others, Level(extra))
            for name in names { levels[name] = max(level(of: name), Level(missing)) }
            if isOrdered { order = names }
        }
        // A column that is not there has no value in any row.
        for field in table.fields where field.clauses.contains(where: { $0.ask == .required && $0.limits.isEmpty }) {
            levels[field.name] = .fail
        }
    }

    func level(of name: String) -> Level { levels[name] ?? .allow }
}

/// How many rows a limit lets pass.
private struct ShareText: Equatable {
    private var number: Double
    private var isShare = false

    init(_ text: String) {
        let words = text.drop { ">= ".contains($0) }
        isShare = words.hasSuffix("%")
        number = Double(isShare ? words.dropLast() : words[...]) ?? .infinity
        // As many rows as that are too many.
        if text.hasPrefix(">=") { number = number.nextDown }
        if number <= 0 { isShare = false }
    }

    /// Of a rule that never fails.
    static var endless: ShareText { ShareText("") }

    /// Whether it lets no more rows pass, as far as that can be told.
    func isWithin(_ other: ShareText) -> Bool {
        number <= 0 || other.number == .infinity || isShare == other.isShare && number <= other.number
    }
}

extension Contract.Clause {
    /// Whether it asks something that is not about which columns there are, which the fields tell.
    fileprivate var isOfValues: Bool {
        if case .columns = ask, limits.isEmpty { false } else { ask != nil }
    }

    private func limit(_ key: String) -> String? {
        guard let option = limits.last(where: { $0.key == key }) else { return nil }
        switch option.value {
        case .text(let text), .plain(let text): return text
        default: return YAMLScalar.of(option.value)
        }
    }

    /// How many rows may break it.
    private var most: ShareText { ShareText(limit("fail") ?? (limit("warn") == nil ? "> 0" : "")) }

    fileprivate func isSame(as other: Self) -> Bool {
        ask == other.ask && ["where", "warn", "fail", "at_least"].allSatisfy { limit($0) == other.limit($0) }
    }

    /// Whether rows that pass it pass the other too, as far as that can be told.
    fileprivate func asksNoLess(than other: Self) -> Bool {
        guard let ask, let asked = other.ask, ask.asksNoLess(than: asked), limit("where") == other.limit("where") else {
            return false
        }
        let least = [self, other].map { $0.limit("at_least").flatMap { Double($0) } ?? 1 }
        return least[0] <= least[1] && most.isWithin(other.most)
            && (most != .endless || limit("warn") == other.limit("warn"))
    }

    /// The clause, with its limits where these make the difference from another.
    fileprivate func inBrief(beside other: Self) -> String {
        guard let ask else { return "" }
        guard ask == other.ask else { return ask.inBrief }
        let words = limits.map { "\($0.key): \(YAMLScalar.of($0.value))" }
        return "\(ask.inBrief) with \(words.isEmpty ? "no limits" : words.joined(separator: ", "))"
    }
}

extension Contract.Ask {
    fileprivate var inBrief: String {
        switch self {
        case .required: "a value"
        case .among(let values): "one of \(values.joined(separator: ", "))"
        case .notAmong(let values): "none of \(values.joined(separator: ", "))"
        case .range(let min, let max): Self.span(min, max)
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

    /// Bounds in words, which tell one that is a value itself from one that is not.
    private static func span(_ min: Contract.Bound?, _ max: Contract.Bound?) -> String {
        guard [min, max].contains(where: { $0?.isExclusive == true }) else {
            return "from \(min?.text ?? "anything") to \(max?.text ?? "anything")"
        }
        return [
            min.map { "\($0.isExclusive ? "above" : "from") \($0.text)" },
            max.map { "\($0.isExclusive ? "below" : "up to") \($0.text)" },
        ].compactMap(\.self).joined(separator: " and ")
    }

    /// Whether it asks the same thing, with whatever values.
    fileprivate func isLike(_ other: Self) -> Bool {
        switch (self, other) {
        case (.required, .required), (.among, .among), (.notAmong, .notAmong), (.range, .range), (.length, .length),
            (.matches, .matches), (.notMatches, .notMatches), (.dates, .dates), (.unique, .unique), (.refers, .refers),
            (.columns, .columns):
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
