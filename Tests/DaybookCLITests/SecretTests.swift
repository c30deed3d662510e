import DaybookTestSupport
import Foundation
import Testing

/// What a name calls a secret is shown nowhere, unless the job says that it is none.
@Suite struct SecretTests {
    let place: TemporaryDirectory
    var command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        command.environment = ["DB_PASSWORD": "correct-horse", "API_KEY": "battery-staple"]
        try place.write("id,colour\n1,correct-horse\n2,battery-staple\n", to: "in-battery-staple.csv")
    }

    private func write(_ params: String) throws {
        try place.write(
            """
            daybook: 1
            params: { \(params) }
            rejects: { path: rejects.ndjson }
            stages:
              - import_csv: { path: "in-${env:API_KEY}.csv" }
              - filter_rows: { where: "id is not missing and '${url}' is not missing" }
              - validate_hex_colours: { column: colour }
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
    }

    private func told() throws -> [String] {
        let run = try command.run("run", "job.yaml", "--report", "json=report.json", "--report", "text")
        #expect(run.status == 1)
        let explained = try command.run("explain", "job.yaml").output
        let json = try command.run("explain", "job.yaml", "--format", "json").output
        let files = try ["report.json", ".daybook/manifests/job.json", "rejects.ndjson"].map {
            try #require(place.text($0))
        }
        return [run.errors, explained, json] + files
    }

    @Test func namesMakeSecrets() throws {
        try write("url: \"http://u:${env:DB_PASSWORD}@host\"")
        for text in try told() {
            #expect(text.contains("••••") && !text.contains("horse") && !text.contains("staple"), "\(text)")
        }
        #expect(try command.run("explain", "job.yaml").output.contains("  url  http://u:••••@host\n"))
    }

    @Test func aParamMaySayThatItIsNone() throws {
        try write("url: { default: \"http://u:${env:DB_PASSWORD}@host\", secret: false }")
        for text in try told() { #expect(!text.contains("staple")) }
        #expect(try command.run("explain", "job.yaml").output.contains("  url  http://u:correct-horse@host\n"))
    }

    @Test func theNameOfAParamIsEnough() throws {
        try write("url: http, sort_key: date")
        #expect(try command.run("explain", "job.yaml").output.contains("  sort_key  ••••\n"))
        try write("url: http, sort_key: { default: date, secret: false }")
        #expect(try command.run("explain", "job.yaml").output.contains("  sort_key  date\n"))
    }

    @Test func theHelpExplainsIt() throws {
        let help = try command.run("help", "job").output
        #expect(help.contains("'secret: true'") && help.contains("secret: false }"))
        #expect(help.contains("password, secret, token, key or credential"))
    }
}
