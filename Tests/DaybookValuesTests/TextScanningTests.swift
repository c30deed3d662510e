import CScan
import DaybookTestSupport
import Testing

@testable import DaybookContracts

/// Places in texts, JSON strings and numbers: the fast ways against the plain ones.
@Suite struct TextScanningTests {
    /// Text of the bytes that matter, with lengths around the 16 bytes of a block.
    private static func text(_ random: inout SeededGenerator, _ alphabet: [UInt8]) -> [UInt8] {
        let letters = Int.random(in: 1...alphabet.count, using: &random)
        let count = Int.random(in: 0...70, using: &random)
        return (0..<count).map { _ in alphabet[Int.random(in: 0..<letters, using: &random)] }
    }

    @Test("a place is found in steps, in one go, and by looking at every byte, alike")
    func places() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            let text = Self.text(&random, Array("abcdefgh\n\r한é".utf8))
            let from = Int.random(in: 0...text.count, using: &random)
            let to = Int.random(in: from...text.count, using: &random)
            let start = scan_place(line_ends: 0, line_start: 0, characters: 3)
            let lineEnd = Bool.random(using: &random) ? LineEnd.feed : .carriageReturn
            let fast = scan_walk(text, text.count, from, to, lineEnd == .carriageReturn, start)
            let plain = scan_walk_portable(text, text.count, from, to, lineEnd == .carriageReturn, start)
            text.withUnsafeBufferPointer { bytes in
                let part = UnsafeBufferPointer(rebasing: bytes[from..<to])
                let count = lineEnd.count(in: part, next: to < bytes.count ? bytes[to] : 0)
                #expect(count == plain.line_ends, "\(random) \(text)")
            }
            #expect(fast.line_ends == plain.line_ends && fast.characters == plain.characters, "\(random) \(text)")
            #expect(fast.line_start == plain.line_start, "\(random) \(text)")
            text.withUnsafeBufferPointer { bytes in
                var steps = LineCursor(bytes, firstLine: 5, firstColumn: 4, lineEnd: lineEnd)
                _ = steps.place(of: from)
                let inSteps = steps.place(of: to)
                var once = LineCursor(bytes, firstLine: 5, firstColumn: 4, lineEnd: lineEnd)
                #expect(inSteps == once.place(of: to), "\(random) \(text)")
                // Back again, which is only cheap within a line.
                var fresh = LineCursor(bytes, firstLine: 5, firstColumn: 4, lineEnd: lineEnd)
                #expect(once.place(of: from) == fresh.place(of: from), "\(random) \(text)")
            }
        }
    }

    @Test("numbers that are counted up are told from others, in 1, 2, 4 and 8 bytes", arguments: [1, 2, 4, 8])
    func countedUp(_ width: Int) {
        var random = SeededGenerator(seed: UInt64(width))
        let most = UInt64.max >> UInt64(64 - 8 * width)
        var found = 0
        let rounds = TestSize.rounds(4_000, of: 20_000)
        for _ in 0..<rounds {
            let first =
                Bool.random(using: &random)
                ? UInt64.random(in: 0...80, using: &random) : .random(in: 0...most, using: &random)
            let share = Int.random(in: 1...30, using: &random)
            // Those that are not counted up are anything, or near.
            let numbers = (0..<64).map { place in
                switch Int.random(in: 0..<share, using: &random) {
                case 0 where share > 1: UInt64.random(in: 0...most, using: &random)
                case 1 where share > 2: (first &+ UInt64.random(in: 0...70, using: &random)) & most
                default: (first &+ UInt64(place)) & most
                }
            }
            let bytes = numbers.flatMap { number in
                (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
            }
            let result = scan_counted(bytes, width)
            guard result.counted != 0 else {
                #expect(result.near == 0)
                continue
            }
            found += 1
            for (place, number) in numbers.enumerated() {
                let isCounted = result.first.addingReportingOverflow(UInt64(place)) == (number, false)
                let isNear = number >= result.first && number - result.first < 64
                #expect(result.counted >> UInt64(place) & 1 == (isCounted ? 1 : 0), "\(random) \(numbers)")
                #expect(result.near >> UInt64(place) & 1 == (isNear ? 1 : 0), "\(random) \(numbers)")
            }
        }
        #expect(found > rounds / 4)
    }

    @Test("a text is escaped for JSON as the plain loop does it, and no byte behind its room is written")
    func escapes() {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<20_000 {
            let text = Bytes()
            let letters = Array("abcdefghijk \"\\\n\r\t/한".utf8) + [0, 8, 12, 31, 127, 0xFF]
            Self.text(&random, letters).withUnsafeBufferPointer { text.append($0) }
            let room = 6 * text.count + 16
            let written = [json_escape, json_escape_portable].map { escape in
                var target = [UInt8](repeating: 0x55, count: room + 1)
                let escaped = escape(&target, text.base, text.count)
                #expect(target[room] == 0x55, "\(random)")
                return (Array(target[..<escaped.length]), escaped.is_ascii)
            }
            #expect(written[0] == written[1], "\(random)")
            let known = Bytes()
            known.append(jsonString: text.filled)
            #expect(Array(known.array.dropFirst().dropLast()) == written[0].0, "\(random)")
            withExtendedLifetime(text) {}
        }
    }

    @Test("a block of 16 bytes of a cell is copied and looked through as the plain loop does it")
    func blocksOf16() { Self.compareBlocks(of: 16) }

    @Test(
        "a block of 32 bytes of a cell is copied and looked through as the plain loop does it",
        .enabled(if: ScanLevel.avx2.isSupported, "this machine has no AVX2")
    )
    func blocksOf32() { Self.compareBlocks(of: 32) }

    private static func compareBlocks(of size: Int) {
        var random = SeededGenerator(seed: 13)
        for _ in 0..<20_000 {
            let text = Self.text(&random, Array(",\"\n\r\t;a\u{0E}한".utf8)) + [UInt8](repeating: 0x20, count: size)
            let style = csv_style(
                delimiter: [UInt8(ascii: ","), UInt8(ascii: ";"), 9].randomElement(using: &random)!,
                quote: UInt8(ascii: "\""),
                ends_with_return: false,
                quotes_all: false,
                guards_marks: false,
                missing_length: 0
            )
            var (fast, plain) = ([UInt8](repeating: 0, count: size), [UInt8](repeating: 0, count: size))
            let found = csv_copy(&fast, text, size, style)
            #expect(found == csv_copy_portable(&plain, text, size, style), "\(random) \(text)")
            #expect(fast == plain && fast == Array(text.prefix(size)))
        }
    }

    @Test("whole numbers are written as Swift writes them")
    func numbers() {
        var random = SeededGenerator(seed: 13)
        var numbers: [Int64] = [0, 9, 10, 99, 100, 101, 999, 1000, 9999, 10_000, 99_999, .max, .min, -1, -9, -10, -100]
        var power: Int64 = 1
        for _ in 0..<18 {
            power *= 10
            numbers += [power - 1, power, power + 1, 1 - power, -power, -1 - power]
        }
        for _ in 0..<20_000 {
            let bits = UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64.random(in: 0...63, using: &random)
            numbers.append(Int64(bitPattern: bits))
        }
        for number in numbers {
            let bytes = Bytes()
            bytes.append(integer: number)
            #expect(bytes.text(0..<bytes.count) == String(number))
        }
    }
}
