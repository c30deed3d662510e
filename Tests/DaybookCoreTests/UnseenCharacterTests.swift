import DaybookCore
import Testing

/// Values that are not what they look like, as messages quote them.
@Suite struct UnseenCharacterTests {
    static func spoken(_ text: String) -> String {
        Array(text.utf8).withUnsafeBufferPointer { Spoken.value($0) }
    }

    @Test(
        "what nobody sees is named behind the value",
        arguments: [
            ("행복해\u{200B}", "U+200B (zero width space)"), ("12\u{A0}", "U+00A0 (no-break space)"),
            ("\u{FEFF}3", "U+FEFF (zero width no-break space)"),
            ("\u{1112}\u{1162}", "decomposed Hangul, U+1112 (Unicode form NFD)"),
            ("cafe\u{301}", "U+0301 (combining acute accent)"), ("Energ\u{443}", "U+0443 (cyrillic small letter u)"),
            ("\u{410}pple", "U+0410 (cyrillic capital letter a)"), ("Мoсква", "U+006F (latin small letter o)"),
            ("\u{39F}K", "U+039F (greek capital letter omicron)"), ("ＡB", "U+FF21 (fullwidth latin capital letter a)"),
        ]
    )
    func named(_ text: String, _ oddity: String) {
        #expect(Self.spoken(text) == "'\(text)' with \(oddity)")
    }

    @Test(
        "what is as it looks is quoted alone",
        arguments: ["행복해", "café", "Москва", "Москва Moscow", "สวัสดีครับ", "हिन्दी", "α-β test", "a b", "", "日本語カタカナ", "x²"]
    )
    func plain(_ text: String) {
        #expect(Self.spoken(text) == "'\(text)'")
    }
}
