import DaybookBytes
import DaybookDiscover
import DaybookEngine

/// Writes the job that holds tables against a contract.
///
/// The job is planned before it is given away: a rule that `check_rows` refuses, such as one with a pattern that it cannot
/// read, becomes a comment with the reason, like all that a job cannot say.
package struct ContractJob {
    private let contract: Contract
    private let command: String
    private let table: StageTable
    /// Why rules are refused, by their numbers.
    private var refused: [Int: String] = [:]

    package init(_ contract: Contract, command: String, _ table: StageTable) {
        (self.contract, self.command, self.table) = (contract, command, table)
    }

    /// The whole job, and what of the contract it does not say or not in full.
    package func written() throws(DaybookErrors) -> (text: String, unsaid: [String]) {
        var job = self
        while true {
            let (text, rules, unsaid) = job.composed
            let errors = job.problems(of: text)
            let known = job.refused.count
            for error in errors {
                if let line = error.place?.line, let number = rules[line] { job.refused[number] = error.message }
            }
            guard job.refused.count > known else {
                guard errors.isEmpty else { throw DaybookErrors(errors) }
                return (text, unsaid)
            }
        }
    }

    private func problems(of text: String) -> [DaybookError] {
        do throws(DaybookErrors) {
            var plan = try Plan(try InferenceRun.job(text, table), table: table, asOf: CalendarDay(number: 0))
            // Of a file that nobody has read, a column without a kind is text, as it will be.
            try plan.resolve(plan.unreadSchemas)
            return []
        } catch { return error.errors }
    }

    /// The text, which rule stands on which line, and what is not said.
    private var composed: (text: String, rules: [Int: Int], unsaid: [String]) {
        var (job, written) = (JobText(by: command), Written())
        job.remark("A gate made of a contract (\(contract.form)). What a job cannot say stands where it was meant.")
        for remark in contract.remarks { job.remark("cannot be said: \(remark)") }
        for note in contract.notes { job.remark("partly said, but not: \(note)") }
        written.unsaid = contract.remarks + contract.notes
        job.add("daybook: 1")
        job.add("job: \(YAMLScalar.of(GuessNames.name(of: contract.tables[0].name)))-contract")
        job.blank()
        job.add("stages:")
        let ids = GuessNames.unique(contract.tables.map { GuessNames.name(of: $0.name) })
        let tables = contract.tables.map(\.settled)
        for (table, id) in zip(tables, ids) { addImport(of: table, id, to: &job) }
        for (table, id) in zip(tables, ids) {
            written.said = []
            job.blank()
            job.add("  - check_rows:")
            job.add("      rules:")
            let above = written.rules.count
            for field in table.fields {
                for clause in field.clauses { add(clause, of: field, ids, to: &job, &written) }
            }
            for clause in table.clauses { add(clause, of: nil, ids, to: &job, &written) }
            if written.rules.count == above {
                job.add("        - row_count: { min: 0 }", "the contract asks nothing that can be said")
            }
            job.add("    from: \(id)")
            job.add("    id: \(id)-checked")
        }
        return (job.text, written.rules, written.unsaid)
    }

    /// The rules that are written.
    private struct Written {
        /// Their numbers, by their lines.
        var rules: [Int: Int] = [:]
        var number = 0
        /// What is asked of the table by now; what a contract asks twice is one rule.
        var said: Set<String> = []
        /// What is asked and not said, or not in full.
        var unsaid: [String] = []
    }

    private func addImport(of table: Contract.Table, _ id: String, to job: inout JobText) {
        job.blank()
        if let description = table.description { job.remark(description, indent: 2) }
        let paths = table.paths.isEmpty ? ["\(id).\(table.isJSON ? "json" : "csv")"] : table.paths
        if table.paths.isEmpty {
            job.remark("The contract names no file for '\(table.name)': write its path.", indent: 2)
        }
        let isJSON = table.isJSON || [".json", ".ndjson", ".jsonl"].contains { Self.bare(paths[0]).hasSuffix($0) }
        job.add("  - import_\(isJSON ? "json" : "csv"):")
        var options = isJSON ? table.options.filter { $0.key == "encoding" } : table.options
        if !isJSON, Self.bare(paths[0]).hasSuffix(".tsv"), !options.contains(where: { $0.key == "delimiter" }) {
            options.insert(SuggestedOption("delimiter", .plain("tab")), at: 0)
        }
        let kinds = table.fields.compactMap { field in
            field.declaredKind(inEvery: table.declaresColumns).map { SuggestedOption(field.name, .plain($0)) }
        }
        let told = table.fields.filter { $0.description?.isEmpty == false }
            .map { SuggestedOption($0.name, .text($0.description ?? "")) }
        options.insert(SuggestedOption("path", .names(paths)), at: 0)
        if !kinds.isEmpty { options.append(SuggestedOption("columns", .map(kinds))) }
        if !told.isEmpty { options.append(SuggestedOption("describe", .map(told))) }
        for option in options { job.add(option, indent: 6) }
        job.add("    id: \(id)")
    }

    /// The path without the ending of a compression.
    private static func bare(_ path: String) -> String {
        for ending in [".gz", ".zst"] where path.hasSuffix(ending) { return String(path.dropLast(ending.count)) }
        return path
    }

    private func add(
        _ clause: Contract.Clause,
        of field: Contract.Field?,
        _ ids: [String],
        to job: inout JobText,
        _ written: inout Written
    ) {
        let owner = field.map { "\($0.name): " } ?? ""
        guard let ask = clause.ask else {
            let text = "\(owner)\(clause.remark ?? "")"
            job.remark("cannot be said: \(text)", indent: 8)
            written.unsaid.append(text)
            return
        }
        if let remark = clause.remark {
            job.remark("partly said, but not: \(owner)\(remark)", indent: 8)
            written.unsaid.append("\(owner)\(remark)")
        }
        for (name, value) in ask.rules(of: field, contract, ids) {
            written.number += 1
            let rule = "\(name): \(YAMLScalar.of(value))"
            guard written.said.insert("\(rule) \(clause.limits)").inserted else { continue }
            if let reason = refused[written.number] {
                job.remark("cannot be said: \(owner)\(rule) (\(reason))", indent: 8)
                written.unsaid.append("\(owner)\(rule) (\(reason))")
                continue
            }
            job.add("        - \(rule)")
            written.rules[job.lineCount] = written.number
            for limit in clause.limits {
                job.add(limit, indent: 10)
                written.rules[job.lineCount] = written.number
            }
        }
    }
}

