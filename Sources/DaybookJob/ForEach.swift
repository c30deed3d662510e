import DaybookBytes

/// Values under `for_each`: the job has its stages once for each of them, in one run with one commit.
public struct ForEach: Sendable {
    /// One place that a pattern finds, such as the directory of one user.
    public struct Value: Sendable, Hashable {
        /// Path as the pattern finds it, without a slash at its end: `dumps/alice`. It is `${user}`.
        public var path: String
        /// Part of the path from the first name that is a pattern: `alice`. It is `${user:name}`, and the column.
        public var name: String
    }

    /// Name in `${…}`, and name of the column.
    public var name: ColumnName
    public var patterns: [PathText]
    /// In byte order of the paths; empty if the patterns find nothing, or were not asked.
    public var values: [Value] = []
    /// How many places the patterns find; `values` may have the first alone.
    public private(set) var found = 0
    /// Why there are no values.
    public var failure: DaybookError?

    /// Which values a reader of the job looks for.
    public enum Search: Sendable {
        /// None: the stages are there once, for a value of no place.
        case none
        /// The first, for commands that take the name of a stage; the value of no place if there is none.
        case first(directory: String)
        /// All; the stages of each have ids of their own.
        case all(directory: String)

        public static let noPlace = Value(path: "each", name: "each")
    }

    /// Limit of values.
    static let limit = 1_000

    /// Whether the ids of stages end in the names of values.
    private(set) var namesStages = false

    /// End of the ids of a value's stages.
    package func scope(of value: Value) -> String { namesStages ? "@\(value.name)" : "" }

    /// Column with the name of a value.
    func column(of value: Value) -> GivenColumn { GivenColumn(name: name, value: value.name) }

    /// Values to read the job for; never none.
    mutating func find(_ search: Search) -> [Value] {
        switch search {
        case .none: break
        case .first(let directory):
            find(from: directory)
            values = Array(values.prefix(1))
        case .all(let directory):
            find(from: directory)
            namesStages = !values.isEmpty
        }
        return values.isEmpty ? [Search.noPlace] : values
    }

    private mutating func find(from directory: String) {
        do throws(DaybookError) {
            var found: [String: Value] = [:]
            for pattern in patterns {
                do throws(DaybookError) {
                    for place in try PathPattern(pattern.text, from: directory).places() {
                        found[place.path] = Value(path: place.path, name: place.name)
                    }
                } catch { throw error.located(at: pattern.place) }
            }
            values = found.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            self.found = values.count
            guard values.count <= ForEach.limit else {
                throw DaybookError(
                    "too-many-values",
                    "'for_each' finds \(DisplayText.count(values.count)) places, and a run takes \(DisplayText.count(ForEach.limit))",
                    at: name.place,
                    hint: "write a pattern for some of them, and run the job for each part"
                )
            }
            var names: [String: Value] = [:]
            for value in values {
                guard let other = names.updateValue(value, forKey: value.name) else { continue }
                throw DaybookError(
                    "value-twice",
                    "'\(other.path)' and '\(value.path)' are both named '\(value.name)'",
                    at: name.place,
                    hint: "write one pattern whose first '*' stands where their paths differ"
                )
            }
        } catch { (values, failure) = ([], error) }
    }
}

/// Directory that a run copies to another place, all but the files that it writes.
public struct Container: Sendable {
    public var from: PathText
    /// With a slash at its end, the directory that gets a copy of the same name.
    public var to: PathText

    /// Place of the copy.
    package var place: PathText {
        guard to.text.hasSuffix("/") else { return to }
        return PathText(FilePath.join(to.text, FilePath.name(of: FilePath.tidied(from.text))), at: to.place)
    }
}

/// Reads `for_each` and `container`.
struct ForEachReader {
    let problems: Problems

