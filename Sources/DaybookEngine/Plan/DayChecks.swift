import DaybookBytes

/// Holds the stages behind imports whose files belong to days against what a run of some days can do.
///
/// A run reads all files of some days and none of others, so a stage in which rows of different days meet would give
/// another result with every choice of days.
struct DayChecks {
    private(set) var problems: [DaybookError] = []
    private let plan: Plan
    private var stages: [PlannedStage] { plan.stages }

    init(_ plan: Plan) {
        self.plan = plan
        for stage in stages {
            guard case .source(let source) = stage.role, let day = source.intake.day else { continue }
            if case .service = source {
                problems.add("bad-option", "a service has no files that could belong to days", at: day.column.place)
                continue
            }
            follow(day, from: stage.index)
        }
        for stage in stages {
            guard let growth = stage.target?.growth else { continue }
            let sources = plan.sources(of: stage.index).map { stages[$0] }
            if !growth.replacesByKey { refuseRedelivered(sources, by: stage) }
            let columns = Set(sources.map(\.day?.column))
            guard growth.replacesGroups, columns.count > 1 else { continue }
            let names = DisplayText.list(sources.map { "'\($0.id)'" })
            refuse(
                stage,
                "'\(stage.id)' gets rows of \(names), which do not all name their days, in one column: a run of some days would take away rows of others",
                hint:
                    "give each import 'day', with the same 'column'; or keep them apart, and put them together in a second job"
            )
        }
    }

    /// Rows of a file that is read again must take the place of its old ones.
    private mutating func refuseRedelivered(_ sources: [PlannedStage], by output: PlannedStage) {
        for source in sources {
            guard let place = source.source?.intake.redelivery.place else { continue }
            problems.add(
                "bad-option",
                "'\(source.id)' reads files again that have other bytes, and '\(output.id)' would add their rows once more",
                at: place,
                hint: "give the output 'replace_by', or leave 'other_bytes: redo' out"
            )
        }
    }

    private mutating func follow(_ day: FileDay, from source: Int) {
        // Whether the column of the day is still that of the files, by stage.
        var reached = [source: true]
        for stage in stages[(source + 1)...] {
            let read = stage.inputs.filter { reached[$0.stage] != nil }
            guard !read.isEmpty else { continue }
            let isThere = read.allSatisfy { reached[$0.stage] == true }
            reached[stage.index] = isThere && stage.passes(day.column)
            if read.contains(where: \.isBuildSide) {
                refuse(
                    stage,
                    "'\(stages[source].id)' reads single days, and '\(stage.id)' needs all rows that it looks up",
                    hint: "leave 'day' out of the import of a lookup"
                )
            } else if let lookup = newLookup(of: stage) {
                refuse(
                    stage,
                    "'\(lookup.id)' reads what is new, and '\(stage.id)' needs all rows that it looks up",
                    hint: "leave 'new_only' and 'since' out of the import of a lookup"
                )
            } else if case .transform(let join) = stage.role, join.finishes {
                refuse(
                    stage,
                    "'\(stage.id)' keeps rows of the lookup that no row of the run has met, and a run reads single days",
                    hint:
                        "join by 'left' or 'inner', and do the other in a second job, over the file that this one keeps"
                )
            } else if let growth = stage.target?.growth {
                if growth.replacesByKey, !growth.replacesGroups || isThere && growth.groups.contains(day.column) {
                    continue
                }
                refuse(
                    stage,
                    growth.replacesByKey
                        ? "'\(stage.id)' replaces rows by other columns than the '\(day.column)' of the files, and a run reads single days"
                        : "'\(stage.id)' adds rows, and those of a day that is read again would be there twice",
                    hint: isThere
                        ? "'replace_by: [\(day.column)]' puts them in the place of the old ones"
                        : "let the column '\(day.column)' reach the output as it is; 'day: { column: NAME }' gives it another name"
                )
            } else if case .fold(let fold) = stage.role, !isThere || !fold.separates(day.column) {
                refuse(
                    stage,
                    "'\(stage.id)' puts rows of several days together, and a run reads those of some days only",
                    hint:
                        "add '\(day.column)' to its keys; or do this in a second job, over the file that this one keeps with 'replace_by'"
                )
            }
        }
    }

    /// The import of a lookup that gives what is new alone.
    private func newLookup(of stage: PlannedStage) -> PlannedStage? {
        let sides = stage.inputs.filter(\.isBuildSide).map(\.stage)
        return sides.flatMap { plan.sources(of: $0) }.map { stages[$0] }.first { source in
            source.since != nil || source.source?.intake.isNewOnly == true
        }
    }

    /// Refuses a stage for the first reason that is found; several imports would give it several.
    private mutating func refuse(_ stage: PlannedStage, _ message: String, hint: String) {
        guard !problems.contains(where: { $0.place == stage.place }) else { return }
        problems.add("days-mixed", message, at: stage.place, hint: hint)
    }
}

