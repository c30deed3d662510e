import DaybookStandard
import Foundation
import Synchronization
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookDiscover
@testable import DaybookEngine

/// How far a run has come is told in bytes of the files as they lie on the disk, however they are compressed.
@Suite struct InputProgressTests {
    private let scratch = Scratch()
    /// Numbers that no compression makes small, so that there is something to read.
    private let table: String
    private let count = 20_000

    init() {
        var state: UInt64 = 7
        var table = "id,value\n"
        for id in 0..<count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            table += "\(id),\(state >> 11)\n"
        }
        self.table = table
    }

    /// What was told from the beginning to the end of a run, or of a profile.
    private final class Told: Sendable {
        private let all = Mutex<[RunSettings.Progress]>([])

        func note(_ progress: RunSettings.Progress) { all.withLock { $0.append(progress) } }
        var bytes: [Int] { all.withLock { $0.map(\.bytes) } }
        var totals: Set<Int?> { all.withLock { Set($0.map(\.total)) } }
    }

    private func size(_ name: String) throws -> Int {
        try #require(try FileStatus.of(scratch[name])).size
    }

    private func run(_ stages: String, _ told: Told) throws -> RunOutcome {
        let text = "daybook: 1\nstages:\n\(stages)  - export_csv: { path: out.csv }\n"
        let job = try JobParser { _ in nil }.job(Array(text.utf8), file: "job.yaml")
        let settings = RunSettings(
            threads: 2,
            directory: scratch.path,
            state: StateDirectory(scratch["state"]),
            morselSize: 16 << 10,
            onProgress: told.note
        )
        return Runner(try Plan(job, table: .builtIn, asOf: CalendarDay(number: 0)), settings).run()
    }

    /// The bytes rise from nearly nothing to the total, which is known from the beginning.
    private func expectRise(_ told: Told, to total: Int, steps: Int) {
        #expect(told.totals == [total])
        let bytes = told.bytes
        #expect(bytes == bytes.sorted())
        #expect(Set(bytes).count >= steps, "\(bytes)")
        #expect(bytes.first.map { 2 * $0 < total } == true, "\(bytes)")
        #expect(bytes.last == total)
    }

    private static let compressed: [(String, @Sendable (String) -> [UInt8])] = [
        ("gz", { Compressing.gzip($0) }),
        // Several frames one after the other, as parallel compressors write them.
        (
            "zst",
            { text in
                let middle = text.utf8.index(text.startIndex, offsetBy: text.utf8.count / 2)
                return Compressing.zstd(String(text[..<middle])) + Compressing.zstd(String(text[middle...]))
            }
        ),
    ]

    @Test(arguments: compressed.indices)
    func `a compressed input is told by the bytes of its file`(_ index: Int) throws {
        let (ending, compress) = InputProgressTests.compressed[index]
        let name = "in.csv.\(ending)"
        scratch.write(name, compress(table))
        let told = Told()
        let outcome = try run("  - import_csv: { path: \(name) }\n", told)
        #expect(outcome.errors.isEmpty && outcome.ledger.first?.rowsIn == count)
        // It is not only so as whole files go by: the file is shorter than what a decompressor takes at once.
        expectRise(told, to: try size(name), steps: 3)
        #expect(outcome.inputs.map(\.bytes) == [try size(name)])
    }

    @Test func `compressed and plain inputs add up`() throws {
        let latin = "id,value\n" + (0..<count).map { "\($0),é\($0)\n" }.joined()
        scratch.write("in-1.csv", Compressing.gzip(table))
        scratch.write("in-2.csv", [0xEF, 0xBB, 0xBF] + Array(table.utf8))
        scratch.write("in-3.csv", Compressing.zstd(table))
        scratch.write("in-4.csv", "id,value\n")
        scratch.write("in-5.csv", latin.unicodeScalars.map { UInt8($0.value) })
        let sizes = try (1...5).map { try size("in-\($0).csv") }
        let told = Told()
        let outcome = try run(
            """
              - id: latin
                import_csv: { path: in-5.csv, encoding: windows-1252, columns: { value: text } }
              - id: other
                import_csv: { path: "in-[1-4].csv", columns: { value: text } }
              - union_rows:
                from: [latin, other]

            """,
            told
        )
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        expectRise(told, to: sizes.reduce(0, +), steps: 40)
        #expect(outcome.inputs.map(\.bytes).sorted() == sizes.sorted())
    }

    @Test func `a file that is taken apart is told by how much of its rows was read`() throws {
        let rows = (0..<2_000).map { "<dict><key>n</key><integer>\($0)</integer></dict>" }.joined()
        scratch.write(
            "in.plist",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>few</key><array/>\
            <key>many</key><array>\(rows)</array></dict></plist>
            """
        )
        let told = Told()
        let outcome = try run("  - import_user_defaults: { path: in.plist, key: [few, many] }\n", told)
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        expectRise(told, to: try size("in.plist"), steps: 2)
    }

    @Test func `a profile tells the bytes of all its files`() throws {
        scratch.write("in-1.csv.gz", Compressing.gzip(table))
        scratch.write("in-2.csv", table)
        let told = Told()
        let profile = Profile(
            table: .builtIn,
            names: [],
            directory: scratch.path,
            threads: 2,
            isCancelled: { false },
            onProgress: told.note
        )
        _ = try profile.report(on: [scratch["in-1.csv.gz"], scratch["in-2.csv"]])
        let total = try size("in-1.csv.gz") + size("in-2.csv")
        #expect(told.totals == [total])
        #expect(told.bytes == told.bytes.sorted() && told.bytes.last == total)
    }

    @Test func `what is fed by a pipe has no total`() throws {
        let path = scratch["in.csv"]
        try #require(mkfifo(path, 0o600) == 0)
        let bytes = Compressing.gzip(table)
        scratch.write("in.csv.gz", bytes)
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = ["-c", "cat '\(path).gz' > '\(path)'"]
        try writer.run()
        defer { writer.waitUntilExit() }
        let told = Told()
        let outcome = try run("  - import_csv: { path: in.csv }\n", told)
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(told.totals == [nil])
        #expect(told.bytes.last == bytes.count)
    }
}
