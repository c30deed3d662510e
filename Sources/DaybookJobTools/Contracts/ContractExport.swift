import DaybookBytes
import DaybookDiscover
import DaybookReports

/// Writes a contract as a Table Schema or as ODCS 3. What neither can say stays as the rule of a job that it is, and is told.
package struct ContractExport {
    package enum Form: String, CaseIterable, Sendable {
        case tableSchema = "table-schema"
        case odcs
    }

    package private(set) var text = ""
    /// What is only said as a rule of Daybook, or not at all.
    package private(set) var unsaid: [String] = []
    private let form: Form

    package init(_ contract: Contract, as form: Form) {
        self.form = form
        let tables = contract.tables.map { table -> SuggestedValue in form == .odcs ? odcs(table) : tableSchema(table) }
        switch form {
        case .tableSchema:
            let resources = zip(contract.tables, tables).map { table, schema -> SuggestedValue in
                .map([
                    SuggestedOption("name", .text(table.name)),
                    SuggestedOption("path", .list(table.paths.map { .text($0) })),
                    SuggestedOption("schema", schema),
                ])
            }
            let whole = tables.count == 1 ? tables[0] : .map([SuggestedOption("resources", .list(resources))])
            text = JSONDocument.text(of: whole.json)
        case .odcs:
            var job = JobText()
            for (key, value) in [
                ("apiVersion", "v3.1.0"), ("kind", "DataContract"), ("id", contract.tables[0].name),
                ("version", "1.0.0"),
                ("status", "draft"),
            ] { job.add(SuggestedOption(key, .text(value)), indent: 0) }
            job.add("schema:")
            for case .map(let options) in tables {
                for (number, option) in options.enumerated() {
                    guard option.key == "properties", case .list(let properties) = option.value else {
                        job.add("  \(number == 0 ? "-" : " ") \(option.key): \(YAMLScalar.of(option.value))")
                        continue
                    }
                    job.add("    properties:")
                    for property in properties { job.add("      - \(YAMLScalar.of(property))") }
                }
            }
            // A contract has no params, whose sign a job writes with two dollars.
            text = job.text.replacingScalars("$${", with: "${")
        }
    }

    private mutating func tableSchema(_ table: Contract.Table) -> SuggestedValue {
        var (options, left): ([SuggestedOption], [SuggestedValue]) = ([], [])
        var fields: [SuggestedValue] = []
        for field in table.fields {
            let types: [Contract.Kind: String] = [
                .text: "string", .integer: "integer", .decimal: "number", .flag: "boolean", .day: "date",
            ]
            var all = [
                SuggestedOption("name", .text(field.name)),
                SuggestedOption("type", .text(types[field.kind ?? .text] ?? "")),
            ]
            if field.kind == .flag {
                all += [
                    SuggestedOption("trueValues", .list([.text("true")])),
                    SuggestedOption("falseValues", .list([.text("false")])),
                ]
            }
            all += field.description.map { [SuggestedOption("description", .text($0))] } ?? []
            let (constraints, rules) = said(of: field, [:])
            if !constraints.isEmpty { all.append(SuggestedOption("constraints", .map(constraints))) }
            if !rules.isEmpty { all.append(SuggestedOption("x-daybook", .list(rules))) }
            fields.append(.map(all))
        }
        options.append(SuggestedOption("fields", .list(fields)))
        var (keys, links): ([SuggestedValue], [SuggestedValue]) = ([], [])
        var match = "partial"
        for clause in table.clauses {
            func list(_ names: [String]) -> SuggestedValue { .list(names.map { .text($0) }) }
            switch clause.ask {
            case .unique(let columns, true, false) where clause.limits.isEmpty: keys.append(list(columns))
            case .unique(let columns, _, true) where clause.limits.isEmpty:
                options.append(SuggestedOption("primaryKey", list(columns)))
            case .refers(let columns, let target, let far) where clause.limits.isEmpty:
                let reference = [SuggestedOption("resource", .text(target)), SuggestedOption("fields", list(far))]
                links.append(
                    .map([SuggestedOption("fields", list(columns)), SuggestedOption("reference", .map(reference))])
                )
            case .columns(let names, let missing, let extra, let isOrdered)
            where names.count == table.fields.count && missing != "warn" && extra != "warn":
                let forms = [
                    "fail fail": isOrdered ? "exact" : "equal", "fail allow": "subset", "allow fail": "superset",
                ]
                match = forms["\(missing) \(extra)"] ?? "partial"
            default: left += rest(clause, "table \(table.name)", nil)
            }
        }
        options.append(SuggestedOption("fieldsMatch", .list([.text(match)])))
        if !keys.isEmpty { options.append(SuggestedOption("uniqueKeys", .list(keys))) }
        if !links.isEmpty { options.append(SuggestedOption("foreignKeys", .list(links))) }
        if !left.isEmpty { options.append(SuggestedOption("x-daybook", .list(left))) }
        return .map(options)
    }

    private mutating func odcs(_ table: Contract.Table) -> SuggestedValue {
        let types: [Contract.Kind: String] = [
            .text: "string", .integer: "integer", .decimal: "number", .flag: "boolean", .day: "date",
        ]
        var properties: [SuggestedValue] = []
        for field in table.fields {
            var all = [SuggestedOption("name", .text(field.name))]
            if let type = field.kind.flatMap({ types[$0] }) { all.append(SuggestedOption("logicalType", .text(type))) }
            all += field.description.map { [SuggestedOption("description", .text($0))] } ?? []
            var (options, rules) = said(of: field, ["enum": "validValues"])
            for key in ["required", "unique"] {
                guard let index = options.firstIndex(where: { $0.key == key }) else { continue }
                all.append(options.remove(at: index))
            }
            if let index = options.firstIndex(where: { $0.key == "validValues" }) {
                rules.append(
                    .map([
                        SuggestedOption("type", .text("library")), SuggestedOption("metric", .text("invalidValues")),
                        SuggestedOption("arguments", .map([options.remove(at: index)])),
                        SuggestedOption("mustBe", .plain("0")),
                    ])
                )
            }
            if !options.isEmpty { all.append(SuggestedOption("logicalTypeOptions", .map(options))) }
            if !rules.isEmpty { all.append(SuggestedOption("quality", .list(rules))) }
            properties.append(.map(all))
        }
        var quality: [SuggestedValue] = []
        for clause in table.clauses {
            if case .columns(let names, "fail", "allow", false) = clause.ask, names.count == table.fields.count {
                continue
            }
            quality += rest(clause, "table \(table.name)", nil)
        }
        var all = [SuggestedOption("name", .text(table.name)), SuggestedOption("logicalType", .text("object"))]
        if !quality.isEmpty { all.append(SuggestedOption("quality", .list(quality))) }
        all.append(SuggestedOption("properties", .list(properties)))
        return .map(all)
    }

    /// What both forms say by keys, and what is left.
    private mutating func said(
        of field: Contract.Field,
        _ names: [String: String]
    ) -> (options: [SuggestedOption], rules: [SuggestedValue]) {
        var (options, rules): ([SuggestedOption], [SuggestedValue]) = ([], [])
        for clause in field.clauses {
            var new: [(String, SuggestedValue)] = []
            switch clause.ask {
            case .required: new = [("required", .plain("true"))]
            case .unique(_, _, false): new = [("unique", .plain("true"))]
            case .among(let values): new = [("enum", .list(values.map { .text($0) }))]
            case .range(let min, let max):
                new = [("minimum", min), ("maximum", max)].compactMap { key, bound in
                    bound.map { (key, .number($0.text)) }
                }
            case .length(let min, let max):
                new = [("minLength", min), ("maxLength", max)].compactMap { key, size in size.map { (key, .number($0)) }
                }
            case .matches(let pattern):
                // Table Schema binds a pattern to both ends.
                new = [("pattern", .text(form == .odcs ? pattern : ".*(\(pattern)).*"))]
                if form == .tableSchema, pattern.hasPrefix("^"), pattern.hasSuffix("$"), !pattern.contains("|"),
                    !pattern.hasSuffix("\\$")
                {
                    new = [("pattern", .text(String(pattern.dropFirst().dropLast())))]
                } else if form == .tableSchema, pattern.contains(where: { "^$".contains($0) }) {
                    new = []
                }
            default: break
            }
            new = new.map { (names[$0.0] ?? $0.0, $0.1) }
            if new.isEmpty || !clause.limits.isEmpty
                || new.contains(where: { key, _ in options.contains { $0.key == key } })
            {
                rules += rest(clause, "column \(field.name)", field)
            } else {
                options += new.map { SuggestedOption($0.0, $0.1) }
            }
        }
        return (options, rules)
    }

    /// A clause as the rule of a job, in the place that the form has for such.
    private mutating func rest(_ clause: Contract.Clause, _ owner: String, _ field: Contract.Field?) -> [SuggestedValue]
    {
        guard let ask = clause.ask else { return [] }
        return ContractJob.rules(of: ask, field).map { name, value in
            let rule = SuggestedValue.map([SuggestedOption(name, value)] + clause.limits)
            unsaid.append("\(owner): \(YAMLScalar.of(rule))")
            guard form == .odcs else { return rule }
            return .map([
                SuggestedOption("type", .text("custom")), SuggestedOption("engine", .text("daybook")),
                SuggestedOption("implementation", .text(YAMLScalar.of(rule))),
            ])
        }
    }
}

extension SuggestedValue {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .text(text)
        case .plain("true"): true
        case .plain("false"): false
        case .plain(let text): Int(text).map { .number($0) } ?? Double(text).map { .decimal($0) } ?? .text(text)
        case .list(let items): .list(items.map(\.json))
        case .map(let options): .map(Dictionary(options.map { ($0.key, $0.value.json) }) { first, _ in first })
        }
    }
}
