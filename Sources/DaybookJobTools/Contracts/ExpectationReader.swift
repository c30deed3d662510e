import DaybookBytes

/// Reads a suite of expectations of Great Expectations.
enum ExpectationReader {
    static func read(_ root: OptionNode, _ name: String) throws(DaybookError) -> Contract {
        var contract = Contract(form: "GX")
        var table = Contract.Table(root.text("name") ?? root.text("expectation_suite_name") ?? name)
        for node in root["expectations"]?.list ?? [] {
            guard let type = node.text("type") ?? node.text("expectation_type") else {
                throw node.expected("an expectation with a 'type'")
            }
            let arguments = node["kwargs"]
            var limits: [SuggestedOption] = []
            if let mostly = arguments?.text("mostly").flatMap({ Double($0) }), (0..<1).contains(mostly) {
                limits.append(SuggestedOption("fail", .text("> \(SuggestedValue.percent(1 - mostly))")))
            }
            if node.text("severity") == "warning" || node.text("severity") == "info" {
                limits = [SuggestedOption("warn", limits.first?.value ?? .text("> 0"))]
            }
            var used: Set<String> = [
                "mostly", "column", "batch_id", "result_format", "include_config", "catch_exceptions", "meta",
            ]
            let (ask, remark) = ask(String(type.trimmingPrefix("expect_")), arguments?.text("column") ?? "") { key in
                used.insert(key)
                return arguments?[key]
            }
            var clauses = ask.map { Contract.Clause($0, limits) }
            if clauses.isEmpty { clauses = [Contract.Clause(nil, remark: "\(type): \(arguments?.inBrief ?? "")")] }
            clauses[0].remark = clauses[0].remark ?? remark
            if !ask.isEmpty {
                clauses += (arguments?.rest(besides: used) ?? []).map { Contract.Clause(nil, remark: "\(type), \($0)") }
            }
            clauses += node.rest(besides: [
                "type", "expectation_type", "kwargs", "meta", "id", "severity", "notes", "description",
            ])
            .map { Contract.Clause(nil, remark: "\(type), \($0)") }
            add(clauses, arguments?.text("column"), to: &table)
        }
        contract.tables = [table]
        contract.remarks = root.rest(besides: [
            "name", "expectation_suite_name", "expectations", "meta", "id", "notes", "data_asset_type",
        ])
        return contract
    }

    private static func add(_ clauses: [Contract.Clause], _ column: String?, to table: inout Contract.Table) {
        guard let column else {
            table.clauses += clauses
            return
        }
        let index = table.fields.firstIndex { $0.name == column } ?? table.fields.endIndex
        if index == table.fields.endIndex { table.fields.append(Contract.Field(column)) }
        for clause in clauses {
            if case .rule("kind", .text(let kind)) = clause.ask {
                table.fields[index].kind = Contract.Kind(rawValue: kind)
            } else {
                table.fields[index].clauses.append(clause)
            }
        }
    }

