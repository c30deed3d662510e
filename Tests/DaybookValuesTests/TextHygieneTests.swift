import DaybookTestSupport
import Testing

@testable import DaybookValues

/// Faults of texts that readers do not see, and texts that only look as if they had some.
@Suite struct TextHygieneTests {
    static let all = TextHygiene(TextFault.allCases)

    static func faults(_ text: String, _ hygiene: TextHygiene = all) -> TextFaults {
        let bytes = Bytes(text)
        return withExtendedLifetime(bytes) { hygiene.faults(in: bytes.filled) }
    }

    static func mended(_ text: String, _ hygiene: TextHygiene = all) -> String {
        let bytes = Bytes(text)
        return withExtendedLifetime(bytes) { hygiene.mended(bytes.filled) } ?? text
    }

    /// The text as a program shows it that reads its UTF-8 as Windows-1252, or as Latin-1.
    static func misread(_ text: String, asLatin1: Bool = false) -> String {
        let windows: [UInt8: String] = [
            0x80: "€", 0x82: "‚", 0x83: "ƒ", 0x84: "„", 0x85: "…", 0x86: "†", 0x87: "‡", 0x88: "ˆ", 0x89: "‰",
            0x8A: "Š",
            0x8B: "‹", 0x8C: "Œ", 0x8E: "Ž", 0x91: "‘", 0x92: "’", 0x93: "“", 0x94: "”", 0x95: "•", 0x96: "–",
            0x97: "—",
            0x98: "˜", 0x99: "™", 0x9A: "š", 0x9B: "›", 0x9C: "œ", 0x9E: "ž", 0x9F: "Ÿ",
        ]
        return text.utf8.map { (asLatin1 ? nil : windows[$0]) ?? String(Unicode.Scalar($0)) }.joined()
    }

    @Test(
        "texts that people write have no fault",
        arguments: [
            "", "a", "Seoul", "a\tb\nc", "a\n\nb", "list:\n  one\n\ttwo", "행복해 오늘은 바다에서", "日本語　カタカナ", "iPhoneケース",
            "می\u{200C}خواهم", "خانه\u{200C} ها", "क्\u{200D}ष", "അവന്\u{200D}", "ภาษา\u{200B}ไทย", "👩\u{200D}👩\u{200D}👧",
            "👩🏽\u{200D}🚀",
            "❤\u{FE0F}\u{200D}🔥", "🏳\u{FE0F}\u{200D}🌈", "שלום\u{200F}!", "Москва и Moscow", "IT-отдел", "ITшник",
            "PDFка", "Ελλάδα",
            "α-β", "12 μm", "µm", "ΔH = 3 kΩ", "TNFα", "2πr", "naïve", "Ångström", "ÅNGSTRÖM", "Ãlvaro", "IRMÃ",
            "CAFÉ®", "Ärger",
            "São Paulo", "« marché »", "«\u{A0}marché\u{A0}»", "« voilà…»", "«passé…»", "píš…", "děláš“", "Úžasný",
            "VÝŠKA ŘÍŠE",
            "„Spaß“", "Spaß…", "„JÄ“", "PÅ…", "«É»", "12 Å²", "kJ/Å·mol", "10×²", "CAFFÈ™", "2 × 3", "½ °C", "Łódź",
            "şişe",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "1\u{FE0F}\u{20E3}", "❤\u{FE0F}", "©\u{FE0F}",
            "\u{115F}\u{1161}", "\u{1112}\u{1160}", "\u{115F}\u{D7B0}", "ᠰ\u{180E}ᠠ",
            "Thứ bảy", "e\u{301}\u{301}", "\u{301}", "x²", "Straße – Weg", "ÍŽ", "l’été…", "ÉTÉ–ÉTÉ", "DÉJÀ…",
        ]
    )
    func clean(_ text: String) {
        #expect(Self.faults(text) == [], "\(Self.mended(text).debugDescription)")
        #expect(Self.mended(text) == text)
    }

