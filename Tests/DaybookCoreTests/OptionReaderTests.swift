import DaybookCore
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
}
