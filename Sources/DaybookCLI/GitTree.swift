import DaybookBytes
import DaybookEngine
import DaybookJobTools
import DaybookNotify
import Foundation

/// The files of a commit, as the working tree would have them.
struct GitTree {
    /// The commit at which the history of the working tree left that of a reference.
    private(set) var commit = ""
    /// The commit in messages.
    var name: String { "commit \(commit.prefix(9))" }
    /// The commit that it is compared with; nil for the working tree.
    private(set) var later: String?
    /// Where the files of the commit are written to.
    let directory: URL

    /// The mode of a submodule, which has no content of its own.
    static let submodule: Substring = "160000"

    /// Finds the merge base of a reference and HEAD.
    init(_ reference: String, in directory: URL) throws(DaybookError) {
        self.directory = directory
        commit = try base(of: reference, and: "HEAD")
    }

    /// The commits of a range, as git writes it: of `one..other` both, of `one...other` the merge base and the other, each HEAD where it
    /// is left out. Anything else is a reference, whose merge base with HEAD is compared with the working tree.
    init(comparing range: String, in directory: URL) throws(DaybookError) {
        guard let dots = range.firstRange(of: "..") else {
            self = try GitTree(range, in: directory)
            return
        }
        self.directory = directory
        let isBase = range[dots.upperBound...].hasPrefix(".")
        let ends = [range[..<dots.lowerBound], range[dots.upperBound...].dropFirst(isBase ? 1 : 0)]
            .map { $0.isEmpty ? "HEAD" : String($0) }
        commit = try isBase ? base(of: ends[0], and: ends[1]) : whole(ends[0])
        later = try whole(ends[1])
    }

