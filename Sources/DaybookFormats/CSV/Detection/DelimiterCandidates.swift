/// What may separate the cells of a text: the common delimiters, and other signs that stand in nearly all of its first lines.
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
        let lines = part.split(whereSeparator: CSVDialect.mayEndLine).prefix(DelimiterCandidates.mostLines)
        guard lines.count >= DelimiterCandidates.fewestLines else { return }
        var signs: [Unicode.Scalar: (lines: Int, shortest: Int)] = [:]
        /// Runs of different signs, as `~|~`.
        var mixed: [String: Int] = [:]
        for line in lines {
            var seen: [Unicode.Scalar: Int] = [:]
            var seenMixed: Set<String> = []
            var run: [Unicode.Scalar] = []
            func end() {
                if let first = run.first {
                    if run.allSatisfy({ $0 == first }) {
                        seen[first] = min(seen[first] ?? .max, run.count)
                    } else if run.count <= 4 {
                        var text = ""
                        text.unicodeScalars.append(contentsOf: run)
                        seenMixed.insert(text)
                        // A cell may begin with a sign of its own, as in `||#FFFFFF`.
                        for (sign, length) in DelimiterCandidates.stretches(of: run) where seen[sign] == nil {
                            seen[sign] = length
                        }
                    }
                }
                run.removeAll(keepingCapacity: true)
            }
            let text = String(decoding: line.prefix(DelimiterCandidates.longestLine), as: UTF8.self)
            for scalar in text.unicodeScalars {
                if scalar == " " {
                    end()
                    seen[scalar] = 1
                } else if OddDelimiter.separates(scalar) {
                    run.append(scalar)
                } else {
                    end()
                }
            }
            end()
            for (sign, length) in seen {
                let known = signs[sign] ?? (0, .max)
                signs[sign] = (known.lines + 1, min(known.shortest, length))
            }
            for run in seenMixed { mixed[run, default: 0] += 1 }
        }
        let enough = lines.count * 6 / 10
        for (sign, found) in signs where found.lines > enough {
            let isCommon = sign.isASCII && CSVDialect.commonDelimiters.contains(UInt8(sign.value))
            // Several blanks or commas are blanks and empty cells.
            if found.shortest > 1, found.shortest <= 4, !" ,\t".unicodeScalars.contains(sign) {
                add(String(repeating: Character(sign), count: found.shortest))
            }
            if !isCommon { add(String(Character(sign))) }
        }
        for (run, count) in mixed where count > enough && !run.contains(" ") { add(run) }
        let common = all.filter { $0.count == 1 && CSVDialect.commonDelimiters.contains($0[0]) }
        // In the order of their bytes, for tables of hashes have none.
        let odd = all.filter { !common.contains($0) }.sorted { $0.lexicographicallyPrecedes($1) }
        all = common + odd.prefix(DelimiterCandidates.mostOdd * 2)
    }

    /// The signs of a run, each with how often it stands behind itself where it first does.
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
