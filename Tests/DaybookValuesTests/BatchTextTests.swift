import DaybookContracts
import DaybookTestSupport
import Testing

@Suite struct BatchTextTests {
    @Test(
        "canonical text comes back as it was",
        arguments: [
            "", "a:text", "a:text\n", "a:text\n\n\"\"\nx", "date:day,count:integer\n2026-03-01,1\n,\n2026-06-09,100",
            "\"a,b:text\"\n\"x,\"\"y\"\"\nz\"", "a:b:flag\ntrue",
            "at:instant\n2026-03-01T08:30:00Z\n1969-12-31T23:59:59.999Z",
            "j:json\n\"{\"\"a\"\": [1, 2]}\"", "d:decimal\n0.5\nnan\n-inf", "a:text\n\" x\r\"",
        ]
    )
    func thereAndBack(_ text: String) throws {
        #expect(BatchText.write(try BatchText.read(text)) == text)
    }

    @Test("a missing cell is not an empty text")
    func missing() throws {
        let column = try BatchText.read("a:text,b:text\n,\"\"").columns
        #expect(column[0].displayText(0) == nil)
        #expect(column[1].displayText(0)?.isEmpty == true)
    }

    @Test(
        "what cannot be meant is refused",
        arguments: [
            ("a", "the header 'a' does not end in ':' and one of text, integer, decimal, flag, day, instant, json"),
            ("a:text,b:text\nx", "row 1 has 1 cells, the header has 2"),
            ("a:day\n2026-02-30", "row 1, column 'a': '2026-02-30' is not of kind day"),
            ("a:integer\n\n1.0", "row 2, column 'a': '1.0' is not of kind integer"),
            ("a:text\n\"x", "a quote is not closed"),
            ("a:text\nx\"y", "the cell 'x\"y' needs quotes around it"),
            ("a:text\n\"x\"y", "something stands behind the closing quote of 'x'"),
            ("a:instant\n2026-03-01T08:30:60Z", "row 1, column 'a': '2026-03-01T08:30:60Z' is not of kind instant"),
        ]
    )
    func refusals(_ text: String, _ message: String) {
        let error = #expect(throws: DaybookError.self) { try BatchText.read(text) }
        #expect(error?.message == message)
    }

    @Test("the same seed gives the same numbers on every machine")
    func seeded() {
        // The first numbers of splitmix64.c for the seed 1234567.
        var random = SeededGenerator(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
    }
}
