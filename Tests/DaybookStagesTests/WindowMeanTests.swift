import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages

/// The last bit of means in frames; `WindowRowsTests` compares all others.
@Suite struct WindowMeanTests {
    @Test("a mean of equal numbers is what they are, in every frame")
    func meansOfEquals() throws {
        let stage = try ExampleRunner.make(
            WindowRows.self,
            "columns: { x: \"mean(s)\", y: \"mean(s, 3 rows)\", z: \"mean(w, 3 rows)\" }"
        )
        let (row, means) = ("1.6,9007199254740996", "1.6,1.6,9.007199254740996e+15")
        let rows = try BatchText.read("s:decimal,w:integer" + String(repeating: "\n" + row, count: 9))
        let expected = String(repeating: "\n\(row),\(means)", count: 9)
        #expect(
            try WindowRowsTests.run([rows], stage) == "s:decimal,w:integer,x:decimal,y:decimal,z:decimal" + expected
        )
    }
}

extension ExactSum {
    /// The mean of numbers with a whole sum, by sums of decimals alone.
    static func mean(of sum: Int128, _ count: Int) -> Double {
        var exact = ExactSum()
        let (high, rest) = (sum >> 60, sum & (1 << 60 - 1))
        let (middle, low) = (rest >> 30, rest & (1 << 30 - 1))
        for part in [high << 60, middle << 30, low] { exact.add(Double(part)) }
        return exact.mean(of: count)
    }
}
