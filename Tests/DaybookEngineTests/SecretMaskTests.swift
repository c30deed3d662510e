import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// A secret is found in whatever spelling JSON gives it.
@Suite struct SecretMaskTests {
    /// Every scalar of a text as escapes of UTF-16 units.
    private func escaped(_ text: String, uppercase: Bool) -> String {
        text.utf16.map { unit in
            let digits = String(unit, radix: 16, uppercase: uppercase)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    /// A text as JSON inside the text of a string of JSON.
    private func quoted(_ text: String) -> String {
        let bytes = Bytes()
        bytes.append(jsonString: text)
        return bytes.text(0..<bytes.count)
    }

    private static let secrets = [
        "SECRET-token-9876", "비밀번호", "key😀key", "grün/süß", "back\\slash \"and\" quotes", "a\tb\nc\u{7}d", "\\u0041\\n",
        "it's ~ /x", "😀😀",
    ]

    @Test(arguments: secrets) func `escapes of every character, in capitals and small letters`(_ secret: String) {
        let mask = SecretMask([secret])
        for uppercase in [true, false] {
            let all = escaped(secret, uppercase: uppercase)
            #expect(mask.masking("{\"a\":\"é \(all)\(all)!\"}") == "{\"a\":\"é ••••••••!\"}")
            #expect(mask.masking("{\"\(all)\":1,\"b\\n\":2}") == "{\"••••\":1,\"b\\n\":2}")
            #expect(mask.masking("\\\\\(all)\\") == "\\\\••••\\")
        }
    }

    @Test(arguments: secrets) func `some characters escaped, and some as they are`(_ secret: String) {
        let mask = SecretMask([secret])
        let scalars = Array(secret.unicodeScalars)
        for place in scalars.indices {
            let mixed = scalars.indices.map { index -> String in
                let character = String(scalars[index])
                return index == place
                    ? escaped(character, uppercase: false) : String(quoted(character).dropFirst().dropLast())
            }.joined()
            #expect(mask.masking("[\"\(mixed)\",\"\\/\"]") == "[\"••••\",\"\\/\"]", "\(mixed)")
        }
        let slashed = String(quoted(secret).dropFirst().dropLast()).replacing("/", with: "\\/")
        #expect(mask.masking("<\(slashed)>") == "<••••>")
        #expect(mask.masking("\(secret) and \(slashed)") == "•••• and ••••")
    }

    @Test(arguments: secrets) func `JSON that holds JSON as text`(_ secret: String) {
        let inner = "{\"a\":\"\(escaped(secret, uppercase: false))\"}"
        let masked = SecretMask([secret]).masking(quoted(quoted(inner)))
        #expect(masked == quoted(quoted("{\"a\":\"••••\"}")))
    }

    @Test(arguments: secrets) func `an escape that is cut off is none`(_ secret: String) {
        let mask = SecretMask([secret])
        let all = escaped(secret, uppercase: false)
        for count in 1...all.count {
            let cut = String(all.prefix(all.count - count))
            #expect(mask.masking(cut) == cut)
            #expect(mask.masking("\(all) \(cut)") == "•••• \(cut)")
            #expect(mask.masking("\(cut)\"\(all)") == "\(cut)\"••••")
        }
    }

    @Test func `halves of pairs, other escapes and bytes that are no text stay as they are`() throws {
        let mask = SecretMask(["key😀key", "n-token"])
        for text in [
            "key\\ud83dkey", "key\\ude00\\ud83dkey", "key\\ud83d\\ud83dkey", "\\x6b", "\\", "\\u", "\\u12g4",
            "\\n-tokem", "",
        ] { #expect(mask.masking(text) == text) }
        // A pair behind the half of one is a pair.
        #expect(mask.masking("\\ud83dkey\\ud83d\\ude00key") == "\\ud83d••••")
        let bytes = [0xFF, 0x5C] + Array("u006e-token\\".utf8) + [0x80]
        let expected = [0xFF] + Array("••••\\".utf8) + [0x80]
        #expect(bytes.withUnsafeBufferPointer { mask.masking($0) } == expected)
    }

    @Test func `places are those of the text as it is, also in a part of it`() {
        let text = Array("xx\\u006e-token, n-token\\\"".utf8)
        let mask = SecretMask(["n-token", "\\u006e-"])
        #expect(mask.ranges(in: text[...]) == [2..<14, 16..<23])
        #expect(mask.ranges(in: text[3...]) == [16..<23])
    }

    @Test func `what is marked in a line stands where it stood when secrets are out of it`() throws {
        let line = #"{"k":"s\u0065cret-1","n":"x","s":"secret-1"}"#
        func excerpt(_ part: String) throws -> (line: String, under: String, marked: String) {
            let start = try #require(line.firstRange(of: part)).lowerBound
            let place = SourcePlace(
                file: "a",
                line: 1,
                column: line.distance(from: line.startIndex, to: start) + 1,
                length: part.count
            )
            let source = SourceText(Array(line.utf8), file: "a")
            let excerpt = try #require(Excerpt(of: place, in: source, maskedBy: SecretMask(["secret-1"])))
            let scalars = Array(excerpt.line)
            let under = scalars.indices.dropFirst(excerpt.indent.count).prefix(excerpt.carets.count)
            return (excerpt.line, String(scalars[under]), String(scalars[excerpt.marked]))
        }
        for (part, marked) in [
            ("\"x\"", "\"x\""), ("\"k\"", "\"k\""), (#""s\u0065cret-1""#, "\"••••\""), ("0065", "••••"),
            ("\"secret-1\"", "\"••••\""), (#"-1","n":"x","s":"sec"#, #"••••","n":"x","s":"••••"#),
        ] {
            let excerpt = try excerpt(part)
            #expect(excerpt.line == #"{"k":"••••","n":"x","s":"••••"}"#)
            #expect(excerpt.under == marked && excerpt.marked == marked)
        }
    }
}
