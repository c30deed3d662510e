import DaybookBytes

/// Reads a Frictionless data package, or the schema of one table.
enum TableSchemaReader {
    private static let described: Set<String> = [
        "name", "title", "description", "$schema", "profile", "id", "created", "version", "homepage", "keywords",
        "licenses", "sources", "contributors", "image", "type", "mediatype",
    ]

    static func read(_ root: OptionNode, _ name: String) throws(DaybookError) -> Contract {
        var contract = Contract(form: "Frictionless")
        guard let resources = root["resources"] else {
            var table = Contract.Table(name: name)
            try fill(&table, from: root)
            contract.tables = [table]
            return contract
        }
        contract.remarks = root.rest(besides: described.union(["resources"]))
        for (number, resource) in (resources.list ?? []).enumerated() {
            var table = Contract.Table(name: resource.text("name") ?? "table-\(number + 1)")
            table.description = resource.text("description") ?? resource.text("title")
            try readPaths(of: resource, into: &table)
            table.isJSON = ["json", "ndjson", "jsonl"].contains(resource.text("format") ?? "")
            readDialect(of: resource, into: &table)
            if let schema = resource["schema"] {
                if schema.map != nil {
                    try fill(&table, from: schema)
                } else {
                    table.leave("schema: \(schema.inBrief), a file of its own: give it to 'contract import' itself")
                }
            }
            let known = described.union(["path", "format", "encoding", "dialect", "schema"])
            table.leaveRest(of: resource, besides: known)
            contract.tables.append(table)
        }
        return contract
    }

