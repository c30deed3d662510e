import DaybookBytes
import DaybookEngine
import DaybookReports
import Foundation

/// A run whose outputs go to a directory of its own, and what they would change.
///
/// Each output is compared with the file that it starts from (`into`), or the one of a container in whose copy it stands, or
/// else with the one that it would replace: record by record where its stage says how it is read again, and else by its
/// bytes.
public struct DryRun {
    /// The job as it runs, with other paths.
    public private(set) var plan: Plan
    private var outputs: ScratchOutputs
    private let scratch: String
    private let table: StageTable
    private let directory: String

    /// - Parameters:
    ///   - plan: the plan of the job as it stands.
    ///   - directory: the directory of the job.
    public init(_ plan: Plan, _ table: StageTable, from directory: String) throws(DaybookErrors) {
        (self.table, self.directory) = (table, directory)
        scratch = FilePath.join(FilePath.canonical(NSTemporaryDirectory()), "daybook-dry-\(UUID().uuidString)")
        outputs = ScratchOutputs(in: FilePath.join(scratch, "out"))
        var job = plan.job
        outputs.redirectRejects(of: &job)
        self.plan = try Plan(job, table: table, asOf: plan.context.asOf)
        for stage in self.plan.stages {
            guard let target = stage.target else { continue }
            if let service = target.service {
                let message = "'\(stage.id)' writes to '\(service.text)', and a dry run writes to no service"
                let hint = "look at its rows with 'daybook preview'"
                throw DaybookErrors("cannot-run-dry", message, at: stage.place, hint: hint)
            }
            guard let path = target.path else { continue }
            self.plan.redirect(stage.index, to: outputs.place(of: path), from: target.base)
        }
    }

    /// The state directory of the run.
    public var state: StateDirectory { StateDirectory(FilePath.join(scratch, "state")) }

    /// What the outputs of a run that passed would change, in the order of the job.
    public func changes(
        after outcome: RunOutcome,
        _ mask: SecretMask,
        isCancelled: @escaping @Sendable () -> Bool
    ) -> [OutputChanges] {
        plan.stages.flatMap { stage -> [OutputChanges] in
            guard let target = stage.target, let place = target.path?.text, let path = outputs.written[place] else {
                return []
            }
            guard !target.isInParts else {
                return [OutputChanges(mask.masking(path), .changed, ["it would be in parts, which are not compared"])]
            }
            // A stage that had nothing new leaves its output as it is.
            guard let size = (try? FileStatus.of(place))??.size else { return [] }
            guard path != "-" else {
                return [OutputChanges("standard output", .new, ["it would get \(DisplayText.size(size))"])]
            }
            let old = [target.base?.path.text, original(of: path), path].compactMap(\.self)
                .map { FilePath.join(directory, $0) }.first { (try? FileStatus.of($0))??.isRegularFile == true }
            // Several stages write parts of one file, such as keys.
            let part = target.part.map { ", \($0.name.split(separator: "\u{0}").joined(separator: " "))" } ?? ""
            return [change(mask.masking(path + part), of: stage, from: old, to: place, mask, isCancelled)]
        }
    }

    /// The file of a container in whose copy an output stands.
    private func original(of path: String) -> String? {
        plan.job.containers.lazy.compactMap { container in
            Publication.rest(of: path, below: container.place.text).map { FilePath.join(container.from.text, $0) }
        }.first
    }

    private func change(
        _ name: String,
        of stage: PlannedStage,
        from old: String?,
        to new: String,
        _ mask: SecretMask,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) -> OutputChanges {
        let size = (try? FileStatus.of(new))??.size ?? 0
        guard let old else {
            return OutputChanges(name, .new, ["it would be new, with \(DisplayText.size(size))"])
        }
        let digests = [old, new].compactMap { try? FileDigest.of(fileAt: $0).xxh128 }
        if digests.count == 2, digests[0] == digests[1] {
            return OutputChanges(name, .same, ["it would have the bytes that it has"])
        }
        do throws(DaybookErrors) {
            guard let readBack = stage.sink?.readBack else { throw DaybookErrors(.notRead) }
            let tables = (WrittenTable(FilePath.canonical(old), readBack), WrittenTable(new, readBack))
            let changes = try RowChanges(from: tables.0, to: tables.1, by: nil, table, isCancelled: isCancelled)
            let text = RowChangesText(changes, of: name)
            let isSame =
                changes.counts.isEmpty && changes.unread == 0 && changes.columnsGone.isEmpty
                && changes.columnsNew.isEmpty
            return OutputChanges(name, isSame ? .sameRows : .changed, text.lines, text.json)
        } catch {
            let before = (try? FileStatus.of(old))??.size ?? 0
            let reason = error.errors.first.map {
                $0.code == DaybookError.notRead.code ? "" : ": \(mask.masking($0.message))"
            }
            let sizes = "it would have \(DisplayText.size(size)) in the place of \(DisplayText.size(before))"
            return OutputChanges(name, .changed, ["\(sizes); its rows are not compared\(reason ?? "")"])
        }
    }

    /// Removes everything that the run has written.
    public func remove() { try? FileManager.default.removeItem(atPath: scratch) }
}

extension DaybookError {
    fileprivate static let notRead = DaybookError("no-table", "nothing reads what the stage writes", blame: .data)
}