extension Contract {
    fileprivate static var instant: Regex<Substring> {
        /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:?[0-9]{2})/
    }
}

extension Contract.Field {
    /// What an import is told of the column; nil for one of which it is told nothing.
    ///
    /// - Parameter every: whether it is told of each column, also of texts.
    fileprivate func declaredKind(inEvery every: Bool) -> String? {
        if isJSON { return "json" }
        return kind.flatMap { $0 != .text || every ? $0.rawValue : nil }
    }
}

extension Contract.Ask {
    var bounds: [Contract.Bound] {
        if case .range(let min, let max) = self { [min, max].compactMap(\.self) } else { [] }
    }
}

extension Contract.Table {
    /// The kind that what is asked of a column implies, where none is written.
    private func kind(of field: Contract.Field) -> Contract.Kind? {
        let asks = (field.clauses + clauses).compactMap(\.ask)
        let bounds = field.clauses.flatMap { $0.ask?.bounds ?? [] }
        let measures = asks.compactMap { ask -> String? in
            guard case .rule(let rule, .map(let options)) = ask else { return nil }
            return options.contains { $0.key == "column" && $0.value == .text(field.name) } ? rule : nil
        }
        if measures.contains("freshness") { return .day }
        let numbers: Set<String> = [
            "sum", "mean", "minimum", "maximum", "median", "deviation", "increasing", "decreasing",
        ]
        if measures.contains(where: numbers.contains) { return .decimal }
        guard bounds.isEmpty else {
            if bounds.allSatisfy({ CalendarDay(iso: $0.text) != nil }) { return .day }
            return bounds.allSatisfy { Double($0.text) != nil } ? .decimal : nil
        }
        return expressions.contains { $0.compares(field.name) } ? .decimal : nil
    }

    /// The expressions of rules and of their limits.
    private var expressions: [ExpressionWords] {
        (fields.flatMap(\.clauses) + clauses).flatMap { clause -> [ExpressionWords] in
            var texts = clause.limits.filter { $0.key == "where" }.map(\.value)
            if case .rule("holds", let expression) = clause.ask { texts.append(expression) }
            return texts.compactMap { if case .text(let text) = $0 { ExpressionWords(text) } else { nil } }
        }
    }

    /// The table with kinds for columns that have bounds and no kind, since texts have none.
    fileprivate var settled: Contract.Table {
        var table = self
        let kinds = fields.map { $0.kind == nil && !$0.isJSON ? kind(of: $0) : $0.kind }
        // What a primary key requires need not be required again.
        for case .unique(let key, _, isPrimary: true)? in clauses.map(\.ask) {
            for index in table.fields.indices where key.contains(fields[index].name) {
                table.fields[index].clauses.removeAll { $0.ask == .required && $0.remark == nil && $0.limits.isEmpty }
            }
        }
        for index in table.fields.indices {
            table.fields[index].kind = kinds[index]
            for clause in table.fields[index].clauses.indices {
                let bounds = table.fields[index].clauses[clause].ask?.bounds ?? []
                let isText = [nil, .text].contains(table.fields[index].kind)
                // A text that is no instant is neither below nor above a bound.
                if isText, !bounds.allSatisfy({ $0.text.wholeMatch(of: Contract.instant) != nil }) {
                    let texts = bounds.map(\.text).joined(separator: " and ")
                    table.fields[index].clauses[clause] = Contract.Clause(nil, remark: "the bounds \(texts)")
                }
            }
        }
        return table
    }
}

