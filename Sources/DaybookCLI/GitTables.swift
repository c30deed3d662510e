import DaybookBytes
import DaybookJobTools
import Foundation

extension GitTree {
    /// The tables that are others in the later commit or in the working tree, of some paths or of all.
    func tables(_ paths: [String]) throws(DaybookError) -> TablePairs { try GitTables(of: self, paths).tables }
}

/// The tables that changed from a commit to a later one or to the working tree.
///
/// Names are those from the top of the repository, which a bare one has too.
private struct GitTables {
    private let tree: GitTree
    /// The top of the working tree, and where in it git was started; of two commits, no file is looked at there.
    private let root: String
    private let prefix: String
    private(set) var tables = TablePairs()
    /// What git is asked for: the paths but for links, which are followed one by one.
    private var asked: [String] = []

    /// What a path is in a commit, once all links on the way to it are followed there.
    private struct Found {
        /// The hash of the content.
        var hash: String
        var isDirectory: Bool
    }

    /// A file that differs: its modes and hashes.
    private struct Change {
        var name: String
        var modes: [Substring]
        var hashes: [String]

        /// Whether both are files, or one where there is none.
        var isOfFiles: Bool { modes.allSatisfy { $0.hasPrefix("100") || $0 == "000000" } }
        var isOfLink: Bool { modes.contains("120000") && !isOfSubmodule }
        var isOfSubmodule: Bool { modes.contains(GitTree.submodule) }
    }

    init(of tree: GitTree, _ paths: [String]) throws(DaybookError) {
        self.tree = tree
        let isBare = try tree.run(["rev-parse", "--is-inside-work-tree"]).output.hasPrefix("true") == false
        let words = isBare ? [] : ["--show-prefix", "--show-toplevel"]
        let places =
            try isBare
            ? ["", ""]
            : tree.output(of: ["rev-parse"] + words).split(
                separator: "\n",
                omittingEmptySubsequences: false
            ).map(String.init)
        (prefix, root) = (places[0], FilePath.canonical(places.count > 1 ? places[1] : ""))
        for path in paths {
            guard GitTables.isPattern(path) else {
                try add(path)
                continue
            }
            try checkPattern(path)
            asked.append(path)
        }
        // Without a path, all below the working directory is meant; of two commits, all.
        if paths.isEmpty, tree.later == nil { asked = ["."] }
        guard paths.isEmpty || !asked.isEmpty else { return }
        let changes = try changes(asked)
        for change in changes { try add(change) }
        if tree.later == nil {
            let new = try tree.output(
                of: ["ls-files", "--others", "--exclude-standard", "-z", "--"] + asked
            )
            tables.came += new.split(separator: "\0").map(String.init).filter(WrittenTable.isTable)
        }
        if !paths.isEmpty { try addLinks(besides: changes) }
    }

    // MARK: Paths of the command line

    private static func isPattern(_ path: String) -> Bool { path.contains { "*?[:".contains($0) } }

    /// A path from the top of the repository.
    private func name(of path: String) -> String {
        guard path.hasPrefix("/") else { return FilePath.tidied(prefix + path) }
        // The directory may be written with links above the repository.
        let tidied = FilePath.tidied(path)
        if tidied.hasPrefix(root + "/") { return String(tidied.dropFirst(root.count + 1)) }
        let place = FilePath.place(of: tidied)
        return place.hasPrefix(root + "/") ? String(place.dropFirst(root.count + 1)) : place == root ? "." : tidied
    }

    /// A name as it is shown, from where git was started.
    private func shown(_ name: String) -> String {
        guard tree.later == nil, !prefix.isEmpty else { return name }
        if name.hasPrefix(prefix) { return String(name.dropFirst(prefix.count)) }
        return String(repeating: "../", count: prefix.count { $0 == "/" }) + name
    }

