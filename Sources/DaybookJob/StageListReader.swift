/// Reads the entries under `stages` separately; `StageLinker` then links them.
package struct StageListReader {
    /// Stage as its entry describes it, without its neighbours.
    package struct Draft {
        /// Key with the stage's type and options; nil for an entry without a type, which is reported.
        package var type: OptionNode.Entry?
        package var options: [OptionNode.Entry] = []
        /// Value in the place of the options. Only the stage type can interpret it.
        var misplacedValue: OptionNode?
        package var id: (text: String, place: SourcePlace)?
        package var from: OptionNode?
        package var rejects: RejectPolicy?
        var isOnce = false
    }

    package static let engineKeys = ["id", "from", "rejects", "once"]
    /// Limit of stages, above any realistic job; comparisons between stages may be quadratic in it.
    package static let limit = 1_000

    /// Existing stage types, if the caller knows them; they distinguish a second stage from a stray option.
    package let stageNames: Set<String>
    /// Whether the job has its stages for several values.
    var isRepeated = false
    package let problems: Problems

    package func read(_ node: OptionNode) -> [Draft] {
        guard let items = node.list else {
            problems.add(node.expected("a list of stages", hint: "begin each stage with '- '"))
            return []
        }
        guard !items.isEmpty else {
            problems.add("no-stages", "the job has no stages", at: node.place)
            return []
        }
        guard items.count <= Self.limit else {
            let message = "the job has \(items.count) stages, and may have \(Self.limit)"
            problems.add("too-many-stages", message, at: items[Self.limit].place)
            return []
        }
        return items.map { draft(of: $0) }
    }

    private func draft(of item: OptionNode) -> Draft {
        guard let entries = item.map else {
            let name = item.text.map { $0.shortened(to: 80) }
            problems.add(
                item.expected("a stage such as 'sort_rows: { by: date }'", hint: name.map { "add a colon: '- \($0):'" })
            )
            return Draft()
        }
        var draft = Draft()
        for entry in entries {
            switch entry.key {
            case "id": draft.id = problems.value { () throws(DaybookError) in try id(entry.value) }
            case "from": draft.from = entry.value
            case "rejects": draft.rejects = RejectPolicy(reading: entry.value, problems)
            case "once": draft.isOnce = once(entry)
            default: break
            }
        }
        let others = entries.filter { !Self.engineKeys.contains($0.key) }
        draft.type = stage(among: others, entry: item, into: &draft.options)
        guard let type = draft.type else { return draft }
        switch type.value.content {
        case .map(let options): draft.options = options
        case .nothing: break
        default: draft.misplacedValue = type.value
        }
        return draft
    }

    /// The key of an entry that names its stage.
    private func stage(
        among candidates: [OptionNode.Entry],
        entry: OptionNode,
        into options: inout [OptionNode.Entry]
    ) -> OptionNode.Entry? {
        guard candidates.count > 1 else {
            if candidates.isEmpty {
                problems.add(
                    "no-stage",
                    "this entry names no stage",
                    at: entry.place,
                    hint: "beside id, from and rejects it needs one stage, such as 'sort_rows:'"
                )
            }
            return candidates.first
        }
        // A misspelt engine key is not a second stage.
        var stages = candidates.filter { candidate in
            guard candidates.count <= 20, !stageNames.contains(candidate.key),
                let hint = problems.nearest(to: candidate.key, among: Self.engineKeys)
            else { return true }
            problems.add(
                "unknown-key",
                "a stage has no key \(candidate.key.quotedForMessage)",
                at: candidate.keyPlace,
                hint: hint
            )
            return false
        }
        if stages.isEmpty { stages = [candidates[0]] }
        guard stages.count > 1 else { return stages[0] }
        let first = stages.first { stageNames.contains($0.key) } ?? stages[0]
        let strays = stages.filter { $0.key != first.key }
        let isIndentedTooLittle = strays.allSatisfy { stray in
            !stageNames.contains(stray.key) && (stray.value.text != nil || stray.value.list != nil)
        }
        if case .nothing = first.value.content, isIndentedTooLittle {
            options = strays
            problems.add(
                "misplaced-option",
                "\(strays[0].key.quotedForMessage) stands beside \(first.key.quotedForMessage), not under it",
                at: strays[0].keyPlace,
                hint: "indent the options of a stage further than its name"
            )
        } else {
            let names = stages.map(\.key.quotedForMessage)
            let others = names.dropLast().joined(separator: ", ").shortened(to: 200)
            problems.add(
                "several-stages",
                "this entry names \(stages.count) stages: \(others) and \(names[names.count - 1])",
                at: stages[1].keyPlace,
                hint: "begin each stage with a '- ' of its own"
            )
        }
        return first
    }

    private func once(_ entry: OptionNode.Entry) -> Bool {
        if !isRepeated {
            problems.add(
                "unknown-key",
                "'once' is for jobs with 'for_each', and without it every stage is there once",
                at: entry.keyPlace,
                hint: "leave it out"
            )
        }
        return problems.value { () throws(DaybookError) in try Bool(reading: entry.value) } ?? false
    }

    private func id(_ node: OptionNode) throws(DaybookError) -> (text: String, place: SourcePlace) {
        guard let text = node.text else { throw node.expected("a name as the id") }
        guard ParamReader.isName(text) else {
            throw DaybookError(
                "bad-name",
                "a stage cannot have the id \(text.quotedForMessage)",
                at: node.place,
                hint: "an id is made of letters, digits, '_' and '-'"
            )
        }
        return (text, node.place)
    }
}

