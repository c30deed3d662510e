import DaybookContracts
import DaybookTestSupport
import Testing

/// Finding out in which encoding bytes are written.
@Suite struct EncodingSearchTests {
    private func evidence(_ bytes: [UInt8], pieces: Int = 1, isWhole: Bool = true) -> EncodingSearch.Evidence {
        var search = EncodingSearch()
        let size = max(1, (bytes.count + pieces - 1) / pieces)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Bytes()
            piece.append(bytes[start..<min(bytes.count, start + size)])
            search.add(piece)
        }
        return search.evidence(isWhole: isWhole)
    }

    private func written(_ text: String, in name: String) throws -> [UInt8] {
        let writer = try EncodingWriter(TextEncoding(named: name))
        let cell = Bytes(text)
        let out = Bytes()
        writer.encode(cell, 0..<cell.count, into: out) { Issue.record("\(name) has no character for \($0)") }
        return out.array
    }

    static let texts: [(String, String)] = [
        ("cp949", "날짜,기분\n2022년 1월 1일,행복해\n2022년 1월 3일,우울해\n"),
        ("cp949", "메모\n똠방각하 이야기, 새 책을 샀다\n비가 왔다\n"),
        ("shift_jis", "名前,日付\n太郎,2024/01/02\nひなた,2024/02/03\n"),
        ("shift_jis", "きょうは雨がふっていた\nカフェでコーヒーをのんだ\n"),
        ("euc-jp", "きょうは雨がふっていた\nカフェでコーヒーをのんだ\n"),
        ("gb18030", "今天天气很好\n我们去公园散步\n"),
        ("windows-1252", "name;ort\nRené;Köln\nZoë;Zürich\nFrançois;Besançon\n"),
        ("windows-1251", "Сегодня хорошая погода\nМы гуляли в парке\n"),
        ("koi8-r", "Сегодня хорошая погода\nМы гуляли в парке\n"),
        ("iso-8859-7", "id,name\n1,Έλενα Παππά\n2,Γιώργος Νικολάου\n3,Αθήνα και Πειραιάς\n"),
        ("macintosh", "name;ort\nRené;Köln\nZoë;Zürich\n“François”;Besançon\n"),
        ("windows-1252", "item,price\ntea,£5.00\ncake,£3.50 ½ off\n2 × 3,±4\n"),
        ("windows-1252", "id,name\n1,english\n2,©\n"),
    ]

    /// What is nearly all ASCII is text, however odd the rest.
    @Test(arguments: [[0xB8], [0xD0], [0x81], [0xFE, 0x41, 0xB6]] as [[UInt8]])
    func aByteOrTwoAmongASCIIAreStillText(_ odd: [UInt8]) {
        let text = Array("id,name\n1,english\n2,french and more\n".utf8) + odd + Array("\n3,x\n".utf8)
        guard case .weighed(let candidates) = evidence(text) else {
            Issue.record("\(odd) was not weighed")
            return
        }
        #expect(!candidates.isEmpty)
    }

    @Test(arguments: texts)
    func textsAreToldByTheirLanguage(_ name: String, _ text: String) throws {
        guard case .weighed(let candidates) = evidence(try written(text, in: name)) else {
            Issue.record("\(name) was not weighed")
            return
        }
        #expect(candidates.first?.encoding.name == name)
        #expect(candidates.first.map { text.contains($0.sample.split(separator: " ")[0]) } == true)
    }

    @Test func plainTextIsASCIIAndTheRestUTF8() {
        #expect(evidence(Array("id,name\n1,a\n".utf8)) == .ascii)
        #expect(evidence(Array("날짜,기분\n".utf8)) == .utf8(isWhole: true))
    }

    @Test func itDoesNotMatterHowTheBytesComeInPieces() {
        let bytes = Array("날짜,기분 🌸\n2022년 1월 1일,행복해\n".utf8)
        for pieces in 1...bytes.count { #expect(evidence(bytes, pieces: pieces) == .utf8(isWhole: true)) }
    }

    @Test func aCharacterThatTheBoundCutsIsNoFault() {
        let bytes = Array(Array("기분\n행복해".utf8).dropLast())
        #expect(evidence(bytes, isWhole: false) == .utf8(isWhole: true))
        #expect(evidence(bytes, isWhole: true) != .utf8(isWhole: true))
    }

    @Test func aFewBadBytesDoNotMakeAnotherEncoding() {
        let bytes = Array(String(repeating: "행복해,우울해\n", count: 20).utf8) + [0xFF, 0x0A]
        #expect(evidence(bytes) == .utf8(isWhole: false))
    }

    @Test func marksAndZerosTellTheUnicodeEncodings() throws {
        let text = "date,note\n2026-11-21,fine\n"
        for name in ["utf-16le", "utf-16be"] {
            let encoding = try TextEncoding(named: name)
            let bytes = try written(text, in: name)
            #expect(evidence(bytes) == .zeros(encoding))
        }
        #expect(
            evidence([0xFF, 0xFE] + (try written(text, in: "utf-16le"))) == .mark(try TextEncoding(named: "utf-16le"))
        )
        #expect(evidence([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == .mark(.utf8))
    }

    @Test func bytesThatAreNoTextAreNone() {
        var generator = SeededGenerator(seed: 7)
        let bytes = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(evidence(bytes) == .none)
        #expect(evidence([0]) == .none)
        #expect(evidence([]) == .ascii)
    }
}
