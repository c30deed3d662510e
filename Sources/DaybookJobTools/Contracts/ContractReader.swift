import DaybookBytes
import DaybookEngine

/// Reads a contract, whose form shows in what it holds.
package enum ContractReader {
    private static let forms =
        "'resources' or 'fields' (Frictionless), 'kind: DataContract' or 'schema' (ODCS), 'models', 'sources' or 'seeds' (dbt), "
        + "'properties' (JSON Schema), 'expectations' (GX), and 'stages' (a job)"

    /// - Parameters:
    ///   - paths: the data in the place of those that the contract names.
    ///   - table: the only table that is wanted, of several.
    package static func read(
        _ file: String,
        data paths: [String] = [],
        table name: String? = nil
    ) throws(DaybookErrors) -> Contract {
        var contract = try read(file)
        if let name {
            contract.tables.removeAll { $0.name != name }
            guard !contract.tables.isEmpty else {
                let hint = NearestName.hint(for: name, among: try read(file).tables.map(\.name))
                throw DaybookErrors("unknown-table", "no table named '\(name)' in '\(file)'", hint: hint)
            }
        }
        guard !contract.tables.isEmpty else {
            throw DaybookErrors("no-contract", "'\(file)' asks nothing of any table")
        }
        guard paths.isEmpty || contract.tables.count == 1 else {
            let names = contract.tables.prefix(20).map { "'\($0.name)'" }.joined(separator: ", ")
            let tables = DisplayText.count(contract.tables.count, "table")
            let message = "the data are for one table, and '\(file)' has \(tables)"
            throw DaybookErrors("many-tables", message, hint: "name one with '--table': \(names)")
        }
        let directory = FilePath.directory(of: file)
        for index in contract.tables.indices {
            let own = contract.tables[index].paths.map { directory == "." ? $0 : FilePath.join(directory, $0) }
            contract.tables[index].paths = paths.isEmpty ? own : paths
        }
        return contract
    }

    private static func read(_ file: String) throws(DaybookErrors) -> Contract {
        let bytes: [UInt8]
        do throws(DaybookError) {
            bytes = try JobFile.read(file)
            try YAMLReader().checkSize(bytes.count, file: file)
        } catch  where error.code == "job-not-found" {
            throw DaybookErrors("no-contract", "there is no file '\(file)'", hint: error.hint)
        } catch { throw DaybookErrors(error) }
        let reading = JSONDocument.read(bytes, file: file)
        guard reading.problems.isEmpty, let root = reading.root else {
            let empty = DaybookError("no-contract", "'\(file)' is empty", hint: "a contract has \(forms)")
            throw DaybookErrors(reading.problems.isEmpty ? [empty] : reading.problems)
        }
        let name = JobFile.name(of: FilePath.name(of: file))
        do throws(DaybookError) {
            guard root.map != nil else { throw root.expected("a contract", hint: "a contract has \(forms)") }
            if root["stages"] != nil { return try JobContract.read(root, name) }
            if root["resources"] != nil || root["fields"] != nil { return try TableSchemaReader.read(root, name) }
            if root["expectations"] != nil { return try ExpectationReader.read(root, name) }
            if root.text("kind") == "DataContract" || root["schema"]?.list != nil {
                return try DataContractReader.read(root)
            }
            if ["models", "sources", "seeds", "snapshots"].contains(where: { root[$0]?.list != nil }) {
                return try DbtReader.read(root)
            }
            if root["properties"] != nil || root["items"]?["properties"] != nil {
                return try RecordSchemaReader.read(root, name)
            }
            let hint = "it was looked for \(forms)"
            throw DaybookError("no-contract", "'\(file)' is no contract that is known", at: root.place, hint: hint)
        } catch { throw DaybookErrors(error) }
    }
}

extension OptionNode {
    subscript(_ key: String) -> OptionNode? { map?.last { $0.key == key }?.value }

    /// The scalar under a key.
    func text(_ key: String) -> String? { self[key]?.text }

