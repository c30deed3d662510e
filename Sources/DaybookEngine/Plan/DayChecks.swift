/// Holds the stages behind imports whose files belong to days against what a run of some days can do.
///
/// A run reads all files of some days and none of others, so a stage in which rows of different days meet would give
/// another result with every choice of days.
struct DayChecks {
    private(set) var problems: [DaybookError] = []
    private let stages: [PlannedStage]

    init(_ plan: Plan) {
        stages = plan.stages
        for stage in stages {
            guard case .source(let source) = stage.role, let day = source.intake.day else { continue }
            if case .service = source {
                problems.append(
                    DaybookError("bad-option", "a service has no files that could belong to days", at: day.column.place)
                )
                continue
            }
            follow(day, from: stage.index)
        }
        for stage in stages where stage.target?.growth?.replacesGroups == true {
            let sources = plan.sources(of: stage.index)
            let isDated = sources.contains {
                if case .source(let source) = stages[$0].role { source.intake.day != nil } else { false }
            }
            guard isDated, sources.count > 1 else { continue }
            let names = DisplayText.list(sources.map { "'\(stages[$0].id)'" })
            refuse(
                stage,
                "'\(stage.id)' gets rows of \(names), and a run that reads a day of one would take away what it has of the others",
                hint: "keep each import in an output of its own, and put them together in a second job"
            )
        }
    }

    private mutating func follow(_ day: FileDay, from source: Int) {
        var reached: Set = [source]
        for stage in stages[(source + 1)...] {
            let read = stage.inputs.filter { reached.contains($0.stage) }
            guard !read.isEmpty else { continue }
            reached.insert(stage.index)
            if read.contains(where: \.isBuildSide) {
                refuse(
                    stage,
                    "'\(stages[source].id)' reads single days, and '\(stage.id)' needs all rows that it looks up",
                    hint: "leave 'day' out of the import of a lookup"
                )
            } else if let growth = stage.target?.growth, !growth.replacesByKey {
                refuse(
                    stage,
                    "'\(stage.id)' adds rows, and those of a day that is read again would be there twice",
                    hint: "'replace_by: [\(day.column)]' puts them in the place of the old ones"
                )
            } else if case .fold(let fold) = stage.role, !fold.separates(day.column) {
                refuse(
                    stage,
                    "'\(stage.id)' puts rows of several days together, and a run reads those of some days only",
                    hint:
                        "add '\(day.column)' to its keys; or do this in a second job, over the file that this one keeps with 'replace_by'"
                )
            }
        }
    }

    private mutating func refuse(_ stage: PlannedStage, _ message: String, hint: String) {
        problems.append(DaybookError("days-mixed", message, at: stage.place, hint: hint))
    }
}

extension Plan {
    /// Prepares a run that makes single days anew: of the outputs, it writes those whose rows of a day are replaced, and
    /// those whose path names the day.
    public mutating func redoDays() throws(DaybookError) {
        let isDated = stages.contains {
            if case .source(let source) = $0.role { source.intake.day != nil } else { false }
        }
        guard isDated else {
            throw DaybookError(
                "cannot-redo",
                "no import of the job says which day its files belong to",
                hint: "add 'day: { from: name, pattern: \"orders-{yyyy-MM-dd}.csv\" }' to the import"
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
            stages[index].isLeftAlone = true
            // Stages behind it may read its rows. One of several inputs, such as a page, passes none on.
            if stages[index].inputs.count == 1 {
                (stages[index].role, stages[index].target) = (.transform(PassingRows()), nil)
            }
        }
        if let publish = job.publish, stages.contains(where: \.isLeftAlone) {
            throw DaybookError(
                "cannot-redo",
                "'publish' shows the outputs of one run together, and a run of single days leaves some as they are",
                at: publish.place,
                hint: "give every output 'replace_by', or publish in a job of its own"
            )
        }
        guard stages.contains(where: { $0.target != nil && !$0.isLeftAlone }) else {
            throw DaybookError(
                "cannot-redo",
                "no output of the job keeps its days apart",
                hint: "add 'replace_by: [day]' to the output, or ${as_of} to its path"
            )
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
