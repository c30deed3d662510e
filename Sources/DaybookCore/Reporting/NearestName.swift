import Synchronization

/// Finds the name that a person most likely meant.
public enum NearestName {
    /// The candidate closest to `written`, or nil when none is close enough to be worth saying.
    ///
    /// American spellings are tried first, so `validate_hex_colors` finds `validate_hex_colours` even
    /// where another name is as close. Distance is Damerau–Levenshtein in its restricted form (optimal
    /// string alignment), at most a third of the longer name. Names of one character are alike only in the other case.
    public static func of(_ written: String, among candidates: some Sequence<String>) -> String? {
        let british = britishSpelling(of: written)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            if candidate == british { return candidate }
            if candidate.lowercased() == written.lowercased() { return candidate }
            guard written.count > 1, candidate.count > 1 else { continue }
            let limit = max(1, max(written.count, candidate.count) / 3)
            guard abs(written.count - candidate.count) <= limit else { continue }
            let distance = distance(Array(written), Array(candidate))
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// "did you mean 'date'?", or nil.
    public static func hint(for written: String, among candidates: some Sequence<String>) -> String? {
        of(written, among: candidates).map { "did you mean '\($0)'?" }
    }

    /// The same for names that are made of several words: `pivot` is a part of `pivot_rows`, `csv` of `import_csv` and `export_csv`.
    ///
    /// Where there are more than three such names, the words say too little to be worth it.
    public static func hint(forWords written: String, among candidates: [String]) -> String? {
        if let near = hint(for: written, among: candidates) { return near }
        let words = Set(parts(of: written))
        guard !words.isEmpty else { return nil }
        let names = candidates.filter { words.isSubset(of: parts(of: $0)) }
        guard (1...3).contains(names.count) else { return nil }
        let quoted = names.map { "'\($0)'" }
        let first = quoted.dropLast().joined(separator: ", ")
        return "did you mean \(first.isEmpty ? "" : first + " or ")\(quoted[quoted.count - 1])?"
    }

    private static func parts(of name: String) -> [String] {
        britishSpelling(of: name.lowercased()).split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// The candidate of which `written` looks like a slip, where that stops a run.
    ///
    /// Stricter than a hint, since `rain` stands beside `main` and `temp_min` beside `temp_max`: letters are missing, too many,
    /// swapped or in another case, or one of at least six is another. Names that differ in their digits, or have one or two
    /// letters, are other names.
    public static func slip(_ written: String, among candidates: some Sequence<String>) -> String? {
        guard written.count > 2, written.utf8.count <= 200 else { return nil }
        return of(written, among: candidates.filter { isSlip(written, of: $0) })
    }

    private static func isSlip(_ written: String, of name: String) -> Bool {
        let sameButDigits = written.filter { !$0.isNumber } == name.filter { !$0.isNumber }
        guard name.count > 2, !sameButDigits else { return false }
        let (first, second) = (Array(written.lowercased()), Array(name.lowercased()))
        if first.count != second.count || first.sorted() == second.sorted() { return true }
        return first.count >= 6 && zip(first, second).count(where: { $0 != $1 }) == 1
    }

    private static let americanPairs = [
        ("color", "colour"), ("normalize", "normalise"), ("summarize", "summarise"), ("gray", "grey"),
        ("center", "centre"), ("favorite", "favourite"),
    ]

    private static func britishSpelling(of name: String) -> String {
        var result = name
        for (american, british) in americanPairs {
            guard !result.contains(british) else { continue }
            result = result.replacing(american, with: british)
        }
        return result
    }

    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for row in 1...first.count {
            var current = [row]
            for column in 1...second.count {
                let same = first[row - 1] == second[column - 1]
                var value = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (same ? 0 : 1))
                if row > 1, column > 1, first[row - 1] == second[column - 2], first[row - 2] == second[column - 1] {
                    value = min(value, beforeLast[column - 2] + 1)
                }
                current.append(value)
            }
            beforeLast = last
            last = current
        }
        return last[second.count]
    }
}

/// The nearest of some names to each of many texts, among which few are different.
package final class NearestNames: Sendable {
    private let names: [String]
    private let known = Mutex<[String: String?]>([:])

    /// More texts than these are not compared.
    private static let most = 32

    package init(_ names: [String]) { self.names = names }

    package func nearest(to text: String) -> String? {
        known.withLock { known in
            if let nearest = known[text] { return nearest }
            guard known.count < NearestNames.most else { return nil }
            let nearest = NearestName.of(text, among: names)
            known.updateValue(nearest, forKey: text)
            return nearest
        }
    }
}
