import DaybookBytes

/// Reads a suite of expectations of Great Expectations.
enum ExpectationReader {
    static func read(_ root: OptionNode, _ name: String) throws(DaybookError) -> Contract {
        var contract = Contract(form: "GX")
        var table = Contract.Table(name: root.text("name") ?? root.text("expectation_suite_name") ?? name)
        for node in root.nodes("expectations") {
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
            var remark: String?
            let column = arguments?.text("column")
            let ask = ask(String(type.trimmingPrefix("expect_")), column ?? "", &remark) { key in
                used.insert(key)
                return arguments?[key]
            }
            var clauses = ask.map { Contract.Clause($0, limits) }
            if clauses.isEmpty { clauses = [Contract.Clause(nil, remark: "\(type): \(arguments?.inBrief ?? "")")] }
            clauses[0].remark = clauses[0].remark ?? remark
            if !ask.isEmpty {
                clauses += (arguments?.rest(besides: used) ?? []).map { Contract.Clause(nil, remark: "\(type), \($0)") }
            }
            let known: Set = [
                "type", "expectation_type", "kwargs", "meta", "id", "severity", "notes", "description",
            ]
            clauses += node.rest(besides: known).map { Contract.Clause(nil, remark: "\(type), \($0)") }
            if let column { table.field(column) { add(clauses, to: &$0) } } else { table.clauses += clauses }
        }
        contract.tables = [table]
        contract.remarks = root.rest(besides: [
            "name", "expectation_suite_name", "expectations", "meta", "id", "notes", "data_asset_type",
        ])
        return contract
    }

    private static func add(_ clauses: [Contract.Clause], to field: inout Contract.Field) {
        for clause in clauses {
            if case .rule("kind", .text(let kind)) = clause.ask {
                field.kind = Contract.Kind(rawValue: kind)
            } else {
                field.clauses.append(clause)
            }
        }
    }

