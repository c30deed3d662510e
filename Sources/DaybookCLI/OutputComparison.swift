import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookJobTools
import DaybookReports

/// The outputs that two runs share and that differ, row by row, as far as both are still on the disk.
struct OutputComparison {
    private let earlier: RunRecord
    private let later: RunRecord
    private let keys: [String]
    private let exports: [String: [String: ReadBack]]
    private let table = CommandContext.current.table
    private let isCancelled: @Sendable () -> Bool = { Interruption.isRequested }

    init(_ earlier: RunRecord, _ later: RunRecord, by keys: [String]) {
        (self.earlier, self.later, self.keys) = (earlier, later, keys)
        exports = Dictionary([earlier, later].map { ($0.run, OutputComparison.exports(of: $0)) }) { first, _ in first }
    }

    /// What there is to tell of each output with other bytes, in words and as JSON.
    func told() throws(DaybookErrors) -> [(lines: [String], json: JSONValue)] {
        var told: [(lines: [String], json: JSONValue)] = []
        for (before, after) in pairs where before.xxh128 != after.xxh128 {
            let name = before.path == after.path ? after.path : "\(before.path) and \(after.path)"
            guard let old = place(of: before, earlier) else {
                told.append(OutputComparison.untold(name, "the bytes of run \(earlier.run) are no longer on the disk"))
                continue
            }
            guard let new = place(of: after, later) else {
                told.append(OutputComparison.untold(name, "the bytes of run \(later.run) are no longer on the disk"))
                continue
            }
            do throws(DaybookErrors) {
                let changes = try RowChanges(from: old, to: new, by: keys, table, isCancelled: isCancelled)
                let text = RowChangesText(changes, of: name)
                told.append((text.lines, text.json))
            } catch {
                let reason = try OutputComparison.reason(of: error)
                if reason.code == DaybookError.unknownColumn { try requireKeys() }
                let hint = reason.hint.map { "; \($0)" } ?? ""
                told.append(OutputComparison.untold(name, reason.message + hint))
            }
        }
        return told
    }

    /// Why two files cannot be compared; what the machine failed at is no reason, and thrown again.
    private static func reason(of failure: DaybookErrors) throws(DaybookErrors) -> DaybookError {
        guard let first = failure.errors.first, !failure.errors.contains(where: { $0.blame == .machine }) else {
            throw failure
        }
        return first
    }

    /// Throws where no output of the two runs that is still on the disk has a column of one of the keys.
    private func requireKeys() throws(DaybookErrors) {
        var columns: Set<String> = []
        for (files, record) in [(later.outputs, later), (earlier.outputs, earlier)] {
            for file in files.compactMap({ place(of: $0, record) }) {
                do throws(DaybookErrors) {
                    columns.formUnion(try RowChanges.columns(of: file, table, isCancelled: isCancelled))
                } catch { _ = try OutputComparison.reason(of: error) }
                if columns.isSuperset(of: keys) { return }
            }
        }
        guard let key = keys.first(where: { !columns.contains($0) }) else { return }
        let hint = NearestName.hint(for: key, among: columns.sorted())
        throw DaybookErrors("unknown-column", "no output has a column '\(key)'", hint: hint)
    }

    /// Outputs of one path, and else those in one place among all, where both runs have as many: their paths may name the day.
    private var pairs: [(RunRecord.File, RunRecord.File)] {
        later.outputs.enumerated().compactMap { index, after in
            if let before = earlier.outputs.first(where: { $0.path == after.path }) { return (before, after) }
            guard earlier.outputs.count == later.outputs.count else { return nil }
            return (earlier.outputs[index], after)
        }
    }

    private static func untold(_ name: String, _ reason: String) -> (lines: [String], json: JSONValue) {
        ([PrintableText.of("rows of \(name): \(reason)")], ["output": .text(name), "not_compared": .text(reason)])
    }

    /// Where the very bytes of an output are: at its path, or in the directory that the run published; nil where nowhere.
    private func place(of file: RunRecord.File, _ record: RunRecord) -> WrittenTable? {
        let base = record.path.isEmpty ? "" : FilePath.directory(of: record.path)
        let parts = file.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        var paths = [file.path]
        for index in parts.indices.dropLast() where !["", ".", ".."].contains(parts[index]) {
            var published = parts
            published[index] = ".\(parts[index]).\(record.run)"
            paths.append(published.joined(separator: "/"))
        }
        let place = paths.map { FilePath.canonical(FilePath.join(base, $0)) }.first { path in
            guard let status = (try? FileStatus.of(path)) ?? nil, status.isRegularFile, status.size == file.bytes else {
                return false
            }
            return (try? FileDigest.of(fileAt: path))?.xxh128 == file.xxh128
        }
        return place.map { WrittenTable($0, exports[record.run]?[file.path]) }
    }

    /// How what a run wrote is read again, by path, as its job file has it now, where that can still be read.
    private static func exports(of record: RunRecord) -> [String: ReadBack] {
        guard record.asOf != nil else { return [:] }
        let job = JobReading(record.path, JobOptions(record))
        guard let plan = job.plan else { return [:] }
        let exports = plan.stages.compactMap { stage -> (String, ReadBack)? in
            guard let path = stage.target?.path, let readBack = stage.sink?.readBack else { return nil }
            return (job.mask.masking(path.text), readBack)
        }
        return Dictionary(exports) { first, _ in first }
    }
}

extension JobOptions {
    /// The day and the params of a kept run. A masked value is that of a secret, which the job has from elsewhere.
    init(_ run: RunRecord) {
        self = .none
        asOf = run.asOf
        let params = run.params.filter { !$0.value.contains(SecretMask.mark) }
        settings = params.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }
}
