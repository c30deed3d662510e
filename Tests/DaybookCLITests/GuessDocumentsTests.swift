import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// What `daybook guess` and runs say of documents that can be read in part, or are no documents.
@Suite struct GuessDocumentsTests: GuessingSuite {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    @Test func arraysBehindTheHeadAreFoundToo() throws {
        let entries = (0..<60_000).map { "{\"id\": \($0), \"mood\": \"good\"}" }.joined(separator: ",\n")
        try place.write(
            "{\"entries\": [\(entries)], \"notes\": [\(entries)], \"tags\": [{\"id\": 1}]}",
            to: "backup.json"
        )
        let outcome = try command.run("guess", "backup.json")
        let job = outcome.output.replacing(#/\n *# /#, with: " ")
        #expect(job.contains("records: /entries") && job.contains("'/tags' (1 record)"), "\(job)")
        #expect(
            job.contains(
                "'notes' is left out: the first 1,048,576 bytes of backup.json, in which 'records' has to begin, do not hold '/notes'; "
                    + "take the records out first: jq -c '.[\"notes\"][]' FILE > records.ndjson"
            ),
            "\(job)"
        )
        #expect(outcome.errors.contains("'notes' is left out"), "\(outcome.errors)")
    }

    /// What `defaults read` prints for people, pasted as a dump.
    @Test(arguments: [
        "{\n    a = 1;\n    b = {length = 9, bytes = 0x5b7b ... 7d5d };\n}\n", "(\n    {\n        id = 1;\n    }\n)\n",
    ])
    func aPrintOfDefaultsIsNamed(_ text: String) throws {
        try place.write(text, to: "dump.json")
        try place.write(
            "daybook: 1\nstages:\n  - import_json: { path: dump.json }\n  - export_csv: { path: out.csv }\n",
            to: "job.yaml"
        )
        let run = try command.run("run", "job.yaml")
        #expect(run.status == 1 && run.errors.contains("as 'defaults read' prints it"), "\(run.errors)")
        #expect(run.errors.contains("defaults export DOMAIN -"), "\(run.errors)")
        guard text.contains("length") else { return }
        let guess = try command.run("guess", "dump.json")
        #expect(guess.status != 0 && guess.errors.contains("plutil -convert xml1"), "\(guess.errors)")
    }

    @Test func `records under keys may differ from the first`() throws {
        let records = (0..<100).map {
            "\"m\($0)\": {\"max\": \($0), \"cost\": \($0).5\($0 % 7 == 0 ? ", \"mode\": \"chat\"" : "")}"
        }
        try place.write(
            "{\"sample\": {\"note\": \"x\", \"see\": \"y\"},\n\(records.joined(separator: ",\n"))}",
            to: "map.json"
        )
        let outcome = try command.run("guess", "map.json")
        #expect(outcome.output.contains("each_key: key") && outcome.output.contains("101 rows"), "\(outcome.errors)")
    }

    @Test(arguments: ["", "\n"]) func `records under keys are found in a line longer than the head`(_ end: String)
        throws
    {
        let records = (0..<14_000).map { "\"k\($0)\":{\"id\":\($0),\"name\":\"\(String(repeating: "n", count: 60))\"}" }
        try place.write("{\(records.joined(separator: ","))}\(end)", to: "map.json")
        let outcome = try command.run("guess", "map.json")
        #expect(
            outcome.output.contains("each_key: key") && outcome.output.contains("14,000 rows, 3 columns"),
            "\(outcome.errors)"
        )
    }

    @Test func recordsUnderKeysAreRows() throws {
        try place.write(
            #"{"base":"EUR","rates":{"2026-03-01":{"KRW":1571.2,"USD":1.1},"2026-03-02":{"KRW":1569,"USD":1.2}}}"#,
            to: "rates.json"
        )
        _ = try command.run(["guess", "rates.json", "-o", "job.yaml"], ending: 0)
        let job = try #require(place.text("job.yaml"))
        #expect(job.contains("at: /rates") && job.contains("each_key: day") && job.contains("'/base'"), "\(job)")
        _ = try command.run(["run", "job.yaml"], ending: 0)
        #expect(
            try #require(place.text("out/rates.csv")) == "day,KRW,USD\n2026-03-01,1571.2,1.1\n2026-03-02,1569,1.2\n"
        )
        for text in [
            #"{"ui":{"dark":true},"net":{"dark":false}}"#, #"{"a":1,"b":2,"c":3}"#, #"{"a":{},"b":{},"c":{}}"#,
        ] {
            try place.write(text, to: "settings.json")
            let plain = try command.run("guess", "settings.json").output
            #expect(!plain.contains("each_key"), "\(plain)")
        }
    }

    @Test func theValuesOfUserDefaultsAreLookedInto() throws {
        let text = #"""
            {"todos": "{\"version\":2,\"items\":[{\"id\":1,\"title\":\"milk\"},{\"id\":2}]}", "counts": "[\"good\",3,\"bad\",1]",
             "diary": {"2026-03-01": {"mood": "good"}, "2026-03-02": {"mood": "bad"}}, "one": "{\"size\":3}"}
            """#
        try place.write(text, to: "dump.json")
        _ = try command.run(["guess", "dump.json", "-o", "job.yaml"], ending: 0)
        let job = try #require(place.text("job.yaml"))
        #expect(job.contains("records: /items") && job.contains("'/version'"), "\(job)")
        _ = try command.run(["run", "job.yaml"], ending: 0)
        #expect(try #require(place.text("out/todos.csv")) == "id,title\n1,milk\n2,\n")
        #expect(try #require(place.text("out/counts.csv")) == "key,value\ngood,3\nbad,1\n")
        #expect(try #require(place.text("out/diary.csv")) == "day,mood\n2026-03-01,good\n2026-03-02,bad\n")
        #expect(try #require(place.text("out/one.csv")) == "size\n3\n")
    }
}
