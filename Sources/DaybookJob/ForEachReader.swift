import DaybookBytes

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
