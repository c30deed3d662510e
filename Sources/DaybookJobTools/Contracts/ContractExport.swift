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
        let tables = contract.tables.map { table in form == .odcs ? odcs(table) : tableSchema(table) }
        switch form {
        case .tableSchema:
            let resources = zip(contract.tables, tables).map { table, schema -> SuggestedValue in
                ["name": .text(table.name), "path": .texts(table.paths), "schema": schema]
            }
            let whole = tables.count == 1 ? tables[0] : ["resources": .list(resources)]
            text = JSONDocument.text(of: whole.json)
        case .odcs:
            var job = JobText()
            for (key, value) in [
                ("apiVersion", "v3.1.0"), ("kind", "DataContract"), ("id", contract.tables[0].name),
                ("version", "1.0.0"), ("status", "draft"),
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
        let fields = table.fields.map { field -> SuggestedValue in
            let (constraints, rules) = said(of: field)
            return [
                "name": .text(field.name),
                "type": .text(field.kind?.schemaType ?? (field.isJSON ? "any" : Contract.Kind.text.schemaType)),
                "trueValues": field.kind == .flag ? .texts(["true"]) : nil,
                "falseValues": field.kind == .flag ? .texts(["false"]) : nil,
                "description": field.description.map { .text($0) }, "constraints": .filled(constraints),
                "x-daybook": .filled(rules),
            ]
        }
        var primaryKey: SuggestedValue?
        var (keys, links, left): ([SuggestedValue], [SuggestedValue], [SuggestedValue]) = ([], [], [])
        var match = "partial"
        for clause in table.clauses {
            switch clause.ask {
            case .unique(let columns, true, false) where clause.limits.isEmpty: keys.append(.texts(columns))
            case .unique(let columns, _, true) where clause.limits.isEmpty: primaryKey = primaryKey ?? .texts(columns)
            case .refers(let columns, let target, let far) where clause.limits.isEmpty:
                let reference: SuggestedValue = ["resource": .text(target), "fields": .texts(far)]
                links.append(["fields": .texts(columns), "reference": reference])
            case .columns(let names, let missing, let extra, let isOrdered)
            where names.count == table.fields.count && missing != "warn" && extra != "warn":
                let forms = [
                    "fail fail": isOrdered ? "exact" : "equal", "fail allow": "subset", "allow fail": "superset",
                ]
                match = forms["\(missing) \(extra)"] ?? "partial"
            default: left += rest(clause, "table \(table.name)", nil)
            }
        }
        return [
            "fields": .list(fields), "primaryKey": primaryKey, "fieldsMatch": .texts([match]),
            "uniqueKeys": .filled(keys), "foreignKeys": .filled(links), "x-daybook": .filled(left),
        ]
    }

    private mutating func odcs(_ table: Contract.Table) -> SuggestedValue {
        let properties = table.fields.map { field -> SuggestedValue in
            var (options, rules) = said(of: field)
            func take(_ key: String) -> SuggestedValue? {
                options.firstIndex { $0.key == key }.map { options.remove(at: $0).value }
            }
            let (required, unique) = (take("required"), take("unique"))
            if let values = take("validValues") {
                rules.append([
                    "type": .text("library"), "metric": .text("invalidValues"), "arguments": ["validValues": values],
                    "mustBe": .plain("0"),
                ])
            }
            return [
                "name": .text(field.name), "logicalType": field.kind.map { .text($0.schemaType) },
                "description": field.description.map { .text($0) }, "required": required, "unique": unique,
                "logicalTypeOptions": .filled(options), "quality": .filled(rules),
            ]
        }
        var quality: [SuggestedValue] = []
        for clause in table.clauses {
            if case .columns(let names, "fail", "allow", false) = clause.ask, names.count == table.fields.count {
                continue
            }
            quality += rest(clause, "table \(table.name)", nil)
        }
        return [
            "name": .text(table.name), "logicalType": .text("object"), "quality": .filled(quality),
            "properties": .list(properties),
        ]
    }

    /// What both forms say by keys, and what is left.
    private mutating func said(of field: Contract.Field) -> (options: [SuggestedOption], rules: [SuggestedValue]) {
        var (options, rules): ([SuggestedOption], [SuggestedValue]) = ([], [])
        for clause in field.clauses {
            var value: SuggestedValue = [:]
            switch clause.ask {
            case .required: value = ["required": .plain("true")]
            case .unique(_, _, false): value = ["unique": .plain("true")]
            case .among(let values): value = [form == .odcs ? "validValues" : "enum": .texts(values)]
            case .range(let min, let max):
                value = ["minimum": min.map { .number($0.text) }, "maximum": max.map { .number($0.text) }]
            case .length(let min, let max):
                value = ["minLength": min.map { .number($0.text) }, "maxLength": max.map { .number($0.text) }]
            case .matches(let pattern): value = ["pattern": written(pattern).map { .text($0) }]
            default: break
            }
            if case .map(let new) = value, !new.isEmpty, clause.limits.isEmpty,
                !new.contains(where: { new in options.contains { $0.key == new.key } })
            {
                options += new
            } else {
                rules += rest(clause, "column \(field.name)", field)
            }
        }
        return (options, rules)
    }

    /// A pattern as the form has it: Table Schema binds it to both ends. Nil for one that it cannot say.
    private func written(_ pattern: String) -> String? {
        guard form == .tableSchema else { return pattern }
        if pattern.hasPrefix("^"), pattern.hasSuffix("$"), !pattern.contains("|"), !pattern.hasSuffix("\\$") {
            return String(pattern.dropFirst().dropLast())
        }
        return pattern.contains { "^$".contains($0) } ? nil : ".*(\(pattern)).*"
    }

    /// A clause as the rule of a job, in the place that the form has for such.
    private mutating func rest(_ clause: Contract.Clause, _ owner: String, _ field: Contract.Field?) -> [SuggestedValue]
    {
        guard let ask = clause.ask else { return [] }
        return ContractJob.rules(of: ask, field).map { name, value in
            let rule = SuggestedValue.map([SuggestedOption(name, value)] + clause.limits)
            unsaid.append("\(owner): \(YAMLScalar.of(rule))")
            guard form == .odcs else { return rule }
            return [
                "type": .text("custom"), "engine": .text("daybook"), "implementation": .text(YAMLScalar.of(rule)),
            ]
        }
    }
}

extension SuggestedValue {
    fileprivate static func filled(_ items: [SuggestedValue]) -> SuggestedValue? { items.isEmpty ? nil : .list(items) }

    fileprivate static func filled(_ options: [SuggestedOption]) -> SuggestedValue? {
        options.isEmpty ? nil : .map(options)
    }

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