    /// The commit that a reference names.
    private func whole(_ reference: String) throws(DaybookError) -> String {
        let known = try run(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(reference)^{commit}"])
        if known.code == 0 { return known.output.trimmingCharacters(in: .whitespacesAndNewlines) }
        let message = "git does not know '\(reference)'\(GitTree.reason(known.errors))"
        throw DaybookError("no-commit", message, hint: "name a branch, a tag or a commit, such as origin/main")
    }

    /// The commit in which the histories of two references meet.
    private func base(of reference: String, and head: String) throws(DaybookError) -> String {
        let base = try run(["merge-base", "--", reference, head])
        let commit = base.output.trimmingCharacters(in: .whitespacesAndNewlines)
        guard base.code != 0 || commit.isEmpty else { return commit }
        let isShallow = try run(["rev-parse", "--is-shallow-repository"]).output.hasPrefix("true")
        if isShallow {
            let message = "this clone is shallow, and has no commit in which '\(reference)' and \(head) meet"
            throw .machine("no-merge-base", message, hint: "fetch all commits, in CI with 'fetch-depth: 0'")
        }
        for reference in [reference, head] { _ = try whole(reference) }
        throw DaybookError("no-merge-base", "'\(reference)' and \(head) have no commit in common")
    }

    /// The files of the working tree that are others than in the commit, came or went.
    func changedFiles() throws(DaybookError) -> ChangedFiles {
        let begun = try [
            begin(["rev-parse", "--show-toplevel"]),
            begin(["diff", "--raw", "--no-renames", "-z", commit, "--"]),
            begin(["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"]),
        ]
        let ended = try begun.map { (git) throws(DaybookError) in try git.end() }.map(GitTree.output)
        let (top, changed, new) = (ended[0], ended[1], ended[2])
        let root = String(top.dropLast(top.hasSuffix("\n") ? 1 : 0))
        let known = GitTree.changes(in: changed)
        let came = new.split(separator: "\0").map(String.init)
        return ChangedFiles(
            root: FilePath.canonical(root),
            names: known.map(\.name) + came,
            new: Set(known.filter { $0.status == "A" }.map(\.name) + came),
            links: Set(known.filter { "XS".contains($0.status) }.map(\.name)),
            submodules: Set(known.filter { $0.status == "S" }.map(\.name))
        )
    }

    /// The files that 'git diff --raw -z' lists (git-scm.com/docs/diff-format): modes, hashes and a status, then the name.
    private static func changes(in text: String) -> [(name: String, status: Character)] {
        let words = text.split(separator: "\0")
        return stride(from: 0, to: words.count - 1, by: 2).map { index in
            let (facts, name) = (words[index].dropFirst().split(separator: " "), String(words[index + 1]))
            // A symbolic link and a submodule are no file with content of its own.
            let isFile = facts.prefix(2).map { $0.hasPrefix("100") }
            let status: Character =
                switch (isFile.first == true, isFile.last == true) {
                case (true, true): "M"
                case (true, false): "D"
                case (false, true): "A"
                case (false, false): facts.prefix(2).contains { $0 == GitTree.submodule } ? "S" : "X"
                }
            return (name, status)
        }
    }

    /// The names of all files of the commit, without links and submodules.
    func files() throws(DaybookError) -> Set<String> {
        let listed = try output(of: ["ls-tree", "-r", "-z", "--full-tree", commit])
        return listed.split(separator: "\0").reduce(into: []) { files, line in
            guard line.hasPrefix("100"), let tab = line.firstIndex(of: "\t") else { return }
            files.insert(String(line[line.index(after: tab)...]))
        }
    }

    /// Writes a file of the commit, named from the top of the repository.
    func write(_ name: String, to path: String) throws(DaybookError) {
        _ = try output(of: ["cat-file", "--filters", "\(commit):\(name)"], to: URL(fileURLWithPath: path))
    }

    /// The tables that are others in the working tree.
    ///
    /// - Parameters:
    ///   - form: how a file is read, by its whole path; nil for one that is not compared.
    ///   - readsBelow: whether files of a directory are read.
    func tables(
        _ form: (String) -> ReadBack?,
        readsBelow: (String) -> Bool
    ) throws(DaybookError) -> TablePairs {
        let changed = try changedFiles()
        var tables = TablePairs()
        for name in changed.names.sorted() {
            let path = FilePath.join(changed.root, name)
            if changed.submodules.contains(name), readsBelow(path) { tables.submodules.append(name) }
            guard let form = form(path) else { continue }
            guard !changed.links.contains(name) else {
                tables.links.append(name)
                continue
            }
            let place = directory.appendingPathComponent("\(tables.pairs.count)-\(FilePath.name(of: name))").path
            if changed.new.contains(name) {
                tables.came.append(name)
            } else if access(path, F_OK) == 0 {
                try write(name, to: place)
                tables.pairs.append(TablePairs.Pair(name, WrittenTable(place, form), WrittenTable(path, form)))
            } else {
                tables.went.append(name)
            }
        }
        return tables
    }

    /// What git prints, which has to succeed.
    func output(of arguments: [String], to file: URL? = nil) throws(DaybookError) -> String {
        try GitTree.output(of: try run(arguments, to: file))
    }

    private static func output(of ended: RunningGit.Result) throws(DaybookError) -> String {
        guard ended.code == 0 else { throw .machine("git-failed", "git failed\(reason(ended.errors))") }
        return ended.output
    }

    private static func reason(_ errors: String) -> String {
        errors.split(separator: "\n").first.map { ": \($0)" } ?? ""
    }

    /// Runs git to its end.
    ///
    /// - Parameters:
    ///   - file: where its output goes; nil to return it.
    ///   - input: the file that it reads.
    func run(
        _ arguments: [String],
        to file: URL? = nil,
        from input: String = "/dev/null"
    ) throws(DaybookError) -> (output: String, errors: String, code: Int32) {
        try begin(arguments, to: file, from: input).end()
    }

    private func begin(
        _ arguments: [String],
        to file: URL? = nil,
        from input: String = "/dev/null"
    ) throws(DaybookError) -> RunningGit {
        try RunningGit(arguments, to: file, from: input, in: directory)
    }
}

/// A process of git. What it prints goes to files, so that nothing has to be read while it runs.
private struct RunningGit {
    typealias Result = (output: String, errors: String, code: Int32)

    private let process: pid_t
    private let output: URL
    /// Whether the output is removed once it is read.
    private let isRead: Bool
    private let errors: URL

