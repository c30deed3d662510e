import DaybookBytes

/// Reads the Open Data Contract Standard, versions 3.x.
enum DataContractReader {
    private static let described: Set<String> = [
        "apiVersion", "kind", "id", "name", "version", "status", "tenant", "domain", "dataProduct", "description",
        "tags", "authoritativeDefinitions", "contractCreatedTs", "businessName", "physicalName", "physicalType",
        "dataGranularityDescription",
    ]

    static func read(_ root: OptionNode) throws(DaybookError) -> Contract {
        var contract = Contract(form: "ODCS \(root.text("apiVersion") ?? "3")")
        contract.remarks = root.rest(besides: described.union(["schema"]))
        guard let schema = root["schema"]?.list else {
            throw root.expected("a contract with a list 'schema', as ODCS has from version 3 on")
        }
        for (number, node) in schema.enumerated() {
            var table = Contract.Table(name: node.text("name") ?? "table-\(number + 1)")
            table.description = node.text("description") ?? node.text("businessName")
            let properties = node.nodes("properties")
            var keys: [(place: Int, name: String)] = []
            for property in properties {
                let field = try field(of: property)
                if property.isTrue("primaryKey") {
                    keys.append((property.text("primaryKeyPosition").flatMap { Int($0) } ?? keys.count, field.name))
                }
                table.fields.append(field)
            }
            table.ask(.columns(table.fields.map(\.name), missing: "fail", extra: "allow", isOrdered: false))
            if !keys.isEmpty {
                let names = keys.sorted { $0.place < $1.place }.map(\.name)
                table.ask(.unique(names, skipsMissing: false, isPrimary: true))
            }
            for quality in node.nodes("quality") where !isOwn(quality) {
                table.clauses += clauses(of: quality, of: nil)
            }
            for quality in ([node] + properties).flatMap({ $0.nodes("quality") }) where isOwn(quality) {
                let text = quality.text("implementation") ?? ""
                if let rule = YAMLReader().read(Array(text.utf8), file: quality.place.file).root {
                    JobContract.add(rule, to: &table)
                } else {
                    table.leave("quality: \(quality.inBrief)")
                }
            }
            readRelationships(of: node, into: &table)
            let known = described.union(["properties", "quality", "logicalType", "relationships"])
            table.leaveRest(of: node, besides: known)
            contract.tables.append(table)
        }
        return contract
    }

    private static func field(of node: OptionNode) throws(DaybookError) -> Contract.Field {
        guard let name = node.text("name") else { throw node.expected("a property with a 'name'") }
        var field = Contract.Field(name: name)
        field.description = node.text("description") ?? node.text("businessName")
        if node.isTrue("required") { field.ask(.required) }
        if node.isTrue("unique"), !node.isTrue("primaryKey") {
            field.ask(.unique([name], skipsMissing: true, isPrimary: false))
        }
        let options = node["logicalTypeOptions"]
        let format = options?.text("format")
        switch node.text("logicalType") {
        case "date" where format != nil && format != "yyyy-MM-dd", "timestamp": field.ask(.dates([format ?? "iso"]))
        case "time": field.ask(.matches(TextForm.time))
        case "object": field.ask(.holds(TextForm.isJSON(name, "{")))
        case "array": field.ask(.holds(TextForm.isJSON(name, "[")))
        case let type?:
            field.kind = Contract.Kind(schemaType: type)
            if field.kind == nil { field.leave("logicalType: \(type)") }
        case nil: break
        }
        if let format, field.kind == .text { field.ask(format: format) }
        if let options {
            if let pattern = options.text("pattern") { field.ask(.matches(pattern)) }
            field.askBounds(of: options)
            field.leaveRest(of: options, besides: Contract.Field.bounds.union(["format", "pattern"]))
        }
        for quality in node.nodes("quality") where !isOwn(quality) {
            field.clauses += clauses(of: quality, of: field)
        }
        let known: Set = [
            "required", "unique", "primaryKey", "primaryKeyPosition", "logicalType", "logicalTypeOptions", "quality",
            "examples", "classification", "criticalDataElement", "encryptedName", "partitioned", "partitionKeyPosition",
        ]
        field.leaveRest(of: node, besides: described.union(known))
        return field
    }

    private static func readRelationships(of node: OptionNode, into table: inout Contract.Table) {
        for link in node.nodes("relationships") {
            let from = (link["from"]?.texts ?? []).map { String($0.split(separator: ".").last ?? "") }
            let to = (link["to"]?.texts ?? []).map { $0.split(separator: ".").map(String.init) }
            guard !from.isEmpty, from.count == to.count, to.allSatisfy({ $0.count == 2 && $0[0] == to[0][0] }) else {
                table.leave("relationships: \(link.inBrief)")
                continue
            }
            table.ask(.refers(from, table: to[0][0], to.map { $0[1] }))
        }
    }

    // MARK: - Quality

