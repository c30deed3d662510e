import DaybookBytes
import DaybookEngine
import DaybookJobTools
import Foundation

/// The files that a job reads, held against earlier ones, as its key `diff` asks.
struct InputDiff {
    let gate: DiffGate
    /// The commit that the command line names, for a job that names none.
    let commit: String?
    /// The directory of the job.
    let directory: String

    /// Why the files are beyond a limit, each at its place in the job.
    func faults(of plan: Plan) throws(DaybookErrors) -> [DaybookError] {
        let place = ScratchPlace()
        defer { place.remove() }
        guard let tables = try tables(plan, in: place) else {
            let message = "'diff' was not judged, for nothing says which earlier files it is about"
            Terminal.warn(DaybookError("diff-not-judged", message, at: gate.place, hint: "add 'against: origin/main'"))
            return []
        }
        let changes = try tables.pairs.map { pair throws(DaybookErrors) in
            try RowChanges(
                from: pair.before,
                to: pair.after,
                by: gate.keys.isEmpty ? nil : gate.keys,
                CommandContext.current.table,
                isCancelled: { Interruption.isRequested }
            )
        }
        let judged = gate.limits.compactMap { limit, place in
            var fault = limit.fault(in: changes, filesGone: tables.went)?.located(at: place)
            fault?.hint = "'\(CommandContext.current.name) diff \(shown(tables))' shows which"
            return fault
        }
        return judged + DiffLimit.unjudged(tables, changes).map { $0.located(at: gate.place) }
    }

    /// How to ask for the same comparison: of one file, or of the directory that has them.
    private func shown(_ tables: TablePairs) -> String {
        let names = tables.pairs.map(\.name) + tables.went
        let now = names.count == 1 ? names[0] : names.first.map(FilePath.directory) ?? ""
        guard isOfPath, let against = gate.against?.text else {
            return "--git \(gate.against?.text ?? commit ?? "REF") \(now)"
        }
        return "\(FilePath.join(directory, against)) \(FilePath.join(directory, now))"
    }

    /// Whether 'against' is a path.
    private var isOfPath: Bool {
        gate.against.map { access(FilePath.join(directory, $0.text), F_OK) == 0 } ?? false
    }

    /// The files before and now; nil where nothing says which were before.
    private func tables(_ plan: Plan, in place: ScratchPlace) throws(DaybookErrors) -> TablePairs? {
        let inputs = plan.inputs(from: directory).map(\.pattern)
        do throws(DaybookError) {
            if let against = gate.against {
                let path = FilePath.join(directory, against.text)
                if let status = (try? FileStatus.of(path)) ?? nil {
                    return try tables(inputs, before: path, isDirectory: status.isDirectory)
                }
            }
            guard let commit = gate.against?.text ?? commit else { return nil }
            do { try place.make() } catch {
                throw .machine("cannot-write", "cannot make a directory: \(error.localizedDescription)")
            }
            let tree = try GitTree(commit, in: URL(fileURLWithPath: place.path))
            return try tree.tables { path in inputs.contains { $0.wouldFind(path) } }
        } catch {
            var problem = error.located(at: gate.against?.place ?? gate.place)
            if let against = gate.against?.text, !isOfPath {
                let path = FilePath.tidied(FilePath.join(directory, against))
                problem.hint =
                    "nor is there a file or directory '\(path)'; name a branch, tag or commit, or an earlier file"
            }
            throw DaybookErrors([problem])
        }
    }

    /// The files that the job reads now, each with the one of its name in a directory, or all with one file.
    private func tables(
        _ inputs: [PathPattern],
        before path: String,
        isDirectory: Bool
    ) throws(DaybookError) -> TablePairs {
        var tables = TablePairs()
        for input in inputs {
            for file in try input.expand() {
                let now = FilePath.canonical(file.path)
                let before = isDirectory ? FilePath.join(path, FilePath.name(of: now)) : path
                if access(before, F_OK) == 0 {
                    tables.pairs.append(
                        TablePairs.Pair(file.name, WrittenTable(FilePath.canonical(before)), WrittenTable(now))
                    )
                } else {
                    tables.came.append(file.name)
                }
            }
            guard isDirectory else { continue }
            let place = FilePath.directory(of: FilePath.join(directory, input.text))
            tables.went += ((try? DirectoryListing.names(in: path)) ?? []).sorted().filter { name in
                let now = FilePath.join(place, name)
                return input.wouldFind(FilePath.canonical(now)) && access(now, F_OK) != 0
            }
        }
        return tables
    }
}
