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
            problems.add(
                "empty-from",
                "'from' names no stage",
                at: node.place,
                hint: "without 'from' a stage reads the one above it"
            )
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