    /// - Parameter file: where its output goes; nil to return it.
    init(_ arguments: [String], to file: URL?, from input: String, in directory: URL) throws(DaybookError) {
        output = file ?? directory.appendingPathComponent("output-\(UUID())")
        errors = directory.appendingPathComponent("errors-\(UUID())")
        isRead = file == nil
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        for (number, file) in [(STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
            posix_spawn_file_actions_addopen(&actions, number, file.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        let (code, process) = ChildProcess.withCStrings(["git", "--no-pager"] + arguments) { words in
            var process = pid_t()
            let code = posix_spawnp(&process, "git", &actions, nil, words, environ)
            return (code, process)
        }
        guard code != ENOENT else {
            throw .machine("git-failed", "there is no program 'git'", hint: "install it, or compare two files")
        }
        guard code == 0 else { throw .machine("git-failed", "git cannot be run: \(SystemFailure(code).reason)") }
        self.process = process
    }

    func end() throws(DaybookError) -> Result {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // The number of the signal that ended it is in the lowest bits.
        let code = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
        return (isRead ? try text(of: output) : "", try text(of: errors), code)
    }

    private func text(of file: URL) throws(DaybookError) -> String {
        defer { unlink(file.path) }
        do { return String(decoding: try Data(contentsOf: file), as: UTF8.self) } catch {
            throw .machine("git-failed", "what git printed cannot be read: \(error.localizedDescription)")
        }
    }
}

/// The files of a repository that a change touches.
struct ChangedFiles {
    /// The canonical path of the working tree.
    let root: String
    /// Their paths from the root.
    let names: [String]
    /// Those among them that the commit does not have.
    let new: Set<String>
    /// Links that lead elsewhere now, and submodules.
    let links: Set<String>
    let submodules: Set<String>

    /// Whether a run of a job may end otherwise for the change: the job file or a file that it reads is another.
    ///
    /// A job that cannot be read counts, since its run tells why, and so does one that stands outside of the repository. Of
    /// files that git does not follow, nobody knows whether they changed, and they do not count.
    func touch(_ job: String, _ options: JobOptions) -> Bool {
        let file = FilePath.canonical(job)
        guard job != "-", file.hasPrefix(root + "/"), !names.contains(String(file.dropFirst(root.count + 1))) else {
            return true
        }
        let reading = JobReading(job, options, repeats: true)
        guard let plan = reading.plan else { return true }
        // Options name further files, such as models.
        let words = String(decoding: reading.bytes, as: UTF8.self)
        if names.contains(where: { words.contains(FilePath.name(of: $0)) }) { return true }
        let paths = Set(names.map { FilePath.join(root, $0) })
        return plan.inputs(from: reading.directory).contains { input in
            // A link is another file if its target is.
            if let found = try? input.pattern.expand(),
                found.contains(where: { paths.contains(FilePath.canonical($0.path)) })
            {
                return true
            }
            return names.contains { name in
                let path = FilePath.join(root, name)
                return input.pattern.wouldFind(path)
                    || input.companions.contains {
                        path.hasSuffix($0) && input.pattern.wouldFind(String(path.dropLast($0.count)))
                    }
            }
        }
    }
}

extension Plan {
    /// Whether a run leaves anything behind: outputs, rejects, a published directory.
    var writes: Bool {
        stages.contains { $0.target != nil } || job.rejects?.path != nil || job.publish != nil
            || !job.containers.isEmpty || job.stages.contains { $0.rejects?.path != nil }
    }

    /// Why a run has to be kept in the history; nil where nothing of it matters to the next.
    var needsHistory: DaybookError? {
        guard takesNewOnly || stages.contains(where: { $0.since != nil }) else { return nil }
        return DaybookError(
            "needs-history",
            "the job reads what is new since its last run, and '--no-history' would keep nothing of this one",
            hint: "run it without '--no-history'"
        )
    }

    /// What the sources of the plan read, with the endings of files that belong to them.
    func inputs(from directory: String) -> [(pattern: PathPattern, companions: [String])] {
        stages.flatMap { stage -> [(PathPattern, [String])] in
            guard case .source(let source) = stage.role else { return [] }
            return source.paths.filter { !$0.isStandardStream }.map {
                (PathPattern($0.text, from: directory), source.companions)
            }
        }
    }
}
