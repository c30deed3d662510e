import DaybookContracts
import Testing

/// What ends the lines of a text, by its beginning.
@Suite struct LineEndTests {
    @Test(
        "lines end in lone CR only in a text whose own lines do",
        arguments: [
            ("", false), ("a", false), ("a\nb\n", false), ("a\r\nb\r\n", false), ("a\rb\rc", true), ("a\rb", true),
            ("a\r", true), ("a\r\n", false), ("a\rb\nc\n", false), ("a\nb\rc\n", false),
            // Line ends inside quotes are those of a cell.
            ("a,\"b\rc\rd\"\n", false), ("a,\"b\nc\nd\ne\"\rf,g\r", true), ("a\r\"b\nc\"\rd\r", true),
            // As in a file of CR LF that begins with one line of CR.
            ("a\r1\r\n2\r\n", false),
        ]
    )
    func ends(_ text: String, inReturns: Bool) {
        let bytes = Bytes(text)
        let found = LineEnd(of: bytes.filled, quote: UInt8(ascii: "\""))
        #expect(found == (inReturns ? .carriageReturn : .feed))
        withExtendedLifetime(bytes) {}
    }

    @Test("lines are counted as they end", arguments: [("a\r\nb\rc\n\nd", 3, 4), ("a\r", 0, 1), ("\n\r", 1, 2)])
    func counts(_ text: String, feeds: Int, all: Int) {
        let bytes = Bytes(text)
        #expect(LineEnd.feed.count(in: bytes.filled) == feeds)
        #expect(LineEnd.carriageReturn.count(in: bytes.filled) == all)
        // What stands behind a CR tells whether it ends a line by itself.
        #expect(LineEnd.carriageReturn.count(in: bytes.filled, next: 10) == all - (text.hasSuffix("\r") ? 1 : 0))
        withExtendedLifetime(bytes) {}
    }
}
