/// Groups that look alike: their names differ in what nobody sees.
enum TextTwins {
    /// More groups than these are not looked at.
    private static let most = 10_000

    private static let kind = Finding.Kind(
        "look-alikes",
        "the name of the group looks like that of another",
        severity: .warning
    )

    /// Warns of each group whose name holds something unseen and is else that of another group.
    ///
    /// Letters that are composed or decomposed are the same to `String`, which compares by canonical equivalence.
    ///
    /// - Parameters:
    ///   - batch: all groups.
    ///   - by: how many of the first columns tell them apart.
    static func warn(of batch: Batch, by: Int, _ findings: inout Findings) {
        guard (2...most).contains(batch.count) else { return }
        for (place, field) in batch.schema.fields.prefix(by).enumerated() {
            guard case .text(let names) = batch.columns[place] else { continue }
            var odd: [(row: Int, told: String, plain: String)] = []
            names.forEachValue { row, cell in
                guard let oddity = oddity(in: cell) else { return }
                odd.append(
                    (
                        row, "'\(String(decoding: cell, as: UTF8.self))' with \(oddity)",
                        plain(String(decoding: cell, as: UTF8.self))
                    )
                )
            }
            guard !odd.isEmpty else { continue }
            let wanted = Set(odd.map(\.plain))
            var found: Set<String> = []
            names.forEachValue { _, cell in
                if oddity(in: cell) == nil, wanted.contains(String(decoding: cell, as: UTF8.self)) {
                    found.insert(String(decoding: cell, as: UTF8.self))
                }
            }
            let token = findings.token(kind, in: ColumnName(field.name))
            for one in odd where found.contains(one.plain) {
                let advice = "is another group than '\(one.plain)'; nfc() composes letters, trim() takes blanks away"
                findings.warn(one.row, token, saying: "\(one.told) \(advice)")
            }
        }
    }

    private static func oddity(in cell: Cell) -> String? {
        if let unseen = UnseenCharacter.named(in: cell) { return unseen }
        let isBlank = cell.first == UInt8(ascii: " ") || cell.last == UInt8(ascii: " ")
        return isBlank ? "a blank at an end" : nil
    }

    /// The text without what nobody sees, without blanks around it.
    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.properties.generalCategory == .spaceSeparator {
                plain.append(" ")
            } else if !scalar.properties.isDefaultIgnorableCodePoint {
                plain.append(scalar)
            }
        }
        return String(String(plain).drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
