import DaybookBytes
import DaybookDiscover
import DaybookEngine

/// The part of a job that a test needs, with given rows in the place of imports.
///
/// Only stages above the expected ones run, on the engine of every run, and their rows are kept. Outputs check their rows, and
/// write nothing.
struct TestPlan {
    private(set) var plan: Plan
    let collection = RowCollection()
    /// The texts in the place of files, for the places of errors.
    private(set) var texts: [SuppliedText] = []

    /// Outputs that are read again, in the order of the test.
    private(set) var exports: [TestExport] = []

    /// - Parameters:
    ///   - plan: the plan of the whole job, with the params and the day of the test.
    ///   - scratch: the directory for outputs that are read again.
    init(_ test: JobTest, of plan: Plan, _ table: StageTable, into scratch: String = "") throws(DaybookErrors) {
        let source = SourceText(plan.job.source, file: plan.job.file)
        var problems: [DaybookError] = []
        func noting<Value>(_ work: () throws(DaybookErrors) -> Value) -> Value? {
            do throws(DaybookErrors) { return try work() } catch {
                problems += error.errors
                return nil
            }
        }
        let cut = noting { () throws(DaybookErrors) in try TestCut(test, of: plan) }
        let given = noting { () throws(DaybookErrors) in try TestGiven.sources(test, in: plan, source) }
        exports = noting { () throws(DaybookErrors) in try TestExport.all(of: test, in: plan, into: scratch) } ?? []
        guard let cut, let given, problems.isEmpty else { throw DaybookErrors(problems) }
        let written = Set(exports.map(\.stage))
        collection.keepsRows = !test.expected.isEmpty
        var nodes: [String: StageRole] = [TestCut.collector: .sink(CollectRows(collection: collection))]
        for stage in cut.job.stages where stage.id != TestCut.collector {
            if let held = given[stage.id] {
                if let text = held as? SuppliedText { texts.append(text) }
                nodes[stage.id] = .source(.given(held))
            } else if !written.contains(stage.id), let sink = plan.stages.first(where: { $0.id == stage.id })?.sink {
                nodes[stage.id] = .sink(OutputCheck(sink: sink))
            }
        }
        self.plan = try Plan(cut.job, table: table, asOf: plan.context.asOf, nodes: nodes)
        for stage in self.plan.stages {
            guard let export = exports.first(where: { $0.stage == stage.id }) else { continue }
            self.plan.redirect(stage.index, to: PathText(export.place), from: nil)
        }
    }
}

/// Selects the stages that a test needs, and makes a job of them.
struct TestCut {
    /// The id of the collector; no id in a job contains a blank.
    static let collector = "the test"

    private(set) var job: Job
    private let plan: Plan
    private let given: Set<String>
    private var kept: [Int: [StageReference]] = [:]
    /// The given rows that some kept stage reads, as written: `clean`, `clean.rejects`.
    private var used: Set<String> = []
    private var problems: [DaybookError] = []
    private let test: JobTest

    init(_ test: JobTest, of plan: Plan) throws(DaybookErrors) {
        self.plan = plan
        self.test = test
        job = plan.job
        given = Set(test.given.map(\.stage.written))
        for stage in plan.stages where test.exports.contains(where: { $0.path == stage.target?.path?.text }) {
            keep(stage.index)
        }
        let wanted = try wantedStages()
        let references = wanted.map { reference($0) }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        job.rejects?.path = nil
        job.redirect()
        job.stages = stages()
        if !references.isEmpty {
            job.stages.append(stage("collect rows", id: TestCut.collector, from: references))
        }
    }

