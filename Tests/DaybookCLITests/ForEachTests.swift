import DaybookTestSupport
import Foundation
import Testing

/// A job for each of several places, and the directories that it copies.
@Suite struct ForEachTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        for (user, mood) in [("ann", "good"), ("b ob", "bad"), ("o'neil", "great")] {
            try place.write(
                "[{\"id\": 1, \"mood\": \"\(mood)\"}, {\"id\": 2, \"mood\": \"\(user)\"}]",
                to: "dumps/\(user)/moods.json"
            )
            try place.write("of \(user)", to: "dumps/\(user)/Library/deep/other.txt")
        }
        try place.write("no directory", to: "dumps/notes.txt")
    }

    private func run(_ job: String, _ arguments: String..., status: Int32 = 0) throws -> String {
        try place.write("daybook: 1\njob: j\n" + job, to: "job.yaml")
        let outcome = try command.run(["run", "job.yaml"] + arguments)
        #expect(outcome.status == status, "\(outcome.errors)")
        return Expectation.withoutTimes(outcome.errors)
    }

    private func names(_ directory: String) -> [String] {
        let path = place.url.appendingPathComponent(directory).path
        return ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private let moods = """
        for_each: { user: dumps/*/ }
        stages:
          - import_json: { path: "${user}/moods.json" }
            id: moods
          - export_json: { path: "out/${user:name}.json" }

        """

    @Test func eachPlaceHasTheStagesAndItsNameIsAColumn() throws {
        let said = try run(moods)
        #expect(names("out") == ["ann.json", "b ob.json", "o'neil.json"])
        #expect(place.text("out/ann.json")?.contains("\"user\":\"ann\"") == true, "\(place.text("out/ann.json") ?? "")")
        #expect(place.text("out/o'neil.json")?.contains("great") == true)
        #expect(place.text("out/o'neil.json")?.contains("ann") == false)
        // The ledger has one line for all copies of a stage.
        #expect(said.contains("each line is the sum of 3: ann, b ob and o'neil"), "\(said)")
        #expect(said.contains("moods         6    6"), "\(said)")
        let manifest = place.text(".daybook/manifests/j.json") ?? ""
        #expect(manifest.contains("\"moods@ann\""))
    }

    @Test func allOutputsAppearOrNone() throws {
        _ = try run(moods)
        let before = place.text("out/ann.json")
        try place.write("[{\"id\": 1, \"mood\": \"new\"}]", to: "dumps/ann/moods.json")
        try place.write("[{\"id\": 1, \"mood\": ", to: "dumps/o'neil/moods.json")
        let said = try run(moods, status: 1)
        #expect(said.contains("dumps/o'neil/moods.json:1"), "\(said)")
        #expect(place.text("out/ann.json") == before)
    }

    @Test func stagesForAllTogetherReadEveryCopy() throws {
        _ = try run(
            """
            for_each: { user: dumps/*/ }
            stages:
              - import_json: { path: "${user}/moods.json" }
              - filter_rows: { where: "id = 2" }
                id: second
              - export_json: { path: "out/${user:name}.json" }
              - union_rows:
                from: second
                once: true
              - select_columns: { columns: [user, mood] }
              - export_csv: { path: out/all.csv }

            """
        )
        #expect(place.text("out/all.csv") == "user,mood\nann,ann\nb ob,b ob\no'neil,o'neil\n")
        #expect(names("out").count == 4)
    }

    @Test func aStageThatIsThereOnceServesEachAsALookup() throws {
        try place.write("mood,points\ngood,1\nbad,-1\n", to: "points.csv")
        _ = try run(
            """
            for_each: { user: dumps/*/ }
            stages:
              - import_csv: { path: points.csv, columns: { points: integer } }
                id: points
                once: true
              - import_json: { path: "${user}/moods.json" }
                id: moods
              - join_rows: { by: [mood], kind: left }
                from: [moods, points]
              - export_csv: { path: "out/${user:name}.csv" }

            """
        )
        #expect(place.text("out/ann.csv")?.contains("1,good,ann,1\n") == true, "\(place.text("out/ann.csv") ?? "")")
        #expect(place.text("out/b ob.csv")?.contains("bad,b ob,-1\n") == true, "\(place.text("out/b ob.csv") ?? "")")
    }

    @Test func aContainerIsCopiedWithTheOutputsInIt() throws {
        let other = place.url.appendingPathComponent("dumps/ann/Library/deep/other.txt").path
        chmod(other, 0o640)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000)],
            ofItemAtPath: other
        )
        try FileManager.default.createSymbolicLink(atPath: other + ".link", withDestinationPath: "other.txt")
        try FileManager.default.createDirectory(
            at: place.url.appendingPathComponent("dumps/ann/empty"),
            withIntermediateDirectories: true
        )
        chmod(place.url.appendingPathComponent("dumps/ann/moods.json").path, 0o600)
        let job = """
            for_each: { user: dumps/*/ }
            container: { from: "${user}", to: out/ }
            stages:
              - import_json: { path: "${user}/moods.json" }
              - derive_columns: { columns: { mood: "upper(mood)" }, replace: true }
              - export_json: { path: "out/${user:name}/moods.json", unlisted: keep }

            """
        let said = try run(job)
        #expect(said.contains("copied 4 files, 22 bytes, of 3 containers beside the outputs"), "\(said)")
        let expected = [
            "Library", "Library/deep", "Library/deep/other.txt", "Library/deep/other.txt.link", "empty", "moods.json",
        ]
        #expect(names("out/ann") == expected)
        #expect(names("out/b ob") == ["Library", "Library/deep", "Library/deep/other.txt", "moods.json"])
        #expect(place.text("out/b ob/Library/deep/other.txt") == "of b ob")
        let moods = place.text("out/ann/moods.json") ?? ""
        #expect(moods.contains("GOOD") && !moods.contains("user"), "\(moods)")
        let copy = place.url.appendingPathComponent("out/ann/Library/deep/other.txt").path
        let kept = try FileManager.default.attributesOfItem(atPath: copy)
        #expect(kept[.posixPermissions] as? Int == 0o640)
        #expect(kept[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_000_000))
        let written = place.url.appendingPathComponent("out/ann/moods.json").path
        #expect(try FileManager.default.attributesOfItem(atPath: written)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: copy + ".link") == "other.txt")
        // Two more runs leave nothing of the first behind.
        _ = try run(job)
        _ = try run(job)
        let left = try FileManager.default.contentsOfDirectory(atPath: place.url.path).filter { $0.hasPrefix(".out.") }
        #expect(left.count == 2, "\(left)")
    }

    @Test func aContainerThatCannotBeCopiedLeavesEverythingAsItWas() throws {
        let job = """
            container: { from: dumps/ann, to: out/ }
            stages:
              - import_json: { path: dumps/ann/moods.json }
              - export_json: { path: out/ann/moods.json }

            """
        _ = try run(job)
        #expect(names("out/ann").contains("Library/deep/other.txt"))
        let pipe = place.url.appendingPathComponent("dumps/ann/pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let said = try run(job, status: 3)
        #expect(said.contains("dumps/ann/pipe': it is a socket, a pipe or a device [cannot-copy]"), "\(said)")
        let left = try FileManager.default.contentsOfDirectory(atPath: place.url.path).filter { $0.hasPrefix(".out.") }
        #expect(left.count == 1, "\(left)")
        #expect(names("out/ann").contains("Library/deep/other.txt"))
    }

    @Test(arguments: [
        ("for_each: { user: nobody/*/ }", 3, "no directory matches 'nobody/*/'"),
        ("for_each: { user: dumps/*/, b: x }", 2, "'for_each' gives one value, and 'b' is a second"),
        ("for_each: { job: dumps/*/ }", 2, "'job' has a value already, in every job"),
        ("for_each: dumps/*/", 2, "expected a name with a pattern, such as '{ user: dumps/*/ }', as 'for_each'"),
        ("for_each: { id: dumps/*/ }", 2, "no param 'user'"),
        ("for_each: { user: dumps/*/ }\ncontainer: { from: \"${user}\" }", 2, "'container' has no 'to'"),
        ("for_each: { user: dumps/*/ }\ncontainer: { from: \"${user}\", to: out }", 2, "lies in none"),
        (
            "for_each: { user: dumps/*/ }\ncontainer: { from: \"${user}\", to: out/all }", 2,
            "would both be copied to 'out/all'"
        ),
        ("for_each: { user: dumps/*/ }\ncontainer: { from: dumps, to: dumps/ann/ }", 2, "would be copied into itself"),
        ("", 2, "no param 'user'"),
    ])
    func whatCannotBeIsSaid(_ head: String, _ status: Int, _ message: String) throws {
        let stages = moods.split(separator: "\n").dropFirst().joined(separator: "\n")
        let said = try run("\(head)\n\(stages)\n", status: Int32(status))
        #expect(said.contains(message), "\(said)")
    }

    @Test func anOutputOfOnePathForEachIsRefusedWithAWayOut() throws {
        let said = try run(moods.replacingOccurrences(of: "${user:name}", with: "all"), status: 2)
        #expect(said.contains("two outputs go to 'out/all.json'"), "\(said)")
        let once = try run(
            """
            stages:
              - import_json: { path: dumps/ann/moods.json }
                once: true
              - export_json: { path: out/a.json }

            """,
            status: 2
        )
        #expect(once.contains("'once' is for jobs with 'for_each'"), "\(once)")
    }

    @Test func testsAndPreviewsNameTheStagesAsTheJobDoes() throws {
        try place.write(
            """
            daybook: 1
            \(moods)tests:
              - name: all come
                given: { moods: '[{"id": 5}]' }
                expect: { export_json: "id\\n5" }

            """,
            to: "job.yaml"
        )
        let tested = try command.run(["test", "job.yaml"])
        #expect(tested.status == 0, "\(tested.errors)\(tested.output)")
        let seen = try command.run(["preview", "job.yaml", "--stage", "moods", "--format", "csv"])
        #expect(seen.output == "id,mood,user\n1,good,ann\n2,ann,ann\n", "\(seen.errors)")
        let valid = try command.run(["validate", "job.yaml", "--data"])
        #expect(valid.output == "job.yaml: good, 2 stages, for each of 3, 1 test\n", "\(valid.errors)")
        let told = try command.run(["explain", "job.yaml"]).output
        #expect(told.contains("for each place of 'dumps/*/', 3 today, shown for 'dumps/ann'"), "\(told)")
    }

    @Test func placesThatAreNotThereAreNamedByEveryCommandThatReads() throws {
        try place.write("daybook: 1\n" + moods.replacingOccurrences(of: "dumps/*/", with: "nobody/*/"), to: "job.yaml")
        for command in [
            ["run", "job.yaml"], ["validate", "job.yaml", "--data"], ["preview", "job.yaml", "--stage", "moods"],
            ["run", "job.yaml", "--dry-run"],
        ] {
            let outcome = try self.command.run(command)
            #expect(outcome.status == 3, "\(command): \(outcome.errors)")
            #expect(outcome.errors.contains("no directory matches 'nobody/*/'"), "\(command): \(outcome.errors)")
        }
    }

    @Test func moreOutputsThanFilesThatMayBeOpenAtFirst() throws {
        for number in 0..<100 { try place.write("[{\"id\": \(number)}]", to: "dumps/u\(number)/moods.json") }
        try place.write("daybook: 1\njob: j\n" + moods, to: "job.yaml")
        let outcome = try command.shell("ulimit -S -n 64; exec $DAYBOOK run job.yaml --quiet")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(names("out").count == 103)
    }

    @Test func aContainerMayBeALinkToADirectory() throws {
        let link = place.url.appendingPathComponent("dumps/link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "ann")
        _ = try run(
            """
            container: { from: dumps/link, to: out/ }
            stages:
              - import_json: { path: dumps/link/moods.json }
              - export_json: { path: out/link/moods.json }

            """
        )
        #expect(place.text("out/link/Library/deep/other.txt") == "of ann")
    }
}