/// Gives every stage its id, and resolves the names in each `from`.
struct StageLinker {
    private let drafts: [StageListReader.Draft]
    private let problems: Problems
    /// Id of each draft; nil for an entry without a stage and without an `id`.
    private var ids: [String?] = []
    /// Index of the draft, by id.
    private var indexes: [String: Int] = [:]
    /// Number of stages, by type.
    private var counts: [String: Int] = [:]

    init(_ drafts: [StageListReader.Draft], _ problems: Problems) {
        self.drafts = drafts
        self.problems = problems
        ids = drafts.map { $0.id?.text }
        for (index, draft) in drafts.enumerated() {
            if let type = draft.type?.key { counts[type, default: 0] += 1 }
            guard let id = draft.id else { continue }
            if let first = indexes[id.text], let line = drafts[first].id?.place.line {
                problems.add(
                    "duplicate-id",
                    "a second stage has the id \(id.text.quotedForMessage)",
                    at: id.place,
                    hint: "the first is in line \(line)"
                )
            } else {
                indexes[id.text] = index
            }
        }
        nameTheNameless()
    }

    private mutating func nameTheNameless() {
        var ordinals: [String: Int] = [:]
        for (index, draft) in drafts.enumerated() {
            guard let type = draft.type?.key else { continue }
            ordinals[type, default: 0] += 1
            guard draft.id == nil else { continue }
            var ordinal = ordinals[type] ?? 1
            var name = counts[type] == 1 ? type : "\(type)_\(ordinal)"
            while indexes[name] != nil {
                ordinal += 1
                name = "\(type)_\(ordinal)"
            }
            ids[index] = name
            indexes[name] = index
        }
    }

    /// Valid stages, in the order of the file.
    func stages() -> [JobStage] {
        drafts.enumerated().compactMap { index, draft in
            let from = draft.from.map { references($0, readBy: index) } ?? []
            guard let type = draft.type, let id = ids[index] else { return nil }
            var stage = JobStage(
                type: type.key,
                typePlace: type.keyPlace,
                options: draft.options,
                optionsPlace: type.value.place,
                misplacedValue: draft.misplacedValue,
                id: id,
                idPlace: draft.id?.place,
                from: from,
                rejects: draft.rejects
            )
            stage.isOnce = draft.isOnce
            return stage
        }
    }

    private func references(_ node: OptionNode, readBy index: Int) -> [StageReference] {
        let items = node.list ?? [node]
        if items.isEmpty {
            let hint = "without 'from' a stage reads the one above it"
            problems.add("empty-from", "'from' names no stage", at: node.place, hint: hint)
        }
        var found: [StageReference] = []
        var seen: Set<String> = []
        for item in items {
            guard let text = item.text, !text.isEmpty else {
                problems.add(item.expected("the id of a stage above, or a list of them"))
                continue
            }
            guard let reference = reference(text, at: item.place, readBy: index) else { continue }
            if seen.insert(text).inserted {
                found.append(reference)
            } else {
                problems.add("duplicate-from", "'from' names \(text.quotedForMessage) twice", at: item.place)
            }
        }
        return found
    }

    /// Whether a stage reads another, directly or through other stages.
    private func reaches(_ start: Int, _ goal: Int, _ seen: Set<Int> = []) -> Bool {
        guard start != goal, !seen.contains(start), let from = drafts[start].from else { return start == goal }
        let read = (from.list ?? [from]).compactMap {
            $0.text?.split(separator: ".").first.flatMap { indexes[String($0)] }
        }
        return read.contains { reaches($0, goal, seen.union([start])) }
    }

    private func reference(_ text: String, at place: SourcePlace, readBy index: Int) -> StageReference? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let id = String(parts[0])
        if parts.count == 2, parts[1] != "rejects" {
            problems.add(
                "unknown-output",
                "a stage has no output \(String(parts[1]).quotedForMessage)",
                at: place,
                hint:
                    "'\(id.shortened(to: 80))' is what it passes on, '\(id.shortened(to: 80)).rejects' what it rejects"
            )
            return nil
        }
        if let target = indexes[id], target < index {
            return StageReference(id: id, port: parts.count == 2 ? .rejects : .rows, place: place)
        }
        if let target = indexes[id] {
            problems.add(
                "unknown-stage-id",
                target == index
                    ? "a stage cannot read from itself" : "the stage \(id.quotedForMessage) stands further down",
                at: place,
                hint: target != index && reaches(target, index)
                    ? "the two read each other, so neither can begin; one has to read from somewhere else"
                    : "a stage reads from the stages above it"
                        + (target == index ? "" : ": move \(id.quotedForMessage) up, or this one down")
            )
        } else if let count = counts[id], count > 1 {
            problems.add(
                "ambiguous-stage-id",
                "\(count) stages are of the type \(id.quotedForMessage)",
                at: place,
                hint: "give the one you mean an 'id'"
            )
        } else {
            let above = problems.areMany ? [] : ids.prefix(index).compactMap { $0 }
            problems.add(
                "unknown-stage-id",
                "no stage above has the id \(id.quotedForMessage)",
                at: place,
                hint: index == 0
                    ? "this is the first stage" : problems.hint(for: id, among: above, listing: "the ids above are")
            )
        }
        return nil
    }
}