    /// The stages with expected rows; the last stages of the job if only findings or gates are expected.
    private func wantedStages() throws(DaybookErrors) -> [PlannedStage.Input] {
        guard test.expected.isEmpty, test.exports.isEmpty else {
            var problems: [DaybookError] = []
            let wanted = test.expected.compactMap { rows -> PlannedStage.Input? in
                guard let stage = plan.stages.first(where: { $0.id == rows.stage.id }) else {
                    problems.append(plan.unknownStage(rows.stage.id, at: rows.stage.place))
                    return nil
                }
                if case .sink = stage.role, stage.inputs.count > 1, rows.stage.port == .rows {
                    let inputs = "the rows of \(stage.inputs.count) stages"
                    let message = "'\(stage.id)' takes \(inputs), which have no columns in common"
                    let hint = "expect the rows of each of those stages"
                    problems.append(DaybookError("bad-expect", message, at: rows.stage.place, hint: hint))
                }
                return PlannedStage.Input(stage: stage.index, port: rows.stage.port == .rows ? .rows : .rejects)
            }
            if !problems.isEmpty { throw DaybookErrors(problems) }
            return wanted
        }
        return plan.stages.filter(\.consumers.isEmpty).map { PlannedStage.Input(stage: $0.index, port: .rows) }
    }

    /// The reference to an input of a kept stage; keeps the input stage unless its rows are given.
    private mutating func reference(_ input: PlannedStage.Input) -> StageReference {
        let stage = plan.stages[input.stage]
        let reference = plan.reference(to: input)
        if given.contains(reference.written) {
            used.insert(reference.written)
            return StageReference(id: reference.written, port: .rows, place: stage.place)
        }
        if input.port == .rejects, given.contains(stage.id), !stage.isSource {
            let message = "'\(stage.id)' does not run where a test gives its rows, so what it rejects is not known"
            refuse(stage.id, message, "give rows to '\(stage.id).rejects' too")
        }
        keep(input.stage)
        return reference
    }

    /// Notes that rows cannot be given so.
    private mutating func refuse(_ given: String, _ message: String, _ hint: String) {
        let place = test.given.first { $0.stage.written == given }?.stage.place ?? test.place
        problems.append(DaybookError("bad-given", message, at: place, hint: hint))
    }

    private mutating func keep(_ index: Int) {
        guard kept[index] == nil else { return }
        let stage = plan.stages[index]
        kept[index] = []
        if case .source = stage.role {
            guard !given.contains(stage.id) else {
                used.insert(stage.id)
                return
            }
            let message = "the test gives no rows to '\(stage.id)', which imports files"
            let hint = "add '\(stage.id): |' under 'given:', and below it a header and rows"
            problems.append(DaybookError("not-given", message, at: test.place, hint: hint))
            return
        }
        kept[index] = stage.inputs.filter { !$0.isNamedByOptions }.map { reference($0) }
        for side in stage.inputs where side.isNamedByOptions {
            let id = reference(side).id
            guard id.hasSuffix(".rejects") else { continue }
            let message = "'\(stage.id)' looks things up in '\(id)', which can be given no rows"
            refuse(id, message, "give rows to what '\(plan.stages[side.stage].id)' reads")
        }
    }

    /// The kept stages in the order of the job, and stages with given rows.
    private func stages() -> [JobStage] {
        var stages: [JobStage] = []
        for planned in plan.stages {
            let id = planned.id
            if kept[planned.index] != nil || (planned.isSource && used.contains(id)) {
                var stage = plan.job.stages[planned.index]
                stage.id = id
                stage.from = kept[planned.index] ?? []
                stage.rejects?.path = nil
                stages.append(stage)
            } else if used.contains(id) {
                stages.append(stage("given rows", id: id))
            }
            if used.contains("\(id).rejects") { stages.append(stage("given rows", id: "\(id).rejects")) }
        }
        return stages
    }

    private func stage(_ type: String, id: String, from: [StageReference] = []) -> JobStage {
        JobStage(
            type: type,
            typePlace: test.place,
            options: [],
            optionsPlace: test.place,
            id: id,
            idPlace: nil,
            from: from,
            rejects: nil
        )
    }
}

