import DaybookContracts
import DaybookExpressions
import Testing

@Suite struct RegularExpressionTests {
    struct Claim: Sendable, CustomTestStringConvertible {
        var pattern: String
        var found: [String]
        var notFound: [String]
        var testDescription: String { pattern }

        init(_ pattern: String, found: [String], notFound: [String]) {
            self.pattern = pattern
            self.found = found
            self.notFound = notFound
        }
    }

    static let claims = [
        Claim(
            "^#[0-9A-Fa-f]{6}$",
            found: ["#EC007F", "#00ff12"],
            notFound: ["", "#EC007", "#EC007F0", " #EC007F", "#EC00ZF"]
        ),
        Claim("b", found: ["abc", "b"], notFound: ["", "ac", "B"]),
        Claim("^b", found: ["bc"], notFound: ["ab", "a\nb"]),
        Claim("b$", found: ["ab"], notFound: ["ba", "ab\n"]),
        Claim("^$", found: [""], notFound: ["a", "\n"]),
        Claim("$^", found: [""], notFound: ["a"]),
        Claim("a^b|x", found: ["x"], notFound: ["ab", "a^b"]),
        Claim("행복|우울", found: ["아주 행복해", "우울"], notFound: ["행", "울우"]),
        Claim("^.$", found: ["a", "해", "😀"], notFound: ["", "ab", "\n", "e\u{301}"]),
        Claim("(?s)^.$", found: ["\n"], notFound: ["\r\n"]),
        Claim("(?m)^b$", found: ["a\nb\nc", "b", "a\nb"], notFound: ["ab", "a\nbc"]),
        Claim("(?i)straße", found: ["STRAßE", "straẞe"], notFound: ["strasse"]),
        Claim("(?i)^[a-f]+$", found: ["aBcDeF"], notFound: ["g"]),
        Claim("(?i)k", found: ["K", "\u{212A}"], notFound: []),
        Claim("(?i)[^a]", found: ["b"], notFound: ["a", "A"]),
        Claim("a(?i)b", found: ["ab", "aB"], notFound: ["Ab", "AB"]),
        Claim("(?i:a)b", found: ["Ab"], notFound: ["aB"]),
        Claim("(?i)a(?-i)b", found: ["Ab"], notFound: ["AB"]),
        Claim(#"^\d+$"#, found: ["0123456789"], notFound: ["", "٣", "１"]),
        Claim(#"^\p{Nd}$"#, found: ["3", "٣", "１"], notFound: ["Ⅷ", "a"]),
        Claim(#"^\w+$"#, found: ["행복해_1", "naïve", "e\u{301}"], notFound: ["a b", "-", "😀"]),
        Claim(#"^\W$"#, found: [" ", "-", "😀", "\n"], notFound: ["해", "_"]),
        Claim(#"^\s$"#, found: [" ", "\t", "\n", "\u{3000}", "\u{A0}"], notFound: ["a", "\u{200B}"]),
        Claim(#"^[\d\s]+$"#, found: ["1 2"], notFound: ["a"]),
        Claim(#"^[^\d\s]+$"#, found: ["ab"], notFound: ["a1", "a b"]),
        Claim(#"\bcat\b"#, found: ["cat", "a cat.", "(cat)"], notFound: ["cats", "concat", "cat_"]),
        Claim(#"\b행복\b"#, found: ["행복", "아주 행복!"], notFound: ["행복해"]),
        Claim(#"\Bcat"#, found: ["concat"], notFound: ["cat", "a cat"]),
        Claim(#"^\b$"#, found: [], notFound: ["", "a"]),
        Claim(#"^\B$"#, found: [""], notFound: ["a"]),
        Claim(#"\Aa\z"#, found: ["a"], notFound: ["a\n", "ba"]),
        Claim(#"(?m)\Aa"#, found: ["a"], notFound: ["b\na"]),
        Claim(#"^\p{Hangul}+$"#, found: ["행복해", "ㅋㅋ"], notFound: ["행복해!", "happy", "漢"]),
        Claim(#"^\P{Hangul}+$"#, found: ["happy"], notFound: ["행"]),
        Claim(#"^\p{^Hangul}+$"#, found: ["happy"], notFound: ["행"]),
        Claim(#"^\p{script_is}"#.replacing("script_is", with: "Han"), found: ["漢字"], notFound: ["かな"]),
        Claim(#"^[\p{Hiragana}\p{Katakana}ー]+$"#, found: ["カラー", "ひらがな"], notFound: ["漢"]),
        Claim(#"^\pL\p{Lu}\p{letter}$"#, found: ["aBc", "éÉ해"], notFound: ["abc", "aB1"]),
        Claim(#"^\p{Sc}"#, found: ["₩1", "$1"], notFound: ["1"]),
        Claim(#"^a{2}$"#, found: ["aa"], notFound: ["a", "aaa"]),
        Claim(#"^a{2,}$"#, found: ["aa", "aaaa"], notFound: ["a"]),
        Claim(#"^a{0,2}$"#, found: ["", "aa"], notFound: ["aaa"]),
        Claim(#"^a{0}$"#, found: [""], notFound: ["a"]),
        Claim(#"^(ab|c)+?d??$"#, found: ["ab", "abcd"], notFound: ["", "d", "abdd"]),
        Claim(#"^(?:a|b|)$"#, found: ["", "a", "b"], notFound: ["ab"]),
        Claim(#"^(?<year>\d{4})-(?P<month>\d\d)$"#, found: ["2026-11"], notFound: ["2026-1"]),
        Claim(#"^(a*)*$"#, found: ["", "aaa"], notFound: ["b"]),
        Claim(#"^(|a)+$"#, found: ["", "aaa"], notFound: ["b"]),
        Claim(#"^\.\*\(\[\\\-\ \/$"#, found: [#".*([\- /"#], notFound: ["a"]),
        Claim(#"^[\]\-\\^a]+$"#, found: [#"]-\^a"#], notFound: ["["]),
        Claim("^[-a]+$", found: ["-a"], notFound: ["b"]),
        Claim("^[^-a]+$", found: ["b"], notFound: ["-"]),
        Claim("^[a-]+$", found: ["-a"], notFound: ["b"]),
        Claim("^[가-힣]+$", found: ["행복해"], notFound: ["ㅋ", "a"]),
        Claim("^[^가-힣]+$", found: ["ㅋ", "a"], notFound: ["행"]),
        Claim(#"^\x41\x{1F600}\uAC00\u{AC01}\t$"#, found: ["A😀가각\t"], notFound: ["A"]),
        Claim(#"^[\x41-\x43]$"#, found: ["B"], notFound: ["D"]),
        Claim("a}b]", found: ["a}b]"], notFound: ["ab"]),
        Claim("^(?:19|20)\\d\\d년 (?:1[0-2]|[1-9])월$", found: ["2026년 11월"], notFound: ["2026년 13월", "1826년 1월"]),
    ]

    @Test(arguments: claims) func `a pattern is found where people expect it`(_ claim: Claim) throws {
        let expression = try RegularExpression(claim.pattern)
        for text in claim.found { #expect(expression.matches(text), "'\(claim.pattern)' is not found in '\(text)'") }
        for text in claim.notFound { #expect(!expression.matches(text), "'\(claim.pattern)' is found in '\(text)'") }
    }

    @Test func `bytes that are not UTF-8 stand for nothing that a pattern names`() throws {
        let strange: [[UInt8]] = [
            [0xFF], [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xEA, 0xB0], [0xC3],
            [0xF0, 0x9F, 0x98],
        ]
        let any = try RegularExpression("(?s)^.")
        let negated = try RegularExpression("^[^a]")
        let behind = try RegularExpression("x$")
        let boundary = try RegularExpression(#"\bx"#)
        for bytes in strange {
            bytes.withUnsafeBufferPointer { #expect(!any.matches($0) && !negated.matches($0), "\(bytes)") }
            (bytes + [0x78]).withUnsafeBufferPointer { #expect(behind.matches($0) && boundary.matches($0), "\(bytes)") }
        }
    }

    @Test func `a cell without an address is an empty cell`() throws {
        #expect(try RegularExpression("^$").matches(Cell(start: nil, count: 0)))
        #expect(try !RegularExpression("a").matches(Cell(start: nil, count: 0)))
    }

    @Test func `threads share one expression`() async throws {
        let expression = try RegularExpression(#"^\w+@\w+\.\w+$"#)
        let found = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask { (0..<500).count { expression.matches($0 % 2 == task % 2 ? "a\($0)@b.c" : "a\($0)@b") } }
            }
            return await group.reduce(0, +)
        }
        #expect(found == 2_000)
    }
}