    @Test(
        "a fault is found and mended",
        arguments: [
            (" Seoul", TextFaults.edges, "Seoul"), ("Seoul\u{A0}", .edges, "Seoul"), ("\u{3000}서울\n", .edges, "서울"),
            ("   ", .edges, ""), ("a  b", .doubleBlanks, "a b"), ("a\u{A0} b", .doubleBlanks, "a b"),
            ("서울\u{3000}\u{3000}부산", .doubleBlanks, "서울\u{3000}부산"), ("  a  b", [.edges, .doubleBlanks], "a b"),
            ("CafÃ©", .mojibake, "Café"), ("donâ€™t", .mojibake, "don’t"), ("Ã©", .mojibake, "é"),
            ("25Â°C", .mojibake, "25°C"),
            ("a\u{C2}\u{A0}b", .mojibake, "a\u{A0}b"), ("sÄ…", .mojibake, "są"), ("MichaÅ‚", .mojibake, "Michał"),
            ("BucureÈ™ti", .mojibake, "București"), ("LEÃ“N", .mojibake, "LEÓN"), ("â„¢", .mojibake, "™"),
            ("ðŸ˜€", .mojibake, "😀"),
            ("ÃƒÂ©t", .mojibake, "ét"), ("Caf\u{FFFD}", .lost, "Caf\u{FFFD}"), ("Pаris", .mixedScripts, "Paris"),
            ("Mосква", .mixedScripts, "Mосква"), ("CCCР", .mixedScripts, "CCCР"), ("Αthens", .mixedScripts, "Athens"),
            ("Aθήνα", .mixedScripts, "Aθήνα"), ("Se\u{200B}oul", .unseen, "Seoul"), ("\u{FEFF}a", .unseen, "a"),
            ("Zu\u{AD}cker", .unseen, "Zucker"), ("a\u{202E}b", .unseen, "ab"), ("a\u{200D}b", .unseen, "ab"),
            ("👩\u{200D}", .unseen, "👩"), ("a\u{200E}", .unseen, "a"), ("a\u{0}b\u{7F}\u{9F}", .unseen, "ab"),
            ("행\u{3164}복", .unseen, "행복"), ("\u{3164}", .unseen, ""), ("\u{115F}a\u{1160}", .unseen, "a"),
            ("\u{FFA0}a", .unseen, "a"), ("a\u{2061}b\u{2063}", .unseen, "ab"), ("a\u{180E}b", .unseen, "ab"),
            ("a\u{FFF9}b", .unseen, "ab"), ("a\u{FE0F}", .unseen, "a"), ("a\u{E0041}\u{E0001}", .unseen, "a"),
            ("\u{200B} Seoul", [.unseen, .edges], "Seoul"), ("\u{C3}\u{200B}\u{A9}t", .unseen, "ét"),
        ] as [(String, TextFaults, String)]
    )
    func dirty(_ text: String, _ faults: TextFaults, _ mended: String) {
        #expect(Self.faults(text) == faults)
        #expect(Array(Self.mended(text).unicodeScalars) == Array(mended.unicodeScalars))
    }

    @Test(
        "what was read in another encoding is as it was, also after it was twice",
        arguments: [
            "Café", "don’t", "“quoted” – text…", "Łódź", "Příliš žluťoučký kůň", "şişe İĞ", "행복해", "北京市", "日本語 テキスト",
            "Привет и мир",
            "Ελλάδα", "שלום", "مرحبا", "Tiếng Việt", "😀 ❤️", "½ £5 §", "KÖLN", "São João",
        ]
    )
    func misread(_ text: String) {
        for asLatin1 in [false, true] {
            let once = Self.misread(text, asLatin1: asLatin1)
            #expect(Self.faults(once).contains(.mojibake))
            #expect(Self.mended(once) == text)
            #expect(Self.mended(Self.misread(once, asLatin1: asLatin1)) == text)
        }
    }

    @Test func `only the faults that are asked for are found and mended`() {
        let text = " a  b\u{200B} CafÃ© Pаris"
        for fault in TextFault.allCases {
            let hygiene = TextHygiene([fault])
            #expect(Self.faults(text, hygiene) == TextFaults([fault]))
            #expect(Self.faults(Self.mended(text, hygiene), hygiene) == [])
        }
    }

    @Test func `a mended text has no fault but those that cannot be mended, and is not mended again`() {
        var generator = SeededGenerator(seed: 20_261_129)
        let parts = Array(
            "aB é\u{A0} \tÃ©â€™Ð¡Ñ‚Å²Â°„»…š\u{200B}\u{200D}\u{200C}\u{AD}\u{FEFF}\n\u{0}\u{FFFD}\u{FE0F}\u{3164}\u{1160}\u{E0067}пРΑοΔмی👩한\u{301}\u{3000}\u{9D}ìŸ˜"
                .unicodeScalars
        )
        for _ in 0..<TestSize.rounds(15_000, of: 200_000) {
            let scalars = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                parts.randomElement(using: &generator)!
            }
            let text = String(String.UnicodeScalarView(scalars))
            // A blank in front leads past the short look at the bytes.
            if Self.faults(text) == [] { #expect(Self.faults(" " + text).subtracting(.edges) == []) }
            let mended = Self.mended(text)
            let rest = Self.faults(mended).subtracting([.lost, .mixedScripts])
            guard rest == [], Self.mended(mended).unicodeScalars.elementsEqual(mended.unicodeScalars) else {
                Issue.record("\(text.debugDescription) became \(mended.debugDescription)")
                return
            }
        }
    }

    @Test func `hostile texts end`() {
        #expect(Self.mended(String(repeating: " ", count: 1 << 20)) == "")
        #expect(Self.mended("a" + String(repeating: " ", count: 1 << 16) + "b") == "a b")
        let marks = String(repeating: "\u{301}", count: 1 << 17)
        #expect(Self.faults(marks) == [])
        #expect(Self.faults(" " + marks) == .edges)
        #expect(Self.mended(String(repeating: "\u{200D}", count: 1 << 16)) == "")
        var nested = "é"
        for _ in 0..<6 { nested = Self.misread(nested) }
        #expect(Self.mended(nested) == "é")
    }

    @Test func `broken bytes are lost characters`() {
        for bytes: [UInt8] in [[0xC3], [0xE2, 0x80], [0x61, 0xFF], [0xF0, 0x9F]] {
            let broken = Bytes()
            broken.append(bytes)
            _ = withExtendedLifetime(broken) { (Self.all.faults(in: broken.filled), Self.all.mended(broken.filled)) }
        }
    }
}
