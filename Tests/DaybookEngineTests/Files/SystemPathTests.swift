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

/// Paths as texts that lose no byte.
@Suite struct SystemPathTests {
    /// The text of a name of these bytes, and the bytes that the system gets back.
    private func roundTrip(_ bytes: [UInt8]) -> (text: String, bytes: [UInt8]) {
        let text = SystemPath.text(bytes)
        return (text, [UInt8](text.systemPath))
    }

    @Test func textIsItself() {
        for name in ["", "a/b.csv", "한글/매일.csv", "é", "\u{10FF7F}", "🎉", "\u{10F800}"] {
            let trip = roundTrip(Array(name.utf8))
            #expect(trip.text == name)
            #expect(trip.bytes == Array(name.utf8))
            #expect(!SystemPath.isEscaped(trip.text))
        }
    }

    @Test func everyPairOfBytesComesBack() {
        for first in UInt8(1)...255 {
            for second in UInt8(1)...255 {
                let name = [UInt8(ascii: "x"), first, second, UInt8(ascii: "/")]
                #expect(roundTrip(name).bytes == name)
            }
        }
    }

    @Test func cutAndForbiddenSequencesComeBack() {
        let names: [[UInt8]] = [
            [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80], [0xE2, 0x82], [0xF0, 0x9F, 0x8E],
            [0xF8, 0x88, 0x80],
            // The private characters themselves, which stand for bytes elsewhere.
            Array("a\u{10FF80}b\u{10FFFF}".utf8), [0xF4, 0x8F, 0xBE, 0x80, 0xFF],
        ]
        for name in names { #expect(roundTrip(name).bytes == name) }
        #expect(roundTrip([0x61, 0xFF]).text == "a\u{10FFFF}")
        #expect(roundTrip(Array("\u{10FF80}".utf8)).text.unicodeScalars.count == 4)
    }

    @Test func randomNamesComeBack() {
        var chance = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let name = (0..<Int.random(in: 1...40, using: &chance)).map { _ in
                [UInt8.random(in: 1...255, using: &chance), 0xF4, 0x8F, 0xBE, 0xBF, 0x80].randomElement(using: &chance)!
            }
            #expect(roundTrip(name).bytes == name, "\(name)")
        }
    }

    @Test func aPathIsShownWithoutItsBytes() {
        #expect(PrintableText.of(roundTrip([0x78, 0xFF, 0x79]).text) == "x\u{FFFD}y")
    }

    /// The files of a directory, whatever its name is.
    @Test func filesAreFoundWhereverTheyAre() throws {
        let scratch = Scratch()
        let name = roundTrip([0x78, 0xFF]).text
        mkdir(scratch[name], 0o777)
        scratch.write("\(name)/a.csv", "x")
        #expect(scratch.everything() == [name, "\(name)/a.csv"])
        #expect(FilePath.canonical(scratch["\(name)/../\(name)/a.csv"]) == scratch["\(name)/a.csv"])
        #expect(try PathPattern("*/a.csv", from: scratch.path).expand().map(\.name) == ["\(name)/a.csv"])
        symlink(name, scratch["link"])
        #expect(FilePath.link(at: scratch["link"]) == name)
        #expect(try FileStatus.of(scratch["link/a.csv"])?.isRegularFile == true)
        unlink(scratch["\(name)/a.csv"])
        rmdir(scratch[name])
        #expect(scratch.everything() == ["link"])
    }
}
