import DaybookContracts
import DaybookTestSupport
import Testing

@Suite struct OptionReaderTests {
    enum Size: String, OptionChoice { case small, large }

    /// A stage with an option of every kind.
    struct ReadAll: TransformStage {
        static let description = StageDescription(name: "read_all", summary: "Read all.", examples: [])

        init(reading options: inout OptionReader) {
            let _: String = options.read("text", default: "x", help: "Text.")
            let _: Int = options.read("count", help: "A count.")
            let _: Double = options.read("share", default: 0.5, help: "A share.")
            let _: Bool = options.read("flag", default: true, help: "A flag.")
            let _: CalendarDay? = options.optional("day", help: "A day.")
            let _: [ColumnName] = options.read("columns", default: [], help: "Columns.")
            let _: OptionMap<Int> = options.read("map", default: OptionMap(entries: []), help: "A map.")
            let _: Size = options.read("size", default: .small, help: "A size.")
        }

        func schema(after input: Schema) throws(DaybookError) -> Schema { input }
        func process(_ batch: Batch, reporting findings: inout Findings) -> Batch { batch }
    }

    @Test("listening gives every key with its kind and default")
    func listening() {
        let specs = OptionReader.specs(of: ReadAll.self)
        #expect(specs.map(\.key) == ["text", "count", "share", "flag", "day", "columns", "map", "size"])
        #expect(specs.map(\.fallback) == ["x", nil, "0.5", "true", nil, "[]", "{}", "small"])
        #expect(specs.map(\.isRequired) == [false, true, false, false, false, false, false, false])
        #expect(specs.last?.kind == .choice(["small", "large"]))
    }

    @Test("all problems are reported, each with its place")
    func everyProblem() throws {
        let text = """
            text: [a]
            share: many
            flag: no
            day: 2026-02-30
            columns: [a, ""]
            map: { a: 1.5 }
            size: lrage
            conut: 3
            """
        let error = #expect(throws: DaybookErrors.self) { try ExampleRunner.make(ReadAll.self, text) }
        let problems = try #require(error).errors
        #expect(
            problems.map(\.message) == [
                "'text': expected text, found a list",
                "'share': expected a number, found 'many'",
                "'flag': expected true or false, found 'no'",
                "'day': '2026-02-30' is not a day of the calendar",
                "'columns': expected a column name, found ''",
                "'map': expected a whole number, found '1.5'",
                "'size': expected one of small, large, found 'lrage'",
                "read_all has no option 'conut'",
            ]
        )
        #expect(problems.map { $0.place?.line } == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(problems.last?.hint == "did you mean 'count'?")
        #expect(problems[2].hint == "write false")
    }

    @Test("scalars are what was written: quotes make text of a number")
    func quoted() {
        #expect(throws: DaybookErrors.self) { try ExampleRunner.make(ReadAll.self, "count: \"3\"") }
        #expect(throws: DaybookErrors.self) { try ExampleRunner.make(ReadAll.self, "count: 012") }
        #expect(throws: Never.self) { try ExampleRunner.make(ReadAll.self, "{ count: 3, text: 012, columns: a }") }
    }

    /// A stage that is about a map, and has an option beside it.
    struct NameThings: TransformStage {
        static let description = StageDescription(name: "name_things", summary: "Name things.", examples: [])
        let names: OptionMap<Int>

        init(reading options: inout OptionReader) {
            let _: Size = options.read("size", default: .small, help: "A size.")
            names = options.readBare("names", help: "Each thing and its number.")
            if names.entries.isEmpty { options.refuse("names", "'names' names nothing") }
        }

        func schema(after input: Schema) throws(DaybookError) -> Schema { input }
        func process(_ batch: Batch, reporting findings: inout Findings) -> Batch { batch }
    }

    @Test(
        "a map that a stage is about may stand there with its key and without",
        arguments: [
            ("names: { a: 1, b: 2 }", "a 1, b 2"), ("{ a: 1, b: 2 }", "a 1, b 2"),
            ("size: large\na: 1", "a 1"), ("names: { size: 3 }\nsize: large", "size 3"),
            // A scalar is no map, so this is a thing that is called like the map.
            ("names: 4", "names 4"), ("names: 4\nb: 5", "names 4, b 5"), ("names: { names: 6 }", "names 6"),
        ]
    )
    func bareMaps(_ options: String, _ awaited: String) throws {
        let names = try ExampleRunner.make(NameThings.self, options).names
        #expect(names.entries.map { "\($0.key) \($0.value)" }.joined(separator: ", ") == awaited)
    }

    @Test(
        "what is wrong with such a map is told once, at its entry",
        arguments: [
            ("{}", "the option 'names' is missing", "add 'names': each thing and its number."),
            ("size: large", "the option 'names' is missing", "add 'names': each thing and its number."),
            ("names: {}", "'names' names nothing", nil),
            ("names: [a, b]", "'names': expected a map to a whole number, found a list", nil),
            ("nmes: { a: 1 }", "'nmes': expected a whole number, found a map", "did you mean 'names'?"),
            ("a: 1\nsiez: large", "'siez': expected a whole number, found 'large'", "did you mean 'size'?"),
            ("names: { a: x }", "'a': expected a whole number, found 'x'", nil),
            ("names: { a: 1 }\nsiez: large", "name_things has no option 'siez'", "did you mean 'size'?"),
            ("names: { a: 1 }\nb: 2", "name_things has no option 'b'", "its options are names, size"),
        ] as [(String, String, String?)]
    )
    func badBareMaps(_ options: String, _ message: String, _ hint: String?) throws {
        let error = #expect(throws: DaybookErrors.self) { try ExampleRunner.make(NameThings.self, options) }
        let problems = try #require(error).errors
        #expect(problems.map(\.message) == [message])
        #expect(problems.first?.hint == hint)
        #expect(OptionReader.specs(of: NameThings.self).map(\.key) == ["names", "size"])
    }
}
