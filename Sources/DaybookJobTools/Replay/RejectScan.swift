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

    /// The first line of each record, and the hash of its 'original', by the source of the lines.
    private var held: [String: [RejectRecord.Identity: (line: Int, hash: Int)]] = [:]
    /// Of lines that do not tell their record, the first with each 'original' and the first with each pointer, by their hashes.
    private var unknown: [String: [Int: Int]] = [:]
    /// By stage, whether one record may reach it as several rows.
    let sharesRecords: [Bool]

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
        if try isRepeat(record, of: group) { repeats.insert(record.number) } else { count += 1 }
    }

    /// Whether a line above holds the same record. A record that became several rows has a line for each that was rejected.
    private mutating func isRepeat(_ record: RejectRecord, of group: Group) throws(RejectRecord.Fault) -> Bool {
        let (source, hash) = ("\(group.source) \(record.lastSource)", record.original.hashValue)
        let column = record.holder.copy?.column ?? 1
        guard let identity = record.identity else {
            guard sharesRecords[group.stage] else { return false }
            let signs = [hash, record.pointerOfElement?.hashValue].compactMap(\.self)
            guard let first = signs.compactMap({ unknown[source]?[$0] }).min() else {
                for sign in signs { unknown[source, default: [:]][sign] = record.number }
                return false
            }
            let message = "the line may be about the record of line \(first), which is replayed once"
            let hint = "delete the line if it is; if it is about an equal record, replay it from a file of its own"
            throw RejectRecord.Fault(code: "unknown-record", message: message, column: column, hint: hint)
        }
        guard let first = held[source]?[identity] else {
            held[source, default: [:]][identity] = (record.number, hash)
            return false
        }
        guard sharesRecords[group.stage] else { return false }
        guard first.hash == hash else {
            let message = "line \(first.line) is about the same record, and its 'original' is another"
            let hint = "correct both alike or delete one; replay lines of different runs by themselves"
            throw RejectRecord.Fault(code: "differing-originals", message: message, column: column, hint: hint)
        }
        return true
    }

    /// A long record is replayed once, by the line with the record.
    private func takeRepeated(_ record: RejectRecord) throws(RejectRecord.Fault) {
        guard let stage = plan.stages.first(where: { mask.masking($0.id) == record.stage }) else { return }
        if !only.isEmpty, !only.contains(stage.index) { return }
        let isHeld = plan.above(stage.index).contains { source in
            record.identity.map { held["\(source) \(record.lastSource)"]?[$0] != nil } ?? false
        }
        guard !isHeld else { return }
        let place = "a record of more than \(WideRecords.limit) bytes stands in the first line about it"
        throw RejectRecord.Fault(
            code: "no-original",
            message: "the line holds no 'original', and no line above that is replayed holds its record",
            hint: "\(place); put 'original' of that line here"
        )
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
            found.formUnion(stage.inputs.filter { $0.port == .rows && !$0.isBuildSide }.map(\.stage))
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
