/// What separates the cells of a text that none of the common delimiters splits: signs that stand as often in each of its
/// first lines.
package struct OddDelimiter {
    /// As it stands between cells: `~`, `::`, `§`. Spaces are one space, however many align the columns.
    package let text: String
    /// How many cells it makes of a line.
    package let cells: Int
    /// Whether cells are aligned with several spaces.
    let aligns: Bool

    /// The delimiter, where Daybook can split at it.
    package var byte: UInt8? { text.utf8.count == 1 && !aligns ? text.utf8.first : nil }
    var isSpace: Bool { text == " " }

    /// Whether it is several of that delimiter, with which all cells between them would be empty.
    package func repeats(_ delimiter: UInt8) -> Bool { text.utf8.count > 1 && text.utf8.allSatisfy { $0 == delimiter } }

    private static let mostLines = 50
    private static let mostBytes = 64 << 10
    /// Two lines agree by chance.
    private static let fewestLines = 3

    /// Looks at the lines from `start` on; nil where no sign but that of `dialect` stands as often in all of them.
    package static func of(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ dialect: CSVDialect) -> OddDelimiter?
    {
        let part = UnsafeBufferPointer(rebasing: bytes[start...].prefix(mostBytes))
        var lines = part.split(whereSeparator: CSVDialect.mayEndLine).prefix(mostLines + 1)
        // The last line may be cut.
        if lines.count > mostLines || part.count == mostBytes { lines.removeLast() }
        guard lines.count >= fewestLines, let first = lines.first else { return nil }
        var (common, aligns) = runs(first)
        for line in lines.dropFirst() where !common.isEmpty {
            let (others, alignsToo) = runs(line)
            common = common.filter { others[$0.key] == $0.value }
            aligns = aligns || alignsToo
        }
        common[String(UnicodeScalar(dialect.delimiter))] = nil
        // A line of two words is a name or a time.
        if common[" "] == 1 { common[" "] = nil }
        let best = common.max { ($0.key == " " ? 0 : 1, $0.value, $1.key) < ($1.key == " " ? 0 : 1, $1.value, $0.key) }
        return best.map { OddDelimiter(text: $0.key, cells: $0.value + 1, aligns: aligns && $0.key == " ") }
    }

    /// How often each sign stands in a line, with as many of it as stand together; and whether spaces do.
    private static func runs(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> (counts: [String: Int], aligns: Bool) {
        var counts: [String: Int] = [:]
        var aligns = false
        var run = ""
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars.drop(while: { $0 == " " }) {
            if let last = run.unicodeScalars.last, last == scalar {
                if scalar == " " { aligns = true } else { run.unicodeScalars.append(scalar) }
                continue
            }
            if !run.isEmpty { counts[run, default: 0] += 1 }
            run = separates(scalar) ? String(scalar) : ""
        }
        if !run.isEmpty, run != " " { counts[run, default: 0] += 1 }
        return (counts, aligns)
    }

    /// Whether a character is likelier between cells than in numbers, dates and names.
    static func separates(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 {
            return scalar == " " || scalar.value < 0x20 || ",;|:^~\\!*#&+=".unicodeScalars.contains(scalar)
        }
        switch scalar.properties.generalCategory {
        case .otherPunctuation, .mathSymbol, .modifierSymbol, .otherSymbol, .control: return true
        default: return false
        }
    }
}
