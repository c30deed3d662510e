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
        var nodes: [OptionNode] = []
        for kind in ["models", "seeds", "snapshots"] { nodes += root[kind]?.list ?? [] }
        for source in root["sources"]?.list ?? [] {
            nodes += source["tables"]?.list ?? []
            let known = described.union(["tables", "schema", "database", "loader"])
            contract.remarks += source.rest(besides: known).map { "source \(source.text("name") ?? ""), \($0)" }
        }
        for node in nodes {
            guard let name = node.text("name") else { throw node.expected("a table with a 'name'") }
            var table = Contract.Table(name)
            table.description = node.text("description")
            for column in node["columns"]?.list ?? [] {
                guard let name = column.text("name") else { throw column.expected("a column with a 'name'") }
                var field = Contract.Field(name)
                field.description = column.text("description")
                field.kind = column.text("data_type").flatMap(kind)
                if let type = column.text("data_type"), field.kind == nil { field.leave("data_type: \(type)") }
                for constraint in column["constraints"]?.list ?? [] {
                    field.clauses += Self.constraint(constraint, name)
                }
                for test in tests(of: column) { field.clauses += clauses(of: test, name) }
                field.leaveRest(of: column, besides: described.union(["constraints"]))
                table.fields.append(field)
            }
            let names = table.fields.map(\.name)
            if !names.isEmpty {
                table.clauses.append(
                    Contract.Clause(.columns(names, missing: "fail", extra: "allow", isOrdered: false))
                )
            }
            for test in tests(of: node) { table.clauses += clauses(of: test, nil) }
            table.leaveRest(of: node, besides: described)
            contract.tables.append(table)
        }
        return contract
    }

    private static func tests(of node: OptionNode) -> [OptionNode] {
        (node["data_tests"]?.list ?? []) + (node["tests"]?.list ?? [])
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

    private static func constraint(_ node: OptionNode, _ column: String) -> [Contract.Clause] {
        switch node.text("type") {
        case "not_null": [Contract.Clause(.required)]
        case "unique": [Contract.Clause(.unique([column], skipsMissing: true, isPrimary: false))]
        case "primary_key": [Contract.Clause(.unique([column], skipsMissing: false, isPrimary: true))]
        default: [Contract.Clause(nil, remark: "constraint: \(node.inBrief)")]
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
        let (ask, remark) = ask(name, subject, argument)
        guard let ask else { return [Contract.Clause(nil, remark: "test: \(test.inBrief)")] }
        var (options, unsaid) = limits(option)
        if let group = argument("group_by_columns") { unsaid.append("group_by_columns: \(group.inBrief)") }
        unsaid += (node?.rest(besides: used) ?? []) + (given?["config"]?.rest(besides: limits) ?? [])
        if let condition = option("where") { options.append(SuggestedOption("where", .text(condition))) }
        return [Contract.Clause(ask, options, remark: remark)]
            + unsaid.map { Contract.Clause(nil, remark: "\(name), \($0)") }
    }

    private static func ask(
        _ name: String,
        _ column: String?,
        _ argument: (String) -> OptionNode?
    ) -> (Contract.Ask?, remark: String?) {
        if name == "unique_combination_of_columns" {
            let columns = argument("combination_of_columns")?.texts ?? []
            return (columns.isEmpty ? nil : .unique(columns, skipsMissing: false, isPrimary: false), nil)
        }
        if name == "expression_is_true" {
            let expression = argument("expression")?.text
            let whole = expression.map { text in column.map { "\(ExpressionText.column($0)) \(text)" } ?? text }
            return (whole.map { .holds($0) }, "that it fails where it cannot be computed")
        }
        if name == "equal_rowcount" {
            return (reference(argument("compare_model")).map { .rule("row_count", ["same_as": .text($0)]) }, nil)
        }
        if name == "recency" {
            let field = argument("field")?.text
            guard let part = argument("datepart")?.text, let count = argument("interval")?.text else {
                return (nil, nil)
            }
            let isWhole = ["day", "week"].contains(part)
            return (
                isWhole
                    ? .rule("freshness", ["column": field.map { .text($0) }, "within": .text("\(count) \(part)s")])
                    : nil,
                nil
            )
        }
        guard let column else { return (nil, nil) }
        let text = SuggestedValue.text(column)
        switch name {
        case "not_null": return (.required, nil)
        case "unique": return (.unique([column], skipsMissing: true, isPrimary: false), nil)
        case "accepted_values", "not_accepted_values":
            _ = argument("quote")
            let values = argument("values")?.texts ?? []
            return (name == "accepted_values" ? .among(values) : .notAmong(values), nil)
        case "relationships":
            guard let target = reference(argument("to")), let far = argument("field")?.text else { return (nil, nil) }
            return (.refers([column], table: target, [far]), nil)
        case "accepted_range":
            let isExclusive = argument("inclusive")?.text == "false"
            let bound = { (node: OptionNode?) in node?.text.map { Contract.Bound(text: $0, isExclusive: isExclusive) } }
            return (.range(min: bound(argument("min_value")), max: bound(argument("max_value"))), nil)
        case "not_constant": return (.rule("distinct", ["column": text, "min": .plain("2")]), nil)
        case "at_least_one": return (.rule("distinct", ["column": text, "min": .plain("1")]), nil)
        case "not_empty_string":
            let trims = argument("trim_whitespace")?.text != "false"
            return (trims ? .matches("\\S") : .length(min: "1", max: nil), nil)
        case "not_null_proportion":
            guard let least = argument("at_least")?.text.flatMap({ Double($0) }) else { return (nil, nil) }
            let most = argument("at_most")?.text.flatMap { Double($0) } ?? 1
            return (
                .rule("missing_share", ["column": text, "max": .text(SuggestedValue.percent(1 - least))]),
                most < 1 ? "at_most: \(most)" : nil
            )
        case "sequential_values":
            return (
                .rule("increasing", ["column": text, "strictly": .plain("true")]),
                "the interval, and that the order is that of the values"
            )
        default: return (nil, nil)
        }
    }

    /// The name in `ref('x')` or `source('s', 'x')`.
    private static func reference(_ node: OptionNode?) -> String? {
        guard let text = node?.text, let match = text.firstMatch(of: /(?:ref|source)\s*\(.*?['"]([^'"]+)['"]\s*\)/)
        else {
            return nil
        }
        return String(match.1)
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
