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
}
