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
        /// Whether records need not have the columns, so that the import has to be told of each.
        var declaresColumns = false
        /// How the import of a job reads its files, and how many rows it and the checks may reject.
        var reading: [SuggestedOption] = []
        var allowed: [String] = []
        var fields: [Field] = []
        /// What is asked of several columns or of the rows together.
        var clauses: [Clause] = []
        var description: String?
    }

    package struct Field: Asking {
        var name: String
        /// The kind that is written; nil where none is.
        var kind: Kind?
        /// Whether values are JSON of any kind.
        var isJSON = false
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
    /// What a job says otherwise than the form means it.
    var notes: [String] = []
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

/// The words of an expression, as far as they tell which columns are compared with numbers.
struct ExpressionWords {
    private enum Word: Equatable {
        case name(String)
        case text, number
        case sign(String)
    }

    private var words: [Word] = []

    init(_ text: String) {
        var rest = text[...]
        while let first = rest.first {
            if first == "'" || first == "\"" {
                // Two quotes within quotes are one, which makes two words of it that no comparison has.
                let inner = rest.dropFirst().prefix { $0 != first }
                words.append(first == "'" ? .text : .name(String(inner)))
                rest = rest[inner.endIndex...].dropFirst()
            } else if first.isNumber {
                rest = rest.drop { $0.isNumber || $0 == "." || $0 == "_" }
                words.append(.number)
            } else if first.isLetter || first == "_" {
                let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
                words.append(.name(String(name)))
                rest = rest[name.endIndex...]
            } else if "<>=!".contains(first) {
                let sign = rest.prefix { "<>=!".contains($0) }
                words.append(.sign(String(sign)))
                rest = rest[sign.endIndex...]
            } else {
                // A minus before a number belongs to it.
                if !first.isWhitespace, first != "-" { words.append(.sign(String(first))) }
                rest = rest.dropFirst()
            }
        }
    }

    /// Whether a column stands beside a number and a sign between them that compares, such as `id > 5`.
    func compares(_ column: String) -> Bool {
        words.indices.contains { index in
            guard words[index] == .name(column) else { return false }
            func word(_ step: Int) -> Word? { words.indices.contains(index + step) ? words[index + step] : nil }
            let isNumber = [-1, 1].contains { side in
                guard case .sign(let sign)? = word(side), word(2 * side) == .number else { return false }
                return ["=", "==", "!=", "<>", "<", "<=", ">", ">="].contains(sign)
            }
            let isBetween = word(1) == .name("between") && word(2) == .number
            return isNumber || isBetween
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
