import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// Containers in zip archives: read, changed and written as archives again.
@Suite struct ZipContainerTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func zip(_ name: String, _ files: [(String, Data)]) throws {
        let path = place.url.appendingPathComponent(name).path
        try place.write("", to: name)
        var writer = ZipWriter(try Descriptor(opening: path, O_WRONLY | O_TRUNC))
        for (name, bytes) in files {
            let source = try place.write(bytes, to: "source").path
            try writer.add(try Descriptor(opening: source, O_RDONLY), named: name)
        }
        try writer.finish()
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("source"))
    }

    private func bytes(_ path: String) throws -> Data {
        let file = try Descriptor(opening: place.url.appendingPathComponent(path).path, O_RDONLY)
        return Data(try file.readAll(upTo: 1 << 24).array)
    }

    private func run(_ arguments: String..., status: Int32 = 0) throws -> String {
        let outcome = try command.run(arguments)
        #expect(outcome.status == status, "\(outcome.errors)")
        return Expectation.withoutTimes(outcome.errors)
    }

    /// A mood tracker's backup: an archive with pictures, and one file of base64 that is JSON with seven arrays.
    private func backup(_ name: String, mood: String) throws -> Data {
        var arrays = (1...6).map { "\"list\($0)\":[{\"id\":\($0),\"createdAt\":17723304000\($0)0,\"name\":\"n\"}]" }
        arrays.append(
            "\"dayEntries\":[{\"id\":1,\"mood\":2,\"note\":\"\(mood)\"},{\"id\":2,\"mood\":5,\"note\":\"b\",\"tags\":[1]}]"
        )
        let json = Data("{\"version\":15,\(arrays.joined(separator: ",")),\"pin\":\"\"}".utf8)
        try zip(name, [("assets/photo.jpg", Data([1, 2, 3, 0])), ("backup.daylio", json.base64EncodedData())])
        return json
    }

    @Test func aBackupComesBackWithOneFieldChanged() throws {
        let before = try backup("moods.daylio", mood: "a")
        let said = try run("guess", "moods.daylio", "-o", "job.yaml")
        let job = try #require(place.text("job.yaml"))
        #expect(said.contains("found records in 7 places of 1 file"), "\(said)\n\(job)")
        #expect(job.contains("for_each: { user: dumps/*.zip }"), "\(job)")
        _ = try run("run", "job.yaml")
        #expect(try bytes("out/moods.daylio/assets/photo.jpg") == Data([1, 2, 3, 0]))
        #expect(try Data(base64Encoded: bytes("out/moods.daylio/backup.daylio")) == before)
        // One line more.
        let export = try #require(
            job.range(of: "  - export_user_defaults:", range: job.range(of: "dayEntries")!.upperBound..<job.endIndex)
        )
        let edited = job.replacingCharacters(
            in: export,
            with: "  - derive_columns: { columns: { note: \"upper(note)\" }, replace: true }\n  - export_user_defaults:"
        )
        try place.write(edited, to: "job.yaml")
        _ = try run("run", "job.yaml")
        let after = try #require(Data(base64Encoded: bytes("out/moods.daylio/backup.daylio")))
        let expected = String(decoding: before, as: UTF8.self).replacing("\"a\"", with: "\"A\"").replacing(
            "\"b\"",
            with: "\"B\""
        )
        #expect(String(decoding: after, as: UTF8.self) == expected)
    }

    @Test func eachArchiveIsWrittenAsOne() throws {
        for user in ["ann", "bob"] {
            let store = try PropertyListSerialization.data(
                fromPropertyList: ["items": [["id": 1, "of": user]], "token": Data([1])],
                format: .binary,
                options: 0
            )
            try zip(
                "dumps/\(user).zip",
                [
                    ("Library/Preferences/a.plist", store), ("Documents/x/notes.txt", Data(user.utf8)),
                    ("Documents/moods.json", Data("[{\"id\":1,\"mood\":\"\(user)\",\"more\":{\"a\":1}}]".utf8)),
                ]
            )
        }
        try place.write(
            """
            daybook: 1
            job: j
            for_each: { user: dumps/*.zip }
            container: { from: "${user}", to: out/ }
            stages:
              - import_json: { path: "${user}/Documents/moods.json" }
              - derive_columns: { columns: { mood: "upper(mood)" }, replace: true }
              - export_json: { path: "out/${user:name}/Documents/moods.json", nest: true, unlisted: keep }
              - select_columns: { columns: [id, mood] }
              - export_csv: { path: "out/${user:name}/Documents/new/moods.csv" }
              - import_user_defaults: { path: "${user}/Library/Preferences/a.plist", key: items }
              - derive_columns: { columns: { id: "id + 1" }, replace: true }
              - export_user_defaults:
                  path: "out/${user:name}/Library/Preferences/a.plist"
                  into: "${user}/Library/Preferences/a.plist"
                  key: items

            """,
            to: "job.yaml"
        )
        let dry = try run("run", "job.yaml", "--dry-run")
        #expect(dry.contains("out/ann.zip/Documents/moods.json"), "\(dry)")
        for round in 1...3 {
            let said = try run("run", "job.yaml")
            #expect(said.contains("out/ann.zip/Documents/moods.json"), "\(said)")
            for user in ["ann", "bob"] {
                let zip = "out/\(user).zip"
                #expect(try FileStatus.of(place.url.appendingPathComponent(zip).path)?.isRegularFile == true)
                #expect(
                    try String(decoding: bytes("\(zip)/Documents/moods.json"), as: UTF8.self).filter {
                        !$0.isWhitespace
                    }
                        == "[{\"id\":1,\"mood\":\"\(user.uppercased())\",\"more\":{\"a\":1}}]"
                )
                #expect(try String(decoding: bytes("\(zip)/Documents/x/notes.txt"), as: UTF8.self) == user)
                #expect(
                    try String(decoding: bytes("\(zip)/Documents/new/moods.csv"), as: UTF8.self)
                        == "id,mood\n1,\(user.uppercased())\n"
                )
                let list = try PropertyListSerialization.propertyList(
                    from: bytes("\(zip)/Library/Preferences/a.plist"),
                    format: nil
                )
                #expect((list as? [String: Any])?["token"] as? Data == Data([1]))
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: place.url.path).filter {
                $0.hasPrefix(".out.")
            }
            #expect(names.count == min(round, 2), "\(names)")
        }
        // The same files make the same bytes.
        let first = try bytes("out/ann.zip")
        _ = try run("run", "job.yaml")
        #expect(try bytes("out/ann.zip") == first)
        let verified = try command.run("verify", ".daybook/manifests/j.json")
        #expect(verified.output.hasSuffix("comes out the same: 6 outputs, every byte\n"), "\(verified)")
    }

    @Test func whatAnArchiveCannotHoldIsRefused() throws {
        try zip("a.zip", [("a", Data("no directory".utf8)), ("./b.json", Data("[{\"id\":1}]".utf8))])
        let job = { (path: String) in
            """
            daybook: 1
            job: j
            container: { from: a.zip, to: out/ }
            stages:
              - import_json: { path: a.zip/b.json }
              - export_json: { path: out/a.zip/\(path) }

            """
        }
        try place.write(job("a/c.json"), to: "job.yaml")
        #expect(try run("run", "job.yaml", status: 3).contains("its zip archive has 'a' twice"))
        #expect(!FileManager.default.fileExists(atPath: place.url.appendingPathComponent("out").path))
        let left = try FileManager.default.contentsOfDirectory(atPath: place.url.path).filter { $0.hasPrefix(".out") }
        #expect(left.isEmpty, "\(left)")
        // An entry that some programs write with a dot in front is replaced and not doubled.
        try place.write(job("b.json"), to: "job.yaml")
        _ = try run("run", "job.yaml")
        #expect(try String(decoding: bytes("out/a.zip/b.json"), as: UTF8.self) == "[\n{\"id\":1}\n]\n")
        #expect(
            try DirectoryListing.names(in: place.url.appendingPathComponent("out/a.zip").path).sorted() == [
                "a", "b.json",
            ]
        )
        // The first file is encrypted, as its record says.
        var locked = try Data(contentsOf: place.url.appendingPathComponent("a.zip"))
        let record = try #require(locked.range(of: Data([0x50, 0x4B, 1, 2])))
        locked[record.lowerBound + 8] |= 1
        try place.write(locked, to: "a.zip")
        #expect(try run("run", "job.yaml", status: 3).contains("'a' in it is encrypted"))
    }

    @Test func storesInArchivesAreRead() throws {
        let store = place.url.appendingPathComponent("a.sqlite")
        try SQLStore.write(
            "CREATE TABLE t (id INTEGER, word TEXT); INSERT INTO t VALUES (1, 'one'), (2, NULL);",
            to: store
        )
        try zip("a.zip", [("Documents/a.sqlite", try Data(contentsOf: store))])
        try place.write(
            """
            daybook: 1
            job: j
            stages:
              - import_sqlite: { path: a.zip/Documents/a.sqlite, table: t }
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        _ = try run("run", "job.yaml")
        #expect(place.text("out.csv") == "id,word\n1,one\n2,\n")
    }

    @Test func mistakesAreTold() throws {
        try zip("a.zip", [("a.csv", Data("id\n1\n".utf8))])
        let job = { (path: String) in
            """
            daybook: 1
            job: j
            stages:
              - import_csv: { path: \(path) }
              - export_csv: { path: out.csv }

            """
        }
        try place.write(job("a.zip/b.csv"), to: "job.yaml")
        #expect(try run("run", "job.yaml", status: 3).contains("there is no file 'a.zip/b.csv'"))
        try place.write(job("a.zip"), to: "job.yaml")
        let said = try run("run", "job.yaml", status: 3)
        #expect(said.contains("a ZIP archive or a spreadsheet") && said.contains("'backup.zip/data.json'"), "\(said)")
        var damaged = try Data(contentsOf: place.url.appendingPathComponent("a.zip"))
        damaged[40] ^= 1
        try place.write(damaged, to: "damaged.zip")
        try place.write(job("damaged.zip/a.csv"), to: "job.yaml")
        #expect(try run("run", "job.yaml", status: 3).contains("its zip archive is damaged"))
        try place.write(job("a.zip/a.csv").replacing("path: out.csv", with: "path: a.zip/b.csv"), to: "job.yaml")
        #expect(try run("run", "job.yaml", status: 3).contains("cannot write 'a.zip/b.csv'"))
    }
}