    /// The items of the list under a key; none where there is no list.
    func nodes(_ key: String) -> [OptionNode] { self[key]?.list ?? [] }

    var isNull: Bool { if case .nothing = content { true } else { false } }

    /// Whether a plain `true` stands under the key, in whatever case.
    func isTrue(_ key: String) -> Bool { text(key)?.lowercased() == "true" }

    /// The scalars of a list, or the only one.
    var texts: [String] { list?.compactMap(\.text) ?? text.map { [$0] } ?? [] }

    /// The whole value on one line, as a comment tells it.
    var inBrief: String {
        let text: String =
            switch content {
            case .text(let text, _): text
            case .nothing: "null"
            case .list(let items):
                "[\(items.prefix(20).map(\.inBrief).joined(separator: ", "))\(items.count > 20 ? ", …" : "")]"
            case .map(let entries):
                "{ \(entries.prefix(20).map { "\($0.key): \($0.value.inBrief)" }.joined(separator: ", "))\(entries.count > 20 ? ", …" : "") }"
            }
        return text.unicodeScalars.count > 300 ? String(text.prefix(300)) + "…" : text
    }

    /// The clauses that an export wrote as rules of Daybook.
    func rules(into table: inout Contract.Table) {
        for rule in nodes("x-daybook") { JobContract.add(rule, to: &table) }
    }

    /// What stands under other keys, in words.
    func rest(besides known: Set<String>) -> [String] {
        (map ?? []).filter { !known.contains($0.key) }.map { "\($0.key): \($0.value.inBrief)" }
    }
}

/// Reads what the checks of a job ask, as a contract.
enum JobContract {
    private static let limits: Set<String> = ["id", "where", "warn", "fail", "at_least", "then"]

    /// Options of imports that say nothing of how a file is read.
    private static let unread: Set<String> = [
        "path", "columns", "describe", "file_column", "optional", "new_only", "day", "redelivery", "late", "since",
    ]

    static func read(_ root: OptionNode, _ name: String) throws(DaybookError) -> Contract {
        var contract = Contract(form: "job")
        var tables: [(id: String, table: Contract.Table)] = []
        var last: String?
        // Stages that other rows may come out of, by the stage that their rows begin with.
        var between: [Int: [OptionNode.Entry]] = [:]
        let allowed = root["rejects"]?.text("allow") ?? "0"
        for (number, stage) in root.nodes("stages").enumerated() {
            guard let entry = stage.map?.first(where: { !["id", "from", "rejects", "once"].contains($0.key) })
            else { continue }
            let id = stage.text("id") ?? "\(entry.key)-\(number)"
            let from = stage["from"]?.texts.first ?? last
            last = id
            if entry.key.hasPrefix("import_") {
                var table = Contract.Table(name: stage.text("id") ?? name, isJSON: entry.key == "import_json")
                table.paths = entry.value["path"]?.texts ?? []
                table.reading = (entry.value.map ?? []).filter { !unread.contains($0.key) }
                    .map { SuggestedOption($0.key, $0.value.suggested) }
                table.allowed = [stage["rejects"]?.text("allow") ?? allowed]
                for column in entry.value["columns"]?.map ?? [] {
                    table.field(column.key) { field in
                        field.kind = column.value.text.flatMap { Contract.Kind(rawValue: $0) }
                        field.isJSON = column.value.text == "json"
                    }
                }
                for column in entry.value["describe"]?.map ?? [] {
                    table.field(column.key) { $0.description = column.value.text }
                }
                tables.append((id, table))
            } else if let index = tables.firstIndex(where: { $0.id == from }) {
                if entry.key == "check_rows" {
                    for stage in between.removeValue(forKey: index) ?? [] {
                        tables[index].table.leave("\(stage.key) before the check: \(stage.value.inBrief)")
                    }
                    let rules = entry.value["rules"]
                    for rule in rules?.list ?? rules.map({ [$0] }) ?? [] { add(rule, to: &tables[index].table) }
                }
                if !entry.key.hasPrefix("export_"), entry.key != "check_rows" {
                    between[index, default: []].append(entry)
                }
                // What comes behind it has the same rows.
                tables[index].id = id
            }
        }
        contract.tables = tables.map(\.table)
        return contract
    }

