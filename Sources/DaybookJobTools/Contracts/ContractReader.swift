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
                throw DaybookErrors([DaybookError("unknown-table", "no table named '\(name)' in '\(file)'", hint: hint)]
                )
            }
        }
        guard !contract.tables.isEmpty else {
            throw DaybookErrors([DaybookError("no-contract", "'\(file)' asks nothing of any table")])
        }
        guard paths.isEmpty || contract.tables.count == 1 else {
            let names = contract.tables.prefix(20).map { "'\($0.name)'" }.joined(separator: ", ")
            let tables = DisplayText.count(contract.tables.count, "table")
            let message = "the data are for one table, and '\(file)' has \(tables)"
            throw DaybookErrors([DaybookError("many-tables", message, hint: "name one with '--table': \(names)")])
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
            throw DaybookErrors([DaybookError("no-contract", "there is no file '\(file)'", hint: error.hint)])
        } catch { throw DaybookErrors([error]) }
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
        } catch { throw DaybookErrors([error]) }
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