    /// Throws where a pattern finds no table, neither before nor after.
    private func checkPattern(_ path: String) throws(DaybookError) {
        var (lists, places): ([[String]], String)
        if let later = tree.later {
            let empty = try tree.output(of: ["hash-object", "-t", "tree", "/dev/null"]).prefix { $0 != "\n" }
            lists = [tree.commit, later].map {
                ["diff", "--no-relative", "--name-only", "-z", String(empty), $0, "--", path]
            }
            places = "neither in \(tree.name) nor in commit \(later.prefix(9))"
        } else {
            lists = [
                ["ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard", "--", path],
                ["diff", "--no-relative", "--name-only", "-z", tree.commit, "--", path],
            ]
            places = "neither here nor in \(tree.name)"
        }
        let names = try lists.map { (list) throws(DaybookError) in try tree.output(of: list) }
            .flatMap { $0.split(separator: "\0").map(String.init) }
        guard !names.isEmpty else {
            throw .machine("input-not-found", "no file matches '\(path)', \(places)")
        }
        // A link may lead to a directory of tables.
        guard names.contains(where: { WrittenTable.isTable(named: $0) || isLink($0) }) else {
            throw WrittenTable.notCompared(path)
        }
    }

    private func isLink(_ name: String) -> Bool {
        tree.later == nil && FilePath.link(at: FilePath.join(root, name)) != nil
    }

    /// Adds what a path names that is no pattern.
    private mutating func add(_ path: String) throws(DaybookError) {
        let name = name(of: path)
        // Of what is outside of the repository, git says so itself.
        if name == "." || name == ".." || name.hasPrefix("../") || name.hasPrefix("/") { return asked.append(path) }
        try checkSubmodule(path, name)
        let (was, now) = (try found(name, in: tree.commit), try foundLater(name))
        guard was != nil || now != nil else {
            let places = tree.later.map { "neither in \(tree.name) nor in commit \($0.prefix(9))" }
            throw .machine("missing-file", "there is no '\(path)', \(places ?? "neither here nor in \(tree.name)")")
        }
        let isLinked = try [passesLink(name, was, in: tree.commit), passesLinkLater(name, now)].contains(true)
        if (was ?? now)?.isDirectory == false || now?.isDirectory == false {
            guard WrittenTable.isTable(named: name) else { throw WrittenTable.notCompared(path) }
            if !isLinked, was == nil, tree.later == nil { try checkIgnored(path) }
        }
        guard isLinked else { return asked.append(path) }
        guard try follow(name, shown(name), was, now) else {
            let message = "'\(path)' is a link that cannot be followed in \(tree.name), so nothing tells what changed"
            throw DaybookError("link-not-followed", message, hint: "name the file or the directory that it leads to")
        }
    }

    /// Throws for a submodule and for what is in one: of their files, no commit of this repository has anything.
    private func checkSubmodule(_ path: String, _ name: String) throws(DaybookError) {
        let parts = name.split(separator: "/")
        let ways = parts.indices.map { parts[...$0].joined(separator: "/") }
        for commit in [tree.commit, tree.later ?? "HEAD"] {
            let listed = try tree.output(of: ["ls-tree", "-z", "--full-tree", commit, "--"] + ways)
            guard let line = listed.split(separator: "\0").first(where: { $0.hasPrefix(GitTree.submodule) }) else {
                continue
            }
            let module = line.drop { $0 != "\t" }.dropFirst()
            let which = module == name ? "'\(path)' is a submodule" : "'\(path)' is in the submodule '\(module)'"
            throw DaybookError(
                "in-submodule",
                "\(which), whose files are those of another repository, so there is nothing to compare with",
                hint: "run the command in the submodule, with a commit of that"
            )
        }
    }

    /// Throws for a file that git leaves out, of which no commit has anything.
    private func checkIgnored(_ path: String) throws(DaybookError) {
        guard try tree.run(["check-ignore", "-q", "--", path]).code == 0 else { return }
        throw DaybookError("ignored-file", "git ignores '\(path)', so there is nothing to compare it with")
    }

