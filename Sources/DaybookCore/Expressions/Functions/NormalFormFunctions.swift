import Foundation

/// Functions that bring texts which look alike to the same characters: the normal forms NFC and NFKC of Unicode.
///
/// https://www.unicode.org/reports/tr15/
enum NormalFormFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction(
            "nfc",
            .text,
            [.init(name: "text", kinds: .one(.text))],
            gives: .kind(.text),
            "The text with composed letters (Unicode form NFC): file systems and some apps write Hangul and accents decomposed.",
            examples: [("nfc('\u{1112}\u{1162}\u{11BC}') = '행'", "true"), ("length(nfc('e\u{301}'))", "1")]
        ) { call in
            formed(call, isStable: { $0 < 0xCC }) { $0.precomposedStringWithCanonicalMapping }
        },
        ExpressionFunction(
            "nfkc",
            .text,
            [.init(name: "text", kinds: .one(.text))],
            gives: .kind(.text),
            "The same, and with plain letters, digits and spaces for full-width and other variants of them (Unicode form NFKC).",
            examples: [("nfkc('ＡＢ１２')", "AB12"), ("nfkc('a\u{A0}b') = 'a b'", "true")]
        ) { call in
            formed(call, isStable: { $0 < 0x80 }) { $0.precomposedStringWithCompatibilityMapping }
        },
    ]

    /// - Parameter isStable: whether a byte below 0xE0 is one of a character that stays as it is.
    @inline(__always)
    private static func formed(
        _ call: FunctionCall,
        isStable: (UInt8) -> Bool,
        _ form: (String) -> String
    ) -> Operand {
        let text = call.arguments[0].texts
        return call.texts { row, bytes in
            let cell = text[row]
            if staysAsItIs(cell, isStable) {
                bytes.append(cell)
            } else {
                bytes.append(form(String(decoding: cell, as: UTF8.self)))
            }
            return true
        }
    }

    /// Whether all characters are stable ones, Han or whole syllables of Hangul; what joins syllables is neither.
    @inline(__always)
    private static func staysAsItIs(_ cell: Cell, _ isStable: (UInt8) -> Bool) -> Bool {
        for position in 0..<cell.count {
            let byte = cell[position]
            switch byte {
            case 0x80...0xBF, 0xE4...0xE9, 0xEB, 0xEC: continue
            case 0xEA: if position + 1 >= cell.count || cell[position + 1] < 0xB0 { return false }
            case 0xED: if position + 1 >= cell.count || cell[position + 1] > 0x9E { return false }
            default: if !isStable(byte) { return false }
            }
        }
        return true
    }
}