extension Plan {
    /// The error for an unknown stage.
    func unknownStage(_ id: String, at place: SourcePlace? = nil) -> DaybookError {
        let hint = NearestName.hint(for: id, among: stages.map(\.id), listing: "the ids are")
        return DaybookError("unknown-stage-id", "no stage has the id \(id.quotedForMessage)", at: place, hint: hint)
    }

    /// The reference of an input under `from`; its place is that of the stage unless another one is given.
    func reference(to input: PlannedStage.Input, at place: SourcePlace? = nil) -> StageReference {
        let stage = stages[input.stage]
        return StageReference(id: stage.id, port: input.port == .rows ? .rows : .rejects, place: place ?? stage.place)
    }
}

/// Checks a test without running it: its stages exist, and its rows are valid.
public enum TestChecks {
    /// The errors of `test` in the plan of its job.
    public static func problems(of test: JobTest, in plan: Plan, _ table: StageTable) -> [DaybookError] {
        var problems: [DaybookError] = []
        let source = SourceText(plan.job.source, file: plan.job.file)
        for node in test.expected.map(\.node) + test.exports.map(\.node)
            + [test.findings, test.rules].compactMap({ $0 })
        {
            do throws(DaybookErrors) { _ = try TestRun.written(node, in: source) } catch { problems += error.errors }
        }
        do throws(DaybookErrors) { _ = try TestPlan(test, of: plan, table) } catch { problems += error.errors }
        return problems
    }
}

/// An export of a job in a test: it writes to a file of the test, which is read again.
struct TestExport {
    let expected: JobTest.Export
    /// Id of the stage.
    let stage: String
    /// Where it writes.
    let place: String
    private let readBack: ReadBack

    /// The exports that a test names.
    static func all(of test: JobTest, in plan: Plan, into scratch: String) throws(DaybookErrors) -> [TestExport] {
        var problems: [DaybookError] = []
        var exports: [TestExport] = []
        for expected in test.exports {
            let path = expected.path
            let writers = plan.stages.filter { $0.target?.path?.text == path }
            let stage = expected.part.map { part in writers.first { $0.sink?.readBack?.part == part } } ?? writers.first
            func refuse(_ message: String, _ hint: String?) {
                problems.append(DaybookError("unknown-export", message, at: expected.place, hint: hint))
            }
            if let stage, let readBack = stage.sink?.readBack, expected.part != nil || writers.count == 1 {
                let number = test.exports.firstIndex { $0.path == path } ?? 0
                let place = FilePath.join(scratch, "\(number)-\(FilePath.name(of: path))")
                exports.append(TestExport(expected: expected, stage: stage.id, place: place, readBack: readBack))
            } else if writers.isEmpty {
                let paths = plan.stages.compactMap { $0.target?.path?.text }
                let hint = NearestName.hint(for: path, among: paths, listing: "the outputs are")
                refuse("no stage writes '\(path)'", hint)
            } else if stage != nil, writers.count == 1 {
                refuse("'\(path)' is not read again as rows", "expect the rows of the stage '\(writers[0].id)'")
            } else {
                let parts = DisplayText.list(writers.compactMap { $0.sink?.readBack?.part }.map { "'\($0)'" })
                let other = expected.part.map { ", not '\($0)'" } ?? ""
                let hint = "write rows for each of them: '\(path): { PART: [ … ] }'"
                refuse("'\(path)' has the parts \(parts)\(other)", hint)
            }
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        return exports
    }

    /// The rows that stand in the file.
    func rows(_ table: StageTable, isCancelled: @escaping @Sendable () -> Bool) throws(DaybookErrors)
        -> RowCollection.Rows
    {
        let file = WrittenTable(FilePath.canonical(place), readBack)
        let read = try ReadTable(file, table, isCancelled: isCancelled).run(FirstRows(limit: .max))
        return RowCollection.Rows(schema: read?.schema ?? Schema(), batches: read?.seen ?? [])
    }
}

extension ReadBack {
    /// The key or the table among several of one output.
    fileprivate var part: String? { options.first { $0.key == "key" || $0.key == "table" }?.value.text }
}
