/// Functions that bring texts which look alike to the same characters: the normal forms of Unicode.
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
            formed(call, .nfc)
        },
        ExpressionFunction(
            "nfkc",
            .text,
            [.init(name: "text", kinds: .one(.text))],
            gives: .kind(.text),
            "The same, and with plain letters, digits and spaces for full-width and other variants of them (Unicode form NFKC).",
            examples: [("nfkc('ＡＢ１２')", "AB12"), ("nfkc('a\u{A0}b') = 'a b'", "true")]
        ) { call in
            formed(call, .nfkc)
        },
    ]

    @inline(__always)
    private static func formed(_ call: FunctionCall, _ form: NormalForm) -> Operand {
        let text = call.arguments[0].texts
        return call.texts { row, bytes in
            form.append(text[row], to: bytes)
            return true
        }
    }
}