    /// - Parameters:
    ///   - params: names that are params of the job.
    func forEach(_ node: OptionNode?, params: some Collection<String>) -> ForEach? {
        guard let node else { return nil }
        guard let entries = node.map, let entry = entries.first else {
            problems.add(node.expected("a name with a pattern, such as '{ user: dumps/*/ }', as 'for_each'"))
            return nil
        }
        if entries.count > 1 {
            problems.add(
                "several-values",
                "'for_each' gives one value, and \(entries[1].key.quotedForMessage) is a second",
                at: entries[1].keyPlace,
                hint: "give it a list of patterns if they are all of one kind: '\(entry.key): [a/*/, b/*/]'"
            )
        }
        if !ParamReader.isName(entry.key) {
            problems.add(
                "bad-name",
                "a value cannot be named \(entry.key.quotedForMessage)",
                at: entry.keyPlace,
                hint: "a name is made of letters, digits, '_' and '-'"
            )
        } else if params.contains(entry.key) || BuiltInValues.names.contains(entry.key) || entry.key == "env" {
            problems.add(
                "name-taken",
                "\(entry.key.quotedForMessage) has a value already, \(params.contains(entry.key) ? "as a param" : "in every job")",
                at: entry.keyPlace,
                hint: "choose another name"
            )
        }
        return problems.value(at: entry.value.place) { () throws(DaybookError) in
            let patterns = try [PathText](reading: entry.value)
            if patterns.isEmpty { throw entry.value.expected("the pattern of some places, such as dumps/*/") }
            if let stream = patterns.first(where: \.isStandardStream) {
                throw DaybookError("bad-path", "standard input is one place, not several", at: stream.place)
            }
            return ForEach(name: ColumnName(entry.key, at: entry.keyPlace), patterns: patterns)
        }
    }

    func container(_ node: OptionNode?) -> Container? {
        guard let node else { return nil }
        let map = EngineMap(node, keys: ["from", "to"], of: "container", problems)
        for key in ["from", "to"] where node.map != nil && map[key] == nil {
            problems.add(
                "missing-key",
                "'container' has no '\(key)'",
                at: node.place,
                hint: "write it as 'container: { from: dumps/app, to: out/ }'"
            )
        }
        guard let from: PathText = map.read("from"), let to: PathText = map.read("to") else { return nil }
        for path in [from, to] where path.isStandardStream || path.text.isEmpty {
            problems.add("bad-path", "'container' copies a directory, and '\(path.text)' is none", at: path.place)
            return nil
        }
        if let problem = OutputName.problem(to.text, "a container") { problems.add(problem.located(at: to.place)) }
        return Container(from: from, to: to)
    }
}

/// Makes the stages of a job that has them once for each of some values.
struct StageCopies {
    /// Whether a type of stages reads no other stage.
    let isSource: (String) -> Bool
    let each: ForEach
    let values: [ForEach.Value]

    /// Copies of all stages, those of one stage beside each other, so that each stands below the stages that it reads.
    ///
    /// A stage with `once` has no copies: it reads all copies of the stages that it names. So has a stage that reads
    /// only such stages.
    ///
    /// - Parameter copies: the stages for each value, all in the same order.
    func stages(_ copies: [[JobStage]]) -> [JobStage] {
        guard let first = copies.first else { return [] }
        let above = first.indices.map { inputs(of: $0, in: first) }
        var single: Set<String> = []
        for (stage, read) in zip(first, above)
        where stage.isOnce || (!read.isEmpty && read.allSatisfy { single.contains($0.id) }) {
            single.insert(stage.id)
        }
        return first.indices.flatMap { index -> [JobStage] in
            func reading(_ stage: JobStage, copiesFor values: [ForEach.Value]) -> JobStage {
                var stage = stage
                let read = above[index].flatMap { reference in
                    single.contains(reference.id)
                        ? [reference] : values.map { reference.scoped(by: each.scope(of: $0)) }
                }
                if stage.from.isEmpty { stage.above = read } else { stage.from = read }
                return stage
            }
            if single.contains(first[index].id) {
                var stage = reading(first[index], copiesFor: values)
                stage.isOnce = true
                return [stage]
            }
            return zip(copies, values).compactMap { copy, value in
                guard index < copy.count else { return nil }
                var stage = reading(copy[index], copiesFor: [value])
                stage.scope = each.scope(of: value)
                stage.id += stage.scope
                stage.given = each.column(of: value)
                return stage
            }
        }
    }

    /// Stages that a stage reads; its options may name more.
    private func inputs(of index: Int, in stages: [JobStage]) -> [StageReference] {
        if !stages[index].from.isEmpty { return stages[index].from }
        guard index > 0, !isSource(stages[index].type) else { return [] }
        return [StageReference(id: stages[index - 1].id, port: .rows, place: stages[index].typePlace)]
    }
}

extension StageReference {
    fileprivate func scoped(by scope: String) -> StageReference {
        StageReference(id: id + scope, port: port, place: place)
    }
}
