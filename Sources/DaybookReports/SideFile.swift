import DaybookBytes
import DaybookEngine

/// A file that the command line asks for beside the outputs of the job: a manifest, a report, a baseline or a plan.
public struct SideFile: Sendable {
    /// The option that names it, such as `--manifest`.
    public var option: String
    /// `-` of a report is standard output.
    public var path: String

    public init(option: String, path: String) { (self.option, self.path) = (option, path) }

    public var isReport: Bool { option != "--manifest" && option != "--baseline" }
    private var isStandardOutput: Bool { isReport && path == "-" }

    /// Those of `files` that must not be written, each with the reason: they would replace the job, an input, an output
    /// or each other, or they cannot be written at all.
    ///
    /// - Parameters:
    ///   - plan: Nil when something is wrong with the job; then every path that it writes down counts.
    ///   - others: more files that must stay, and what they are.
    public static func refused(
        _ files: [SideFile],
        _ job: Job?,
        _ plan: Plan?,
        jobFile: String,
        besides others: [(path: String, what: String)] = []
    ) -> [(file: SideFile, error: DaybookError)] {
        guard !files.isEmpty else { return [] }
        var taken: [String: String] = [:]
        let directory = JobFile.directory(of: jobFile)
        func take(_ path: String, _ what: String) {
            let key = path == "-" ? path : FilePath.canonical(path)
            if taken[key] == nil { taken[key] = what }
        }
        if jobFile != "-" { take(jobFile, "the job file") }
        for other in others { take(other.path, other.what) }
        if let file = FilePath.standardInput { take(file, "what standard input is read from") }
        if let plan {
            for input in plan.inputPaths(in: directory) where !input.isStandardInput {
                take(input.path, "an input of the job")
            }
            for output in plan.outputPaths {
                let isStandard = output.text == "-"
                take(
                    isStandard ? "-" : FilePath.join(directory, output.text),
                    isStandard ? "the job" : "an output of the job"
                )
            }
        } else if let job {
            for path in job.writtenPaths {
                let found = (try? PathPattern(path, from: directory).expand()) ?? []
                for file in found where !file.isStandardInput { take(file.path, "a file of the job") }
                take(path == "-" ? path : FilePath.join(directory, path), path == "-" ? "the job" : "a file of the job")
            }
        }
        for path in (job ?? plan?.job)?.namedFiles(in: directory) ?? [] { take(path, "a file that the job names") }
        let published = (plan?.job ?? job)?.publish.map { publish in
            let link = Publication.link(of: publish, from: directory)
            return (name: publish.text, heads: [link + "/", FilePath.canonical(link) + "/"])
        }
        var refused: [(file: SideFile, error: DaybookError)] = []
        for file in files {
            do throws(DaybookError) {
                try file.check(against: taken)
                if let published { try file.check(outside: published.name, published.heads) }
                if !file.isStandardOutput { try ReportFile.check(file.path) }
                if file.isStandardOutput {
                    take("-", "'\(file.option)'")
                } else if !file.isStream {
                    take(file.path, "the file of '\(file.option)'")
                }
            } catch { refused.append((file, error)) }
        }
        return refused
    }

    /// What is not an output would vanish with the next run.
    private func check(outside directory: String, _ heads: [String]) throws(DaybookError) {
        let place = FilePath.canonical(path)
        guard !isStream, heads.contains(where: place.hasPrefix) else { return }
        let message = "'\(option)' would write '\(path)' into '\(directory)', which the job publishes anew"
        throw DaybookError("output-inside", message, hint: "name a file elsewhere")
    }

    private func check(against taken: [String: String]) throws(DaybookError) {
        if isStandardOutput {
            guard let other = taken["-"] else { return }
            let hint = "send the report to a file, or to standard error with '\(option)'"
            throw DaybookError("output-twice", "'\(option)' and \(other) both write to standard output", hint: hint)
        }
        if var problem = OutputName.foreignPlace(path, "the file of '\(option)'") {
            // What a job fills in is not filled in on a command line.
            if path.hasPrefix("~") || path.hasPrefix("$") {
                problem.hint = "the shell has not filled it in; write it out"
            }
            throw problem
        }
        // Directories are there already, whatever they are called; a baseline is read as well.
        if option != "--baseline", let name = path.split(separator: "/").last,
            let problem = OutputName.problem(String(name), "the file of '\(option)'")
        {
            throw problem
        }
        guard !isStream, let other = taken[FilePath.canonical(path)] else { return }
        // A baseline may only be read.
        let does = option == "--baseline" ? "names" : "would write over"
        let message = "'\(option)' \(does) '\(path)', which is \(other)"
        throw DaybookError("output-twice", message, hint: "name a file of its own")
    }

    /// A pipe or a device takes what several write to it.
    private var isStream: Bool { isStandardOutput || (try? FileStatus.of(path))??.isStream == true }
}

