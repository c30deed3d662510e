import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

@Suite struct JobParamsTests {
    /// The options of the one stage of a job with these params.
    private func options(
        _ options: String,
        params: String,
        set settings: [String: String] = [:],
        environment: [String: String] = [:]
    ) -> String {
        let reading = job("params: \(params)\nstages:\n  - a: \(options)\n", set: settings, environment: environment)
        guard reading.problems.isEmpty, let stage = reading.job?.stages.first else {
            return reading.problems.map(\.message).joined(separator: "; ")
        }
        return flat(OptionNode(.map(stage.options), at: stage.optionsPlace))
    }

    @Test func paramsAreFilledInInsideScalarsOnly() {
        #expect(
            options("{ p: \"in/${x}/${x}.csv\", l: [\"${x}\"], m: { \"${x}\": b } }", params: "{ x: 한글 }")
                == "{p: 'in/한글/한글.csv', l: [한글], m: {${x}: b}}"
        )
    }

    @Test(
        "the day and the name of the job stand for themselves in every value",
        arguments: [
            ("${as_of}", "2026-03-01"), ("out/${as_of:yyyy/MM}/${job}.csv", "out/2026/03/night.csv"),
            ("${as_of:yyyy'년' M'월' d'일'}", "2026년 3월 1일"),
            ("${as_of:HH}", "the pattern 'HH' writes a time, and 'as_of' is a day"),
            ("${as_of:MMMM}", "the pattern 'MMMM' writes names, whose language nobody names here"),
            ("${as_of:}", "the pattern '' has no date letters"),
            ("${day}", "no param 'day'"),
        ]
    )
    func builtInValues(_ written: String, _ expected: String) {
        let text = "job: night\nas_of: 2026-03-01\nstages:\n  - a: { p: \"\(written)\" }\n"
        let reading = job(text)
        let problems = reading.problems.map(\.message).filter { !$0.contains("does not say its format") }
        let value = reading.job?.stages.first?.options.first?.value.text
        #expect(problems.first ?? value == expected)
    }

    @Test func aParamComesBeforeTheNameOfTheJobAndTheKeysAboveKnowNeither() {
        #expect(options("{ p: \"${job}\" }", params: "{ job: mine }") == "{p: mine}")
        let reading = job("job: \"x ${as_of}\"\nstages:\n  - a: {}\n")
        #expect(reading.problems.contains { $0.message == "no param 'as_of'" })
    }

    @Test func yesterdayIsTheDayBeforeTodayInTheZoneOfTheJob() {
        let moment = Date(timeIntervalSince1970: 1_772_294_400)  // 2026-02-28T16:00:00Z
        #expect(Job.AsOf("today")?.day(in: "Asia/Seoul", now: moment).description == "2026-03-01")
        #expect(Job.AsOf("yesterday")?.day(in: "Asia/Seoul", now: moment).description == "2026-02-28")
        #expect(Job.AsOf("yesterday")?.day(in: nil, now: moment).description == "2026-02-27")
        #expect(Job.AsOf("tomorrow") == nil)
    }

    @Test func aValueCannotChangeTheStructure() {
        let value = "b, c: [d] # \"\n- e: ${x} *y null"
        #expect(options("{ p: \"${x}\", q: 1 }", params: "{ x: }", set: ["x": value]) == "{p: \(value), q: 1}")
        #expect(options("{ p: \"${x}\" }", params: "{ x: \"null\" }") == "{p: null}")
    }

    @Test func aWholeValueIsUnquotedBecauseYAMLDemandsTheQuotes() {
        #expect(options("{ n: \"${n}\", t: \"a${n}\", u: '${n}' }", params: "{ n: 5 }") == "{n: 5, t: 'a5', u: 5}")
    }

    @Test func setOverridesTheDefault() {
        #expect(options("{ p: \"${x}\" }", params: "{ x: { default: a } }", set: ["x": "b=c"]) == "{p: b=c}")
        #expect(options("{ p: \"${x}\" }", params: "{ x: }", set: ["x": ""]) == "{p: }")
        #expect(options("{ p: \"${x}\" }", params: "{ x: \"${env:GONE}\" }", set: ["x": "b"]) == "{p: b}")
    }

    @Test(
        "names that speak of secrets are known by their words",
        arguments: [
            ("DB_PASSWORD", true), ("api_token", true), ("apiKey", true), ("key", true), ("token2", true),
            ("GITHUB_TOKEN", true),
            ("aws-credentials", true), ("clientSecret", true), ("SECRETS", true), ("keyboard", false),
            ("monkey", false),
            ("diary", false), ("tokenise", false), ("", false), ("열쇠", false),
        ]
    )
    func secretNames(_ name: String, _ speaks: Bool) { #expect(SecretName.speaks(name) == speaks) }

    @Test func namesThatSpeakOfSecretsMakeThem() {
        func secrets(_ params: String, _ option: String = "x") -> [String]? {
            let text = "params: \(params)\nstages:\n  - a: { p: \"\(option)\" }\n"
            return job(text, environment: ["DB_PASSWORD": "correct-horse", "HOME": "/home"]).job?.secrets
        }
        #expect(secrets("{ api_token: abcdef, diary: entries }") == ["abcdef"])
        #expect(secrets("{ api_token: { default: abcdef, secret: false } }") == [])
        #expect(secrets("{ sort_key: { default: date, secret: true } }") == ["date"])
        // A variable is a secret wherever it is put in, the text around it is none.
        #expect(secrets("{ url: \"http://u:${env:DB_PASSWORD}@host\" }") == ["correct-horse"])
        #expect(secrets("{ url: { default: \"${env:DB_PASSWORD}\", secret: false } }") == [])
        #expect(secrets("{}", "${env:DB_PASSWORD} ${env:HOME}") == ["correct-horse"])
    }

    @Test func whatCannotBeHiddenIsRefused() {
        #expect(
            jobProblems("params: { key: id }\nstages:\n  - a: { p: \"${key}\" }\n") == [
                "the param 'key' is a secret by its name, and too short to be hidden [short-secret] "
                    + "(a secret has at least 4 characters, or none; for what is none, write 'secret: false')"
            ]
        )
        #expect(
            jobProblems("stages:\n  - a: { p: \"${env:PIN_TOKEN}\" }\n", environment: ["PIN_TOKEN": "123"]) == [
                "3:14 the variable 'PIN_TOKEN' is a secret by its name, and too short to be hidden [short-secret] "
                    + "(a secret has at least 4 characters; for what is none, write a param with "
                    + "'{ default: \"${env:PIN_TOKEN}\", secret: false }')"
            ]
        )
        #expect(
            jobProblems("params: { key: { default: id, secret: false } }\nstages:\n  - a: { p: \"${key}\" }\n") == []
        )
    }

    @Test func theEnvironmentIsReadInStagesAndDefaults() {
        #expect(
            options(
                "{ p: \"${env:HOME}/${x}\" }",
                params: "{ x: \"${env:USER}.csv\" }",
                environment: ["HOME": "/home", "USER": "${x}"]
            ) == "{p: '/home/${x}.csv'}"
        )
    }

    @Test func twoDollarsEscape() {
        #expect(options("{ p: \"$${x} $$${x} $x ${x}$ $$\" }", params: "{ x: y }") == "{p: '${x} $${x} $x y$ $$'}")
    }

    @Test func undefinedNamesAreReportedAtTheirColumn() {
        let text = """
            params: { diary: x }
            stages:
              - a:
                  p: "한글 ${dairy} $${x} ${env:HOMEX} ${}"
                  q: '${file:x} ${open'
                  r: "\\x24{hidden}"
                  s: |
                    several
                    lines ${dairy}

            """
        #expect(
            jobProblems(text) == [
                "5:14 no param 'dairy' [undefined-param] (did you mean 'diary'?)",
                "5:29 the environment has no variable 'HOMEX' [undefined-variable] "
                    + "(set it before the run, or use a param that has a default)",
                "5:42 expected the name of a param in '${}' [bad-reference] "
                    + "(write ${name}, ${env:NAME}, ${as_of:yyyy-MM-dd}, or '$${' for the text '${')",
                "6:11 expected the name of a param in '${file:x}' [bad-reference] "
                    + "(write ${name}, ${env:NAME}, ${as_of:yyyy-MM-dd}, or '$${' for the text '${')",
                "6:21 the '${' is never closed [bad-reference] (write '$${' for the text '${')",
                "7:10 no param 'hidden' [undefined-param] (the params are diary)",
                "10:15 no param 'dairy' [undefined-param] (did you mean 'diary'?)",
            ]
        )
    }

    @Test func whatFollowsFromAnUndefinedNameIsNotReported() {
        #expect(
            jobProblems("timezone: ${z}\nstages:\n  - a: {}\n    from: ${y}\n") == [
                "2:11 no param 'z' [undefined-param] (the job has no params; declare it under 'params')",
                "5:11 no param 'y' [undefined-param] (the job has no params; declare it under 'params')",
            ]
        )
    }

    @Test func aBadParamIsNamed() {
        let text = """
            params:
              needed: { help: No default }
              'e f': 1
              listed: [1]
              b: { default: { c: d }, hlp: z, secret: yes }
              c: { default: }
              d: "${b}"
            stages: [{ a: { p: "${needed}" } }]

            """
        #expect(
            jobProblems(text, set: ["nedeed": "1"]) == [
                "3:3 the param 'needed' has no value [missing-param] "
                    + "(add '--set needed=…' to the command, or give it a default)",
                "4:3 a param cannot be named 'e f' [bad-name] (a name is made of letters, digits, '_' and '-')",
                "5:11 expected a text, or a map with the keys default, help, secret, found a list [wrong-type]",
                "6:17 expected a text as the default, found a map [wrong-type] (write \"\" for an empty text)",
                "6:27 a param has no key 'hlp' [unknown-key] (did you mean 'help'?)",
                "6:43 'secret': expected true or false, found 'yes' [wrong-type] (write true)",
                "7:17 expected a text as the default, found nothing [wrong-type] (write \"\" for an empty text)",
                "8:7 a default cannot use the param 'b' [undefined-param] "
                    + "(a default is text, in which only ${env:NAME} is filled in)",
                "--set: no param 'nedeed' [unknown-param] (did you mean 'needed'?)",
            ]
        )
    }

    @Test func setIsNameAndValue() throws {
        #expect(try ParamSetting("a=b=c") == ParamSetting(name: "a", value: "b=c"))
        #expect(try ParamSetting("a=") == ParamSetting(name: "a", value: ""))
        for argument in ["a", "=b", ""] {
            #expect(throws: DaybookError.self) { try ParamSetting(argument) }
        }
        let twice = JobParser(
            settings: [ParamSetting(name: "x", value: "1"), ParamSetting(name: "x", value: "2")],
            environment: { _ in nil }
        )
        let problems = twice.read(Array("daybook: 1\nparams: { x: 1 }\nstages: [{ a: }]".utf8), file: "j.yaml").problems
        #expect(problems.map(\.message) == ["--set gives the param 'x' twice"])
    }

    @Test func templatesCannotGrowWithoutBound() {
        let text = "params: { x: }\nstages:\n  - a: { p: \"\(String(repeating: "${x}", count: 1_000))\" }\n"
        #expect(
            jobProblems(text, set: ["x": String(repeating: "y", count: 1 << 20)]) == [
                "4:13 the texts of the job pass 16 MiB once every ${…} is filled in [text-too-large]"
            ]
        )
    }

    @Test func secretsAreKnownAndMasked() throws {
        let text = "params: { a: { default: \"${env:KEY}\", secret: true }, b: c }\nstages: [{ a: { k: \"${a}\" } }]"
        let job = try #require(job(text, environment: ["KEY": "hunter2"]).job)
        #expect(job.secrets == ["hunter2"])
        let mask = SecretMask(job.secrets)
        #expect(mask.masking("the key hunter2hunter2, hunter") == "the key ••••••••, hunter")
        var bytes = Array("x=hunter2\u{0}".utf8)
        bytes.append(0xFF)
        #expect(bytes.withUnsafeBufferPointer { mask.masking($0) } == Array("x=••••\u{0}".utf8) + [0xFF])
        #expect(Array("nothing".utf8).withUnsafeBufferPointer { mask.masking($0) } == nil)
    }

    @Test func theLongerOfTwoSecretsIsMaskedWhole() {
        #expect(SecretMask(["ab", "abc", ""]).masking("abcabab c") == "•••••••••••• c")
        #expect(SecretMask(["", ""]).isEmpty)
        #expect(SecretMask(["a"]).masking("a") == "••••")
        #expect(SecretMask(["비밀"]).masking("내 비밀번호") == "내 ••••번호")
    }
}
