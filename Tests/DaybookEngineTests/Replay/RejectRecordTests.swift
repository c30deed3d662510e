import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookJobTools

/// Lines of reject files, as Daybook writes them and as people leave them.
@Suite struct RejectRecordTests {
    private func record(_ line: String) throws -> RejectRecord {
        try Array(line.utf8).withUnsafeBufferPointer { try RejectRecord($0, number: 7, offset: 100) }
    }

    private func problem(_ line: [UInt8]) -> String? {
        line.withUnsafeBufferPointer { bytes in
            do throws(RejectRecord.Fault) {
                _ = try RejectRecord(bytes, number: 1, offset: 0)
                return nil
            } catch {
                return "\(error.column) \(error.message)"
            }
        }
    }

    @Test func theRecordIsReadWithItsEscapes() throws {
        let written = #"a\"b\\c\/d\n\t\u00e9\ud83d\ude00행"#
        let record = try record(#"{"stage":"s","source":"x.csv","line":12,"original":"\#(written)"}"#)
        #expect(String(decoding: record.original, as: UTF8.self) == "a\"b\\c/d\n\té😀행")
        #expect(record.firstLine == 12)
        // Every byte of the record is found where it is written.
        let copy = try #require(record.holder.copy)
        let places = [0: 0, 1: 1, 2: 3, 3: 4, 4: 6, 5: 7, 6: 9, 7: 10, 8: 12, 9: 14, 11: 20, 15: 32]
        for (at, behind) in places {
            let place = copy.place(of: 100 + at)
            #expect(place.line == 7)
            #expect(place.byte == copy.byte + behind)
            #expect(place.column == copy.column + behind)
        }
    }

    @Test func bytesThatAreNoTextComeBackUnlessTheyWereCorrected() throws {
        let base64 = Data([0x61, 0xFF, 0x62]).base64EncodedString()
        let line = #"{"stage":"s","source":"x","original":"%","original_base64":"\#(base64)"}"#
        #expect(try record(line.replacing("%", with: "a\u{FFFD}b")).original == [0x61, 0xFF, 0x62])
        #expect(try record(line.replacing("%", with: "aeb")).original == Array("aeb".utf8))
    }

    @Test func aReplayOfAReplayKnowsTheFirstSource() throws {
        let record = try record(
            #"{"stage":"s","source":"old.ndjson","line":3,"original":"","first_source":"x.csv","first_line":9}"#
        )
        #expect(record.source == "x.csv")
        #expect(record.firstLine == 9)
    }

    @Test func brokenLinesAreToldAtTheirCharacter() {
        func problem(_ line: String) -> String? { self.problem(Array(line.utf8)) }
        #expect(problem("") == "1 expected a line of JSON that begins with '{'")
        #expect(problem("[]") == "1 expected a line of JSON that begins with '{'")
        #expect(problem(#"{"행":}"#) == "6 expected a value")
        #expect(problem(#"{"a":1,}"#) == "8 nothing follows the comma")
        #expect(problem(#"{"a":1}{"#) == "8 something stands behind the value")
        #expect(problem(#"{"a":"\x"}"#) == #"7 a backslash in a string is followed by none of " \ / b f n r t u"#)
        #expect(problem(#"{"a":"\u12"}"#) == #"7 a backslash in a string is followed by none of " \ / b f n r t u"#)
        #expect(problem(#"{"a":"\udc00"}"#) == #"7 a \u escape is half of a surrogate pair, which is no character"#)
        #expect(
            problem(#"{"a":tru}"#) == "6 expected a value; JSON knows the words true, false and null, in lower case"
        )
        #expect(
            problem(#"{"stage":"s","source":"x"}"#) == "1 the line holds no 'original', so there is nothing to replay"
        )
        #expect(self.problem([0x7B, 0xFF]) == "2 bytes that are not UTF-8 text")
        let deep = String(repeating: #"{"a":"#, count: 1_000_000)
        #expect(problem(deep)?.hasPrefix("6 a line of a reject file holds no lists and objects") == true)
    }

    @Test func anyBytesAreReadOrRefused() {
        var random = SeededRandom(seed: 8)
        let good = Array(#"{"stage":"s","source":"x","line":1e3,"original":"a\u00e9\n","pointer":null,"b":true}"#.utf8)
        for _ in 0..<5_000 {
            var line = good
            for _ in 0..<Int.random(in: 1..<4, using: &random) {
                switch Int.random(in: 0..<3, using: &random) {
                case 0: line[Int.random(in: 0..<line.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                case 1: line.removeLast(Int.random(in: 0..<line.count, using: &random))
                default:
                    line.insert(good.randomElement(using: &random)!, at: Int.random(in: 0...line.count, using: &random))
                }
                if line.isEmpty { line = [0x7B] }
            }
            // A column lies in its line, or right behind it.
            if let problem = problem(line) {
                let column = Int(problem.prefix { $0 != " " }) ?? 0
                #expect((1...line.count + 1).contains(column), "\(problem)")
            }
        }
    }
}
