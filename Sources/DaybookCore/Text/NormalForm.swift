import Foundation

/// The forms of Unicode in which texts that look alike have the same characters.
///
/// https://www.unicode.org/reports/tr15/
public enum NormalForm: String, CaseIterable, Sendable {
    /// Composed letters: file systems and some apps write Hangul and accents decomposed.
    case nfc
    /// The same, and plain letters, digits and spaces for full-width and other variants of them.
    case nfkc

    /// Whether all characters of a text are stable ones, Han or whole syllables of Hangul; what joins syllables is neither.
    @inline(__always)
    func keeps(_ cell: Cell) -> Bool {
        // Below 0xCC every character of two bytes stays as it is under NFC.
        let stable: UInt8 = self == .nfc ? 0xCC : 0x80
        for position in 0..<cell.count {
            let byte = cell[position]
            switch byte {
            case 0x80...0xBF, 0xE4...0xE9, 0xEB, 0xEC: continue
            case 0xEA: if position + 1 >= cell.count || cell[position + 1] < 0xB0 { return false }
            case 0xED: if position + 1 >= cell.count || cell[position + 1] > 0x9E { return false }
            default: if byte >= stable { return false }
            }
        }
        return true
    }

    /// Appends a text in this form.
    @inline(__always)
    func append(_ cell: Cell, to bytes: Bytes) {
        guard !keeps(cell) else { return bytes.append(cell) }
        let text = String(decoding: cell, as: UTF8.self)
        bytes.append(
            self == .nfc ? text.precomposedStringWithCanonicalMapping : text.precomposedStringWithCompatibilityMapping
        )
    }
}

extension TextColumn {
    /// The same texts in a form; the column itself where they have it.
    package func formed(_ form: NormalForm) -> TextColumn {
        var isFormed = true
        forEachValue { _, cell in isFormed = isFormed && form.keeps(cell) }
        guard !isFormed else { return self }
        let old = self
        return TextColumn(rows: count, missing: missing, capacity: count * 16) { row, bytes in
            old.withCell(row) { form.append($0, to: bytes) }
        }
    }
}
