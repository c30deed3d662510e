import DaybookTestSupport
import Foundation

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookJobTools
@testable import DaybookValues

/// What Daybook wrote itself, and what a hand, a merge or a fault may have made of it.
extension FuzzTarget {
    static let state = [
        FuzzTarget("reject", readRejects), FuzzTarget("baseline", readBaseline), FuzzTarget("journal", readJournal),
    ]

    private static func readRejects(_ bytes: [UInt8]) throws {
        for line in bytes.split(separator: 10) {
            let complaint = Array(line).withUnsafeBufferPointer(complaint)
            try promise(complaint == nil, complaint ?? "")
        }
    }

    /// What is wrong with how one line was read or refused.
    private static func complaint(_ line: UnsafeBufferPointer<UInt8>) -> String? {
        do throws(RejectRecord.Fault) {
            let record = try RejectRecord(line, number: 1, offset: 0)
            guard let copy = record.holder.copy else { return nil }
            let places = (0...min(record.original.count, 50)).map { copy.place(of: $0) }
            return places.allSatisfy { $0.line == 1 && $0.byte <= line.count } ? nil : "a place outside: \(places)"
        } catch {
            // A column lies in its line, or right behind it.
            return (1...line.count + 1).contains(error.column) ? nil : "\(error.message) at \(error.column)"
        }
    }

    private static let directory: TemporaryDirectory = {
        do { return try TemporaryDirectory() } catch { fatalError("no directory: \(error)") }
    }()

    private static func readBaseline(_ bytes: [UInt8]) throws {
        let file = try directory.write(Data(bytes), to: "baseline.json")
        let baseline = try Baseline(readingFile: file.path)
        // It is written as it is read.
        let written = baseline.bytes.array
        try directory.write(Data(written), to: "again.json")
        let again = try Baseline(readingFile: directory.url.appendingPathComponent("again.json").path)
        try promise(again.bytes.array == written, "a baseline is not read as it was written")
    }

    private static let run = RunID("20261121T054700Z-8f3a91c2")!

    /// The lines of a journal, once as they are and once with the head and the sum that they should have.
    private static func readJournal(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        _ = RunFile.notes(in: text)
        _ = Journal(text, of: run)
        let body = "daybook-journal 1 \(run)\n" + text + (text.isEmpty || text.hasSuffix("\n") ? "" : "\n")
        guard let journal = Journal(body + "sha256 \(SHA256Digest.of(body))\n", of: run) else { return }
        for rename in journal.renames {
            try promise(run.owns(FilePath.name(of: rename.temporary)), "a file of somebody else: \(rename)")
            try promise(
                FilePath.directory(of: rename.temporary) == FilePath.directory(of: rename.target),
                "from one directory into another: \(rename)"
            )
        }
        try promise(Journal(journal.text, of: run) == journal, "a journal is not read as it was written")
    }
}
