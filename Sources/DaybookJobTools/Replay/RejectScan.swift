import DaybookBytes
import DaybookEngine

/// Scans a reject file before the run: the job must be able to replay every line.
struct RejectScan {
    /// Records of one source that one stage rejected.
    struct Group: Hashable {
        /// The rejecting stage, and the importing one.
        var stage: Int
        var source: Int
    }

    private(set) var groups: Set<Group> = []
    /// How many lines are replayed, and how many belong to other stages.
    private(set) var count = 0
    private(set) var passedOver = 0
    /// The lines whose record a line above holds.
    private(set) var repeats: Set<Int> = []
    /// The files of each importing stage.
    private(set) var inputs: [Int: [InputPath]] = [:]

    /// The offsets of the findings in lines, by source.
    private var heldRecords: [String: Set<Int?>] = [:]
    /// The first line of each record that may stand in several, and the hash of its 'original'.
    private var shared: [SharedRecord: (line: Int, hash: Int)] = [:]
    /// By stage, whether one record may reach it as several rows.
    let sharesRecords: [Bool]

    /// A record by its identity, or by its bytes if that is unknown.
    private struct SharedRecord: Hashable {
        var source: Int
        var name: String
        var identity: RejectRecord.Identity?
        var hash: Int
    }

    private let plan: Plan
    private let mask: SecretMask
    private let only: Set<Int>
    private var known: [String: Result<Group, RejectRecord.Fault>] = [:]

    /// The most errors of lines that are reported.
    private static let limit = 100

