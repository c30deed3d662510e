import Testing

@testable import DaybookContracts
@testable import DaybookValues

@Suite struct TextEncodingTests {
    @Test(arguments: [
        ("utf-8", "utf-8"), ("UTF8", "utf-8"), ("utf_16", "utf-16"), ("UTF-16LE", "utf-16le"), ("latin1", "iso-8859-1"),
        ("ISO-8859-1", "iso-8859-1"), ("Windows 1252", "windows-1252"), ("cp1252", "windows-1252"),
        ("UHC", "cp949"), ("euckr", "euc-kr"), ("Shift-JIS", "shift_jis"), ("gb2312", "gbk"),
        ("utf-8-sig", "utf-8-bom"),
    ])
    func namesAreFoundHoweverTheyAreWritten(written: String, name: String) throws {
        #expect(try TextEncoding(named: written).name == name)
    }

    @Test func anUnknownNameIsRefusedWithTheNearest() {
        #expect {
            try TextEncoding(named: "cp94")
        } throws: { error in
            let error = error as? DaybookError
            return error?.message == "there is no encoding 'cp94'" && error?.hint == "did you mean 'cp949'?"
                && error?.blame == .job
        }
        #expect {
            try TextEncoding(named: "morse")
        } throws: { error in
            (error as? DaybookError)?.hint?.hasPrefix("some that there are: utf-8") == true
        }
    }

    @Test func theMachineKnowsEveryEncoding() throws {
        for name in TextEncoding.names {
            let encoding = try TextEncoding(named: name)
            #expect(encoding.name == name)
            _ = try TextDecoder(encoding)
            #expect(try written("a,1\n", name).bytes.isEmpty == false)
        }
    }

    @Test(arguments: [
        ("utf-8", "기분 😀"), ("utf-16", "기분 😀"), ("utf-16be", "기분 😀"), ("utf-32le", "기분 😀"), ("latin1", "Zürich ©"),
        ("windows-1252", "€ “naïve”"), ("cp949", "똠방각하 기분"), ("euc-kr", "기분 좋음"), ("shift_jis", "気分\\~"),
        ("gb18030", "心情 😀"), ("big5", "心情"), ("euc-jp", "気分"), ("koi8-r", "Дневник"),
    ])
    func textComesBackFromEveryEncoding(name: String, text: String) throws {
        let (bytes, refused) = try written(text, name)
        #expect(refused.isEmpty)
        for piece in 1...bytes.count {
            #expect(try read(bytes, name, pieces: piece).text == text, "in pieces of \(piece)")
        }
    }

    @Test func whatCannotBeWrittenIsReportedInPlace() throws {
        let korean = try written("기분 😀, é!", "cp949")
        #expect(korean.refused == [7..<11, 13..<15])
        #expect(try read(korean.bytes, "cp949").text == "기분 ?, ?!")
        // "똠" is in CP949 and not in EUC-KR.
        #expect(try written("똠", "euc-kr").refused == [0..<3])
        let invalid = try EncodingWriter(TextEncoding(named: "latin1"))
        let output = Bytes()
        var refused: [Range<Int>] = []
        let input = Bytes()
        input.append([0x61, 0xff, 0x62, 0xe2, 0x82] as [UInt8])
        invalid.encode(input, 0..<input.count, into: output) { refused.append($0) }
        #expect(refused == [1..<2, 3..<5])
        #expect(output.text(0..<output.count) == "a?b?")
    }

    @Test func longTextGrowsItsRoom() throws {
        let text = String(repeating: "a", count: 100_000)
        #expect(try written(text, "utf-32be").bytes.count == 400_000)
        let unencodable = String(repeating: "😀", count: 10_000)
        #expect(try written(unencodable, "latin1").bytes.count == 10_000)
    }

    @Test func marksAreThoseOfTheEncoding() throws {
        #expect(try EncodingWriter(TextEncoding(named: "utf-8-bom")).mark == [0xef, 0xbb, 0xbf])
        #expect(try EncodingWriter(TextEncoding(named: "utf-16")).mark == [0xff, 0xfe])
        #expect(try EncodingWriter(TextEncoding(named: "utf-16be")).mark == [])
        #expect(try EncodingWriter(.utf8).mark == [])
    }

    @Test func faultsHaveTheSamePlacesInAnyPieces() throws {
        let bytes: [UInt8] = [0xb1, 0xe2, 0xff, 0x2c, 0xb0, 0xff, 0xba, 0xd0, 0x81, 0x22, 0xb1]
        let whole = try read(bytes, "cp949")
        #expect(whole.text == "기\u{FFFD},\u{FFFD}분\u{FFFD}\"\u{FFFD}")
        #expect(whole.faults.map(\.rawOffset) == [2, 4, 8, 10])
        #expect(whole.faults.map(\.length) == [1, 2, 1, 1])
        for piece in 1...bytes.count {
            let pieces = try read(bytes, "cp949", pieces: piece)
            #expect(pieces.text == whole.text)
            #expect(pieces.faults == whole.faults, "in pieces of \(piece)")
        }
    }

    @Test func unpairedSurrogatesAndOddBytesAreFaults() throws {
        let (text, faults) = try read([0x61, 0, 0x00, 0xdc, 0x62, 0, 0x00, 0xd8, 0x63, 0, 0x64], "utf-16le")
        #expect(text == "a\u{FFFD}b\u{FFFD}c\u{FFFD}")
        #expect(faults.map(\.rawOffset) == [2, 6, 10])
        #expect(faults.map(\.decodedOffset) == [1, 5, 9])
        #expect(try read([0, 0, 0x11, 0, 0x7a, 0, 0, 0], "utf-32le").faults.map(\.rawOffset) == [0])
        #expect(try read([0x61, 0x80], "ascii").faults.map(\.rawOffset) == [1])
    }

    private func written(_ text: String, _ name: String) throws -> (bytes: [UInt8], refused: [Range<Int>]) {
        let writer = try EncodingWriter(TextEncoding(named: name))
        let output = Bytes()
        var refused: [Range<Int>] = []
        let input = Bytes(text)
        writer.encode(input, 0..<input.count, into: output) { refused.append($0) }
        return (output.array, refused)
    }

    /// Decodes as a reader does: `pieces` bytes at a time behind what was left over, into little room.
    private func read(
        _ bytes: [UInt8],
        _ name: String,
        pieces: Int = 4096
    ) throws -> (text: String, faults: [TextDecoder.Fault]) {
        let decoder = try TextDecoder(TextEncoding(named: name))
        let (waiting, text) = (Bytes(), Bytes())
        var rest = bytes[...]
        repeat {
            waiting.append(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            while true {
                let (used, filled) = decoder.decode(
                    waiting,
                    0..<waiting.count,
                    into: text,
                    upTo: TextDecoder.leastCapacity,
                    isLast: rest.isEmpty
                )
                waiting.removeFirst(used)
                if filled == 0 { break }
            }
        } while !rest.isEmpty
        return (text.text(0..<text.count), decoder.takeFaults())
    }
}
