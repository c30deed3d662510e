import Testing

@testable import DaybookValues

/// Normal forms of Unicode, against CPython's `unicodedata`. Texts are compared by scalars: Swift takes both forms for the
/// same text.
@Suite struct ComposedTextTests {
    private static func composed(_ text: some Sequence<UInt32>, _ form: NormalForm) -> [UInt32] {
        var scalars = String.UnicodeScalarView()
        for value in text { scalars.append(Unicode.Scalar(value)!) }
        let bytes = Bytes()
        Array(String(scalars).utf8).withUnsafeBufferPointer { form.append($0, to: bytes) }
        return bytes.text(0..<bytes.count).unicodeScalars.map(\.value)
    }

    @Test(
        "Hangul is composed whole, and no character of it is lost",
        arguments: [
            ([0xAC00, 0x11A8], [0xAC01]), ([0xD788, 0x11C2], [0xD7A3]), ([0x1100, 0x1161, 0x11A8], [0xAC01]),
            ([0x1100, 0x1161, 0x11A7, 0x21], [0xAC00, 0x11A7, 0x21]), ([0xAC00, 0x11A7], [0xAC00, 0x11A7]),
            ([0xAC00, 0x11C3], [0xAC00, 0x11C3]), ([0xAC01, 0x11A8], [0xAC01, 0x11A8]),
            ([0x1113, 0x1175], [0x1113, 0x1175]), ([0x1100, 0x1176], [0x1100, 0x1176]),
            ([0xAC00, 0x301, 0x11A8], [0xAC00, 0x301, 0x11A8]),
        ] as [([UInt32], [UInt32])]
    )
    func hangul(_ text: [UInt32], _ expected: [UInt32]) {
        for form in NormalForm.allCases { #expect(Self.composed(text, form) == expected, "\(form)") }
    }

    @Test(
        "marks stand in their order, also those of a character that is made of several",
        arguments: [
            ([0x65, 0xF73, 0x301], [0xE9, 0xF71, 0xF72]), ([0xF75, 0xF81], [0xF71, 0xF71, 0xF80, 0xF74]),
            ([0x345, 0xF73], [0xF71, 0xF72, 0x345]), ([0x61, 0x301, 0x323], [0x1EA1, 0x301]),
            ([0xCCA, 0xCD5], [0xCCB]),
            ([0x344], [0x308, 0x301]), ([0x1D15E, 0x3099], [0x1D157, 0x3099, 0x1D165]),
        ] as [([UInt32], [UInt32])]
    )
    func marks(_ text: [UInt32], _ expected: [UInt32]) {
        for form in NormalForm.allCases { #expect(Self.composed(text, form) == expected, "\(form)") }
    }

    /// Characters that compose, are composed, are taken apart or change places, and some that only look so.
    private static let odd: [UInt32] = [
        0x41, 0x65, 0x1100, 0x1113, 0x1161, 0x1175, 0x1176, 0x11A7, 0x11A8, 0x11C2, 0x11C3, 0xAC00, 0xAC01, 0xD788,
        0x301,
        0x345, 0xF71, 0xF72, 0xF73, 0xF75, 0xF81, 0xCCA, 0xCD5, 0x1E9B, 0xFB1D, 0xFF76, 0xFF9E, 0x3131, 0x314F, 0x1D15E,
    ]

    /// The digests are of what `unicodedata.normalize` gives, a line each, in this order.
    @Test(
        "every text of up to three odd characters is that of Python",
        arguments: [(NormalForm.nfc, 0x025E_DC33_81F6_52AB as UInt64), (.nfkc, 0xA68E_5381_45BB_C589)]
    )
    func all(_ form: NormalForm, _ expected: UInt64) {
        var texts: [[UInt32]] = [[]]
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for _ in 1...3 {
            texts = texts.flatMap { text in Self.odd.map { text + [$0] } }
            for text in texts {
                var scalars = String.UnicodeScalarView()
                for value in Self.composed(text, form) { scalars.append(Unicode.Scalar(value)!) }
                // FNV-1a.
                for byte in String(scalars).utf8 + [10] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
            }
        }
        #expect(digest == expected)
    }
}
