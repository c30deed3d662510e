import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookTables

/// Records in parts, against lists of them, in memory, on disk, and longer than what is read at a time.
@Suite struct PartitionedBytesTests {
    private struct Record: Equatable {
        var row: Int
        var length: Int
    }

    /// Each record is its row, counted from the base, and its length, in 8 bytes, and then as many bytes as it is long.
    private static func parts(_ records: [(Record, part: Int)], base: Int) -> PartitionedBytes {
        var bytes = PartitionedBytes()
        bytes.append(records.count, base: base) { record in
            records[record].part
        } length: { record in
            8 + records[record].0.length
        } write: { record, target in
            let one = records[record].0
            target.storeBytes(of: UInt32(one.row - base), as: UInt32.self)
            target.storeBytes(of: UInt32(one.length), toByteOffset: 4, as: UInt32.self)
            (target + 8).initializeMemory(as: UInt8.self, repeating: UInt8(one.length & 0xFF), count: one.length)
        }
        return bytes
    }

    private static func records(_ part: Int, of bytes: PartitionedBytes) throws -> [Record] {
        var found: [Record] = []
        try bytes.part(part).forEachRun { (records, base) throws(DaybookError) in
            var place = 0
            while place < records.count {
                let row = records.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                let length = Int(records.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self))
                place += 8 + length
                if length > 0 { #expect(records[place - 1] == UInt8(length & 0xFF)) }
                found.append(Record(row: base + Int(row), length: length))
            }
        }
        return found
    }

    @Test(
        "records come back part by part, in order, however they were spilled",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scratch = MemoryScratch(memoryLimit: 0)
        var whole = PartitionedBytes()
        var expected: [Int: [Record]] = [:]
        var rows = 0
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let batch = (0..<Int.random(in: 0...40, using: &random)).map { row in
                let isLong = Int.random(in: 0..<60, using: &random) == 0
                let length = isLong ? 3 << 20 : Int.random(in: 0...20, using: &random)
                return (Record(row: row + 5, length: length), part: [0, 1, 128, 255].randomElement(using: &random)!)
            }
            for (record, part) in batch {
                expected[part, default: []].append(Record(row: rows + record.row, length: record.length))
            }
            var later = Self.parts(batch, base: 5)
            if Int.random(in: 0..<4, using: &random) == 0 { try later.spill(to: scratch) }
            whole.append(later, raisedBy: rows)
            rows += batch.count
            if Int.random(in: 0..<3, using: &random) == 0 {
                try whole.spill(to: scratch)
                #expect(whole.footprint == 0)
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                let bytes = Bytes()
                try whole.write(to: bytes)
                var reader = ByteReader(bytes.filled)
                whole = try PartitionedBytes(reading: &reader)
                withExtendedLifetime(bytes) {}
            }
        }
        for part in 0..<Parts.count { #expect(try Self.records(part, of: whole) == expected[part] ?? []) }
    }

    @Test("of work side by side the error of the lowest number is thrown")
    func lowestError() {
        struct FourThreads: Scratch {
            let memoryLimit = 0
            let threads = 4
            func makeFile() throws(DaybookError) -> any ScratchFile { MemoryScratchFile() }
        }
        let scratch = FourThreads()
        let error = #expect(throws: DaybookError.self) {
            try scratch.concurrently(100) { (number) throws(DaybookError) in
                if number % 10 == 7 { throw DaybookError("test", "number \(number)") }
            }
        }
        #expect(error?.message == "number 7")
    }
}
