import DaybookContracts
import Foundation
import Testing

@testable import WordbookStages

/// What a run adds to a shelf comes with its files or not at all, also where it is killed.
@Suite struct ShelfTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "shelf-\(UUID().uuidString)")
    private var shelf: String { folder.appending(path: "shelf").path }

    init() throws { try FileManager.default.createDirectory(atPath: shelf, withIntermediateDirectories: true) }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: shelf) }
    }

    @Test("what one job adds, another reads, and its manifest tells at which state")
    func roundTrip() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let wordbook = Wordbook(in: folder)
        try wordbook.write("word\napple\npear\n", to: "words.csv")
        try wordbook.write(
            "daybook: 1\njob: add\nstages:\n  - import_csv: { path: words.csv }\n  - add_to_shelf: { shelf: \(shelf) }\n",
            to: "add.yaml"
        )
        try wordbook.write(
            "daybook: 1\njob: read\nstages:\n  - read_shelf: { shelf: \(shelf) }\n  - export_csv: { path: out.csv }\n",
            to: "read.yaml"
        )
        let added = try wordbook("run", "add.yaml")
        #expect(added.code == 0, "\(added.errors)")
        #expect(added.errors.contains("wrote 2 rows to '\(shelf)'"), "\(added.errors)")
        let read = try wordbook("run", "read.yaml", "--manifest", "manifest.json")
        #expect(read.code == 0, "\(read.errors)")
        #expect(wordbook.read("out.csv") == "word\napple\npear\n")
        let manifest = try #require(wordbook.read("manifest.json"))
        let inputs = (try JSONSerialization.jsonObject(with: Data(manifest.utf8)) as? [String: Any])?["inputs"]
        let version = (inputs as? [[String: Any]])?.first?["version"] as? [String: String]
        #expect(version == ["kind": "snapshot", "token": "1"])
        #expect(try wordbook("verify", "manifest.json").code == 0)
    }

    @Test("a state that was read is not read again")
    func newOnly() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let wordbook = Wordbook(in: folder)
        try "apple\n".write(toFile: "\(shelf)/1", atomically: true, encoding: .utf8)
        try wordbook.write(
            "daybook: 1\njob: read\nstages:\n  - read_shelf: { shelf: \(shelf), new_only: true }\n  - export_csv: { path: out.csv }\n",
            to: "read.yaml"
        )
        #expect(try wordbook("run", "read.yaml").code == 0)
        #expect(wordbook.read("out.csv") == "word\napple\n")
        #expect(try wordbook("run", "read.yaml").errors.contains("found nothing new"))
        try "pear\n".write(toFile: "\(shelf)/2", atomically: true, encoding: .utf8)
        #expect(try wordbook("run", "read.yaml").code == 0)
        #expect(wordbook.read("out.csv") == "word\napple\npear\n")
    }

    @Test("a gate that fails leaves the shelf as it was")
    func gate() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let wordbook = Wordbook(in: folder)
        try wordbook.write("word\napple\n\"two\nlines\"\n", to: "words.csv")
        try wordbook.write(
            "daybook: 1\njob: add\nstages:\n  - import_csv: { path: words.csv }\n  - add_to_shelf: { shelf: \(shelf) }\n",
            to: "add.yaml"
        )
        let answer = try wordbook("run", "add.yaml")
        #expect(answer.code == 1)
        #expect(answer.errors.contains("[no-line]"))
        #expect(try names == [])
    }

    @Test("after a kill the shelf says whether it has committed")
    func outcome() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let lost = Shelf.Addition(to: shelf)
        try lost.prepare()
        #expect(Shelf.service.outcome(of: lost.reference) == .failed("it was not committed"))
        #expect(lost.commit() != .done)
        let kept = Shelf.Addition(to: shelf)
        try kept.prepare()
        #expect(kept.commit() == .done)
        #expect(Shelf.service.outcome(of: kept.reference) == .done)
        let elsewhere = ParticipantReference(service: "shelf", role: .deciding, address: "\(shelf)/no", token: "t")
        guard case .unknown = Shelf.service.outcome(of: elsewhere) else {
            Issue.record("a shelf that is not there has said something")
            return
        }
    }
}
