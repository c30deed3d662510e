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

    @Test func `no part of a secret stands in a hint`() throws {
        var command = command
        command.environment["API_KEY"] = "first-half/second-half"
        try write("url: http")
        for arguments in [["run"], ["run", "--report", "json=report.json"], ["explain"]] {
            let outcome = try command.run(arguments + ["job.yaml"])
            #expect(!(outcome.output + outcome.errors).contains("half"), "\(outcome.output)\(outcome.errors)")
        }
        #expect(try command.run("run", "job.yaml").errors.contains("there is no file 'in-••••.csv'"))
        #expect(try !#require(place.text("report.json")).contains("half"))
        #expect(try !#require(place.text(".daybook/manifests/job.json")).contains("half"))
    }

    @Test func theNameOfAParamIsEnough() throws {
        try write("url: http, sort_key: date")
        #expect(try command.run("explain", "job.yaml").output.contains("  sort_key  ••••\n"))
        try write("url: http, sort_key: { default: date, secret: false }")
        #expect(try command.run("explain", "job.yaml").output.contains("  sort_key  date\n"))
    }

    /// As `json.dumps` of Python and `json_encode` of PHP write what is no ASCII, in keys and in values.
    @Test func `escapes of JSON hide no secret from the mask`() throws {
        var command = command
        command.environment["API_KEY"] = "Schlüssel/9876"
        try place.write(
            #"""
            {"id":1,"n":1,"t":"Schl\u00fcssel\/9876","colour":"#102030"}
            {"id":2,"n":"x","t":"Schl\u00FCssel/98\u00376","colour":"#102030"}
            {"id":3,"n":3,"t":"none","colour":"my Schl\u00fcssel\/9876"}
            {"id":4,"n":4,"t":{"Schl\u00fcssel\/9876":["Schl\u00fcssel\/9876"]},"colour":"red"}
            {"id":5,"n":5,"t":"Schl\u00fcssel\/9876","colour":"#102030",}

            """#,
            to: "in.ndjson"
        )
        try place.write(
            """
            daybook: 1
            params: { key: "${env:API_KEY}" }
            rejects: { path: rejects.ndjson }
            stages:
              - import_json: { path: in.ndjson, columns: { n: integer } }
              - filter_rows: { where: "'${key}' is not missing" }
              - validate_hex_colours: { column: colour }
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        let forms = ["json=r.json", "sarif=r.sarif", "html=r.html", "mail=r.eml", "junit=r.xml", "text"]
        let run = try command.run(["run", "job.yaml"] + forms.flatMap { ["--report", $0] })
        #expect(run.status == 1)
        let files = try ["r.json", "r.sarif", "r.html", "r.eml", "r.xml", "rejects.ndjson"].map {
            try #require(place.text($0))
        }
        for text in [run.errors] + files {
            #expect(!text.contains("Schl") && !text.contains("ssel"), "\(text)")
            // A mail has its text in base64 or in quoted-printable.
            #expect(text.contains("••••") || text.contains("=E2=80=A2"), "\(text)")
        }
        #expect(run.errors.contains(##" | {"id":2,"n":"x","t":"••••","colour":"#102030"}"##), "\(run.errors)")
        #expect(files[0].contains("\"value\" : \"my ••••\""), "\(files[0])")
    }

    @Test func theHelpExplainsIt() throws {
        let help = try command.run("help", "job").output
        #expect(help.contains("'secret: true'") && help.contains("secret: false }"))
        #expect(help.contains("password, secret, token, key or credential"))
    }
}