    private static func readPaths(of resource: OptionNode, into table: inout Contract.Table) throws(DaybookError) {
        for node in resource["path"].map({ $0.list ?? [$0] }) ?? [] {
            guard let path = node.text else { throw node.expected("a path") }
            if path.contains("://") {
                table.leave("path: \(path), which is no file")
                continue
            }
            guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
                let hint = "a package names files below its own directory; name others on the command line"
                throw DaybookError(
                    "unsafe-path",
                    "the path '\(path)' leads out of the package",
                    at: node.place,
                    hint: hint
                )
            }
            table.paths.append(path)
        }
    }

    private static func readDialect(of resource: OptionNode, into table: inout Contract.Table) {
        if let encoding = resource.text("encoding"), encoding.lowercased() != "utf-8" {
            table.options.append(SuggestedOption("encoding", .text(encoding)))
        }
        for entry in resource["dialect"]?.map ?? [] {
            let value = entry.value.text ?? ""
            let isTrue = value.lowercased() == "true"
            func add(_ key: String, _ text: SuggestedValue) { table.options.append(SuggestedOption(key, text)) }
            switch entry.key {
            case "delimiter": add("delimiter", .text(value == "\t" ? "tab" : value))
            case "quoteChar": add("quote", .text(value))
            case "escapeChar": add("escape", .text(value))
            case "commentChar": add("comment", .text(value))
            case "nullSequence": add("missing", .list([.text(""), .text(value)]))
            case "header" where !isTrue: add("header", .plain("false"))
            case "skipInitialSpace" where isTrue: add("trim", .plain("true"))
            case "header", "skipInitialSpace", "lineTerminator", "csvddfVersion", "$schema": break
            case "doubleQuote" where isTrue: break
            default: table.leave("dialect, \(entry.key): \(entry.value.inBrief)")
            }
        }
    }

    private static func fill(_ table: inout Contract.Table, from schema: OptionNode) throws(DaybookError) {
        guard let fields = schema["fields"]?.list else {
            throw (schema["fields"] ?? schema).expected("a schema with a list of 'fields'")
        }
        for node in fields {
            guard let name = node.text("name") else { throw node.expected("a field with a 'name'") }
            var field = Contract.Field(name: name)
            field.description = node.text("description") ?? node.text("title")
            readKind(of: node, into: &field)
            readConstraints(of: node, into: &field)
            let known = typeKeys.union(["name", "title", "description", "constraints", "example", "x-daybook"])
            field.leaveRest(of: node, besides: known)
            table.fields.append(field)
        }
        let names = table.fields.map(\.name)
        let match = schema.text("fieldsMatch") ?? schema["fieldsMatch"]?.texts.first ?? "exact"
        let extra = ["exact", "equal", "superset"].contains(match) ? "fail" : "allow"
        let missing = ["superset", "partial"].contains(match) ? "allow" : "fail"
        table.ask(.columns(names, missing: missing, extra: extra, isOrdered: match == "exact"))
        if table.options.contains(where: { $0.key == "header" }) {
            table.options.removeAll { $0.key == "header" }
            table.options.append(SuggestedOption("header", .texts(names)))
        }
        if let missing = schema["missingValues"]?.list, missing.compactMap(\.text) != [""] {
            table.options.removeAll { $0.key == "missing" }
            let texts = missing.map { $0.text ?? $0.text("value") ?? "" }
            table.options.append(SuggestedOption("missing", .texts(texts)))
        }
        readKeys(of: schema, into: &table)
        for node in fields + [schema] { node.rules(into: &table) }
        let known: Set = [
            "fields", "missingValues", "x-daybook", "primaryKey", "uniqueKeys", "foreignKeys", "fieldsMatch",
        ]
        table.leaveRest(of: schema, besides: described.union(known))
    }

    private static func readKeys(of schema: OptionNode, into table: inout Contract.Table) {
        if let key = schema["primaryKey"]?.texts, !key.isEmpty {
            table.ask(.unique(key, skipsMissing: false, isPrimary: true))
        }
        for key in schema.nodes("uniqueKeys") {
            table.ask(.unique(key.texts, skipsMissing: true, isPrimary: false))
        }
        for key in schema.nodes("foreignKeys") {
            let reference = key["reference"]
            let (own, far) = (key["fields"]?.texts ?? [], reference?["fields"]?.texts ?? [])
            let target = reference?.text("resource") ?? ""
            guard !own.isEmpty, own.count == far.count else {
                table.leave("foreignKeys: \(key.inBrief)")
                continue
            }
            table.ask(.refers(own, table: target.isEmpty ? table.name : target, far))
        }
    }

    private static let typeKeys: Set<String> = [
        "type", "format", "trueValues", "falseValues", "decimalChar", "groupChar", "bareNumber",
    ]

    private static func readKind(of node: OptionNode, into field: inout Contract.Field) {
        let format = node.text("format") ?? "default"
        switch (node.text("type") ?? "string", format) {
        case ("string", let format):
            field.kind = .text
            if format != "default" { field.ask(format: format) }
        case ("integer", _): field.kind = .integer
        case ("number", _): field.kind = .decimal
        case ("year", _):
            field.kind = .integer
            field.ask(.range(min: Contract.Bound(text: "-9999"), max: Contract.Bound(text: "9999")))
        case ("boolean", _):
            let yes = node["trueValues"]?.texts ?? ["true", "True", "TRUE", "1"]
            let no = node["falseValues"]?.texts ?? ["false", "False", "FALSE", "0"]
            if (yes, no) == (["true"], ["false"]) { field.kind = .flag } else { field.ask(.among(yes + no)) }
        case ("date", "default"): field.kind = .day
        case ("datetime", "default"): field.ask(.dates(["iso"]), remark: "iso lets a day without a time pass")
        case ("date", let format), ("datetime", let format):
            if let pattern = TextForm.datePattern(format) {
                field.ask(.dates([pattern]))
            } else {
                field.leave("type: date, format: \(format)")
            }
        case ("time", "default"): field.ask(.matches(TextForm.time))
        case ("yearmonth", _): field.ask(.matches("^-?[0-9]{4}-(0[1-9]|1[0-2])$"))
        case ("duration", _): field.ask(.matches(TextForm.duration))
        case ("geopoint", "default"): field.ask(.matches("^-?[0-9.]+, ?-?[0-9.]+$"), remark: "the bounds of degrees")
        case ("object", _): field.ask(.holds(TextForm.isJSON(field.name, "{")))
        case ("array", _): field.ask(.holds(TextForm.isJSON(field.name, "[")))
        case ("any", _): break
        case (let type, let format): field.leave("type: \(type)\(format == "default" ? "" : ", format: \(format)")")
        }
        for key in ["decimalChar", "groupChar", "bareNumber"] {
            guard let value = node.text(key), !(key == "bareNumber" && value == "true") else { continue }
            if !(key == "decimalChar" && value == ".") {
                field.leave("\(key): \(value); 'number_format' of the import says how numbers are written")
            }
        }
    }

    private static func readConstraints(of node: OptionNode, into field: inout Contract.Field) {
        guard let constraints = node["constraints"] else { return }
        if constraints.isTrue("required") { field.ask(.required) }
        if constraints.isTrue("unique") { field.ask(.unique([field.name], skipsMissing: true, isPrimary: false)) }
        if let values = constraints["enum"]?.list { field.ask(.among(values.compactMap(\.text))) }
        if let pattern = constraints.text("pattern") {
            field.ask(.matches(pattern.contains("|") ? "^(?:\(pattern))$" : "^\(pattern)$"))
        }
        field.askBounds(of: constraints)
        let schema = constraints["jsonSchema"]
        if let schema, schema.map != nil { field.ask(.schema(field.name, schema)) }
        let read = Contract.Field.bounds.union(["required", "unique", "enum", "pattern"])
        field.leaveRest(of: constraints, besides: schema?.map == nil ? read : read.union(["jsonSchema"]))
    }
}

