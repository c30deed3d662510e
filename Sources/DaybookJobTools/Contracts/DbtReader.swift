import DaybookBytes

/// Reads the properties of dbt's models, sources, seeds and snapshots.
enum DbtReader {
    private static let described: Set<String> = [
        "name", "description", "columns", "tests", "data_tests", "identifier", "meta", "docs", "tags", "config",
        "access", "group", "data_type", "quote",
    ]

    static func read(_ root: OptionNode) throws(DaybookError) -> Contract {
        var contract = Contract(form: "dbt")
        contract.remarks = root.rest(besides: ["version", "models", "sources", "seeds", "snapshots"])
        var nodes = ["models", "seeds", "snapshots"].flatMap(root.nodes)
        for source in root.nodes("sources") {
            nodes += source.nodes("tables")
            let known = described.union(["tables", "schema", "database", "loader"])
            contract.remarks += source.rest(besides: known).map { "source \(source.text("name") ?? ""), \($0)" }
        }
        for node in nodes {
            guard let name = node.text("name") else { throw node.expected("a table with a 'name'") }
            var table = Contract.Table(name: name, description: node.text("description"))
            for column in node.nodes("columns") {
                guard let name = column.text("name") else { throw column.expected("a column with a 'name'") }
                let type = column.text("data_type")
                var field = Contract.Field(
                    name: name,
                    kind: type.flatMap(kind),
                    description: column.text("description")
                )
                if let type, field.kind == nil { field.leave("data_type: \(type)") }
                field.clauses += column.nodes("constraints").map { constraint($0, name) }
                for test in tests(of: column) { field.clauses += clauses(of: test, name) }
                field.leaveRest(of: column, besides: described.union(["constraints"]))
                table.fields.append(field)
            }
            let names = table.fields.map(\.name)
            if !names.isEmpty { table.ask(.columns(names, missing: "fail", extra: "allow", isOrdered: false)) }
            for test in tests(of: node) { table.clauses += clauses(of: test, nil) }
            table.leaveRest(of: node, besides: described)
            contract.tables.append(table)
        }
        return contract
    }

    private static func tests(of node: OptionNode) -> [OptionNode] {
        node.nodes("data_tests") + node.nodes("tests")
    }

    private static func kind(_ type: String) -> Contract.Kind? {
        switch type.lowercased().prefix(while: { $0 != "(" }) {
        case "int", "integer", "bigint", "smallint", "int64", "int32": .integer
        case "numeric", "decimal", "float", "double", "float64", "real", "number", "double precision": .decimal
        case "bool", "boolean": .flag
        case "date": .day
        case "text", "string", "varchar", "char", "character varying": .text
        default: nil
        }
    }

    private static func constraint(_ node: OptionNode, _ column: String) -> Contract.Clause {
        switch node.text("type") {
        case "not_null": Contract.Clause(.required)
        case "unique": Contract.Clause(.unique([column], skipsMissing: true, isPrimary: false))
        case "primary_key": Contract.Clause(.unique([column], skipsMissing: false, isPrimary: true))
        default: Contract.Clause(nil, remark: "constraint: \(node.inBrief)")
        }
    }

    private static let limits: Set<String> = ["where", "severity", "warn_if", "error_if", "enabled"]

    private static func clauses(of test: OptionNode, _ column: String?) -> [Contract.Clause] {
        let entry = test.map?.first { !["name", "config", "description"].contains($0.key) }
        // A test is its name alone, a map under its name, or a map with 'test_name'.
        guard let written = test.text ?? test.text("test_name") ?? entry?.key else { return [] }
        let given = test["test_name"] == nil ? entry?.value : test
        let node = given?["arguments"] ?? given
        let configs = [given?["config"], test["config"], given].compactMap(\.self)
        func option(_ key: String) -> String? { configs.lazy.compactMap { $0.text(key) }.first }

        var used = limits.union(["config", "arguments", "name", "description", "test_name"])
        func argument(_ key: String) -> OptionNode? {
            used.insert(key)
            return node?[key]
        }
        let subject = column ?? argument("column_name")?.text
        let name = written.split(separator: ".").last.map(String.init) ?? written
        if option("enabled")?.lowercased() == "false" {
            return [Contract.Clause(nil, remark: "test, which is disabled: \(test.inBrief)")]
        }
        var remark: String?
        let ask = ask(name, subject, argument, &remark)
        guard let ask else { return [Contract.Clause(nil, remark: "test: \(test.inBrief)")] }
        var (options, unsaid) = limits(option)
        if let group = argument("group_by_columns") { unsaid.append("group_by_columns: \(group.inBrief)") }
        unsaid += (node?.rest(besides: used) ?? []) + (given?["config"]?.rest(besides: limits) ?? [])
        if let condition = option("where") { options.append(SuggestedOption("where", .text(condition))) }
        return [Contract.Clause(ask, options, remark: remark)]
            + unsaid.map { Contract.Clause(nil, remark: "\(name), \($0)") }
    }

