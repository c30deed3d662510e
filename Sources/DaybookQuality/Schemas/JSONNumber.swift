/// A number of JSON, exact whatever its digits: 0.DIGITS times a power of ten.
struct JSONNumber: Sendable {
    let isNegative: Bool
    /// Without zeros at either end; empty for 0.
    let digits: [UInt8]
    let exponent: Int
    /// As a schema writes it, for messages.
    let written: String

    /// A number as JSON spells it.
    init(_ cell: Cell, written: String = "") {
        var (digits, place, point, power): ([UInt8], Int, Int?, Int) = ([], 0, nil, 0)
        isNegative = cell.first == UInt8(ascii: "-")
        if isNegative { place = 1 }
        while place < cell.count {
            switch cell[place] {
            case UInt8(ascii: "."): point = digits.count
            case 48...57: digits.append(cell[place] - 48)
            default:
                let isSmall = cell[place + 1] == UInt8(ascii: "-")
                // More digits of an exponent make no other verdict.
                power = cell[(place + 1)...].reduce(0) { $1 &- 48 <= 9 ? min($0 * 10 + Int($1 - 48), 1 << 40) : $0 }
                if isSmall { power = -power }
                place = cell.count
            }
            place += 1
        }
        let leading = digits.prefix { $0 == 0 }.count
        let whole = point ?? digits.count
        digits.removeFirst(leading)
        while digits.last == 0 { digits.removeLast() }
        exponent = digits.isEmpty ? 0 : whole - leading + power
        self.digits = digits
        self.written = written
    }

    init(_ node: OptionNode) throws(DaybookError) {
        let bytes = Bytes(node.plainText ?? "")
        defer { withExtendedLifetime(bytes) {} }
        var cursor = JSONCursor(bytes.base, to: bytes.count)
        guard let text = node.plainText, bytes.filled.first?.isJSONNumber == true, cursor.scalar(), cursor.finish()
        else {
            let isQuoted = node.plainText == nil && node.text.flatMap(Double.init) != nil
            throw node.expected("a number", hint: isQuoted ? "leave the quotes out" : nil)
        }
        self.init(bytes.filled, written: text)
    }

    var isWhole: Bool { exponent >= digits.count }

    /// Nil for other numbers than whole ones from 0 on with few digits.
    var count: Int? {
        guard isWhole, !isNegative || digits.isEmpty, exponent < 16 else { return nil }
        return (0..<exponent).reduce(0) { $0 * 10 + ($1 < digits.count ? Int(digits[$1]) : 0) }
    }

    func isLess(than other: JSONNumber) -> Bool {
        let (sign, others) = (self.sign, other.sign)
        guard sign == others, sign != 0 else { return sign < others }
        return sign > 0 ? isNearer(to: other) : other.isNearer(to: self)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    /// Whether it is nearer to 0.
    private func isNearer(to other: JSONNumber) -> Bool {
        exponent == other.exponent ? digits.lexicographicallyPrecedes(other.digits) : exponent < other.exponent
    }

    /// Whether it is a whole multiple of a step of at most 18 digits.
    func isMultiple(of step: JSONNumber) -> Bool {
        if digits.isEmpty { return true }
        // The places of the last digits: no multiple has a finer one than the step.
        let zeros = (exponent - digits.count) - (step.exponent - step.digits.count)
        guard zeros >= 0 else { return false }
        let unit = step.digits.reduce(0 as UInt128) { $0 * 10 + UInt128($1) }
        let rest = digits.reduce(0 as UInt128) { ($0 * 10 + UInt128($1)) % unit }
        var (power, base, left) = (1 % unit, 10 % unit, zeros)
        while left > 0 {
            if left & 1 == 1 { power = power * base % unit }
            base = base * base % unit
            left >>= 1
        }
        return rest * power % unit == 0
    }

    /// The same bytes for equal numbers.
    var canonical: [UInt8] {
        let sign = digits.isEmpty ? UInt8(ascii: "0") : isNegative ? UInt8(ascii: "-") : UInt8(ascii: "+")
        let numbers = [UInt64(bitPattern: Int64(exponent)), UInt64(digits.count)]
        return [sign] + numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
            + digits
    }
}