    // MARK: Links

    private func found(_ name: String, in commit: String) throws(DaybookError) -> Found? {
        guard !name.contains("\n") else { return nil }
        let input = tree.directory.appendingPathComponent("asked-\(UUID())").path
        defer { unlink(input) }
        do { try Data("\(commit):\(name)\n".utf8).write(to: URL(fileURLWithPath: input)) } catch {
            throw .machine("git-failed", "git cannot be asked: \(error.localizedDescription)")
        }
        let answer = try tree.run(["cat-file", "--batch-check", "--follow-symlinks"], from: input).output
        let words = answer.split(separator: "\n").first?.split(separator: " ") ?? []
        // A link out of the commit, or to nothing, is answered with its own word first.
        guard words.count == 3, words[1] == "blob" || words[1] == "tree", words[0].allSatisfy(\.isHexDigit) else {
            return nil
        }
        return Found(hash: String(words[0]), isDirectory: words[1] == "tree")
    }

    /// What a path is after the change. A file of the working tree has no hash yet.
    private func foundLater(_ name: String) throws(DaybookError) -> Found? {
        if let later = tree.later { return try found(name, in: later) }
        let status: FileStatus?
        do { status = try FileStatus.of(FilePath.join(root, name)) } catch {
            throw .machine("unreadable", "cannot read '\(name)': \(error.reason)")
        }
        return status.map { Found(hash: "", isDirectory: $0.isDirectory) }
    }