extension ContractJob {
    /// The rules that ask something of a column, or of a table, in a job with no other table.
    static func rules(of ask: Contract.Ask, _ field: Contract.Field?) -> [(name: String, value: SuggestedValue)] {
        ask.rules(of: field, Contract(form: ""), [])
    }
}

extension Contract.Ask {
    /// The rules that ask it of a column, or of a table.
    fileprivate func rules(
        of field: Contract.Field?,
        _ contract: Contract,
        _ ids: [String]
    ) -> [(name: String, value: SuggestedValue)] {
        let (name, kind) = (field?.name ?? "", field?.kind)
        let column = ExpressionText.column(name)
        let isText = kind == nil || kind == .text
        let own = SuggestedValue.text(name)
        func holds(_ expression: String) -> [(String, SuggestedValue)] { [("holds", .text(expression))] }
        switch self {
        case .required: return [("not_missing", own)]
        case .among(let values), .notAmong(let values):
            var isIn = true
            if case .notAmong = self { isIn = false }
            if isText { return [(isIn ? "in_set" : "not_in_set", ["column": own, "values": .texts(values)])] }
            let written = values.map { ExpressionText.value($0, kind) }.joined(separator: ", ")
            return holds("\(column) \(isIn ? "" : "not ")in (\(written))")
        case .range(let min, let max):
            let (least, most) = (min.map { SuggestedValue.number($0.text) }, max.map { SuggestedValue.number($0.text) })
            if !isText, !bounds.contains(where: \.isExclusive) {
                return [("between", ["column": own, "min": least, "max": most])]
            }
            // The bounds of texts are those of instants.
            func side(_ bound: Contract.Bound?, _ sign: String) -> String? {
                bound.map { bound in
                    let far = isText ? "to_instant('\(bound.text)')" : ExpressionText.value(bound.text, kind)
                    return "\(isText ? "to_instant(\(column))" : column) \(sign)\(bound.isExclusive ? "" : "=") \(far)"
                }
            }
            return holds([side(min, ">"), side(max, "<")].compactMap(\.self).joined(separator: " and "))
        case .length(let min, let max):
            let (least, most) = (min.map { SuggestedValue.number($0.text) }, max.map { SuggestedValue.number($0.text) })
            if isText { return [("length", ["column": own, "min": least, "max": most])] }
            let low = ExpressionText.value(min?.text ?? "0", .integer)
            let high = ExpressionText.value(max?.text ?? "1000000000", .integer)
            return holds("length(to_text(\(column))) between \(low) and \(high)")
        case .matches(let pattern), .notMatches(let pattern):
            var isMatch = true
            if case .notMatches = self { isMatch = false }
            if isText { return [(isMatch ? "matches" : "not_matches", ["column": own, "pattern": .text(pattern)])] }
            return holds("\(isMatch ? "" : "not ")matches(to_text(\(column)), \(ExpressionText.text(pattern)))")
        case .dates(let formats): return [("date_format", ["column": own, "formats": .names(formats)])]
        case .unique(let columns, let skipsMissing, let isPrimary):
            let names = SuggestedValue.names(columns)
            let skips = skipsMissing && columns.count > 1
            let value: SuggestedValue = skips ? ["columns": names, "missing": .plain("skip")] : names
            return (isPrimary ? [("not_missing", names)] : []) + [("unique", value)]
        case .refers(let columns, let target, let far):
            let id = zip(contract.tables, ids).first { $0.0.name == target }?.1 ?? GuessNames.name(of: target)
            let place = far.count == 1 ? "\(id).\(far[0])" : "\(id).[\(far.joined(separator: ", "))]"
            let key = columns.count == 1 ? "column" : "columns"
            return [("refers_to", [key: .names(columns), "in": .text(place)])]
        case .columns(let columns, let missing, let extra, let isOrdered):
            let value: SuggestedValue = [
                "are": .texts(columns), "missing": missing == "fail" ? nil : .plain(missing),
                "extra": extra == "fail" ? nil : .plain(extra), "order": isOrdered ? .plain("same") : nil,
            ]
            return [("columns", value)]
        case .rule(let name, let value): return [(name, value)]
        }
    }
}