    /// - Parameter remark: what of the expectation cannot be said.
    private static func ask(
        _ type: String,
        _ column: String,
        _ remark: inout String?,
        _ argument: (String) -> OptionNode?
    ) -> [Contract.Ask] {
        let text = SuggestedValue.text(column)
        func plain(_ key: String) -> SuggestedValue? { argument(key)?.text.map { .number($0) } }
        func isTrue(_ key: String) -> Bool { argument(key)?.text?.lowercased() == "true" }
        func bound(_ key: String, _ strict: String? = nil) -> Contract.Bound? {
            let isExclusive = strict.map(isTrue) ?? false
            return argument(key)?.text.map { Contract.Bound(text: $0, isExclusive: isExclusive) }
        }
        func texts(_ key: String) -> [String] { argument(key)?.texts ?? [] }
        func measure(_ rule: String) -> [Contract.Ask] {
            if ["strict_min", "strict_max"].contains(where: isTrue) {
                remark = "that the bounds themselves are too little and too much"
            }
            return [.rule(rule, ["column": text, "min": plain("min_value"), "max": plain("max_value")])]
        }
        func containsAll() -> Contract.Ask {
            .rule("contains_all", ["column": text, "values": .texts(texts("value_set"))])
        }
        func noteIgnoredRows() { remark = argument("ignore_row_if")?.text.map { "ignore_row_if: \($0)" } }
        switch type {
        case "column_values_to_not_be_null": return [.required]
        case "column_values_to_be_null": return [.holds("\(ExpressionText.column(column)) is missing")]
        case "column_values_to_be_unique": return [.unique([column], skipsMissing: true, isPrimary: false)]
        case "column_values_to_be_in_set", "column_distinct_values_to_be_in_set": return [.among(texts("value_set"))]
        case "column_values_to_not_be_in_set": return [.notAmong(texts("value_set"))]
        case "column_distinct_values_to_contain_set": return [containsAll()]
        case "column_distinct_values_to_equal_set": return [.among(texts("value_set")), containsAll()]
        case "column_values_to_be_between":
            return [.range(min: bound("min_value", "strict_min"), max: bound("max_value", "strict_max"))]
        case "column_value_lengths_to_be_between": return [.length(min: bound("min_value"), max: bound("max_value"))]
        case "column_value_lengths_to_equal": return [.length(min: bound("value"), max: bound("value"))]
        case "column_values_to_match_regex": return argument("regex")?.text.map { [.matches($0)] } ?? []
        case "column_values_to_not_match_regex": return argument("regex")?.text.map { [.notMatches($0)] } ?? []
        case "column_values_to_match_regex_list":
            let patterns = texts("regex_list")
            if argument("match_on")?.text == "all" { return patterns.map { .matches($0) } }
            return [.matches(patterns.map { "(?:\($0))" }.joined(separator: "|"))]
        case "column_values_to_not_match_regex_list": return texts("regex_list").map { .notMatches($0) }
        case "column_values_to_match_strftime_format":
            return argument("strftime_format")?.text.flatMap(TextForm.datePattern).map { [.dates([$0])] } ?? []
        case "column_values_to_match_like_pattern":
            guard let pattern = argument("like_pattern")?.text else { return [] }
            return [.holds("\(ExpressionText.column(column)) like \(ExpressionText.text(pattern))")]
        case "column_values_to_be_json_parseable":
            let name = ExpressionText.column(column)
            return [.holds("\(name) is missing or parse_json(\(name)) is not missing")]
        case "column_values_to_match_json_schema":
            return argument("json_schema").flatMap { $0.map == nil ? nil : [.schema(column, $0)] } ?? []
        case "column_values_to_be_increasing", "column_values_to_be_decreasing":
            let rule = type.hasSuffix("increasing") ? "increasing" : "decreasing"
            return [.rule(rule, ["column": text, "strictly": isTrue("strictly") ? .plain("true") : nil])]
        case "column_values_to_be_of_type", "column_values_to_be_in_type_list":
            let types = argument("type_")?.texts ?? argument("type_list")?.texts ?? []
            let kinds = Set(types.map { kind($0) })
            return kinds.count == 1 ? kinds.first.flatMap { $0 }.map { [.rule("kind", .text($0))] } ?? [] : []
        case "column_to_exist":
            remark = argument("column_index").map { "column_index: \($0.inBrief)" }
            return [.columns([column], missing: "fail", extra: "allow", isOrdered: false)]
        case "table_columns_to_match_set":
            let extra = argument("exact_match")?.text?.lowercased() == "false" ? "allow" : "fail"
            return [.columns(texts("column_set"), missing: "fail", extra: extra, isOrdered: false)]
        case "table_columns_to_match_ordered_list":
            return [.columns(texts("column_list"), missing: "fail", extra: "fail", isOrdered: true)]
        case "table_row_count_to_be_between":
            return [.rule("row_count", ["min": plain("min_value"), "max": plain("max_value")])]
        case "table_row_count_to_equal": return [.rule("row_count", ["min": plain("value"), "max": plain("value")])]
        case "column_unique_value_count_to_be_between": return measure("distinct")
        case "column_proportion_of_unique_values_to_be_between":
            func share(_ key: String) -> SuggestedValue? {
                argument(key)?.text.flatMap { Double($0) }.map { .text(SuggestedValue.percent($0)) }
            }
            return [.rule("distinct", ["column": text, "min": share("min_value"), "max": share("max_value")])]
        case "column_mean_to_be_between": return measure("mean")
        case "column_median_to_be_between": return measure("median")
        case "column_sum_to_be_between": return measure("sum")
        case "column_stdev_to_be_between": return measure("deviation")
        case "column_min_to_be_between", "column_max_to_be_between":
            let isLeast = type.contains("min_to")
            let bounds = (min: bound("min_value", "strict_min"), max: bound("max_value", "strict_max"))
            // A row beyond the outer bound has a place; the inner one is about all rows.
            let (outer, inner) = isLeast ? (bounds.min, bounds.max) : (bounds.max, bounds.min)
            let range = outer.map { Contract.Ask.range(min: isLeast ? $0 : nil, max: isLeast ? nil : $0) }
            let asks = [range].compactMap(\.self)
            guard let inner else { return asks }
            guard Double(inner.text) != nil, !inner.isExclusive else {
                remark = "that some value reaches \(inner.text)"
                return asks
            }
            let limit: SuggestedValue = ["column": text, isLeast ? "max" : "min": .number(inner.text)]
            return asks + [.rule(isLeast ? "minimum" : "maximum", limit)]
        case "compound_columns_to_be_unique":
            noteIgnoredRows()
            return [.unique(texts("column_list"), skipsMissing: false, isPrimary: false)]
        case "column_pair_values_to_be_equal", "column_pair_values_a_to_be_greater_than_b":
            guard let a = argument("column_A")?.text, let b = argument("column_B")?.text else { return [] }
            let sign = isTrue("or_equal") ? ">=" : ">"
            noteIgnoredRows()
            let isEqual = type.hasSuffix("equal")
            return [.holds("\(ExpressionText.column(a)) \(isEqual ? "=" : sign) \(ExpressionText.column(b))")]
        case "multicolumn_sum_to_equal":
            guard let list = argument("column_list")?.texts, let total = argument("sum_total")?.text,
                Double(total) != nil
            else { return [] }
            noteIgnoredRows()
            let sum = list.map { "to_decimal(\(ExpressionText.column($0)))" }.joined(separator: " + ")
            return [.holds("\(sum) = \(total)")]
        default: return []
        }
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