    /// Adds what an entry under 'rules' asks.
    static func add(_ node: OptionNode, to table: inout Contract.Table) {
        guard let rule = node.map?.first(where: { !limits.contains($0.key) }) else { return }
        let value = rule.value
        let own = (node.map ?? []).filter { limits.contains($0.key) && !["id", "then"].contains($0.key) }
            .map { SuggestedOption($0.key, $0.value.suggested) }
        let column = value.text("column") ?? value.text
        let bound = { (key: String) in value.text(key).map { Contract.Bound(text: $0) } }
        // An option that is not read here makes it another rule.
        func has(only keys: String...) -> Bool { (value.map ?? []).allSatisfy { keys.contains($0.key) } }
        let ask: Contract.Ask
        switch rule.key {
        case "not_missing" where has(only: "column"):
            for name in (value["column"] ?? value).texts { table.field(name) { $0.ask(.required, own) } }
            return
        case "in_set" where has(only: "column", "values"): ask = .among(value["values"]?.texts ?? [])
        case "not_in_set" where has(only: "column", "values"): ask = .notAmong(value["values"]?.texts ?? [])
        case "between" where has(only: "column", "min", "max"): ask = .range(min: bound("min"), max: bound("max"))
        case "length" where has(only: "column", "min", "max"): ask = .length(min: bound("min"), max: bound("max"))
        case "matches" where has(only: "column", "pattern"): ask = .matches(value.text("pattern") ?? "")
        case "not_matches" where has(only: "column", "pattern"): ask = .notMatches(value.text("pattern") ?? "")
        case "date_format" where has(only: "column", "formats"):
            ask = .dates(value["formats"]?.texts ?? ["iso"])
        case "unique" where has(only: "columns", "missing"):
            let names = (value["columns"] ?? value).texts
            let skips = names.count == 1 || value.text("missing") == "skip"
            let unique = Contract.Ask.unique(names, skipsMissing: skips, isPrimary: false)
            if names.count == 1 {
                table.field(names[0]) { $0.ask(unique, own) }
            } else {
                table.ask(unique, own)
            }
            return
        case "refers_to" where has(only: "column", "columns", "in"):
            let place = (value.text("in") ?? "").split(separator: ".", maxSplits: 1).map(String.init)
            let far = place.count < 2 ? [] : place[1].split { "[], ".contains($0) }.map(String.init)
            let names = value["columns"]?.texts ?? [column].compactMap(\.self)
            return table.ask(.refers(names, table: place.first ?? "", far), own)
        case "columns" where has(only: "are", "missing", "extra", "order"):
            let names = (value["are"] ?? value).texts
            for name in names { table.field(name) { _ in } }
            let (missing, extra) = (value.text("missing") ?? "fail", value.text("extra") ?? "fail")
            let isOrdered = value.text("order") == "same"
            return table.ask(.columns(names, missing: missing, extra: extra, isOrdered: isOrdered), own)
        default: return table.ask(.rule(rule.key, value.suggested), own)
        }
        if let column { table.field(column) { $0.ask(ask, own) } }
    }
}

extension Contract.Table {
    /// Changes the field of that name, which is made where there is none.
    mutating func field(_ name: String, _ change: (inout Contract.Field) -> Void) {
        let index = fields.firstIndex { $0.name == name } ?? fields.endIndex
        if index == fields.endIndex { fields.append(Contract.Field(name: name)) }
        change(&fields[index])
    }
}

extension OptionNode {
    /// The value as it can be written again.
    var suggested: SuggestedValue {
        switch content {
        case .text(let text, let quoted): quoted ? .text(text) : .number(text)
        case .list(let items): .list(items.map(\.suggested))
        case .map(let entries): .map(entries.map { SuggestedOption($0.key, $0.value.suggested) })
        case .nothing: .text("")
        }
    }
}
