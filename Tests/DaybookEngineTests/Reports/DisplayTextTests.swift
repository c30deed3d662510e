import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// Numbers, shares and sizes as reports say them.
@Suite struct DisplayTextTests {
    @Test func countsHaveSeparators() {
        #expect(
            [0, 7, 999, 1_000, 4_183, -12_345, 1_234_567].map { DisplayText.count($0) } == [
                "0", "7", "999", "1,000", "4,183", "-12,345", "1,234,567",
            ]
        )
        #expect(DisplayText.count(1, "row") == "1 row" && DisplayText.count(2, "row") == "2 rows")
    }

    @Test func sharesAreNeverRoundedToNothingOrToAll() {
        #expect(DisplayText.share(12, of: 4_183) == "0.29 %")
        #expect(DisplayText.share(1, of: 5_000_000) == "< 0.01 %")
        #expect(DisplayText.share(4_999_999, of: 5_000_000) == "99.99 %")
        #expect(
            DisplayText.share(1, of: 2) == "50 %" && DisplayText.share(2, of: 2) == "100 %"
                && DisplayText.share(0, of: 0) == "0 %"
        )
        #expect(DisplayText.share(1, of: 1_000) == "0.1 %" && DisplayText.share(1_001, of: 100_000) == "1 %")
        #expect(DisplayText.share(105, of: 10_000) == "1.05 %")
    }

    @Test func timesAndSizesAreShort() {
        #expect(DisplayText.duration(50_000_000) == "0.05 s" && DisplayText.duration(12_340_000_000) == "12.34 s")
        #expect(
            DisplayText.duration(192_000_000_000) == "3 min 12 s"
                && DisplayText.duration(3_720_000_000_000) == "1 h 2 min"
        )
        #expect(
            DisplayText.size(1) == "1 byte" && DisplayText.size(812) == "812 bytes"
                && DisplayText.size(1_234) == "1.2 kB"
        )
        #expect(DisplayText.size(305_000_000) == "305 MB" && DisplayText.size(9_990_000_000) == "9.9 GB")
    }

    @Test func listsAreReadAloud() {
        #expect(
            DisplayText.list([]) == "" && DisplayText.list(["a"]) == "a" && DisplayText.list(["a", "b"]) == "a and b"
        )
        #expect(DisplayText.list(["a", "b", "c"]) == "a, b and c")
    }

    @Test func gatesSayByHowMuch() {
        let gate = RunOutcome.Gate(stage: "clean", allowed: .share(parts: 1, of: 100), rejected: 12, total: 4_183)
        #expect(GateText.story(gate) == "'clean': 12 of 4,183 rows rejected (0.29 %), 1 % allowed")
        let job = RunOutcome.Gate(stage: nil, allowed: .count(0), rejected: 1, total: 1)
        #expect(GateText.story(job) == "the job: 1 of 1 row rejected (100 %), none allowed")
    }

    @Test func tablesMeasureWhatTheTerminalShows() {
        var table = TextTable([.left, .right])
        table.add(["행복해", "1"])
        table.add(["calm", "1,000"])
        #expect(table.lines() == ["  행복해      1", "  calm    1,000"])
    }

    @Test func pathsAreTidiedForPeople() {
        #expect(FilePath.tidied("jobs/../out/./a.csv") == "out/a.csv")
        #expect(FilePath.tidied("../../a") == "../../a" && FilePath.tidied("/a/../b") == "/b")
        #expect(FilePath.tidied("a/..") == ".")
    }
}