    init(
        _ file: RejectFile,
        of plan: Plan,
        only: Set<Int>,
        from directory: String,
        isCancelled: () -> Bool
    ) throws(DaybookErrors) {
        (self.plan, self.only, mask) = (plan, only, SecretMask(plan.job.secrets))
        sharesRecords = RowOrigins(plan).shareRecords
        var problems: [DaybookError] = []
        var more = 0
        do throws(DaybookError) {
            for stage in plan.stages {
                guard case .source(.files(let source)) = stage.role else { continue }
                inputs[stage.index] = source.paths.flatMap { path in
                    (try? PathPattern(path.text, from: directory).expand()) ?? []
                }
            }
            let lines = try RejectFile.Lines(file)
            while let line = try lines.next() {
                if isCancelled() { throw .interrupted }
                defer { withExtendedLifetime(line.bytes) {} }
                if line.isBlank { continue }
                do throws(RejectRecord.Fault) {
                    try take(RejectRecord(line.bytes.filled, number: line.number, offset: line.offset))
                } catch {
                    if problems.count < RejectScan.limit {
                        problems.append(file.error(error, line: line.number))
                    } else {
                        more += 1
                    }
                }
            }
        } catch { throw DaybookErrors(error) }
        if more > 0 {
            problems.append(DaybookError("too-many-problems", "\(more) more lines cannot be replayed", blame: .data))
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
    }

    private mutating func take(_ record: RejectRecord) throws(RejectRecord.Fault) {
        if record.isRepeated { return try takeRepeated(record) }
        let key = "\(record.stage)\u{0}\(record.source)"
        let found = known[key] ?? find(record)
        known[key] = found
        let group = try found.get()
        guard only.isEmpty || only.contains(group.stage) else {
            passedOver += 1
            return
        }
        if !mask.isEmpty, record.original.contains(SecretMask.mark.utf8) {
            throw RejectRecord.Fault(
                code: "masked-original",
                message: "a secret was masked in 'original', so the record is not what it was",
                column: record.holder.copy?.column ?? 1,
                hint: "write the value in the place of \(SecretMask.mark)"
            )
        }
        groups.insert(group)
        heldRecords[record.source, default: []].insert(record.byte)
        if try isRepeat(record, of: group) { repeats.insert(record.number) } else { count += 1 }
    }

    /// Whether a line above holds the same record. A record that became several rows has a line for each that was rejected.
    private mutating func isRepeat(_ record: RejectRecord, of group: Group) throws(RejectRecord.Fault) -> Bool {
        guard sharesRecords[group.stage] else { return false }
        let hash = record.original.hashValue
        let key = SharedRecord(
            source: group.source,
            name: record.source,
            identity: record.identity,
            hash: record.identity == nil ? hash : 0
        )
        guard let first = shared[key] else {
            shared[key] = (record.number, hash)
            return false
        }
        let column = record.holder.copy?.column ?? 1
        guard record.identity != nil else {
            let message = "the line may be about the record of line \(first.line), which is replayed once"
            let hint = "delete the line if it is; if it is about an equal record, replay it from a file of its own"
            throw RejectRecord.Fault(code: "unknown-record", message: message, column: column, hint: hint)
        }
        guard first.hash == hash else {
            let message = "line \(first.line) is about the same record, and its 'original' is another"
            let hint = "a record is replayed once, so correct both lines alike or delete one"
            throw RejectRecord.Fault(code: "differing-originals", message: message, column: column, hint: hint)
        }
        return true
    }

    /// A long record is replayed once, by the line with the record.
    private func takeRepeated(_ record: RejectRecord) throws(RejectRecord.Fault) {
        let stage = plan.stages.first { mask.masking($0.id) == record.stage }
        if let stage, !only.isEmpty, !only.contains(stage.index) { return }
        guard heldRecords[record.source]?.contains(record.byte) != true else { return }
        let wanted = "the record of byte \(record.byte ?? 0)"
        let message = "the line holds no 'original', and no line above that is replayed holds \(wanted)"
        let place = "a record of more than \(WideRecords.limit) bytes stands in the first line about it"
        let hint = "\(place); put 'original' of that line here"
        throw RejectRecord.Fault(code: "no-original", message: message, hint: hint)
    }

    /// The group of a record.
    func group(of record: RejectRecord) -> Group? {
        try? (known["\(record.stage)\u{0}\(record.source)"] ?? find(record)).get()
    }

    private func find(_ record: RejectRecord) -> Result<Group, RejectRecord.Fault> {
        func fault(_ code: DaybookError.Code, _ message: String, _ hint: String?) -> Result<Group, RejectRecord.Fault> {
            .failure(RejectRecord.Fault(code: code, message: message, hint: hint))
        }
        guard let stage = plan.stages.first(where: { mask.masking($0.id) == record.stage }) else {
            let hint = NearestName.hint(for: record.stage.shortened(to: 64), among: plan.stages.map(\.id).prefix(200))
            let message = "the job has no stage \(record.stage.quotedForMessage)"
            return fault("unknown-stage-id", message, hint ?? "is it the reject file of another job?")
        }
        let sources = plan.above(stage.index).filter { plan.stages[$0].isSource }.sorted()
        let matches = sources.filter { inputs[$0]?.contains { mask.masking($0.name) == record.source } == true }
        if matches.count == 1 { return .success(Group(stage: stage.index, source: matches[0])) }
        func names(_ stages: [Int]) -> String { DisplayText.list(stages.map { "'\(plan.stages[$0].id)'" }) }
        let source = record.source.quotedForMessage
        if matches.count > 1 {
            let message = "\(names(matches)) all read \(source), so it is not known which is meant"
            return fault("ambiguous-source", message, nil)
        }
        if let store = sources.first(where: plan.isStore) {
            let message = "the rows of '\(plan.stages[store].id)' stand in a database, and are not replayed"
            return fault("cannot-replay", message, "correct them there, and run the job again")
        }
        let read = sources.count == 1 ? "reads" : "read"
        return fault(
            "foreign-reject",
            sources.isEmpty
                ? "no stage above '\(stage.id)' imports files"
                : "\(source) is none of the files that \(names(sources)) \(read) now",
            "its header is read again, so the file has to be there; params may have to be set as for the run, with '--set'"
        )
    }
}

extension Plan {
    func isStore(_ index: Int) -> Bool {
        if case .source(.stores) = stages[index].role { true } else { false }
    }

    /// A stage and the origins of its rows, without its build sides. Rejected rows are in no source any more.
    package func above(_ index: Int) -> Set<Int> {
        var found: Set<Int> = [index]
        for stage in stages[...index].reversed() where found.contains(stage.index) {
            found.formUnion(stage.inputs.filter(\.carriesRows).map(\.stage))
        }
        return found
    }

    /// A stage and all that get its rows or its rejects.
    package func below(_ index: Int) -> Set<Int> {
        var found: Set<Int> = [index]
        for stage in stages[index...]
        where stage.inputs.contains(where: { !$0.isBuildSide && found.contains($0.stage) }) {
            found.insert(stage.index)
        }
        return found
    }
}
