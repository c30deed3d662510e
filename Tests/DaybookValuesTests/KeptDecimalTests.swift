import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookValues

/// Numbers in text that no double holds.
@Suite struct KeptDecimalTests {
    private static func with<Result>(_ text: String, _ body: (Cell) -> Result) -> Result {
        let bytes = Bytes(text)
        defer { withExtendedLifetime(bytes) {} }
        return body(bytes.filled)
    }

    private static func kept(_ text: String) -> Double? { with(text) { CellReading.keptDecimal($0) } }

    @Test("a whole number is kept exactly where a double is that number", arguments: 1...8 as ClosedRange<UInt64>)
    func wholeNumbers(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let shift = Int128.random(in: 0...70, using: &random)
            let number =
                Int128.random(in: 0...1 << 54, using: &random) << shift + Int128.random(in: -1...1, using: &random)
            let text = "\(Bool.random(using: &random) ? "-" : "")\(number.magnitude)"
            let value = try #require(Double(text))
            let isKept = Int128(value) == Int128(text)
            #expect(Self.kept(text) == (isKept ? value : nil), "\(text) of \(random)")
        }
    }

    @Test(
        arguments: [
            // 2^200, and one more.
            ("1606938044258990275541962092341162602522202993782792835301376", 0x1p200),
            ("1606938044258990275541962092341162602522202993782792835301377", nil),
            ("+9007199254740992", 0x1p53), ("9007199254740993", nil), ("-9007199254740993", nil),
            ("12345678901234567890", nil), ("9007199254740993.0", 0x1p53), ("9007199254740993e0", 0x1p53),
            ("0.12345678901234567891", 0.12345678901234568), ("0", 0), ("-0", -0.0), ("0e-400", 0), ("0.0000000", 0),
            ("1e-400", nil), ("-" + String(repeating: "0", count: 40) + "9007199254740993", nil), ("-1e-400", nil),
            ("1e-324", nil), ("5e-324", .leastNonzeroMagnitude), ("1e400", nil),
            ("x", nil),
            ("", nil),
        ] as [(String, Double?)]
    )
    func `digits are rounded, and numbers are not lost`(_ text: String, _ value: Double?) {
        #expect(Self.kept(text) == value)
    }

    @Test(
        arguments: [
            ("1e400", CellReading.DecimalFault.tooLarge), ("9007199254740993", .inexact), ("1e-400", .tooSmall),
            ("1,5", .other), ("", .other),
        ]
    )
    func `what keeps a cell from being a decimal has a reason`(_ text: String, _ fault: CellReading.DecimalFault) {
        #expect(Self.with(text) { CellReading.fault(ofDecimal: $0) } == fault)
    }
}