extension Contract.Field {
    /// The keys of bounds in Table Schema, JSON Schema and ODCS.
    static let bounds: Set = [
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
    ]

    /// Asks for the bounds of values and of lengths that a map has under its keys.
    mutating func askBounds(of node: OptionNode) {
        func bound(_ key: String) -> Contract.Bound? {
            node.text(key).map { Contract.Bound(text: $0, isExclusive: key.hasPrefix("exclusive")) }
        }
        for (min, max) in [("minimum", "maximum"), ("exclusiveMinimum", "exclusiveMaximum")] {
            let (low, high) = (bound(min), bound(max))
            if low != nil || high != nil { ask(.range(min: low, max: high)) }
        }
        let (shortest, longest) = (bound("minLength"), bound("maxLength"))
        if shortest != nil || longest != nil { ask(.length(min: shortest, max: longest)) }
    }

    /// Asks for the form of texts that a format names.
    mutating func ask(format: String) {
        let pattern = TextForm.patterns[format]
        ask(pattern.map { .matches($0) }, remark: pattern == nil ? "format: \(format)" : nil)
    }
}

/// How texts of well-known forms are written.
enum TextForm {
    static let patterns = [
        "email": #"^[^@\s]+@[^@\s]+\.[^@\s]+$"#, "uri": "^[A-Za-z][A-Za-z0-9+.-]*:\\S+$",
        "uuid": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
        "binary": "^[A-Za-z0-9+/]*={0,2}$", "time": time, "duration": duration,
        "ipv4": #"^((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\.|$)){4}$"#,
        "hostname": #"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$"#,
    ]
    static let time = #"^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?$"#
    static let duration = #"^-?P([0-9.]+[YMWD])*(T([0-9.]+[HMS])+)?$"#

    static func isJSON(_ column: String, _ bracket: String) -> String {
        let name = ExpressionText.column(column)
        return "\(name) is missing or (starts_with(trim(\(name)), '\(bracket)') and parse_json(\(name)) is not missing)"
    }

    private static let directives: [Character: String] = [
        "Y": "yyyy", "m": "MM", "d": "dd", "y": "yy", "H": "HH", "M": "mm", "S": "ss", "B": "MMMM", "b": "MMM",
    ]

    /// The pattern of `normalise_dates` for one of `strptime`; nil for what has no such letter.
    static func datePattern(_ format: String) -> String? {
        guard format.contains("%") else { return nil }
        var (result, isDirective) = ("", false)
        for character in format {
            if isDirective {
                guard let letters = directives[character] else { return nil }
                result += letters
            } else if character != "%" {
                result += character.isLetter ? "'\(character)'" : String(character)
            }
            isDirective = !isDirective && character == "%"
        }
        return result
    }
}
