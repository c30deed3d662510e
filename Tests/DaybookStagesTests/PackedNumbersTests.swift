import DaybookCore
import Testing

@testable import DaybookFormats
@testable import DaybookStages
@testable import DaybookTables

@Suite struct PackedNumbersTests {
    @Test("numbers come back from as many bytes as their differences need")
    func roundTrip() throws {
        let lists: [(numbers: [Int64], bytes: Int)] = [
            ([], 0), ([7, 7, 7], 0), ([-3, 252], 2), ([1 << 40, 1 << 40 + 256], 4), ([0, 1 << 32 - 1], 8),
            ([0, 1 << 32], 16), ([.min, .max, 0], 24),
        ]
        for (numbers, size) in lists {
            let bytes = Bytes()
            bytes.append(packed: numbers[...])
            #expect(bytes.count == 9 + size)
            var reader = ByteReader(bytes.filled)
            let read: [Int64] = try reader.packed(numbers.count)
            #expect(read == numbers && reader.isAtEnd)
            withExtendedLifetime(bytes) {}
        }
    }

    @Test("keys that stand one behind another have the numbers that each has alone")
    func numbersOfKeys() {
        var (one, all) = (KeyIndex(), KeyIndex())
        var numbers: [Int] = []
        let keys = (0..<3_000).map { Array("k\($0 * 7 % 1_000)".utf8) } + [[], [0], []]
        for key in keys { numbers.append(key.withUnsafeBufferPointer { one.number(of: $0) }) }
        let lengths = keys.map { UInt32($0.count) }
        let found = keys.flatMap { $0 }.withUnsafeBufferPointer { all.numbers(of: $0, lengths) }
        #expect(found.map { Int($0) } == numbers)
        #expect(all.count == 1_002 && one.count == 1_002)
    }
}
