import DaybookCore

/// The significant digits of a number and the power of ten of the last one, by which two spellings of it are compared.
struct JSONDigits: Equatable {
    private var digits: [UInt8] = []
    private var exponent = 0

    /// How many digits every double keeps: a decimal of no more comes back as it was (IEEE 754, binary64).
    static let always = 15

    /// Whether the shortest spelling of `value` is the number that `text` spells. `text` is a JSON number.
    static func areKept(_ text: Cell, by value: Double) -> Bool {
        let written = JSONDigits(text)
        if written.digits.count <= always, !written.digits.isEmpty, value != 0, value.isNormal { return true }
        var shortest = value.description
        return shortest.withUTF8 { written == JSONDigits($0) }
    }

    /// The number behind an `e`. Beyond a million million digits a number is 0 or infinite, whatever its exponent, and no text
    /// has so many digits that the two together overflow.
    static func exponent(_ digits: Cell) -> Int {
        CellReading.saturatedInteger(digits, within: 1_000_000_000_000) ?? 0
    }

    private init(_ text: Cell) {
        var position = 0
        var isBehindPoint = false
        while position < text.count {
            let byte = text[position]
            position += 1
            switch byte {
            case 48...57:
                if isBehindPoint { exponent -= 1 }
                if byte != 48 || !digits.isEmpty { digits.append(byte) }
            case UInt8(ascii: "."): isBehindPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent += JSONDigits.exponent(Cell(rebasing: text[position...]))
                position = text.count
            default: break
            }
        }
        while digits.last == 48 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { exponent = 0 }
    }
}
