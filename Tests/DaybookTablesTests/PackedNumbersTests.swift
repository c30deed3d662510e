import Testing

@testable import DaybookContracts
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

    @Test("numbers of 128 bits come back, narrow ones from fewer bytes")
    func wideNumbers() throws {
        for (numbers, size) in [([1, -1, 7], 13), ([Int128(Int64.max) + 1, 0], 37)] as [([Int128], Int)] {
            let bytes = Bytes()
            bytes.append(packed: numbers[...])
            #expect(bytes.count == size)
            var reader = ByteReader(bytes.filled)
            #expect(try reader.wide(numbers.count) == numbers)
            withExtendedLifetime(bytes) {}
        }
    }

    @Test("numbers have their ranks, whether they lie close together or far apart")
    func ranks() {
        for lists in [[[7, 64, 63], [], [5, 200]], [[1 << 40, 3], [1 << 20]], [[9]], []] {
            let ranks = Ranks(of: lists)
            let sorted = lists.flatMap { $0 }.sorted()
            #expect(ranks.sorted == sorted)
            for (rank, number) in sorted.enumerated() { #expect(ranks[number] == rank) }
        }
    }

    @Test("cells of every length are copied, and nothing beside them")
    func copies() {
        let source = (0..<80).map { UInt8($0 + 1) }
        for count in 0...64 {
            var target = [UInt8](repeating: 0, count: 80)
            source.withUnsafeBufferPointer { source in
                target.withUnsafeMutableBufferPointer { target in
                    Cell(rebasing: source[3..<3 + count]).copy(to: target.baseAddress! + 5)
                }
            }
            #expect(target[5..<5 + count].elementsEqual(source[3..<3 + count]))
            #expect(target[..<5].allSatisfy { $0 == 0 } && target[(5 + count)...].allSatisfy { $0 == 0 })
        }
    }
}