    /// Whether a link is on the way to what was found, or is it itself.
    private func passesLink(_ name: String, _ found: Found?, in commit: String) throws(DaybookError) -> Bool {
        let own = try tree.run(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(commit):\(name)"])
        return own.output.prefix { $0 != "\n" } != found?.hash ?? ""
    }

    private func passesLinkLater(_ name: String, _ found: Found?) throws(DaybookError) -> Bool {
        if let later = tree.later { return try passesLink(name, found, in: later) }
        let path = FilePath.join(root, name)
        return FilePath.canonical(path) != path || FilePath.link(at: path) != nil
    }

    /// Compares what a link leads to. False where that cannot be told.
    private mutating func follow(
        _ name: String,
        _ shown: String,
        _ was: Found?,
        _ now: Found?
    ) throws(DaybookError) -> Bool {
        switch (was?.isDirectory, now?.isDirectory) {
        case (false, false):
            guard let was, let now, was.hash != now.hash else { break }
            let pair = try pair(name, shown, was.hash, now.hash)
            let isSame = FileManager.default.contentsEqual(atPath: pair.before.path, andPath: pair.after.path)
            if !isSame { tables.pairs.append(pair) }
        case (false, nil): tables.went.append(shown)
        case (nil, false):
            // A link that was there, and could not be followed.
            let old = try tree.run(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(tree.commit):\(name)"])
            guard old.code != 0 else { return false }
            tables.came.append(shown)
        case (true, true):
            guard let was, let now else { return false }
            if tree.later != nil {
                for change in try changes(["--"], from: was.hash, to: now.hash) { try add(change, below: name + "/") }
            } else {
                // The directory that it leads to has to be the same one.
                let place = FilePath.canonical(FilePath.join(root, name))
                guard place.hasPrefix(root + "/") else { return false }
                let target = String(place.dropFirst(root.count + 1))
                guard try found(target, in: tree.commit)?.hash == was.hash else { return false }
                asked.append(":(top,literal)\(target)")
            }
        default: return false
        }
        return true
    }

    /// Adds files that links among the paths lead to, where these changed and not the links.
    private mutating func addLinks(besides changes: [Change]) throws(DaybookError) {
        let names: [String]
        if let later = tree.later {
            let empty = try tree.output(of: ["hash-object", "-t", "tree", "/dev/null"]).prefix { $0 != "\n" }
            names = try self.changes(["--"] + asked, from: String(empty), to: later).filter(\.isOfLink).map(\.name)
        } else {
            let listed = try tree.output(of: ["ls-files", "-s", "-z", "--full-name", "--"] + asked)
            names = listed.split(separator: "\0").filter { $0.hasPrefix("120000 ") }
                .map { String($0.drop { $0 != "\t" }.dropFirst()) }
        }
        for name in names where !changes.contains(where: { $0.name == name }) {
            let (was, now) = (try found(name, in: tree.commit), try foundLater(name))
            guard was?.isDirectory == false, WrittenTable.isTable(named: name), let was else { continue }
            // A target that is among the paths is compared already.
            guard !changes.contains(where: { $0.hashes[0] == was.hash }) else { continue }
            if try !follow(name, shown(name), was, now) { tables.links.append(shown(name)) }
        }
    }

    // MARK: Changes

    /// What 'git diff --raw -z' lists (git-scm.com/docs/diff-format): modes, hashes and a status, then the name.
    private func changes(_ paths: [String]) throws(DaybookError) -> [Change] {
        try changes(["--"] + paths, from: tree.commit, to: tree.later)
    }

    private func changes(
        _ paths: [String],
        from before: String,
        to after: String?
    ) throws(DaybookError) -> [Change] {
        let trees = [before, after].compactMap(\.self)
        let text = try tree.output(
            of: ["diff", "--raw", "--no-relative", "--no-renames", "--no-abbrev", "-z"] + trees + paths
        )
        let words = text.split(separator: "\0")
        return stride(from: 0, to: words.count - 1, by: 2).map { index in
            let facts = words[index].dropFirst().split(separator: " ")
            let isWhole = facts.count >= 4
            return Change(
                name: String(words[index + 1]),
                modes: isWhole ? Array(facts[..<2]) : [],
                hashes: isWhole ? facts[2..<4].map(String.init) : ["", ""]
            )
        }
    }

    /// - Parameter directory: what the name begins in, from the top of the repository.
    private mutating func add(_ change: Change, below directory: String = "") throws(DaybookError) {
        let name = directory + change.name
        let shown = shown(name)
        if change.isOfLink {
            let isTable = WrittenTable.isTable(named: name)
            let (was, now) = (try found(name, in: tree.commit), try foundLater(name))
            let isGone = change.modes[1] == "000000"
            var isFollowed = false
            if isTable { isFollowed = try follow(name, shown, was, isGone ? nil : now) }
            if !isFollowed { tables.links.append(shown) }
            return
        }
        guard !change.isOfSubmodule else { return tables.submodules.append(shown) }
        guard change.isOfFiles, WrittenTable.isTable(named: name) else {
            tables.others += 1
            return
        }
        switch (change.modes[0], change.modes[1]) {
        case ("000000", _): tables.came.append(shown)
        case (_, "000000"): tables.went.append(shown)
        default:
            let now = tree.later == nil ? "" : change.hashes[1]
            tables.pairs.append(try pair(name, shown, change.hashes[0], now))
        }
    }

    /// Writes what is compared, with the line ends and filters of the working tree.
    ///
    /// - Parameter now: the hash of the later file; empty for that of the working tree.
    private func pair(
        _ name: String,
        _ shown: String,
        _ was: String,
        _ now: String
    ) throws(DaybookError) -> TablePairs.Pair {
        let number = tables.pairs.count
        let after =
            now.isEmpty ? FilePath.canonical(FilePath.join(root, name)) : try write(now, name, "later-\(number)")
        let before = try write(was, name, "earlier-\(number)")
        return TablePairs.Pair(shown, WrittenTable(before), WrittenTable(after))
    }

    private func write(_ hash: String, _ name: String, _ place: String) throws(DaybookError) -> String {
        // The name says the format.
        let file = tree.directory.appendingPathComponent("\(place)-\(FilePath.name(of: name))")
        _ = try tree.output(of: ["cat-file", "--filters", "--path=\(name)", hash], to: file)
        return file.path
    }
}