extension PlannedStage {
    /// Whether a column comes out as it comes in.
    fileprivate func passes(_ column: ColumnName) -> Bool {
        guard let binding else { return true }
        guard let field = schema[column] else { return schema.isOpen }
        guard field.kind == .day else { return false }
        if case .transform(let transform) = role, let replacing = transform as? any ColumnReplacing,
            replacing.replacedColumns.contains(column)
        {
            return false
        }
        guard case .some(let needed) = binding.columns(neededFor: .some([column.text])) else { return true }
        return needed.contains(column.text)
    }
}

extension Plan {
    /// Whether some import says which day its files belong to.
    public var namesDays: Bool { stages.contains { $0.day != nil } }

    /// What `catch_up` does beside an import that reads the files of all days: the first run that is made up takes them all.
    var uselessCatchUp: [JobWarning] {
        let stage = stages.first { $0.day != nil && !readsItsDay($0) }
        guard job.catchUp != nil, let stage else { return [] }
        let message =
            "'catch_up' makes a run for each missed day, and the first of them reads the files of all days here"
        let hint =
            "leave 'catch_up' out, since each run reads the files of all days; or name the day in the path: \"in/${as_of}.csv\""
        return [JobWarning("useless-catch-up", message, at: stage.place, hint: hint)]
    }

    /// Whether the path of an import holds the day of the run.
    private func readsItsDay(_ stage: PlannedStage) -> Bool {
        stage.source?.paths.contains { $0.place.map(job.dated.contains) == true } == true
    }

    /// Leaves an output as it is. Stages behind it may read its rows; one of several inputs, such as a page, passes none on.
    package mutating func leaveAlone(_ index: Int, because reason: String) {
        stages[index].leftAlone = reason
        guard stages[index].inputs.count == 1 else { return }
        (stages[index].role, stages[index].target) = (.transform(PassingRows()), nil)
    }

    /// Prepares a run that makes single days anew: of the outputs, it writes those whose rows of a day are replaced, and
    /// those whose path names the day.
    public mutating func redoDays(_ days: RedoneDays) throws(DaybookError) {
        let dated = stages.first(where: readsItsDay)
        guard namesDays else {
            throw DaybookError(
                "cannot-redo",
                "no import of the job says which day its files belong to",
                hint: dated == nil
                    ? "add 'day: { from: name, pattern: \"orders-{yyyy-MM-dd}.csv\" }' to the import"
                    : "the path of '\(dated?.id ?? "")' holds ${as_of}, so 'run --as-of DAY' makes a day, and 'backfill' several"
            )
        }
        if let dated, days.range.lowerBound < days.range.upperBound {
            throw DaybookError(
                "cannot-redo",
                "'\(dated.id)' reads the files of one day alone, since its path holds ${as_of}",
                at: dated.place,
                hint: "make one day after the other, as in '--redo \(days.range.lowerBound)'"
            )
        }
        if let other = stages.first(where: { $0.since != nil }) {
            throw DaybookError(
                "cannot-redo",
                "'\(other.id)' reads what is new since the last run, and a run of single days would keep it from the outputs that stay as they are",
                at: other.place,
                hint: "read that store in a job of its own"
            )
        }
        for index in stages.indices {
            guard let target = stages[index].target, target.growth?.replacesGroups != true,
                target.path?.place.map(job.dated.contains) != true
            else { continue }
            leaveAlone(index, because: "it does not keep days apart")
        }
        if let publish = job.publish, stages.contains(where: { $0.leftAlone != nil }) {
            throw DaybookError(
                "cannot-redo",
                "'publish' shows the outputs of one run together, and a run of single days leaves some as they are",
                at: publish.place,
                hint: "give every output 'replace_by', or publish in a job of its own"
            )
        }
        guard stages.contains(where: { $0.target != nil && $0.leftAlone == nil }) else {
            throw DaybookError(
                "cannot-redo",
                "no output of the job keeps its days apart",
                hint: "add 'replace_by: [day]' to the output, or ${as_of} to its path"
            )
        }
    }
}

extension Plan {
    /// Leaves the outputs as they are whose imports all name days, where none of these read a day. An output that keeps days
    /// is made where there is none yet.
    ///
    /// - Parameter days: the days that each import reads.
    mutating func leaveQuiet(_ days: [Int: Set<CalendarDay>], in directory: String) {
        guard namesDays else { return }
        for index in stages.indices where stages[index].target != nil && stages[index].leftAlone == nil {
            guard sources(of: index).allSatisfy({ days[$0]?.isEmpty == true }) else { continue }
            if let target = stages[index].target, target.growth?.replacesGroups == true, let path = target.path,
                (try? FileStatus.of(FilePath.join(directory, path.text))) == .some(nil)
            {
                continue
            }
            stages[index].leftAlone = "no day was read"
        }
    }
}

/// What an output does for the stages behind it.
private struct PassingRows: Transform, TransformOperator {
    func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        Binding(inputs.schema, .transform(self)) { $0 }
    }

    func process(_ batch: Batch, of input: Int, reporting findings: inout Findings) throws(DaybookError) -> Batch {
        batch
    }
}
