import DaybookBytes
import DaybookEngine
import DaybookJobTools
import Foundation

/// The files that a job reads, held against earlier ones, as its key `diff` asks.
struct InputDiff {
    let gate: DiffGate
    let plan: Plan
    /// The directory of the job.
    let directory: String
    /// The commit that the command line names, for a job that names none.
    let commit: String?

    /// What the job reads, and how.
    private typealias Input = (pattern: PathPattern, readBack: ReadBack)

    /// Options of imports that do not say how a file is read, or only which kinds its columns are.
    private static let others: Set = [
        "path", "columns", "number_format", "columns_differ", "file_column", "empty", "optional", "new_only", "day",
        "redelivery", "late", "describe",
    ]

    /// Why nothing says which earlier files the key is about; nil where something does.
    var unjudged: JobWarning? {
        guard gate.against == nil, commit == nil else { return nil }
        let message = "'diff' was not judged, for nothing says which earlier files it is about"
        return JobWarning("diff-not-judged", message, at: gate.place, hint: "add 'against: origin/main'")
    }

    /// Why the files are beyond a limit, each at its place in the job.
    func faults() throws(DaybookErrors) -> [DaybookError] {
        let place = ScratchPlace()
        defer { place.remove() }
        do throws(DaybookErrors) {
            guard let tables = try tables(in: place) else { return [] }
            let changes = try tables.changes(by: gate.keys)
            let judged = gate.limits.compactMap { limit, place in
                var fault = limit.fault(in: changes, filesGone: tables.went)?.located(at: place)
                fault?.hint = "'\(CommandContext.current.name) diff \(shown(tables))' shows which"
                return fault
            }
            let links = tables.links.map { name in
                let message = "'\(name)' is a link that leads elsewhere now, or was one, so nothing tells what changed"
                return DaybookError.data("link-not-followed", message, hint: "read the file that it leads to")
            }
            let modules = tables.submodules.map { name in
                let message =
                    "the files of the submodule '\(name)' are those of another repository, so nothing tells what changed"
                return DaybookError.data("in-submodule", message, hint: "run a job with 'diff' in that repository")
            }
            return judged + (links + modules + DiffLimit.unjudged(tables, changes)).map { $0.located(at: gate.place) }
        } catch { throw DaybookErrors(error.errors.map { $0.located(at: gate.place) }) }
    }

    /// How to ask for the same comparison: of one file, or of the directory that has them.
    private func shown(_ tables: TablePairs) -> String {
        let quoted = { (text: String) in
            text.allSatisfy { $0.isLetter || $0.isNumber || "/._-".contains($0) }
                ? text : "'\(text.replacingOccurrences(of: "'", with: "'\\''"))'"
        }
        let names = tables.pairs.map(\.name) + tables.went
        var words = names.count == 1 ? names : names.prefix(1).map(FilePath.directory)
        if let path = earlierPath {
            let isOne = tables.pairs.count == 1 && tables.went.isEmpty
            words = [isOne ? tables.pairs[0].before.path : path] + words.map { FilePath.join(directory, $0) }
        } else {
            words = ["--git", gate.against?.text ?? commit ?? ""] + words
        }
        return (words + gate.keys.flatMap { ["--key", $0] }).map(quoted).joined(separator: " ")
    }

    /// What 'against' names, if that is a file or a directory.
    private var earlierPath: String? {
        let path = gate.against.map { FilePath.tidied(FilePath.join(directory, $0.text)) }
        return path.flatMap { access($0, F_OK) == 0 ? $0 : nil }
    }

    /// The files that the job reads; refuses standard input, which cannot be read twice.
    private func inputs() throws(DaybookErrors) -> [Input] {
        var inputs: [Input] = []
        for stage in plan.stages {
            guard case .source(let source) = stage.role else { continue }
            if let stream = source.paths.first(where: \.isStandardStream) {
                let message = "'diff' compares files, and standard input is none"
                throw DaybookErrors("bad-option", message, at: stream.place ?? gate.place)
            }
            var options = plan.job.stages[stage.index].options.filter { !InputDiff.others.contains($0.key) }
            let specs = CommandContext.current.table[stage.typeName].map { OptionReader.specs(of: $0) } ?? []
            if specs.contains(where: { $0.key == "empty" }) {
                options.append(OptionNode.Entry(written: "empty", .text("allow", quoted: false)))
            }
            let readBack = ReadBack(stage.typeName, options)
            inputs += source.paths.map { (PathPattern($0.text, from: directory), readBack) }
        }
        return inputs
    }

    /// The files before and now; nil where nothing says which were before.
    private func tables(in place: ScratchPlace) throws(DaybookErrors) -> TablePairs? {
        let inputs = try inputs()
        do throws(DaybookError) {
            if let path = earlierPath { return try tables(inputs, before: path) }
            guard let commit = gate.against?.text ?? commit else { return nil }
            do { try place.make() } catch {
                throw .machine("cannot-write", "cannot make a directory: \(error.localizedDescription)")
            }
            let tree = try GitTree(commit, in: URL(fileURLWithPath: place.path))
            // What a link leads to is read too, under its own name.
            var linked: [String: ReadBack] = [:]
            var read: [String] = []
            for input in inputs {
                for file in (try? input.pattern.expand()) ?? [] {
                    let real = FilePath.canonical(file.path)
                    read.append(real)
                    if real != FilePath.place(of: file.path) { linked[real] = input.readBack }
                }
            }
            return try tree.tables(
                { path in inputs.first { $0.pattern.wouldFind(path) }?.readBack ?? linked[path] },
                readsBelow: { directory in read.contains { $0.hasPrefix(directory + "/") } }
            )
        } catch {
            var problem = error.located(at: gate.against?.place ?? gate.place)
            if let against = gate.against?.text, problem.code == "no-commit" {
                let path = FilePath.tidied(FilePath.join(directory, against))
                problem.hint =
                    "name a branch, tag or commit, or an earlier file or directory; there is no '\(path)' either"
            }
            throw DaybookErrors(problem)
        }
    }

    /// The files that the job reads now, each with the one of its name in a directory, or one with a file.
    private func tables(_ inputs: [Input], before path: String) throws(DaybookError) -> TablePairs {
        var tables = TablePairs()
        let isDirectory = (try? FileStatus.of(path))??.isDirectory == true
        var paired: [String: String] = [:]
        for input in inputs {
            for file in try input.pattern.expand() {
                let now = FilePath.canonical(file.path)
                let before = isDirectory ? FilePath.join(path, FilePath.name(of: now)) : path
                if let other = paired.updateValue(file.name, forKey: before) {
                    let message = "'\(other)' and '\(file.name)' would both be compared with '\(before)'"
                    throw DaybookError("bad-option", message, hint: "compare with a commit, or give each a job")
                }
                guard access(before, F_OK) == 0 else {
                    tables.came.append(file.name)
                    continue
                }
                let earlier = WrittenTable(FilePath.canonical(before), input.readBack)
                tables.pairs.append(TablePairs.Pair(file.name, earlier, WrittenTable(now, input.readBack)))
            }
            guard isDirectory else { continue }
            let place = FilePath.directory(of: FilePath.join(directory, input.pattern.text))
            let names: [String]
            do { names = try DirectoryListing.names(in: path) } catch { throw .cannotRead(path, error) }
            tables.went += names.sorted().filter { name in
                let now = FilePath.join(place, name)
                return input.pattern.wouldFind(FilePath.canonical(now)) && access(now, F_OK) != 0
                    && !paired.keys.contains(FilePath.join(path, name))
            }
        }
        return tables
    }
}