    private static let operators = [
        "mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeGreaterThanOrEqualTo",
        "mustBeLessThan", "mustBeLessOrEqualTo", "mustBeLessThanOrEqualTo", "mustBeBetween", "mustNotBeBetween",
    ]
    private static let words: Set<String> = [
        "id", "name", "description", "type", "rule", "metric", "unit", "arguments", "dimension", "severity",
        "businessImpact", "scheduler", "schedule", "tags", "authoritativeDefinitions", "method", "validValues",
    ]

    /// Whether an export wrote it as a rule of Daybook.
    private static func isOwn(_ quality: OptionNode) -> Bool { quality.text("engine") == "daybook" }

    private static func clauses(of node: OptionNode, of field: Contract.Field?) -> [Contract.Clause] {
        let unsaid = Contract.Clause(nil, remark: "quality: \(node.inBrief)")
        if let type = node.text("type"), type != "library" { return [unsaid] }
        guard let metric = node.text("metric") ?? node.text("rule") else { return [unsaid] }
        let rest = node.rest(besides: words.union(operators)).map { Contract.Clause(nil, remark: $0) }
        if metric == "rowCount" {
            guard let span = whole(node), node.text("unit") != "percent" else { return [unsaid] }
            return [Contract.Clause(.rule("row_count", ["min": span.min, "max": span.max]), severity(node, nil))] + rest
        }
        // All others count rows that break something.
        guard let limit = limit(node) else { return [unsaid] }
        let arguments = node["arguments"]
        let ask: [Contract.Ask]
        switch metric {
        case "nullValues": ask = field == nil ? [] : [.required]
        case "missingValues":
            // Missing values are those of a list, in which null may stand.
            let values = arguments?.nodes("missingValues") ?? []
            let texts = values.compactMap(\.text)
            guard let name = field?.name else { return [unsaid] }
            let column = ExpressionText.column(name)
            let list = texts.map { ExpressionText.text($0) }.joined(separator: ", ")
            switch (values.isEmpty || values.contains(where: \.isNull), texts.isEmpty) {
            case (true, true): ask = [.required]
            case (true, false): ask = [.holds("\(column) is not missing and to_text(\(column)) not in (\(list))")]
            default: ask = [.notAmong(texts)]
            }
        case "invalidValues":
            let values = (arguments?["validValues"] ?? node["validValues"]).map { Contract.Ask.among($0.texts) }
            ask = field == nil ? [] : [values, arguments?.text("pattern").map { .matches($0) }].compactMap(\.self)
        case "duplicateValues", "duplicateCount":
            let columns = arguments?["properties"]?.texts ?? field.map { [$0.name] } ?? []
            ask = columns.isEmpty ? [] : [.unique(columns, skipsMissing: true, isPrimary: false)]
        default: ask = []
        }
        return (ask.isEmpty ? [unsaid] : ask.map { Contract.Clause($0, limit) }) + rest
    }

    /// The limits of a rule that counts rows; nil for a condition that no limit says.
    private static func limit(_ node: OptionNode) -> [SuggestedOption]? {
        let given = operators.filter { node[$0] != nil }
        guard given.count == 1, let value = node.text(given[0]) ?? node[given[0]]?.list?.last?.text,
            let number = Double(value)
        else { return given.isEmpty ? [] : nil }
        let percent = node.text("unit") == "percent" ? "%" : ""
        let sign: String
        switch given[0] {
        case "mustBe" where number == 0: return severity(node, nil)
        case "mustBeLessOrEqualTo", "mustBeLessThanOrEqualTo": sign = ">"
        case "mustBeLessThan": sign = ">="
        case "mustBeBetween" where node[given[0]]?.list?.first?.text.flatMap { Double($0) } == 0: sign = ">"
        default: return nil
        }
        return severity(node, "\(sign) \(value)\(percent)")
    }

    private static func severity(_ node: OptionNode, _ limit: String?) -> [SuggestedOption] {
        let warns = ["warning", "info", "low"].contains(node.text("severity") ?? "")
        guard warns || limit != nil else { return [] }
        return [SuggestedOption(warns ? "warn" : "fail", .text(limit ?? "> 0"))]
    }

    /// The bounds that a condition sets for a whole number; nil for one that sets none.
    private static func whole(_ node: OptionNode) -> (min: SuggestedValue?, max: SuggestedValue?)? {
        let given = operators.filter { node[$0] != nil }
        guard given.count == 1 else { return nil }
        let numbers = node[given[0]]?.texts.compactMap { Int($0) } ?? []
        guard let first = numbers.first, let last = numbers.last, numbers.allSatisfy({ (0..<1 << 60).contains($0) })
        else { return nil }
        return switch given[0] {
        case "mustBe": (.plain("\(first)"), .plain("\(first)"))
        case "mustBeGreaterThan": (.plain("\(first + 1)"), nil)
        case "mustBeGreaterOrEqualTo", "mustBeGreaterThanOrEqualTo": (.plain("\(first)"), nil)
        case "mustBeLessThan": (nil, .plain("\(first - 1)"))
        case "mustBeLessOrEqualTo", "mustBeLessThanOrEqualTo": (nil, .plain("\(first)"))
        case "mustBeBetween" where numbers.count == 2: (.plain("\(first)"), .plain("\(last)"))
        default: nil
        }
    }
}
