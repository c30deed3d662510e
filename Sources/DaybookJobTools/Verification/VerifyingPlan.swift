import DaybookBytes
import DaybookEngine
import Foundation

/// A job in a verification, with all outputs in a directory of its own.
struct VerifyingPlan {
    var plan: Plan
    private(set) var outputs: ScratchOutputs
    /// The outputs that grow, by their masked paths.
    private(set) var growing: [String: GrowingOutput] = [:]
    /// The tables beside those whose groups are compared, by the masked path of their database.
    private(set) var uncompared: [String: [String]] = [:]

    /// - Parameters:
    ///   - manifest: of the run. The base of an output that is not among its inputs did not exist then.
    ///   - home: the directory of the job.
    ///   - scratch: the absolute directory for all that is written.
    init(
        _ plan: Plan,
        _ table: StageTable,
        of manifest: StoredManifest,
        _ mask: SecretMask,
        from home: String,
        into scratch: String
    ) throws(DaybookErrors) {
        self.plan = plan
        outputs = ScratchOutputs(in: FilePath.join(scratch, "out"))
        let kept = Set(manifest.keptOutputs ?? [])
        var job = plan.job
        outputs.redirectRejects(of: &job)
        self.plan = try Plan(job, table: table, asOf: plan.context.asOf)
        // Stages that share a database start from one file.
        let grouping = plan.stages.compactMap(\.target).filter { $0.growth?.replacesGroups == true }
        let keepsGroups = Set(grouping.compactMap { $0.path.map { FilePath.tidied($0.text) } })
        for stage in self.plan.stages {
            guard let target = stage.target else { continue }
            if kept.contains(mask.masking(stage.id)) {
                self.plan.leaveAlone(stage.index, because: "the run left it as it was")
                continue
            }
            if let service = target.service {
                let message = "'\(stage.id)' writes to '\(service.text)', and a verification writes to no service"
                let hint =
                    "read from there what the run wrote, and compare that with a run of the job without this stage"
                throw DaybookErrors("nothing-to-verify", message, at: stage.place, hint: hint)
            }
            guard let path = target.path else { continue }
            guard !target.isInParts else {
                let message = "'\(stage.id)' writes a part for each shard, and a verification has none"
                throw DaybookErrors("nothing-to-verify", message, at: stage.place)
            }
            let new = outputs.place(of: path)
            var base = target.base
            if let old = target.base {
                let name = mask.masking(old.path.text)
                let before = manifest.inputs.first { $0.path == name }
                let growing = target.growth.map {
                    GrowingOutput($0, inPart: target.part != nil, of: FilePath.join(home, path.text), before: before)
                }
                let isInGroups = keepsGroups.contains(FilePath.tidied(path.text))
                let hasGroups = growing?.growth == .groups
                if let growing, hasGroups || !isInGroups { self.growing[mask.masking(path.text)] = growing }
                if isInGroups, !hasGroups, let part = target.part {
                    uncompared[mask.masking(path.text), default: []].append(part.name)
                }
                switch growing?.growth ?? nil {
                case _ where isInGroups || hasGroups: break
                case .unknown: base = nil
                case _ where before == nil: base = nil
                case .text:
                    let place = FilePath.join(home, old.path.text)
                    if let before, let cut = try cutBack(place, to: before.bytes, scratch) {
                        outputs.note(cut, for: old.path.text)
                        base?.path = PathText(cut, at: old.path.place)
                    }
                case .groups, nil: break
                }
            }
            self.plan.redirect(stage.index, to: new, from: base)
        }
    }

    /// A copy of the first bytes of a file; nil if the file has no more.
    private func cutBack(_ path: String, to count: Int, _ scratch: String) throws(DaybookErrors) -> String? {
        guard let status = (try? FileStatus.of(path)) ?? nil, status.isRegularFile, status.size > count else {
            return nil
        }
        let cut = FilePath.join(scratch, "base-\(outputs.written.count)-\(FilePath.name(of: path))")
        do {
            try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: cut))
            let old = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            let new = try FileHandle(forWritingTo: URL(fileURLWithPath: cut))
            var left = count
            while left > 0, let block = try old.read(upToCount: min(left, 4 << 20)), !block.isEmpty {
                try new.write(contentsOf: block)
                left -= block.count
            }
            try old.close()
            try new.close()
        } catch {
            throw DaybookErrors(.machine("cannot-read", "cannot copy '\(path)': \(error.localizedDescription)"))
        }
        return cut
    }
}

/// Paths in a directory of its own, in the place of those that a job writes.
struct ScratchOutputs {
    /// The path in the job, by the path in its place.
    private(set) var written: [String: String] = [:]
    /// The reverse, for stages that share an output.
    private var places: [String: String] = [:]
    private let directory: String

    init(in directory: String) { self.directory = directory }

    /// The job with its reject files there.
    mutating func redirectRejects(of job: inout Job) {
        job.redirect()
        if let path = job.rejects?.path { job.rejects?.path = place(of: path) }
        for index in job.stages.indices {
            if let path = job.stages[index].rejects?.path { job.stages[index].rejects?.path = place(of: path) }
        }
    }

    mutating func place(of path: PathText) -> PathText {
        let tidied = FilePath.tidied(path.text)
        if !path.isStandardStream, let place = places[tidied] { return PathText(place, at: path.place) }
        let name = path.isStandardStream ? "stream" : FilePath.name(of: path.text)
        let place = FilePath.join(directory, "\(written.count)-\(name)")
        written[place] = path.text
        places[tidied] = place
        return PathText(place, at: path.place)
    }

    /// Notes that a file stands for another one of the job.
    mutating func note(_ place: String, for path: String) { written[place] = path }

    /// The path in the job of a file there.
    func path(of place: String) -> String { written[place] ?? place }
}
