import CScan
import DaybookCore
import DaybookTestSupport
import Testing

@testable import DaybookStages

/// The scanning of delimited text: vector instructions against their portable twins, and both against the plain scanner.
@Suite struct CSVScanningTests {
    /// Text of the bytes that matter, with lengths around the 64 bytes of a block.
    private static func text(_ random: inout SeededGenerator) -> [UInt8] {
        let alphabet = Array("ab,,\n\r\"\"x".utf8) + [0xED, 0x95, 0x9C]
        let letters = Int.random(in: 1...alphabet.count, using: &random)
        let count = Int.random(in: 0...300, using: &random)
        return (0..<count).map { _ in alphabet[Int.random(in: 0..<letters, using: &random)] }
    }

    private struct Index: Equatable {
        var length: Int
        var positions: [UInt32]
        var records: [UInt32]
        var quoted: [UInt32]
        var flags: [Bool]
    }

    private typealias Indexer = (UnsafePointer<UInt8>?, Int, UInt8, UInt8, Bool, csv_room) -> csv_index

    private static func index(_ bytes: Bytes, isLast: Bool = true, _ indexer: Indexer) -> Index {
        let room = IndexRoom(capacity: bytes.count + 64)
        defer { room.free() }
        let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
        let found = indexer(bytes.base, bytes.count, comma, quote, isLast, room.places)
        return Index(
            length: found.length,
            positions: (0..<found.positions).map { room.positions[$0] },
            records: (0..<found.records).map { room.records[$0] },
            quoted: (0..<found.quoted).map { room.quoted[$0] },
            flags: [
                found.has_quotes, found.has_doubled_quotes, found.has_carriage_returns, found.irregular,
                found.ends_inside,
            ]
        )
    }

    #if arch(x86_64)
        /// Every vector variant that this machine has, on 100,000 random texts.
        @Test func vectorsFindWhatPortableCodeFinds() {
            guard scan_has_avx2() else { return }
            let indexers: [Indexer] = scan_has_avx512() ? [csv_index_avx2, csv_index_avx512] : [csv_index_avx2]
            let validators =
                scan_has_avx512() ? [scan_utf8_valid_avx2, scan_utf8_valid_avx512] : [scan_utf8_valid_avx2]
            var random = SeededGenerator(seed: 1)
            for _ in 0..<100_000 {
                let bytes = Bytes()
                Self.text(&random).withUnsafeBufferPointer { bytes.append($0) }
                let isLast = Bool.random(using: &random)
                let portable = Self.index(bytes, isLast: isLast, csv_index_portable)
                for indexer in indexers where Self.index(bytes, isLast: isLast, indexer) != portable {
                    Issue.record("an index differs: \(bytes.array), \(isLast)")
                }
                let valid = scan_utf8_valid_portable(bytes.base, bytes.count)
                for validator in validators where validator(bytes.base, bytes.count) != valid {
                    Issue.record("the end of UTF-8 differs: \(bytes.array)")
                }
                let counts = [scan_count_avx2, scan_count_portable].map {
                    let found = $0(bytes.base, bytes.count, UInt8(ascii: "\""))
                    return [found.quotes, found.line_feeds, found.carriage_returns]
                }
                if counts[0] != counts[1] { Issue.record("counts differ: \(bytes.array)") }
                withExtendedLifetime(bytes) {}
            }
        }
    #endif

    /// What may follow cannot change where the records before it end.
    @Test func theIndexOfABeginningEndsWithARecordOfTheWhole() {
        var random = SeededGenerator(seed: 3)
        var compared = 0
        for _ in 0..<30_000 {
            let text = Self.text(&random)
            let part = Bytes()
            let whole = Bytes()
            text.prefix(Int.random(in: 0...text.count, using: &random)).withUnsafeBufferPointer { part.append($0) }
            text.withUnsafeBufferPointer { whole.append($0) }
            let beginning = Self.index(part, isLast: false, csv_index_text)
            let all = Self.index(whole, csv_index_text)
            guard !beginning.flags[3], !all.flags[3] else { continue }
            compared += 1
            let ends = all.records.map { all.positions[Int($0 & ~CSV_LONG_RECORD) - 1] + 1 }
            #expect(beginning.length == 0 || ends.contains(UInt32(beginning.length)), "\(text)")
            #expect(Array(all.positions.prefix(beginning.positions.count)) == beginning.positions, "\(text)")
            #expect(Array(all.records.prefix(beginning.records.count)) == beginning.records, "\(text)")
        }
        #expect(compared > 10_000)
    }

    @Test func theIndexEndsRecordsWhereTheScannerDoes() {
        var random = SeededGenerator(seed: 2)
        var compared = 0
        for _ in 0..<30_000 {
            let bytes = Bytes()
            Self.text(&random).withUnsafeBufferPointer { bytes.append($0) }
            let index = Self.index(bytes, csv_index_text)
            // Where a quote is out of place the index has no say.
            guard !index.flags[3], !index.flags[4] else { continue }
            compared += 1
            var scanner = CSVRecordScanner(dialect: CSVDialect())
            var position = 0
            var cells: [Int] = []
            var areLong: [Bool] = []
            while position < bytes.count {
                let record = scanner.scan(bytes.filled, from: position, isLast: true)
                #expect(record.kind == .fields || record.kind == .blank, "\(random)")
                cells.append(max(1, scanner.fields.count))
                areLong.append(
                    scanner.fields.contains { bytes.filled[$0.start..<$0.end].contains { $0 == 10 || $0 == 13 } }
                )
                position = record.end
            }
            let ends = index.records.map { $0 & ~CSV_LONG_RECORD }
            let found = zip(ends, [0] + ends).map { Int($0 - $1) }
            #expect(found == cells, "\(random)")
            #expect(index.records.map { $0 & CSV_LONG_RECORD != 0 } == areLong, "\(random)")
            withExtendedLifetime(bytes) {}
        }
        #expect(compared > 10_000)
    }

    @Test func aQuoteThatNeverClosesCostsOneRecord() throws {
        let bytes = Bytes("1,\"open\n2,fine\n3,fine\n")
        var cutter = CSVCutter(dialect: CSVDialect(), longestRecord: 20)
        #expect(try cutter.cut(bytes.filled, isLast: false).length == 8)
        let long = Bytes(String(repeating: "x", count: 30))
        #expect(throws: DaybookError.self) { try cutter.cut(long.filled, isLast: false) }
        withExtendedLifetime((bytes, long)) {}
    }
}
