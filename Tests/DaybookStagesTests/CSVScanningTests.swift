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
        let count = Int.random(in: 0...200, using: &random)
        return (0..<count).map { _ in alphabet[Int.random(in: 0..<letters, using: &random)] }
    }

    private struct Index: Equatable {
        var positions: [UInt32]
        var records: [UInt32]
        var flags: [Bool]
    }

    private typealias Indexer = (
        UnsafePointer<UInt8>?, Int, UInt8, UInt8, UnsafeMutablePointer<UInt32>?, UnsafeMutablePointer<UInt32>?
    ) -> csv_index

    private static func index(_ bytes: Bytes, _ indexer: Indexer) -> Index {
        let room = IndexRoom(capacity: bytes.count + 64)
        defer { room.free() }
        let found = indexer(
            bytes.base,
            bytes.count,
            UInt8(ascii: ","),
            UInt8(ascii: "\""),
            room.positions,
            room.records
        )
        return Index(
            positions: (0..<found.positions).map { room.positions[$0] },
            records: (0..<found.records).map { room.records[$0] },
            flags: [
                found.has_quotes, found.has_doubled_quotes, found.has_carriage_returns, found.irregular,
                found.ends_inside,
            ]
        )
    }

    #if arch(x86_64)
        @Test func vectorsFindWhatPortableCodeFinds() {
            guard scan_has_avx2() else { return }
            var random = SeededGenerator(seed: 1)
            for _ in 0..<30_000 {
                let bytes = Bytes()
                Self.text(&random).withUnsafeBufferPointer { bytes.append($0) }
                let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
                #expect(Self.index(bytes, csv_index_avx2) == Self.index(bytes, csv_index_portable), "\(random)")
                let cuts = [csv_cut_avx2, csv_cut_portable].map { $0(bytes.base, bytes.count, comma, quote) }
                #expect(cuts[0].length == cuts[1].length && cuts[0].irregular == cuts[1].irregular, "\(random)")
                let valid = [scan_utf8_valid_avx2, scan_utf8_valid_portable].map { $0(bytes.base, bytes.count) }
                #expect(valid[0] == valid[1], "\(random)")
                let counts = [scan_count_avx2, scan_count_portable].map { $0(bytes.base, bytes.count, quote) }
                #expect(counts[0].quotes == counts[1].quotes && counts[0].line_feeds == counts[1].line_feeds)
                #expect(counts[0].carriage_returns == counts[1].carriage_returns)
            }
        }
    #endif

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
