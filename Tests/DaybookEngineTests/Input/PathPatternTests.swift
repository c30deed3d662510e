import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct PathPatternTests {
    let scratch = Scratch()

    private func names(_ pattern: String) throws -> [String] {
        try PathPattern(pattern, from: scratch.path).expand().map(\.name)
    }

    private func refused(_ pattern: String) -> DaybookError {
        refusal { () throws(DaybookError) in _ = try PathPattern(pattern, from: scratch.path).expand() }
    }

    private func make(_ names: String...) {
        for name in names { scratch.write(name, "") }
    }

    @Test func aPlainPathIsItself() throws {
        make("in/a.csv")
        let found = try PathPattern("in/../in/a.csv", from: scratch.path).expand()
        let path = scratch["in/../in/a.csv"]
        #expect(found == [InputPath(name: "in/../in/a.csv", path: path, shown: scratch["in/a.csv"])])
        #expect(try names(scratch["in/a.csv"]) == [scratch["in/a.csv"]])
        #expect(try PathPattern("-", from: scratch.path).expand() == [.standardInput])
    }

    @Test func wildcardsMatchInsideOneName() throws {
        make("in/a1.csv", "in/a2.csv", "in/b1.csv", "in/a1.txt", "in/.a3.csv", "in/a4.csv/inner", "other/a1.csv")
        #expect(try names("in/a*.csv") == ["in/a1.csv", "in/a2.csv"])
        #expect(try names("in/?1.*") == ["in/a1.csv", "in/a1.txt", "in/b1.csv"])
        #expect(try names("in/[b-z]1.csv") == ["in/b1.csv"])
        #expect(try names("in/[!b]1.csv") == ["in/a1.csv"])
        #expect(try names("*/a1.csv") == ["in/a1.csv", "other/a1.csv"])
        #expect(try names("in/.*") == ["in/.a3.csv"])
        #expect(try names("in/{b1,a2}.csv") == ["in/a2.csv", "in/b1.csv"])
        #expect(try names("{in,other}/a1.{csv,txt}") == ["in/a1.csv", "in/a1.txt", "other/a1.csv"])
        #expect(try names(scratch["in/b*"]) == [scratch["in/b1.csv"]])
    }

    @Test func twoStarsMatchAnyNumberOfDirectories() throws {
        make("a.csv", "x/a.csv", "x/y/a.csv", "x/y/b.csv", ".hidden/a.csv")
        symlink("..", scratch["x/loop"])
        #expect(try names("**/a.csv") == ["a.csv", "x/a.csv", "x/y/a.csv"])
        #expect(try names("x/**") == ["x/a.csv", "x/y/a.csv", "x/y/b.csv"])
        #expect(try names("**/y/*") == ["x/y/a.csv", "x/y/b.csv"])
    }

    @Test func namesAreSortedByTheirBytes() throws {
        make("가.csv", "b.csv", "B.csv", "a10.csv", "a2.csv", "é.csv", "a-/c.csv", "a.csv")
        #expect(try names("*.csv") == ["B.csv", "a.csv", "a10.csv", "a2.csv", "b.csv", "é.csv", "가.csv"])
        #expect(try names("[가-힣].csv") == ["가.csv"])
        #expect(try names("?.csv") == ["B.csv", "a.csv", "b.csv", "é.csv", "가.csv"])
    }

    @Test func aFileWithWildcardsInItsNameIsTakenLiterally() throws {
        make("report[1].csv", "report1.csv", "what?.csv", "{a,b}", "*")
        #expect(try names("report[1].csv") == ["report[1].csv"])
        #expect(try names("{a,b}") == ["{a,b}"])
        #expect(try names("*") == ["*"])
        #expect(try names("what\\?.csv") == ["what?.csv"])
        #expect(try names("report\\[*") == ["report[1].csv"])
        #expect(try names("report[[]1].csv") == ["report[1].csv"])
    }

    @Test func tenThousandFilesAreFound() throws {
        for number in 0..<10_000 { close(open(scratch["f\(number).csv"], O_CREAT | O_WRONLY, 0o666)) }
        #expect(try names("f*.csv").count == 10_000)
        let error = refused("diary-of-2026-*.csv")
        #expect(error.hint == "'\(scratch.path)' has 10000 files, such as 'f0.csv'")
    }

    @Test func whatIsNotThereIsSaidWithTheNearestName() {
        make("in/entries-2025.csv", "in/entries-2026.csv", "one/only.csv")
        mkdir(scratch["empty"], 0o777)
        let missing = refused("in/entrys-2026.csv")
        #expect(missing.message == "there is no file 'in/entrys-2026.csv'")
        #expect(missing.hint == "did you mean 'in/entries-2026.csv'?")
        #expect(missing.blame == .machine)
        let pattern = refused("in/diary*.csv")
        #expect(pattern.message == "no file matches 'in/diary*.csv'")
        #expect(pattern.hint == "'in' has 2 files, such as 'entries-2025.csv'")
        #expect(refused("inn/*.csv").hint == "did you mean 'in'?")
        #expect(refused("elsewhere/x/*.csv").hint == "there is no directory 'elsewhere' in '\(scratch.path)'")
        #expect(refused("empty/*").hint == "there is no file in 'empty'")
        #expect(refused("one/*.json").hint == "the only file in 'one' is 'only.csv'")
        #expect(refused("~/x.csv").hint == "'~' is not the home directory here; write '${env:HOME}/x.csv'")
        #expect(refused("~me/x.csv").hint == "'~me' is not a home directory here; write the path out")
        #expect(refused("$HOME/x.csv").hint == "'$HOME' is not filled in here; write '${env:HOME}/x.csv'")
        #expect(refused("file:///tmp/x.csv").hint == "a path has no 'file://' before it; write '/tmp/x.csv'")
        let address = "only files are read and written; let another program fetch 's3://' or send to it"
        #expect(refused("s3://a/b").hint == address)
        #expect(refused("").hint == "write the path of a file")
    }

    @Test func aPatternThatStandsForTooManyIsRefused() {
        let error = refused(String(repeating: "{a,b}", count: 40))
        #expect(error.code == "pattern-too-large")
        #expect(error.blame == .job)
    }

    @Test func wildPatternsEnd() {
        let glob = Glob(String(repeating: "*a", count: 30) + "b")
        #expect(!glob.matches(String(repeating: "a", count: 2000)))
        for odd in ["[", "[!", "[]", "a[b", "\\", "[a-", "{", "{,", "}{,}", "[z-a]"] { _ = refused("nothing-\(odd)") }
    }

    @Test func pathsToOneFileHaveOneCanonicalText() {
        make("in/a.csv")
        symlink("in", scratch["link"])
        symlink("new.csv", scratch["in/dangling"])
        let one = scratch["in/a.csv"]
        #expect(FilePath.canonical(scratch["in/./a.csv"]) == one)
        #expect(FilePath.canonical(scratch["link/a.csv"]) == one)
        #expect(FilePath.canonical(scratch["no/../in/a.csv"]) == one)
        #expect(FilePath.canonical(scratch["link/dangling"]) == scratch["in/new.csv"])
        #expect(FilePath.canonical(scratch["link/new/deep/"]) == scratch["in/new/deep"])
        #expect(FilePath.canonical("/") == "/")
        #expect(FilePath.canonical("") == FilePath.canonical("."))
    }
}
