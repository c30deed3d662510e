import DaybookHistory
import DaybookStandard
import DaybookTestSupport
import Synchronization
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine

/// Files in memory, as an object store would give them: no directories of their own, and a version for each.
private final class MemoryFiles: InputOrigin {
    private struct File {
        var text: String
        var version: Int
    }

    private let files = Mutex<[String: File]>([:])

    func put(_ text: String, at path: String) {
        files.withLock { $0[path] = File(text: text, version: ($0[path]?.version ?? 0) + 1) }
    }

    func list(_ directory: String) throws(SystemFailure) -> [DirectoryListing.Entry] {
        let prefix = directory.hasSuffix("/") ? directory : directory + "/"
        let below = files.withLock { $0.keys.filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) } }
        return Set(below.map { $0.split(separator: "/") }.map(\.[0])).map { name in
            DirectoryListing.Entry(
                name: String(name),
                kind: below.contains(name) ? .file : .directory,
                isText: true
            )
        }
    }

    func identity(of path: String, followingLinks: Bool) throws(SystemFailure) -> InputIdentity? {
        files.withLock { files in
            files[path].map {
                InputIdentity(.file, size: $0.text.utf8.count, .version(InputVersion(.etag, "\($0.version)")))
            }
        }
    }

    func open(_ path: String, from offset: Int) throws(SystemFailure) -> any InputBytes {
        guard let file = files.withLock({ $0[path] }) else { throw SystemFailure(ENOENT) }
        return Open(self, path, Array(file.text.utf8), offset)
    }

    func canonical(_ path: String) -> String { path }

    func birth(of path: String) -> Int64? { nil }

    private final class Open: InputBytes {
        private let origin: MemoryFiles
        private let path: String
        private let content: [UInt8]
        private var place: Int

        init(_ origin: MemoryFiles, _ path: String, _ content: [UInt8], _ offset: Int) {
            (self.origin, self.path, self.content, place) = (origin, path, content, offset)
        }

        func identity() throws(SystemFailure) -> InputIdentity {
            guard let found = try origin.identity(of: path, followingLinks: true) else { throw SystemFailure(ENOENT) }
            return found
        }

        func read(_ count: Int, into bytes: Bytes, _ isCancelled: () -> Bool) -> Int {
            let part = content[place...].prefix(min(count, 64))
            bytes.append(part)
            place += part.count
            return part.count
        }

        func bytes(_ range: Range<Int>) -> Bytes? {
            guard content.indices.contains(range.upperBound - 1) else { return nil }
            let bytes = Bytes(capacity: range.count)
            bytes.append(content[range])
            return bytes
        }
    }
}

@Suite struct InputOriginTests {
    private let scratch = Scratch()
    private let files = MemoryFiles()

    /// Runs a job over the files in memory.
    private func run(_ intake: String = "", taken: IngestedFiles? = nil, threads: Int = 2) throws -> RunOutcome {
        let text = """
            daybook: 1
            job: origins
            stages:
              - import_csv: { path: 'in/**/*.csv'\(intake) }
              - check_rows: { rules: [unique: id] }
              - export_csv: { path: \(scratch["out.csv"]) }

            """
        let table = StageTable.builtIn
        let job = try JobParser(stageNames: table.names, environment: { _ in nil }).job(
            Array(text.utf8),
            file: "o.yaml"
        )
        var settings = RunSettings(
            threads: threads,
            directory: "store:",
            state: StateDirectory(scratch["state"]),
            morselSize: 64
        )
        (settings.origin, settings.ingested) = (files, taken)
        return Runner(try Plan(job, table: table, asOf: CalendarDay(number: 0)), settings).run()
    }

    private func put() {
        files.put("id,name\n" + (1...40).map { "\($0),one\n" }.joined(), at: "store:/in/a.csv")
        files.put("id,name\n" + (41...60).map { "\($0),two\n" }.joined(), at: "store:/in/deep/b.csv")
        files.put("no table", at: "store:/in/notes.txt")
    }

    @Test func `files of another origin are found by patterns and read`() throws {
        put()
        let outcome = try run()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(outcome.inputs.map(\.path) == ["in/a.csv", "in/deep/b.csv"])
        #expect(outcome.ledger.map(\.rowsIn) == [60, 60, 60])
        #expect(scratch.read("out.csv")?.split(separator: "\n").count == 61)
    }

    @Test func `a late finding shows the record, read from its origin once more`() throws {
        put()
        files.put("id,name\n7,three\n", at: "store:/in/c.csv")
        let outcome = try run()
        #expect(outcome.exitCode == 1)
        let finding = try #require(outcome.findings.first)
        #expect(finding.source == "in/c.csv" && finding.line == 2 && finding.value == "7")
    }

    @Test func `a file that was taken is known again, and another content is not`() throws {
        put()
        var taken = IngestedFiles(mask: SecretMask([]), ofJob: "store:/job.yaml")
        for input in try run(", new_only: true").inputs {
            taken.add(path: input.path, bytes: input.bytes, xxh128: try #require(input.digest).xxh128, run: nil)
        }
        let options = ", new_only: true, redelivery: { other_bytes: redo }"
        #expect(try run(options, taken: taken).intakes.map(\.taken) == [2])
        files.put("id,name\n" + (61...80).map { "\($0),two\n" }.joined(), at: "store:/in/deep/b.csv")
        let later = try run(options, taken: taken)
        #expect(later.intakes.map(\.taken) == [1] && later.ledger[0].rowsIn == 20)
    }

    @Test func `a version that changes while it is read stops the run`() throws {
        put()
        let input = try PathPattern("in/a.csv", from: "store:", in: files).expand()[0]
        let source = FileSource(input, isCancelled: { false })
        let bytes = Bytes()
        _ = try source.read(10, into: bytes)
        files.put("id,name\n1,other\n", at: "store:/in/a.csv")
        let error = refusal { () throws(DaybookError) in while try source.read(64, into: bytes) > 0 {} }
        #expect(error.code == "input-changed")
    }
}