extension Job {
    /// The files that options name beside inputs and outputs, such as schemas, models and what 'diff' compares with.
    fileprivate func namedFiles(in directory: String) -> [String] {
        var (texts, open) = (diff?.against.map { [$0.text] } ?? [], stages.flatMap(\.options).map(\.value))
        while let node = open.popLast() {
            switch node.content {
            case .text(let text, _): texts.append(text)
            case .list(let nodes): open += nodes
            case .map(let entries): open += entries.map(\.value)
            case .nothing: break
            }
        }
        return texts.filter { !$0.isEmpty && $0.utf8.count < 4096 && !$0.contains("\n") }
            .map { FilePath.join(directory, $0) }.filter { (try? FileStatus.of($0))??.isRegularFile == true }
    }

    /// Every text under a `path` of the job: what may be an input or an output of a job that cannot be planned.
    fileprivate var writtenPaths: [String] {
        var paths = stages.compactMap { $0.rejects?.path?.text }
        if let path = rejects?.path { paths.append(path.text) }
        for entry in stages.flatMap(\.options) where entry.key == "path" {
            switch entry.value.content {
            case .text(let text, _): paths.append(text)
            case .list(let nodes): paths += nodes.compactMap(\.text)
            case .map, .nothing: break
            }
        }
        return paths
    }
}

/// Writes what is told about a run to a file that the command line names.
public enum ReportFile {
    /// Finds out whether `write` could do its work, and leaves everything as it is.
    package static func check(_ path: String) throws(DaybookError) {
        do throws(SystemFailure) {
            if let found = try FileStatus.of(path) {
                if found.isDirectory { throw SystemFailure(EISDIR) }
                if found.isStream {
                    guard access(path, W_OK) == 0 else { throw .last }
                    return
                }
                // A rename would replace a file that its owner has protected.
                guard access(path, W_OK) == 0 else { throw .last }
            }
            // Only making the file tells: a superuser may write anywhere, and still not on a read-only disk. Directories
            // that are missing are made when there is something to put into them.
            let real = FilePath.canonical(path)
            let trial = temporary(for: OutputTarget.missingDirectories(above: real).first ?? real)
            _ = try Descriptor(opening: trial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            unlink(trial)
        } catch { throw .cannotWrite(path, error) }
    }

    /// The same for a file that must be none of those that are read.
    public static func check(_ path: String, against inputs: [String]) throws(DaybookError) {
        try check(path)
        let target = FilePath.canonical(path)
        for input in inputs {
            let files = (try? PathPattern(input).expand()) ?? []
            guard files.contains(where: { FilePath.canonical($0.path) == target }) else { continue }
            throw DaybookError("output-is-input", "'\(path)' is also read", hint: "write to another path")
        }
    }

    /// Replaces the file as a whole; a pipe or a device gets the bytes as they are.
    ///
    /// - Parameter isCancelled: Ends a wait for the reader of a pipe.
    public static func write(
        _ bytes: Bytes,
        to path: String,
        isCancelled: () -> Bool = { false }
    ) throws(DaybookError) {
        do throws(SystemFailure) {
            if let found = try FileStatus.of(path) {
                if found.isDirectory { throw SystemFailure(EISDIR) }
                if found.isStream {
                    let stream = try WaitingStream.open(path, isCancelled: isCancelled) {}
                    return try stream.writeAll(bytes, isCancelled: isCancelled)
                }
            }
            let real = FilePath.canonical(path)
            try OutputTarget.makeDirectories(above: real)
            try WholeFile.replace(real, with: bytes, by: temporary(for: real))
        } catch {
            if error.number == EPIPE { return }
            throw .cannotWrite(path, error)
        }
    }

    /// Adds to the end of a file that others write to as well, in one piece.
    public static func add(_ appendix: ReportAppendix) throws(DaybookError) {
        do throws(SystemFailure) {
            let file = try Descriptor(opening: appendix.file, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_NONBLOCK)
            let status = try file.status()
            if status.isDirectory { throw SystemFailure(EISDIR) }
            let size = status.isRegularFile ? status.size : 0
            let fitting = [appendix.text, appendix.brief].first { size + $0.utf8.count <= appendix.limit }
            if let fitting { try file.writeAll(Bytes(fitting)) }
        } catch { throw .cannotWrite(appendix.file, error) }
    }

    /// A name beside `path` that nobody else uses.
    private static func temporary(for path: String) -> String {
        FilePath.join(FilePath.directory(of: path), ".daybook-report-\(getpid())")
    }
}

/// Text that a form of report adds to a file which others write to as well.
public struct ReportAppendix: Sendable {
    public var file: String
    var text: String
    /// The text to add where the whole would be too much.
    var brief: String
    /// How large the file may become, in bytes; nothing is added that would make it larger.
    var limit: Int
}