    private static func ask(
        _ type: String,
        _ column: String,
        _ argument: (String) -> OptionNode?
    ) -> ([Contract.Ask], remark: String?) {
        let text = SuggestedValue.text(column)
        func plain(_ key: String) -> SuggestedValue? { argument(key)?.text.map { .number($0) } }
        func bound(_ key: String, _ strict: String) -> Contract.Bound? {
            let isExclusive = argument(strict)?.text?.lowercased() == "true"
            return argument(key)?.text.map { Contract.Bound(text: $0, isExclusive: isExclusive) }
        }
        func measure(_ rule: String) -> ([Contract.Ask], String?) {
            let strict = ["strict_min", "strict_max"].contains { argument($0)?.text?.lowercased() == "true" }
            return (
                [.rule(rule, ["column": text, "min": plain("min_value"), "max": plain("max_value")])],
                strict ? "that the bounds themselves are too little and too much" : nil
            )
        }
        func values() -> [String] { argument("value_set")?.texts ?? [] }
        switch type {
        case "column_values_to_not_be_null": return ([.required], nil)
        case "column_values_to_be_null": return ([.holds("\(ExpressionText.column(column)) is missing")], nil)
        case "column_values_to_be_unique": return ([.unique([column], skipsMissing: true, isPrimary: false)], nil)
        case "column_values_to_be_in_set": return ([.among(values())], nil)
        case "column_values_to_not_be_in_set": return ([.notAmong(values())], nil)
        case "column_distinct_values_to_be_in_set": return ([.among(values())], nil)
        case "column_distinct_values_to_contain_set":
            return ([.rule("contains_all", ["column": text, "values": .list(values().map { .text($0) })])], nil)
        case "column_distinct_values_to_equal_set":
            return (
                [
                    .among(values()),
                    .rule("contains_all", ["column": text, "values": .list(values().map { .text($0) })]),
                ], nil
            )
        case "column_values_to_be_between":
            return ([.range(min: bound("min_value", "strict_min"), max: bound("max_value", "strict_max"))], nil)
        case "column_value_lengths_to_be_between":
            return ([.length(min: argument("min_value")?.text, max: argument("max_value")?.text)], nil)
        case "column_value_lengths_to_equal":
            let length = argument("value")?.text
            return ([.length(min: length, max: length)], nil)
        case "column_values_to_match_regex": return (argument("regex")?.text.map { [.matches($0)] } ?? [], nil)
        case "column_values_to_not_match_regex": return (argument("regex")?.text.map { [.notMatches($0)] } ?? [], nil)
        case "column_values_to_match_regex_list":
            let patterns = argument("regex_list")?.texts ?? []
            if argument("match_on")?.text == "all" { return (patterns.map { .matches($0) }, nil) }
            return ([.matches(patterns.map { "(?:\($0))" }.joined(separator: "|"))], nil)
        case "column_values_to_not_match_regex_list":
            return ((argument("regex_list")?.texts ?? []).map { .notMatches($0) }, nil)
        case "column_values_to_match_strftime_format":
            return (argument("strftime_format")?.text.flatMap(TextForm.datePattern).map { [.dates([$0])] } ?? [], nil)
        case "column_values_to_match_like_pattern":
            return (argument("like_pattern")?.text.map { [like(column, $0)] } ?? [], nil)
        case "column_values_to_be_json_parseable": return ([.holds(json(column))], nil)
        case "column_values_to_match_json_schema":
            return (argument("json_schema").flatMap { $0.map == nil ? nil : [.schema(column, $0)] } ?? [], nil)
        case "column_values_to_be_increasing", "column_values_to_be_decreasing":
            let strictly: SuggestedValue? = argument("strictly")?.text?.lowercased() == "true" ? .plain("true") : nil
            return (
                [
                    .rule(
                        type.hasSuffix("increasing") ? "increasing" : "decreasing",
                        ["column": text, "strictly": strictly]
                    )
                ], nil
            )
        case "column_values_to_be_of_type", "column_values_to_be_in_type_list":
            let types = argument("type_")?.texts ?? argument("type_list")?.texts ?? []
            let kinds = Set(types.map { kind($0) })
            return (kinds.count == 1 ? kinds.first.flatMap { $0 }.map { [.rule("kind", .text($0))] } ?? [] : [], nil)
        case "column_to_exist":
            return (
                [.columns([column], missing: "fail", extra: "allow", isOrdered: false)],
                argument("column_index").map { "column_index: \($0.inBrief)" }
            )
        case "table_columns_to_match_set":
            let isExact = argument("exact_match")?.text?.lowercased() != "false"
            return (
                [
                    .columns(
                        argument("column_set")?.texts ?? [],
                        missing: "fail",
                        extra: isExact ? "fail" : "allow",
                        isOrdered: false
                    )
                ],
                nil
            )
        case "table_columns_to_match_ordered_list":
            return (
                [.columns(argument("column_list")?.texts ?? [], missing: "fail", extra: "fail", isOrdered: true)], nil
            )
        case "table_row_count_to_be_between":
            return ([.rule("row_count", ["min": plain("min_value"), "max": plain("max_value")])], nil)
        case "table_row_count_to_equal":
            let count = plain("value")
            return ([.rule("row_count", ["min": count, "max": count])], nil)
        case "column_unique_value_count_to_be_between": return measure("distinct")
        case "column_proportion_of_unique_values_to_be_between":
            func share(_ key: String) -> SuggestedValue? {
                argument(key)?.text.flatMap { Double($0) }.map { .text(SuggestedValue.percent($0)) }
            }
            return ([.rule("distinct", ["column": text, "min": share("min_value"), "max": share("max_value")])], nil)
        case "column_mean_to_be_between": return measure("mean")
        case "column_median_to_be_between": return measure("median")
        case "column_sum_to_be_between": return measure("sum")
        case "column_stdev_to_be_between": return measure("deviation")
        case "column_min_to_be_between", "column_max_to_be_between":
            let isLeast = type.contains("min_to")
            let own = bound(isLeast ? "min_value" : "max_value", isLeast ? "strict_min" : "strict_max")
            // A row beyond the outer bound has a place; the inner one is about all rows.
            let outer = own.map { isLeast ? Contract.Ask.range(min: $0, max: nil) : .range(min: nil, max: $0) }
            let inner = bound(isLeast ? "max_value" : "min_value", isLeast ? "strict_max" : "strict_min")
            guard let inner else { return ([outer].compactMap(\.self), nil) }
            guard Double(inner.text) != nil, !inner.isExclusive else {
                return ([outer].compactMap(\.self), "that some value reaches \(inner.text)")
            }
            let limit = SuggestedOption(isLeast ? "max" : "min", .number(inner.text))
            let rule = Contract.Ask.rule(
                isLeast ? "minimum" : "maximum",
                .map([SuggestedOption("column", text), limit])
            )
            return ([outer, rule].compactMap(\.self), nil)
        case "compound_columns_to_be_unique", "select_column_values_to_be_unique_within_record":
            guard type.hasPrefix("compound") else { return ([], nil) }
            return (
                [.unique(argument("column_list")?.texts ?? [], skipsMissing: false, isPrimary: false)], rows(argument)
            )
        case "column_pair_values_to_be_equal", "column_pair_values_a_to_be_greater_than_b":
            guard let a = argument("column_A")?.text, let b = argument("column_B")?.text else { return ([], nil) }
            let isEqual = type.hasSuffix("equal")
            let orEqual = argument("or_equal")?.text?.lowercased() == "true"
            let sign = isEqual ? "=" : orEqual ? ">=" : ">"
            return ([.holds("\(ExpressionText.column(a)) \(sign) \(ExpressionText.column(b))")], rows(argument))
        case "multicolumn_sum_to_equal":
            guard let list = argument("column_list")?.texts, let total = argument("sum_total")?.text,
                Double(total) != nil
            else {
                return ([], nil)
            }
            return (
                [
                    .holds(
                        "\(list.map { "to_decimal(\(ExpressionText.column($0)))" }.joined(separator: " + ")) = \(total)"
                    )
                ], rows(argument)
            )
        default: return ([], nil)
        }
    }

    private static func rows(_ argument: (String) -> OptionNode?) -> String? {
        let ignored = argument("ignore_row_if")?.text
        return ignored.map { "ignore_row_if: \($0)" }
    }

    private static func like(_ column: String, _ pattern: String) -> Contract.Ask {
        .holds("\(ExpressionText.column(column)) like \(ExpressionText.text(pattern))")
    }

    private static func json(_ column: String) -> String {
        let name = ExpressionText.column(column)
        return "\(name) is missing or parse_json(\(name)) is not missing"
    }

    private static func kind(_ type: String) -> String? {
        switch type.lowercased() {
        case "int", "int64", "int32", "integer", "integertype", "bigint", "longtype": "integer"
        case "float", "float64", "double", "doubletype", "decimal", "numeric", "number": "decimal"
        case "bool", "boolean", "booleantype": "flag"
        case "date", "datetype": "day"
        case "str", "string", "text", "varchar", "stringtype", "object": "text"
        default: nil
        }
    }
}
