import DaybookBytes

/// Reads what the checks of a job ask, as a contract.
enum JobContract {
    private static let limits: Set<String> = ["id", "where", "warn", "fail", "at_least", "then"]

    static func read(_ root: OptionNode, _ name: String) throws(DaybookError) -> Contract {
        var contract = Contract(form: "job")
        var tables: [(id: String, table: Contract.Table)] = []
        var last: String?
        for (number, stage) in root.nodes("stages").enumerated() {
            guard let entry = stage.map?.first(where: { !["id", "from", "rejects", "once"].contains($0.key) })
            else { continue }
            let id = stage.text("id") ?? "\(entry.key)-\(number)"
            let from = stage["from"]?.texts.first ?? last
            last = id
            if entry.key.hasPrefix("import_") {
                var table = Contract.Table(name: stage.text("id") ?? name, isJSON: entry.key == "import_json")
                table.paths = entry.value["path"]?.texts ?? []
                for column in entry.value["columns"]?.map ?? [] {
                    table.field(column.key) { $0.kind = column.value.text.flatMap { Contract.Kind(rawValue: $0) } }
                }
                for column in entry.value["describe"]?.map ?? [] {
                    table.field(column.key) { $0.description = column.value.text }
                }
                tables.append((id, table))
            } else if let index = tables.firstIndex(where: { $0.id == from }) {
                if entry.key == "check_rows" {
                    let rules = entry.value["rules"]
                    for rule in rules?.list ?? rules.map({ [$0] }) ?? [] { add(rule, to: &tables[index].table) }
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
        let ask: Contract.Ask
        switch rule.key {
        case "not_missing":
            for name in (value["column"] ?? value).texts { table.field(name) { $0.ask(.required, own) } }
            return
        case "in_set": ask = .among(value["values"]?.texts ?? [])
        case "not_in_set": ask = .notAmong(value["values"]?.texts ?? [])
        case "between": ask = .range(min: bound("min"), max: bound("max"))
        case "length" where value["unit"] == nil: ask = .length(min: bound("min"), max: bound("max"))
        case "matches": ask = .matches(value.text("pattern") ?? "")
        case "not_matches": ask = .notMatches(value.text("pattern") ?? "")
        case "date_format" where value["locale"] == nil && value["pivot_year"] == nil:
            ask = .dates(value["formats"]?.texts ?? ["iso"])
        case "unique":
            let names = (value["columns"] ?? value).texts
            let skips = names.count == 1 || value.text("missing") == "skip"
            let unique = Contract.Ask.unique(names, skipsMissing: skips, isPrimary: false)
            if names.count == 1 {
                table.field(names[0]) { $0.ask(unique, own) }
            } else {
                table.ask(unique, own)
            }
            return
        case "refers_to":
            let place = (value.text("in") ?? "").split(separator: ".", maxSplits: 1).map(String.init)
            let far = place.count < 2 ? [] : place[1].split { "[], ".contains($0) }.map(String.init)
            let names = value["columns"]?.texts ?? [column].compactMap(\.self)
            return table.ask(.refers(names, table: place.first ?? "", far), own)
        case "columns":
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
