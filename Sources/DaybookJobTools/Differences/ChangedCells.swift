import Foundation

/// How many cells of each column changed, and how.
public struct ChangedCells: Sendable {
    /// What all changes of a column have in common.
    public enum Manner: Sendable, Hashable {
        /// Each number became so many times what it was.
        case times(Double)
        /// The values are the same ones in another form.
        case form(String)
    }

    public struct Column: Sendable {
        public var name: String
        public var count = 0
        /// Nil where the changes are of several kinds.
        public var manner: Manner?
    }

    /// The columns in the order of the file, also those without changes.
    private var all: [Column] = []
    /// How many changed rows were looked into.
    public private(set) var rows = 0
    /// How many cells changed in them.
    public private(set) var count = 0

    init(_ names: [String] = []) { all = names.map { Column(name: $0) } }

    /// The columns in which cells changed.
    public var columns: [Column] { all.filter { $0.count > 0 } }

    /// Adds a row of either file, of its cells the first ones.
    mutating func add(_ before: FoundCells, _ was: Int, _ after: FoundCells, _ now: Int) {
        rows += 1
        for index in all.indices where !before.isSame(was, index, as: after, now) {
            if all[index].count == 0 || all[index].manner != nil {
                let manner = ChangedCells.manner(before.text(was, index), after.text(now, index))
                if all[index].count == 0 || all[index].manner != manner {
                    all[index].manner = all[index].count == 0 ? manner : nil
                }
            }
            all[index].count += 1
            count += 1
        }
    }

    private static func manner(_ old: String?, _ new: String?) -> Manner? {
        guard let old, let new else { return nil }
        if let was = Double(old), let now = Double(new) {
            if was == now { return .form("how numbers are spelled") }
            guard was != 0, now != 0 else { return nil }
            // Digits beyond the twelfth are those of the division.
            return Double(String(format: "%.12g", now / was)).map { .times($0) }
        }
        let (was, now) = (trimmed(old), trimmed(new))
        // Swift takes texts for equal that are composed otherwise.
        if was.utf8.elementsEqual(now.utf8) { return .form("blanks at the edges") }
        if old == new { return .form("how characters are composed") }
        return was.lowercased() == now.lowercased() ? .form("capitals") : nil
    }

    private static func trimmed(_ text: String) -> String {
        let end = text.unicodeScalars.lastIndex { !$0.properties.isWhitespace }
        guard let end, let start = text.unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }) else {
            return ""
        }
        return String(text.unicodeScalars[start...end])
    }
}
