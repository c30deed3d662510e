import Foundation

/// One whole run in a folder, whose name is the claim: `a-missing-column-is-refused`.
///
/// Beside `job.yaml` and its inputs stand, if wanted, `arguments` (one line; without it the job is run as of 2026-11-21)
/// and `expected/`: `exit`, `stderr`, `stdout` where it is not empty, and under `files/` each file that the run makes or
/// changes. Every other file must be after the run as it was before, and there must be no further ones but the state
/// directory.
public struct CaseFolder: Sendable, CustomStringConvertible {
    public let folder: URL

    public init(_ folder: URL) { self.folder = folder }

    public var description: String { folder.lastPathComponent }

    /// All cases in a directory, by name.
    public static func all(in directory: URL) -> [CaseFolder] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().map { CaseFolder(directory.appendingPathComponent($0)) }
    }

    /// Runs the case and gives what is wrong with it.
    public func failures() throws -> [String] { try failures(run: CaseFolder.ordinary) ?? [] }

    /// The same for the run cut into shards, which changes nothing; nil for a case that is no run, or none that can be cut.
    public func failures(inShards shards: Int) throws -> [String]? {
        try failures { arguments, place in try ShardTrial(shards, in: place).run(arguments) }
    }

    private func failures(run: (_ arguments: [String], _ place: URL) throws -> CommandTrial.Outcome?) throws
        -> [String]?
    {
        let place = try TemporaryDirectory()
        for (path, bytes) in try CaseFolder.files(in: folder) where !CaseFolder.isAboutTheCase(path) {
            try place.write(bytes, to: path)
        }
        let line =
            (try? String(contentsOf: folder.appendingPathComponent("arguments"), encoding: .utf8))
            ?? "run job.yaml --as-of 2026-11-21 --threads 2"
        return try CaseFolder.failures(
            of: line.split(whereSeparator: \.isWhitespace).map(String.init),
            in: place,
            expected: folder.appendingPathComponent("expected"),
            run: run
        )
    }

    private static func ordinary(_ arguments: [String], _ place: URL) throws -> CommandTrial.Outcome? {
        try CommandTrial(in: place).run(arguments)
    }

    private static func isAboutTheCase(_ path: String) -> Bool { path == "arguments" || path.hasPrefix("expected/") }

    /// Runs the command in `place` and holds everything that it did against `expected`.
    public static func failures(
        of arguments: [String],
        in place: TemporaryDirectory,
        expected: URL
    ) throws -> [String] {
        try failures(of: arguments, in: place, expected: expected, run: ordinary) ?? []
    }

    /// The same for a run that is cut into shards; nil where it cannot be.
    public static func failures(
        of arguments: [String],
        in place: TemporaryDirectory,
        expected: URL,
        shards: Int
    ) throws -> [String]? {
        try failures(of: arguments, in: place, expected: expected) { arguments, place in
            try ShardTrial(shards, in: place).run(arguments)
        }
    }

    private static func failures(
        of arguments: [String],
        in place: TemporaryDirectory,
        expected: URL,
        run: (_ arguments: [String], _ place: URL) throws -> CommandTrial.Outcome?
    ) throws -> [String]? {
        let before = try files(in: place.url)
        let outcome: CommandTrial.Outcome
        do {
            guard let done = try run(arguments, place.url) else { return nil }
            outcome = done
        } catch let shard as ShardTrial.Failure {
            return try failures(of: shard, expected: expected)
        }
        let after = try files(in: place.url).filter { !"/\($0.key)".contains("/.daybook/") }
        if Expectation.isRecording { try? FileManager.default.removeItem(at: expected) }
        var failures: [String?] = []
        failures.append(
            try Expectation.failure("\(outcome.status)\n", against: expected.appendingPathComponent("exit"))
        )
        failures.append(
            try Expectation.failure(
                Expectation.withoutTimes(outcome.errors),
                against: expected.appendingPathComponent("stderr")
            )
        )
        let output = expected.appendingPathComponent("stdout")
        if !outcome.output.isEmpty || FileManager.default.fileExists(atPath: output.path) {
            failures.append(try Expectation.failure(outcome.output, against: output))
        }
        let made = expected.appendingPathComponent("files")
        let awaited = try files(in: made)
        for (path, bytes) in after.sorted(by: { $0.key < $1.key }) where before[path] != bytes || awaited[path] != nil {
            failures.append(try Expectation.failure(bytes, against: made.appendingPathComponent(path)))
        }
        for path in Set(before.keys).union(awaited.keys).sorted() where after[path] == nil {
            failures.append("\(path): the run did not leave it there")
        }
        return failures.compactMap { $0 }
    }

    /// A shard ends as the whole run would, with an error that the run tells too; it has no ledger to show.
    private static func failures(of shard: ShardTrial.Failure, expected: URL) throws -> [String] {
        let exit = try String(contentsOf: expected.appendingPathComponent("exit"), encoding: .utf8)
        let errors = try String(contentsOf: expected.appendingPathComponent("stderr"), encoding: .utf8)
        let said = shard.outcome.errors.trimmingCharacters(in: .whitespacesAndNewlines)
        let isExpected = exit == "\(shard.outcome.status)\n" && !said.isEmpty && errors.contains(said)
        return isExpected ? [] : ["a shard ended with \(shard.outcome.status) and said: \(said)"]
    }

    /// All files under a directory, by their paths in it; none when there is no such directory.
    private static func files(in directory: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        // Links are left out: they lead to what a case shares with others.
        for path in FileManager.default.enumerator(atPath: directory.path)?.compactMap({ $0 as? String }) ?? [] {
            let url = directory.appendingPathComponent(path)
            let kind = try FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
            if kind == .typeRegular { files[path] = try Data(contentsOf: url) }
        }
        return files
    }
}
