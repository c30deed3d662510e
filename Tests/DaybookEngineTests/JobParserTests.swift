import Testing

@testable import DaybookContracts
@testable import DaybookEngine

@Suite struct JobParserTests {
    @Test func theJobOfTheDesignIsReadWhole() throws {
        let text = """
            job: nightly-report                         # what it is called
            timezone: Asia/Seoul
            as_of: 2026-11-21
            params:
              diary: { default: ../samples/*.csv, help: Diary exports to read }
            rejects: { path: ../out/rejects.ndjson, allow: 0 }
            stages:
              - import_csv: { path: "${diary}" }
                id: entries
              - normalise_dates: { column: date, formats: [iso, "yyyy년 M월 d일"] }
                rejects: { allow: 1% }
              - validate_hex_colours: { column: colour }
                id: clean
              - export_csv: { path: ../out/monthly.csv }
              - count_d_days: { days: date, anchor: as_of }
                from: clean
              - export_csv: { path: ../out/d-days.csv }
              - export_json:
                from: [clean.rejects, count_d_days, export_csv_1]

            """
        let reading = job(text)
        #expect(reading.problems.isEmpty)
        let job = try #require(reading.job)
        #expect(job.name == "nightly-report")
        #expect(job.timezone == "Asia/Seoul")
        #expect(job.asOf == .day(CalendarDay(year: 2026, month: 11, day: 21)!))
        #expect(job.params.map(\.value) == ["../samples/*.csv"])
        #expect(job.params[0].help == "Diary exports to read")
        #expect(job.rejects?.path?.text == "../out/rejects.ndjson")
        #expect(job.rejects?.allow == .count(0))
        #expect(job.source == Array("daybook: 1\n\(text)".utf8))
        #expect(
            job.stages.map(\.id) == [
                "entries", "normalise_dates", "clean", "export_csv_1", "count_d_days", "export_csv_2", "export_json",
            ]
        )
        #expect(flat(job.stages[0].options[0].value) == "../samples/*.csv")
        #expect(job.stages[0].options[0].value.place == place(9, 25, 10))
        #expect(job.stages[1].rejects?.allow == .share(parts: 1, of: 100))
        #expect(job.stages[1].typePlace == place(11, 5, 15))
        #expect(job.stages[4].from == [StageReference(id: "clean", port: .rows, place: place(17, 11, 5))])
        #expect(
            job.stages[6].from.map { "\($0.id) \($0.port)" } == [
                "clean rejects", "count_d_days rows", "export_csv_1 rows",
            ]
        )
        #expect(job.stages[6].options.isEmpty)
    }

    private func place(_ line: Int, _ column: Int, _ length: Int) -> SourcePlace {
        SourcePlace(file: "jobs/nightly.yaml", line: line, column: column, length: length)
    }

    @Test func everythingButVersionAndStagesHasADefault() throws {
        let job = try #require(job("stages: [{ a: }]").job)
        #expect(job.name == "nightly")
        #expect(job.timezone == nil)
        #expect(job.asOf == .today)
        #expect(job.rejects == nil)
        #expect(job.stages.map(\.type) == ["a"])
    }

    @Test(
        "the engine's keys are checked one by one",
        arguments: [
            ("jbo: x", "2:1 a job has no key 'jbo' [unknown-key] (did you mean 'job'?)"),
            (
                "x: 1",
                "2:1 a job has no key 'x' [unknown-key] (its keys are daybook, job, timezone, as_of, params, state, keep, catch_up, after, wait_for, rejects, publish, diff, notify, for_each, container, stages, tests)"
            ),
            ("job: [x]", "2:6 expected a name of one line as 'job', found a list [wrong-type]"),
            (
                "as_of: 2026-02-30",
                "2:8 '2026-02-30' is not a day of the calendar [wrong-type]"
            ),
            (
                "timezone: Asia/Soul",
                "2:11 'timezone': no time zone 'Asia/Soul' [unknown-timezone] (did you mean 'Asia/Seoul'?)"
            ),
            ("timezone: KST", "2:11 'timezone': no time zone 'KST' [unknown-timezone] (did you mean 'Asia/Seoul'?)"),
            (
                "timezone: +09:00",
                "2:11 'timezone': no time zone '+09:00' [unknown-timezone] (name the zone, such as Asia/Seoul: "
                    + "an offset alone does not know of summer time)"
            ),
            ("rejects: 5", "2:10 expected a map with the keys path, allow, found '5' [wrong-type]"),
            ("rejects: { alow: 1 }", "2:12 rejects has no key 'alow' [unknown-key] (did you mean 'allow'?)"),
            (
                "rejects: { allow: 012 }",
                "2:19 'allow': expected a count such as 25, or a percentage such as 0.5%, found '012' [wrong-type]"
            ),
            ("rejects: { path: [x] }", "2:18 'path': expected a path, found a list [wrong-type]"),
        ]
    )
    func engineKeys(line: String, problem: String) {
        #expect(jobProblems("\(line)\nstages: [{ a: }]\n") == [problem])
    }

    @Test(
        "zones of the IANA database",
        arguments: ["Asia/Seoul", "UTC", "Etc/UTC", "Etc/GMT-9", "US/Pacific", "Europe/Kyiv"]
    )
    func timezones(name: String) {
        #expect(job("timezone: \(name)\nstages: [{ a: }]").checkedTimezone == name)
    }

    @Test func allProblemsComeInTheOrderOfTheFile() {
        let text = "as_of: x\nstages:\n  - a: {}\n    from: b\n    id: 가.나\njob: []\ntimezone: 5\nas_of: y\nparams: 3\n"
        #expect(
            jobProblems(text) == [
                "2:8 expected 'today', 'yesterday' or a date such as 2026-11-21 as 'as_of', found 'x' [wrong-type]",
                "5:11 no stage above has the id 'b' [unknown-stage-id] (this is the first stage)",
                "6:9 a stage cannot have the id '가.나' [bad-name] (an id is made of letters, digits, '_' and '-')",
                "7:6 expected a name of one line as 'job', found a list [wrong-type]",
                "8:11 'timezone': no time zone '5' [unknown-timezone] "
                    + "(name it as the IANA database does, such as Asia/Seoul or Etc/UTC)",
                "9:1 the key 'as_of' stands here a second time [duplicate-key] (the first is in line 2, column 1)",
                "10:9 expected a map of params, such as '{ diary: entries.csv }', found '3' [wrong-type]",
            ]
        )
    }

    @Test(
        "a file that is no job",
        arguments: [
            ("", "1:1 the job file is empty"), ("# nothing\n", "1:1 the job file is empty"),
            ("---\n", "1:1 the job file is empty"),
            ("- a\n", "1:1 expected a map with the keys of a job, found a list"),
            ("text", "1:1 expected a map with the keys of a job, found 'text'"),
            ("{}", "1:1 the job does not say its format version; 1:1 the job has no stages"),
            ("daybook: 2\nstages: []", "1:10 expected the format version 1, found '2'; 2:9 the job has no stages"),
            ("daybook: 1.0\nstages: [{ a: }]", "1:10 expected the format version 1, found '1.0'"),
        ]
    )
    func noJob(text: String, message: String) {
        let problems = JobParser(environment: { _ in nil }).read(Array(text.utf8), file: "x.yaml").problems
        let found = problems.map { "\($0.place?.line ?? 0):\($0.place?.column ?? 0) \($0.message)" }
        #expect(found.joined(separator: "; ") == message)
        #expect(throws: DaybookErrors.self) {
            try JobParser(environment: { _ in nil }).job(Array(text.utf8), file: "x.yaml")
        }
    }

    @Test func whatStagesFindIsAddedInOrder() throws {
        var reading = job("job: []\nstages:\n  - a: { n: \"${no}\" }\n")
        let option = try #require(reading.job?.stages[0].options[0].value)
        reading.add([
            DaybookError("wrong-type", "expected a whole number, found ''", at: option.place),
            DaybookError("unknown-stage", "no stage 'a'", at: reading.job?.stages[0].typePlace),
        ])
        #expect(
            reading.problems.map(\.message) == [
                "expected a name of one line as 'job', found a list", "no stage 'a'", "no param 'no'",
            ]
        )
    }

    @Test(
        "a gate lets through what it says, bound included",
        arguments: [
            ("0", 0, 10, true), ("0", 1, 10, false), ("25", 25, 25, true), ("25", 26, 1_000, false),
            ("1%", 1, 100, true), ("1%", 2, 199, false), ("0.5%", 5, 1_000, true), ("0.5%", 5, 999, false),
            ("100%", 7, 7, true), ("0%", 0, 0, true), ("0.000001%", 1, 100_000_000, true),
            ("0.000001%", 1, 99_999_999, false), ("50%", Int.max / 2, Int.max, true),
        ]
    )
    func allowance(text: String, rejected: Int, total: Int, passes: Bool) throws {
        let allowance = try Allowance(
            reading: OptionNode(.text(text, quoted: false), at: SourcePlace(file: "x", line: 1, column: 1))
        )
        #expect(allowance.permits(rejected, of: total) == passes)
        #expect(allowance.written == text)
    }

    @Test(
        "what no gate says",
        arguments: [
            "", "-1", "+1", "1.5", "101%", "100.1%", "1 %", "%", ".5%", "1.%", "007", "1e3", "99999999999999999999",
            "0.0000001%",
        ]
    )
    func noAllowance(text: String) {
        #expect(throws: DaybookError.self) {
            try Allowance(
                reading: OptionNode(.text(text, quoted: false), at: SourcePlace(file: "x", line: 1, column: 1))
            )
        }
    }
}

extension JobParser.Reading {
    fileprivate var checkedTimezone: String? { problems.isEmpty ? job?.timezone : nil }
}
