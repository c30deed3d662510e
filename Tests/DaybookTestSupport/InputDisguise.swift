import DaybookContracts

/// Other ways to write a file that mean the same. Nil where a way would change what is meant.
enum InputDisguise {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Every LF becomes CR LF, also inside quoted fields: compare without CR. Nil when a CR is there already, for then
    /// the example is about line ends.
    static func withCRLF(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.contains(lineFeed), !bytes.contains(carriageReturn) else { return nil }
        return bytes.flatMap { $0 == lineFeed ? [carriageReturn, lineFeed] : [$0] }
    }

    /// The text with CR LF as LF; JSON text in cells may spell the CR as `\r`.
    static func withoutCR(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" }))
    }

    /// Nil when there is none, or when the file ends in an empty line, which may be a record.
    static func withoutLastLineEnd(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.last == lineFeed, bytes.count >= 2, ![lineFeed, carriageReturn].contains(bytes[bytes.count - 2])
        else { return nil }
        return bytes.dropLast()
    }

    /// Nil when there is one, and for the empty file, to which it would add an empty line.
    static func withLastLineEnd(_ bytes: [UInt8]) -> [UInt8]? {
        guard let last = bytes.last, last != lineFeed, last != carriageReturn else { return nil }
        return bytes + [lineFeed]
    }

    /// Quotes around every field of a CSV file that has a value.
    ///
    /// Nil where quotes mean something else: when the example is about quotes, blank lines, comments or odd spellings
    /// (then its options or its bytes say so), or about records of the wrong shape (then it has findings).
    static func allQuoted(_ example: StageExample) -> [UInt8]? {
        let keys = (try? ExampleOptions.entries(example.options))?.map(\.key) ?? []
        let bytes = Array(example.input.utf8)
        guard Set(keys).isSubset(of: ["path", "header", "columns"]), example.findings.isEmpty,
            !bytes.contains(UInt8(ascii: "\"")), !bytes.contains(carriageReturn)
        else { return nil }
        let lines = bytes.split(separator: lineFeed, omittingEmptySubsequences: false)
        return Array(lines.map(quoted).joined(separator: [lineFeed]))
    }

    private static func quoted(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        return Array(fields.map { $0.isEmpty ? [] : [quote] + $0 + [quote] }.joined(separator: [UInt8(ascii: ",")]))
    }
}
