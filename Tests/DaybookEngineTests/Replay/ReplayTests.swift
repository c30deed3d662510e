import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// Rejects that go through their job again, from files of several kinds.
@Suite struct ReplayTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func write(_ job: String) throws { try place.write("daybook: 1\njob: j\n\(job)", to: "job.yaml") }

    /// Runs the job, corrects its rejects, and replays them.
    private func replay(_ corrections: [(String, String)], into: String = "again", _ more: String...) throws
        -> CommandTrial.Outcome
    {
        let run = try command.run("run", "job.yaml", "--as-of", "2026-11-21")
        #expect(run.status == 0, "\(run.errors)")
        var rejects = place.text("rejects.ndjson") ?? ""
        for (old, new) in corrections {
            #expect(rejects.contains(old))
            rejects = rejects.replacing(old, with: new)
        }
        try place.write(rejects, to: "rejects.ndjson")
        return try command.run(["replay", "rejects.ndjson", "--job", "job.yaml", "--into", into] + more)
    }

    @Test func recordsOfAJSONArrayHaveTheColumnsOfTheirFile() throws {
        try place.write(
            #"{"v": 1, "list": [{"id": 1, "d": "2026-01-01", "n": {"x": 1.5}}, {"id": 2, "d": "soon", "n": {"x": 2}},"#
                + "\n" + #" {"id": "three"}]}"#,
            to: "in.json"
        )
        try write(
            """
            rejects: { path: rejects.ndjson, allow: 90% }
            stages:
              - import_json: { path: in.json, records: /list, columns: { id: integer } }
              - normalise_dates: { column: d, formats: [iso] }
              - export_csv: { path: out.csv }
            """
        )
        let outcome = try replay([(#"\"d\": \"soon\""#, #"\"d\": \"2026-02-03\""#), (#"\"three\""#, "3")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(place.text("again/out.csv") == "id,d,n.x\n2,2026-02-03,2\n3,,\n")
        #expect(place.text("again/rejects.ndjson") == "")
    }

    @Test(
        "a page leaves out what it shows of inputs from which no row comes again",
        arguments: [
            "sections: [{ from: days }, { from: others }]\n  measures: [{ title: All, value: count(), from: others }]",
            "sections: { days: The days, others: The others }",
        ]
    )
    func pagesOfSeveralInputs(_ shown: String) throws {
        try place.write("id,d\n1,2026-01-01\n2,soon\n", to: "in.csv")
        try place.write("id\n7\n", to: "other.csv")
        try write(
            """
            rejects: { path: rejects.ndjson, allow: 90% }
            stages:
              - import_csv: { path: in.csv }
              - normalise_dates: { column: d, formats: [iso] }
                id: days
              - import_csv: { path: other.csv }
                id: others
              - export_html:
                  path: out.html
                  \(shown.replacing("\n  ", with: "\n      "))
                from: [days, others]
            """
        )
        let outcome = try replay([("2,soon", "2,2026-01-02")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(place.text("again/out.html")?.contains("2026-01-02") == true)
    }

    @Test func recordsOfAPropertyListAreFoundByTheirKey() throws {
        try place.write(
            ##"{"A": "[{\"id\":1,\"c\":\"red\"}]", "B": "[{\"id\":2,\"c\":\"#FFD54F\"}]"}"##,
            to: "dump.json"
        )
        try write(
            """
            rejects: { path: rejects.ndjson }
            stages:
              - import_user_defaults: { path: dump.json, key: A }
              - validate_hex_colours: { column: c }
                rejects: { allow: 100% }
              - export_json: { path: out.json }
            """
        )
        let outcome = try replay([(#"\"c\":\"red\""#, ##"\"c\":\"#FF0000\""##)])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(place.text("again/out.json")?.contains("#FF0000") == true, "\(outcome.errors)")
    }

    @Test func whatIsFoundAfterAFoldStillTellsTheCell() throws {
        try place.write("id,date,emotion\n1,2026-01-02,happy\n2,2026-01-01,행복해\n", to: "in.csv")
        try write(
            """
            rejects: { path: rejects.ndjson, allow: 90% }
            stages:
              - import_csv: { path: in.csv }
              - normalise_dates: { column: date, formats: [iso] }
              - sort_rows: { by: date }
              - validate_hex_colours: { column: emotion, invalid: clear }
              - summarise_monthly_emotions: { date: date, emotion: emotion }
              - export_csv: { path: out.csv }
            """
        )
        try place.write(
            #"{"stage":"normalise_dates","source":"in.csv","line":2,"original":"3,2026-01-04,\"\"\"x\"\"\""}"# + "\n\n"
                + #"  {"original":"4,2026-01-03,y","stage":"normalise_dates","source":"in.csv"}"#,
            to: "rejects.ndjson"
        )
        let outcome = try command.run(
            "replay",
            "rejects.ndjson",
            "--job",
            "job.yaml",
            "--into",
            "again",
            "--report",
            "json=findings.json"
        )
        let findings = place.text("findings.json") ?? ""
        // Sorted by date, so the last line comes first; each is told at its cell.
        #expect(outcome.errors.contains("rejects.ndjson:3:29"), "\(outcome.errors)")
        #expect(outcome.errors.contains("rejects.ndjson:1:80"), "\(outcome.errors)")
        #expect(findings.contains(#""line":1"#) || findings.contains(#""line" : 1"#))
    }

    /// A record of four elements, of which three are rejected, and one whose only element is.
    private func writeNested() throws {
        try place.write(
            ##"{"id":1,"tags":["#FFFFFF","red","bad","off"]}"## + "\n" + ##"{"id":2,"tags":["red"]}"## + "\n",
            to: "in.ndjson"
        )
        try write(
            """
            rejects: { path: rejects.ndjson, allow: 90% }
            stages:
              - import_json: { path: in.ndjson }
              - explode_rows: { column: tags, kind: text }
              - validate_hex_colours: { column: tags }
              - export_csv: { path: out.csv }
            """
        )
    }

    @Test("a record with several rejected rows is replayed once", arguments: [1, 2])
    func recordsOfSeveralRows(times: Int) throws {
        try writeNested()
        let corrections = [
            (##"[\"red\"]"##, ##"[\"#000000\"]"##), (##"\"red\",\"bad\",\"off\""##, ##"\"#111111\",\"bad\""##),
        ]
        var outcome = try replay(corrections)
        #expect(place.text("again/out.csv") == "id,tags\n1,#FFFFFF\n1,#111111\n2,#000000\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("2 lines are about records of lines above"), "\(outcome.errors)")
        #expect(outcome.errors.contains("a record may reach 'validate_hex_colours' as several rows"))
        let once = (place.text("again/rejects.ndjson") ?? "").replacing("bad", with: "#222222")
        #expect(once.split(separator: "\n").count == 1)
        // A line that is replayed for the second time tells its record as well.
        try place.write(String(repeating: once, count: times), to: "again/rejects.ndjson")
        outcome = try command.run("replay", "again/rejects.ndjson", "--job", "job.yaml", "--into", "third")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(place.text("third/out.csv") == "id,tags\n1,#FFFFFF\n1,#111111\n1,#222222\n")
    }

    @Test func `a record that came by two ways is replayed once`() throws {
        try place.write("id,d\n1,soon\n2,2026-01-01\n", to: "in.csv")
        try write(
            """
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_csv: { path: in.csv }
                id: all
              - derive_columns: { way: "'a'" }
                id: a
              - derive_columns: { way: "'b'" }
                id: b
                from: all
              - union_rows:
                from: [a, b]
              - normalise_dates: { column: d, formats: [iso] }
              - export_csv: { path: out.csv }
            """
        )
        let outcome = try replay([("1,soon", "1,2026-01-03")])
        #expect(place.text("again/out.csv") == "id,d,way\n1,2026-01-03,a\n1,2026-01-03,b\n", "\(outcome.errors)")
    }

    @Test func `a branch that had a record the first time does not get it again`() throws {
        try place.write("id,a,b\n1,2024-01-01,bad\n", to: "in.csv")
        try write(
            """
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_csv: { path: in.csv }
                id: all
              - derive_columns: { d: a }
              - normalise_dates: { column: d, formats: [iso] }
                id: l
              - derive_columns: { d: b }
                from: all
              - normalise_dates: { column: d, formats: [iso] }
                id: r
                rejects: { allow: 100% }
              - union_rows:
                from: [l, r]
              - export_csv: { path: out.csv }
            """
        )
        let outcome = try replay([("01,bad", "01,2024-01-02")])
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("rows of 'all' also come by 'l', which had them the first time"))
    }

    @Test func `a long record of several rows is replayed once more`() throws {
        let long = String(repeating: "x", count: 5_000)
        try place.write("id,a,b,c\n1,soon,later,\(long)\n", to: "in.csv")
        try write(
            """
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_csv: { path: in.csv }
              - unpivot_rows: { columns: [a, b], keep: [id], value: d }
              - normalise_dates: { column: d, formats: [iso] }
                rejects: { allow: 100% }
              - export_csv: { path: out.csv }
            """
        )
        var outcome = try replay([])
        #expect(place.text("rejects.ndjson")?.components(separatedBy: long).count == 2)
        #expect(place.text("again/rejects.ndjson")?.split(separator: "\n").count == 2, "\(outcome.errors)")
        outcome = try command.run("replay", "again/rejects.ndjson", "--job", "job.yaml", "--into", "third")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(place.text("third/rejects.ndjson")?.split(separator: "\n").count == 2)
    }

    @Test func `lines of one record that were corrected unlike are refused`() throws {
        try writeNested()
        _ = try command.run("run", "job.yaml")
        var lines = (place.text("rejects.ndjson") ?? "").split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        lines[1] = lines[1].replacing(##"\"red\""##, with: ##"\"#333333\""##)
        try place.write(lines.joined(separator: "\n"), to: "rejects.ndjson")
        var outcome = try command.run("replay", "rejects.ndjson", "--job", "job.yaml", "--into", "again")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("line 1 is about the same record, and its 'original' is another"))
        // Without what tells the record, a line with the same bytes may be about it.
        let plain = lines.map {
            $0.replacing(#/,"record_byte":[0-9]+/#, with: "").replacing(
                #/"byte":[0-9]+,"pointer":[^,]+/#,
                with: #""pointer":"/0/t""#
            )
        }
        try place.write([plain[0], plain[2], plain[3]].joined(separator: "\n"), to: "rejects.ndjson")
        outcome = try command.run("replay", "rejects.ndjson", "--job", "job.yaml", "--into", "again")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("rejects.ndjson:2:"), "\(outcome.errors)")
        #expect(outcome.errors.contains("may be about the record of line 1"), "\(outcome.errors)")
    }

    @Test func aReplayOfAReplayFindsTheFirstHeader() throws {
        try place.write("id;date\n1;x\n2;2026-01-01\n", to: "in.csv")
        try write(
            """
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_csv: { path: in.csv, delimiter: ";" }
              - normalise_dates: { column: date, formats: [iso] }
              - export_csv: { path: out.csv }
            """
        )
        #expect(try replay([("1;x\"", "1;y\"")]).status == 0)
        let second = (place.text("again/rejects.ndjson") ?? "").replacing("1;y\"", with: "1;2026-01-02\"")
        try place.write(second, to: "again/rejects.ndjson")
        let outcome = try command.run("replay", "again/rejects.ndjson", "--job", "job.yaml", "--into", "third")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(place.text("third/out.csv") == "id,date\n1,2026-01-02\n")
    }

    @Test func aLineStandsForOneRecord() throws {
        try place.write("id,date\n1,x\n", to: "in.csv")
        try write(
            """
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_csv: { path: in.csv, comment: "#" }
              - normalise_dates: { column: date, formats: [iso] }
              - export_csv: { path: out.csv }
            """
        )
        let originals = ["", "# none", #"1,2026-01-01\n2,2026-01-02"#, #"1,\"a\nb\""#, "1,2026-01-01"]
        try place.write(
            originals.map { #"{"stage":"import_csv","source":"in.csv","original":"\#($0)"}"# }.joined(separator: "\n"),
            to: "rejects.ndjson"
        )
        let outcome = try command.run("replay", "rejects.ndjson", "--job", "job.yaml", "--into", "again")
        #expect(
            outcome.errors.contains("rejects.ndjson:1:53: error: 'original' holds no record [not-one-record]"),
            "\(outcome.errors)"
        )
        #expect(outcome.errors.contains("rejects.ndjson:2:53: error: 'original' holds no record [not-one-record]"))
        #expect(
            outcome.errors.contains("rejects.ndjson:3:53: error: 'original' holds 2 records, and a line stands for one")
        )
        #expect(outcome.errors.contains("rejects.ndjson:4:55: error: 'a␊b' is not a date"))
        #expect(place.text("again/out.csv") == "id,date\n1,2026-01-01\n")
        #expect(outcome.errors.contains("5 rows read, every one accounted for"))
    }

    @Test func aHeaderIsNotARecord() throws {
        try place.write("id,date\n1,x\n", to: "in.csv")
        try write(
            """
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_csv: { path: in.csv, repeated_header: skip }
              - export_csv: { path: out.csv }
            """
        )
        try place.write(#"{"stage":"import_csv","source":"in.csv","original":"id,date"}"#, to: "rejects.ndjson")
        let outcome = try command.run("replay", "rejects.ndjson", "--job", "job.yaml", "--into", "again")
        #expect(
            outcome.errors.contains("'original' is the header, and no record [not-one-record]"),
            "\(outcome.errors)"
        )
    }

    @Test func aMaskedRecordIsNotTakenForTheRecord() throws {
        try place.write("id,date\n1,opensesame\n", to: "in.csv")
        try write(
            """
            params: { word: { default: opensesame, secret: true } }
            rejects: { path: rejects.ndjson }
            stages:
              - import_csv: { path: in.csv }
              - normalise_dates: { column: date, formats: [iso] }
                rejects: { allow: 100% }
              - export_csv: { path: out.csv }
            """
        )
        let outcome = try replay([])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("a secret was masked in 'original'"), "\(outcome.errors)")
    }

    @Test func streamsAndDirectoriesAreRefused() throws {
        try write("stages:\n  - import_csv: { path: in.csv }\n")
        for (rejects, status) in [("-", 2), (".", 3), ("none.ndjson", 3), ("/dev/null", 2)] {
            let outcome = try command.run("replay", rejects, "--job", "job.yaml", "--into", "again")
            #expect(outcome.status == Int32(status), "\(rejects): \(outcome.errors)")
        }
        try place.write("", to: "empty.ndjson")
        let outcome = try command.run("replay", "empty.ndjson", "--job", "job.yaml", "--into", "again")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("'empty.ndjson' holds no rejects [nothing-to-replay]"))
    }
}
