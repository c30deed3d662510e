import DaybookContracts
import DaybookTestSupport
import Testing

/// Numbers written one after another, against the standard library.
@Suite struct IntegerWriterTests {
    private func written(_ numbers: [Int64]) -> [String] {
        var writer = IntegerWriter()
        var room = [UInt8](repeating: 0x58, count: NumberText.maximumLength)
        return numbers.map { number in
            let length = writer.write(number, to: &room)
            return String(decoding: room[..<length], as: UTF8.self)
        }
    }

    @Test("in any order", arguments: 1...20 as ClosedRange<UInt64>)
    func numbers(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var numbers: [Int64] = []
        var last: Int64 = 0
        for _ in 0..<3_000 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: last = Int64.random(in: .min ... .max, using: &random)
            case 1:
                last = [.min, .max, 0, -1, 4_095, 4_096, -4_096, -4_097, 9_999, 10_000].randomElement(using: &random)!
            case 2:
                last =
                    Int64.random(in: 0...9_999_999_999_999, using: &random) >> Int64.random(in: 0...40, using: &random)
            case 3: last = last / 10_000 &* 10_000
            default: last &+= Int64.random(in: -3...12_000, using: &random) / (seed % 2 == 0 ? 1 : 900)
            }
            numbers.append(last)
        }
        #expect(written(numbers) == numbers.map { "\($0)" })
    }

    @Test("counted up across the places where a digit is added")
    func countedUp() {
        for start in [0, 4_090, 9_990, 99_990, 9_999_990, 999_999_990, 999_999_999_990, 9_999_999_999_990] as [Int64] {
            let numbers = Array(start..<start + 20_050)
            #expect(written(numbers) == numbers.map { "\($0)" })
            #expect(written(numbers.reversed()) == numbers.reversed().map { "\($0)" })
        }
    }
}
