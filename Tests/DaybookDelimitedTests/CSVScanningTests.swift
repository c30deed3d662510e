import CScan
import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookDelimited

/// The scanning of delimited text: vector instructions against their portable twins, and both against the plain scanner.
@Suite struct CSVScanningTests {
    /// Text of the bytes that matter, with lengths around the 64 bytes of a block.
    private static func text(_ random: inout SeededGenerator) -> [UInt8] {
        let alphabet = Array("ab,,\n\r\"\"x".utf8) + [0xED, 0x95, 0x9C, 0]
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

    private typealias Indexer = (UnsafePointer<UInt8>?, Int, UInt8, UInt8, Bool, Bool, csv_room) -> csv_index

    private static func index(
        _ bytes: Bytes,
        isLast: Bool = true,
        lineEnd: LineEnd = .feed,
        _ indexer: Indexer
    ) -> Index {
        let room = IndexBuffer(capacity: bytes.count + 64)
        defer { room.free() }
        let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
        let returnsEnd = lineEnd == .carriageReturn
        let found = indexer(bytes.base, bytes.count, comma, quote, isLast, returnsEnd, room.places)
        return Index(
            length: found.length,
            positions: (0..<found.positions).map { room.positions[$0] },
            records: (0..<found.records).map { room.records[$0] },
            quoted: (0..<found.quoted).map { room.quoted[$0] },
            flags: [
                found.has_quotes, found.has_doubled_quotes, found.has_carriage_returns, found.irregular,
                found.ends_inside, found.has_stray_returns,
            ]
        )
    }

    #if arch(x86_64)
        @Test(.enabled(if: ScanLevel.avx2.isSupported, "this machine has no AVX2"))
        func vectorsOf32BytesFindWhatPortableCodeFinds() {
            Self.compare(csv_index_avx2, scan_utf8_look_avx2, scan_count_avx2)
        }

        @Test(.enabled(if: ScanLevel.avx512.isSupported, "this machine has no AVX-512 VBMI2"))
        func vectorsOf64BytesFindWhatPortableCodeFinds() { Self.compare(csv_index_avx512, scan_utf8_look_avx512, nil) }

        private typealias Validator = (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Bool>?) -> Int
        private typealias Counter = (UnsafePointer<UInt8>?, Int, UInt8) -> scan_counts

        /// One vector variant on random texts, all lengths around those of vectors among them.
        private static func compare(_ indexer: Indexer, _ validator: Validator, _ counter: Counter?) {
            var random = SeededGenerator(seed: 1)
            for _ in 0..<TestSize.rounds(15_000, of: 100_000) {
                let bytes = Bytes()
                text(&random).withUnsafeBufferPointer { bytes.append($0) }
                let isLast = Bool.random(using: &random)
                for lineEnd in [LineEnd.feed, .carriageReturn] {
                    let portable = index(bytes, isLast: isLast, lineEnd: lineEnd, csv_index_portable)
                    if index(bytes, isLast: isLast, lineEnd: lineEnd, indexer) != portable {
                        Issue.record("an index differs: \(bytes.array), \(isLast), \(lineEnd)")
                    }
                }
                let valid = scan_utf8_valid_portable(bytes.base, bytes.count)
                let readable = bytes.array.prefix(valid)
                var hasNUL = false
                if validator(bytes.base, bytes.count, &hasNUL) != valid {
                    Issue.record("the end of UTF-8 differs: \(bytes.array)")
                }
                // What lies behind the end may be found as well.
                if readable.contains(0), !hasNUL { Issue.record("a NUL is not found: \(bytes.array)") }
                if !bytes.array.contains(0), hasNUL { Issue.record("there is no NUL: \(bytes.array)") }
                if scan_text_valid(bytes.base, bytes.count) != readable.firstIndex(of: 0) ?? valid {
                    Issue.record("the end of text differs: \(bytes.array)")
                }
                let counts = [counter ?? scan_count_portable, scan_count_portable].map {
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
        let rounds = TestSize.rounds(30_000, of: 90_000)
        for _ in 0..<rounds {
            let text = Self.text(&random)
            let part = Bytes()
            let whole = Bytes()
            text.prefix(Int.random(in: 0...text.count, using: &random)).withUnsafeBufferPointer { part.append($0) }
            text.withUnsafeBufferPointer { whole.append($0) }
            let lineEnd = Bool.random(using: &random) ? LineEnd.feed : .carriageReturn
            let beginning = Self.index(part, isLast: false, lineEnd: lineEnd, csv_index_text)
            let all = Self.index(whole, lineEnd: lineEnd, csv_index_text)
            guard !beginning.flags[3], !all.flags[3] else { continue }
            compared += 1
            let ends = all.records.map { all.positions[Int($0 & ~CSV_LONG_RECORD) - 1] + 1 }
            #expect(beginning.length == 0 || ends.contains(UInt32(beginning.length)), "\(text)")
            #expect(Array(all.positions.prefix(beginning.positions.count)) == beginning.positions, "\(text)")
            #expect(Array(all.records.prefix(beginning.records.count)) == beginning.records, "\(text)")
        }
        #expect(compared * 3 > rounds)
    }

    @Test func theIndexEndsRecordsWhereTheScannerDoes() {
        var random = SeededGenerator(seed: 2)
        var compared = 0
        let rounds = TestSize.rounds(30_000, of: 90_000)
        for _ in 0..<rounds {
            let bytes = Bytes()
            Self.text(&random).withUnsafeBufferPointer { bytes.append($0) }
            let lineEnd = Bool.random(using: &random) ? LineEnd.feed : .carriageReturn
            let index = Self.index(bytes, lineEnd: lineEnd, csv_index_text)
            // Where a quote is out of place the index has no say.
            guard !index.flags[3], !index.flags[4] else { continue }
            compared += 1
            var hasStrayReturns = false
            var scanner = CSVRecordScanner(dialect: CSVDialect(lineEnd: lineEnd))
            var position = 0
            var cells: [Int] = []
            var areLong: [Bool] = []
            while position < bytes.count {
                let record = scanner.scan(bytes.filled, from: position, isLast: true)
                #expect([.fields, .blank, .strayReturn].contains(record.kind), "\(random)")
                hasStrayReturns = hasStrayReturns || record.kind == .strayReturn
                cells.append(max(1, scanner.fields.count))
                areLong.append(
                    scanner.fields.contains { field in
                        guard field.isQuoted else { return false }
                        // A cell that is quoted ends before its quote, so a CR at its end ends no line.
                        let cell = UnsafeBufferPointer(rebasing: bytes.filled[field.start..<field.end + 1])
                        return (0..<cell.count - 1).contains { scanner.dialect.isLineEnd(cell, $0) }
                    }
                )
                position = record.end
            }
            let ends = index.records.map { $0 & ~CSV_LONG_RECORD }
            let found = zip(ends, [0] + ends).map { Int($0 - $1) }
            #expect(found == cells, "\(random)")
            #expect(index.flags[5] == hasStrayReturns, "\(random)")
            #expect(index.records.map { $0 & CSV_LONG_RECORD != 0 } == areLong, "\(random)")
            withExtendedLifetime(bytes) {}
        }
        #expect(compared * 3 > rounds)
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
