import Synchronization

/// Finds the name that a person most likely meant.
public enum NearestName {
    /// The candidate closest to `written`, or nil when none is close enough to be worth saying.
    ///
    /// American spellings are tried first, so `validate_hex_colors` finds `validate_hex_colours` even
    /// where another name is as close. Distance is Damerau–Levenshtein in its restricted form (optimal
    /// string alignment), at most a third of the longer name. Names of one character are alike only in the other case.
    public static func of(_ written: String, among candidates: some Sequence<String>) -> String? {
        ComparedNames(candidates).nearest(to: written)
    }

    /// "did you mean 'date'?", or nil.
    public static func hint(for written: String, among candidates: some Sequence<String>) -> String? {
        of(written, among: candidates).map { "did you mean '\($0)'?" }
    }

    /// The same, where other words of people have a name that they mean.
    package static func hint(
        for written: String,
        among candidates: some Sequence<String>,
        _ otherWords: [String: String]
    ) -> String? {
        otherWords[written.lowercased()].map { "did you mean '\($0)'?" } ?? hint(for: written, among: candidates)
    }

    /// A hint for names of several words: `pivot` is a part of `pivot_rows`, `csv` of `import_csv` and `export_csv`.
    ///
    /// With more than three such names, the hint would help little.
    public static func hint(forWords written: String, among candidates: [String]) -> String? {
        if let near = hint(for: written, among: candidates) { return near }
        let words = Set(parts(of: written))
        guard !words.isEmpty else { return nil }
        let names = candidates.filter { words.isSubset(of: parts(of: $0)) }
        guard (1...3).contains(names.count) else { return nil }
        return "did you mean \(DisplayText.list(names.map { "'\($0)'" }, "or"))?"
    }

    private static func parts(of name: String) -> [String] {
        britishSpelling(of: name.lowercased()).split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// The candidate that `written` probably misspells, for places where a misspelling stops a run.
    ///
    /// Stricter than a hint, since `rain` and `main`, or `temp_min` and `temp_max`, are both real names: letters are
    /// missing, surplus, swapped or in another case, or one of at least six differs. Names that differ in their digits,
    /// or have one or two letters, are other names.
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

    fileprivate static let britishForms = americanPairs.map { $0.1 }

    fileprivate static func britishSpelling(of name: String) -> String {
        var result = name
        for (american, british) in americanPairs {
            guard !result.contains(british) else { continue }
            result = result.replacing(american, with: british)
        }
        return result
    }
}

/// Names prepared for comparison with many texts.
private struct ComparedNames {
    private struct Name {
        let text: String
        let lowercased: String
        /// The characters of the name, each by its number in the alphabet of all names.
        let letters: [Int]
    }

    private let names: [Name]
    private let numbers: [Character: Int]
    /// Whether American spellings have to be tried, since a name has a British one.
    private let haveBritish: Bool

    init(_ texts: some Sequence<String>) {
        var numbers: [Character: Int] = [:]
        names = texts.map { text in
            let letters = text.map { letter in
                let number = numbers[letter] ?? numbers.count
                numbers[letter] = number
                return number
            }
            return Name(text: text, lowercased: text.lowercased(), letters: letters)
        }
        self.numbers = numbers
        haveBritish = names.contains { name in NearestName.britishForms.contains { name.text.contains($0) } }
    }

    /// The name closest to a text; nil where none is close enough.
    func nearest(to written: String) -> String? {
        let lowercased = written.lowercased()
        let british = haveBritish ? NearestName.britishSpelling(of: written) : written
        // A letter of no name is like none.
        let letters = written.map { numbers[$0] ?? -1 }
        var best: (name: String, distance: Int)?
        for name in names {
            if name.text == british || name.lowercased == lowercased { return name.text }
            guard letters.count > 1, name.letters.count > 1 else { continue }
            let limit = max(1, max(letters.count, name.letters.count) / 3)
            guard abs(letters.count - name.letters.count) <= limit else { continue }
            let distance = Self.distance(letters, name.letters)
            if distance <= limit, distance < best?.distance ?? .max { best = (name.text, distance) }
        }
        return best?.name
    }

    private static func distance(_ first: [Int], _ second: [Int]) -> Int {
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
///
/// The nearest name is one that looks the same; else, if there are few names, one that the text may misspell.
public final class NearestNames: Sendable {
    private struct State {
        let texts: @Sendable () -> [String]
        let haveOddity: @Sendable () -> Bool
        lazy var names = texts()
        lazy var isOdd = haveOddity()
        lazy var compared = ComparedNames(names.count <= NearestNames.mostNames ? names : [])
        lazy var alike = LookAlikes(names)
        var known: [String: String?] = [:]
    }

    private let state: Mutex<State>

    /// How many texts are cached.
    private static let mostKnown = 1_024
    /// Above so many names, or for a longer text, only a look-alike is offered: each text is compared with all names.
    private static let (mostNames, longestText) = (200, 200)

    public convenience init(_ names: [String]) {
        self.init(haveOddity: { names.contains { LookAlikes.oddity(in: $0) != nil } }, names: { names })
    }

    /// - Parameters:
    ///   - haveOddity: whether one of the names differs from its look; called once, much cheaper than `names`.
    ///   - names: called once, at the first look-up.
    package init(haveOddity: @escaping @Sendable () -> Bool, names: @escaping @Sendable () -> [String]) {
        state = Mutex(State(texts: names, haveOddity: haveOddity))
    }

    /// Whether one of the names differs from what it looks like. If none does, only odd values can have a twin.
    package var haveOddity: Bool { state.withLock { $0.isOdd } }

    /// The name that looks like a value and is another.
    package func twin(of cell: Cell) -> String? {
        let text = String(decoding: cell, as: UTF8.self)
        return state.withLock { $0.alike.twin(of: text) }
    }

    package func nearest(to text: String) -> String? {
        state.withLock { state in
            if let nearest = state.known[text] { return nearest }
            let isShort = text.utf8.count <= NearestNames.longestText
            let nearest = state.alike.twin(of: text) ?? (isShort ? state.compared.nearest(to: text) : nil)
            guard isShort else { return nearest }
            if state.known.count >= NearestNames.mostKnown { state.known.removeAll(keepingCapacity: true) }
            state.known.updateValue(nearest, forKey: text)
            return nearest
        }
    }

    /// The name nearest to a value, as a message offers it.
    public var hint: ValueHint {
        ValueHint(of: self) { [self] value in
            nearest(to: value.map { String(decoding: $0, as: UTF8.self) } ?? "")
                .map { "; did you mean \(DisplayText.value($0))?" } ?? ""
        }
    }
}

/// Equal only if identical.
extension NearestNames: Hashable {
    public static func == (one: NearestNames, other: NearestNames) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
