/// The possible delimiters of a text: the common delimiters, and other signs in nearly all of its first lines.
struct DelimiterCandidates {
    /// Each as bytes, the commonest in the world first.
    private(set) var all: [[UInt8]]

    private static let mostLines = 60
    private static let mostBytes = 64 << 10
    private static let longestLine = 8 << 10
    private static let mostOdd = 6
    /// Two lines agree by chance.
    private static let fewestLines = 3

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        let part = UnsafeBufferPointer(rebasing: bytes.prefix(DelimiterCandidates.mostBytes))
        all = CSVDialect.commonDelimiters.filter { part.contains($0) }.map { [$0] }
        let split = part.split(whereSeparator: CSVDialect.mayEndLine)
        let lines = DelimiterCandidates.withoutInner(split).prefix(DelimiterCandidates.mostLines)
        guard lines.count >= DelimiterCandidates.fewestLines else { return }
        var signs: [Unicode.Scalar: (lines: Int, runs: Runs)] = [:]
        /// Runs of different signs, as `~|~`.
        var mixed: [String: Int] = [:]
        for line in lines {
            var seen: [Unicode.Scalar: Runs] = [:]
            var seenMixed: Set<String> = []
            var run: [Unicode.Scalar] = []
            func end() {
                if let first = run.first {
                    if run.allSatisfy({ $0 == first }) {
                        seen[first, default: Runs(run.count)].add(run.count)
                    } else if run.count <= 4 {
                        var text = ""
                        text.unicodeScalars.append(contentsOf: run)
                        seenMixed.insert(text)
                        // A cell may begin with a sign of its own, as in `||#FFFFFF`.
                        for (sign, length) in DelimiterCandidates.stretches(of: run) where seen[sign] == nil {
                            seen[sign] = Runs(length)
                        }
                    }
                }
                run.removeAll(keepingCapacity: true)
            }
            let text = String(decoding: line.prefix(DelimiterCandidates.longestLine), as: UTF8.self)
            for scalar in text.unicodeScalars {
                if scalar == " " {
                    end()
                    seen[scalar] = Runs(1)
                } else if OddDelimiter.separates(scalar) {
                    run.append(scalar)
                } else {
                    end()
                }
            }
            end()
            for (sign, runs) in seen {
                var known = signs[sign] ?? (0, runs)
                known.lines += 1
                known.runs.merge(runs)
                signs[sign] = known
            }
            for run in seenMixed { mixed[run, default: 0] += 1 }
        }
        let enough = lines.count * 6 / 10
        for (sign, found) in signs where found.lines > enough {
            let isCommon = sign.isASCII && CSVDialect.commonDelimiters.contains(UInt8(sign.value))
            // Several blanks or commas are blanks and empty cells.
            if !" ,\t".unicodeScalars.contains(sign) {
                for length in Set([found.runs.shortest, found.runs.longest]) where length > 1 && length <= 4 {
                    add(String(repeating: Character(sign), count: length))
                }
            }
            if !isCommon { add(String(Character(sign))) }
        }
        for (run, count) in mixed where count > enough && !run.contains(" ") { add(run) }
        let common = all.filter { $0.count == 1 && CSVDialect.commonDelimiters.contains($0[0]) }
        // In the order of their bytes, for tables of hashes have none.
        let odd = all.filter { !common.contains($0) }.sorted { $0.lexicographicallyPrecedes($1) }
        all = common + odd.prefix(DelimiterCandidates.mostOdd * 2)
    }

    /// The lines except those that begin inside quotes, judged by the number of quotes in the lines above.
    private static func withoutInner(_ lines: [Slice<Cell>]) -> [Slice<Cell>] {
        let quote = ([UInt8(ascii: "\""), UInt8(ascii: "'")]).first { quote in lines.contains { $0.contains(quote) } }
        guard let quote else { return lines }
        var isInside = false
        let outer = lines.filter { line in
            defer { if line.count(where: { $0 == quote }) % 2 == 1 { isInside.toggle() } }
            return !isInside
        }
        return outer.count >= fewestLines && !isInside ? outer : lines
    }

    /// How often a sign repeats in a row in a line: the least and the most, for a cell may contain the sign once.
    private struct Runs {
        private(set) var shortest: Int
        private(set) var longest: Int

        init(_ length: Int) { (shortest, longest) = (length, length) }

        mutating func add(_ length: Int) {
            shortest = min(shortest, length)
            longest = max(longest, length)
        }

        /// Keeps only the signs that another line has as well.
        mutating func merge(_ line: Runs) {
            shortest = min(shortest, line.shortest)
            longest = min(longest, line.longest)
        }
    }

    /// The signs of a run, each with the number of its repetitions at its first occurrence.
    private static func stretches(of run: [Unicode.Scalar]) -> [Unicode.Scalar: Int] {
        var stretches: [Unicode.Scalar: Int] = [:]
        var start = 0
        while start < run.count {
            let length = run[start...].prefix { $0 == run[start] }.count
            if stretches[run[start]] == nil { stretches[run[start]] = length }
            start += length
        }
        return stretches
    }

    private mutating func add(_ text: String) { all.append(Array(text.utf8)) }
}

/// The characters after the backslashes of a text, which show whether these protect signs inside cells.
struct EscapeUse {
    private static let backslash = UInt8(ascii: "\\")

    /// Before the quote or the delimiter.
    private var signs = 0
    /// Before a line end.
    private var lineEnds = 0
    /// Cells of `\N`, which databases write for missing values.
    private var nulls = 0
    /// Before another backslash.
    private var doubled = 0
    /// Backslashes before other characters, which protect nothing.
    private var others = 0

    init(of bytes: UnsafeBufferPointer<UInt8>, quote: UInt8, delimiter: UInt8) {
        guard bytes.contains(EscapeUse.backslash) else { return }
        var place = 0
        while place + 1 < bytes.count {
            guard bytes[place] == EscapeUse.backslash else {
                place += 1
                continue
            }
            let next = bytes[place + 1]
            let end = place + 2 < bytes.count ? bytes[place + 2] : CSVDialect.lineFeed
            if next == delimiter || next == quote && quote != CSVDialect.noQuote {
                signs += 1
            } else if next == EscapeUse.backslash {
                doubled += 1
            } else if CSVDialect.mayEndLine(next) {
                lineEnds += 1
            } else if next == UInt8(ascii: "N"), end == delimiter || CSVDialect.mayEndLine(end) {
                nulls += 1
            } else {
                others += 1
            }
            place += 2
        }
    }

    /// The escapes to try: none if no backslash protects anything, and only the backslash if all of them must.
    ///
    /// - Parameter hasQuotes: whether cells may be quoted, in which a doubled sign needs no backslash.
    func escapes(hasQuotes: Bool) -> [UInt8?] {
        if others == 0, nulls > 0 || signs + doubled + lineEnds > 0 && !hasQuotes { return [EscapeUse.backslash] }
        return signs + lineEnds > 0 ? [nil, EscapeUse.backslash] : [nil]
    }
}