    /// - Parameter remark: what of the test cannot be said.
    private static func ask(
        _ name: String,
        _ column: String?,
        _ argument: (String) -> OptionNode?,
        _ remark: inout String?
    ) -> Contract.Ask? {
        switch name {
        case "unique_combination_of_columns":
            let columns = argument("combination_of_columns")?.texts ?? []
            return columns.isEmpty ? nil : .unique(columns, skipsMissing: false, isPrimary: false)
        case "expression_is_true":
            remark = "that it fails where it cannot be computed"
            let subject = column.map { "\(ExpressionText.column($0)) " } ?? ""
            return argument("expression")?.text.map { .holds(subject + $0) }
        case "equal_rowcount":
            return reference(argument("compare_model")).map { .rule("row_count", ["same_as": .text($0)]) }
        case "recency":
            let field = argument("field")?.text
            guard let part = argument("datepart")?.text, let count = argument("interval")?.text,
                ["day", "week"].contains(part)
            else { return nil }
            return .rule("freshness", ["column": field.map { .text($0) }, "within": .text("\(count) \(part)s")])
        default: break
        }
        guard let column else { return nil }
        let text = SuggestedValue.text(column)
        switch name {
        case "not_null": return .required
        case "unique": return .unique([column], skipsMissing: true, isPrimary: false)
        case "accepted_values", "not_accepted_values":
            _ = argument("quote")
            let values = argument("values")?.texts ?? []
            return name == "accepted_values" ? .among(values) : .notAmong(values)
        case "relationships":
            guard let target = reference(argument("to")), let far = argument("field")?.text else { return nil }
            return .refers([column], table: target, [far])
        case "accepted_range":
            let isExclusive = argument("inclusive")?.text == "false"
            let bound = { (node: OptionNode?) in node?.text.map { Contract.Bound(text: $0, isExclusive: isExclusive) } }
            return .range(min: bound(argument("min_value")), max: bound(argument("max_value")))
        case "not_constant": return .rule("distinct", ["column": text, "min": .plain("2")])
        case "at_least_one": return .rule("distinct", ["column": text, "min": .plain("1")])
        case "not_empty_string":
            let trims = argument("trim_whitespace")?.text != "false"
            return trims ? .matches("\\S") : .length(min: Contract.Bound(text: "1"), max: nil)
        case "not_null_proportion":
            guard let least = argument("at_least")?.text.flatMap({ Double($0) }) else { return nil }
            let most = argument("at_most")?.text.flatMap { Double($0) } ?? 1
            if most < 1 { remark = "at_most: \(most)" }
            return .rule("missing_share", ["column": text, "max": .text(SuggestedValue.percent(1 - least))])
        case "sequential_values":
            remark = "the interval, and that the order is that of the values"
            return .rule("increasing", ["column": text, "strictly": .plain("true")])
        default: return nil
        }
    }

    /// The name in `ref('x')` or `source('s', 'x')`.
    private static func reference(_ node: OptionNode?) -> String? {
        let match = node?.text?.firstMatch(of: /(?:ref|source)\s*\(.*?['"]([^'"]+)['"]\s*\)/)
        return match.map { String($0.1) }
    }

    private static func limits(_ option: (String) -> String?) -> (options: [SuggestedOption], unsaid: [String]) {
        let warns = option("severity")?.lowercased() == "warn"
        var (options, unsaid): ([SuggestedOption], [String]) = ([], [])
        for (key, limit) in [("warn", "warn_if"), ("fail", "error_if")] {
            guard let text = option(limit) else { continue }
            if warns, key == "fail" { continue }
            guard let match = text.wholeMatch(of: /\s*(>=?)\s*([0-9]+)\s*/) else {
                unsaid.append("\(limit): \(text)")
                continue
            }
            options.append(SuggestedOption(key, .text("\(match.1) \(match.2)")))
        }
        if warns, options.isEmpty { options.append(SuggestedOption("warn", .text("> 0"))) }
        // A rule with 'warn' alone never fails, and a test with 'warn_if' fails from the first row on.
        if !warns, options.count == 1, options[0].key == "warn" {
            options.append(SuggestedOption("fail", .text("> 0")))
        }
        return (options, unsaid)
    }
}
