import Testing

@testable import DaybookContracts
@testable import DaybookValues

/// Values that are not what they look like, as messages quote them.
@Suite struct UnseenCharacterTests {
    static func displayText(_ text: String) -> String {
        Array(text.utf8).withUnsafeBufferPointer { DisplayText.value($0) }
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
        #expect(Self.displayText(text) == "'\(text)' with \(oddity)")
    }

    @Test(
        "what is as it looks is quoted alone",
        arguments: ["행복해", "café", "Москва", "Москва Moscow", "สวัสดีครับ", "हिन्दी", "α-β test", "a b", "", "日本語カタカナ", "x²"]
    )
    func plain(_ text: String) {
        #expect(Self.displayText(text) == "'\(text)'")
    }

    @Test(
        "a text finds the one that looks the same",
        arguments: [
            "Seoul ", " Seoul", "Seoul\t", "Seoul\n", "Seoul\u{A0}", "Seo\u{200B}ul", "\u{FEFF}Seoul", "Seo\u{AD}ul",
        ]
    )
    func twins(_ text: String) {
        let alike = LookAlikes(["Busan", "Seoul", "New York", "caf\u{E9}"])
        #expect(alike.twin(of: text) == "Seoul")
        let names = NearestNames(["Busan", "Seoul"])
        #expect(Array(text.utf8).withUnsafeBufferPointer { names.twin(of: $0) } == "Seoul")
        #expect(Array("Seoul".utf8).withUnsafeBufferPointer { NearestNames([text]).twin(of: $0) } != nil)
        #expect(LookAlikes(["Busan", text]).twin(of: "Seoul").map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test func `what makes a text odd is found at every place of it`() {
        for length in 0...20 {
            let plain = String("the-key!~of(some)row}".prefix(length))
            #expect(LookAlikes.oddity(in: plain) == nil)
            for place in 0...length {
                for odd in ["\t", "  ", "\u{A0}", "\u{200B}", "\u{443}"] {
                    let text = plain.prefix(place) + odd + plain.dropFirst(place)
                    let isBlankWithin = odd == "\t" && place > 0 && place < length
                    // A letter of another script is odd beside others alone.
                    let isWord =
                        odd != "\u{443}" || length > 1 && place > 0 && plain.dropFirst(place - 1).first!.isLetter
                    if !isBlankWithin, isWord {
                        #expect(LookAlikes.oddity(in: String(text)) != nil, "\(text.debugDescription)")
                    }
                }
            }
        }
    }

    @Test func `what looks otherwise has no twin`() {
        let alike = LookAlikes(["Seoul", "New York", "caf\u{E9}"])
        #expect(alike.twin(of: "New  York") == "New York")
        #expect(alike.twin(of: "cafe\u{301}") == "caf\u{E9}")
        for other in ["Seoul", "seoul", "NewYork", "cafe", ""] { #expect(alike.twin(of: other) == nil) }
        #expect(LookAlikes.pairs(among: ["a", "b", "a ", "c\u{A0}"]).map(\.place) == [2])
    }
}
