import CScan

/// Reads single values of a morsel into their columns.
///
/// Small and without references of its own, so that the row loop keeps it in registers.
struct JSONCells: BitwiseCopyable {
    typealias Place = UnsafePointer<UInt8>
    typealias Slot = UnsafeMutablePointer<JSONSlot>

    let base: Place
    /// The end of the source's bytes; decoded text will follow.
    let end: Int
    let isLines: Bool
    /// Whether NaN and Infinity are missing values.
    let takesNotANumber: Bool
    /// Text with escapes, decoded. The reader of the morsel keeps it alive.
    let decoded: Unmanaged<Bytes>

    /// Reads one value into `slot` and returns the place behind it; nil if the slot's kind differs, or for no JSON.
    ///
    /// The text behind the value is not checked: the caller continues only if it is valid there. Reads up to 64 bytes
    /// past the end of the morsel, within the slack of its buffer, and never uses them.
    @inline(__always)
    func value(at place: Place, into slot: Slot, row: Int, limit: Place) -> Place? {
        let index = row & slot.pointee.rowMask
        switch slot.pointee.kind {
        case .text:
            guard place.pointee == UInt8(ascii: "\"") else { return null(at: place, slot, index) }
            var next = place + 1
            while true {
                let special = json_special32(next)
                if special != 0 {
                    next += special.trailingZeroBitCount
                    break
                }
                next += 32
                guard next < limit else { return nil }
            }
            guard next.pointee == UInt8(ascii: "\"") else { return escapedText(at: place, slot, index, limit) }
            slot.put(TextView(offset: place - base &+ 1, length: next - place &- 1), at: index)
            return next + 1
        case .integer:
            // Digits are recognised eight at a time: a byte of `digits` is below 10 exactly for a digit.
            let isNegative = place.pointee == UInt8(ascii: "-")
            let first = isNegative ? place + 1 : place
            let digits = JSONNumber.eightBytes(first) ^ 0x3030_3030_3030_3030
            let others = (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080
            guard others != 0 else { return longInteger(at: place, slot, index) }
            let count = others.trailingZeroBitCount >> 3
            guard count > 0 else { return null(at: place, slot, index) }
            guard digits & 0xFF != 0 || count == 1 else { return nil }
            let value = Int64(JSONNumber.value(ofDigits: digits << UInt64(64 &- 8 &* count)))
            slot.put(isNegative ? 0 &- value : value, at: index)
            return first + count
        case .decimal:
            guard let (value, next) = JSONNumber.decimal(at: place, limit) else { return null(at: place, slot, index) }
            slot.put(value, at: index)
            return next
        case .flag:
            let word = JSONNumber.fourBytes(place)
            let isTrue = word == 0x6575_7274
            guard isTrue || (word == 0x736C_6166 && place[4] == UInt8(ascii: "e")) else {
                return null(at: place, slot, index)
            }
            slot.put(isTrue, at: index)
            return isTrue ? place + 4 : place + 5
        case .day: return day(at: place, slot, index) ?? null(at: place, slot, index)
        case .json: return anything(at: place, slot, index, limit)
        case .instant: return instant(at: place, slot, index, limit) ?? null(at: place, slot, index)
        case .scalar: return scalar(at: place, slot, index, limit)
        case .emptyObject: return emptyObject(at: place, slot, index)
        }
    }

    /// Steps over `null` and marks the row, or gives nil.
    @inline(never)
    private func null(at place: Place, _ slot: Slot, _ index: Int) -> Place? {
        guard JSONNumber.fourBytes(place) == 0x6C6C_756E else {
            guard takesNotANumber, let length = JSONCursor.notANumber(place, base + end) else { return nil }
            return markMissing(slot, index) ? place + length : nil
        }
        return markMissing(slot, index) ? place + 4 : nil
    }

    /// Marks the row, and writes a harmless value below the mark where one is needed. Always true.
    @inline(__always)
    func markMissing(_ slot: Slot, _ index: Int) -> Bool {
        slot.pointee.missing[index >> 6] |= 1 << UInt64(truncatingIfNeeded: index & 63)
        switch slot.pointee.kind {
        case .text, .scalar, .json, .integer, .decimal, .emptyObject:
            slot.put(0 as UInt64, at: index)
        case .instant:
            slot.put(0 as Int64, at: index)
            slot.pointee.cut[index >> 6] &= ~(1 << UInt64(truncatingIfNeeded: index & 63))
        case .day: slot.put(0 as Int32, at: index)
        case .flag: slot.put(false, at: index)
        }
        return true
    }

    /// Clears the bit for a missing value that an attempt at this row has set.
    @inline(__always)
    func clearMissing(_ slot: Slot, _ row: Int) {
        let index = row & slot.pointee.rowMask
        slot.pointee.missing[index >> 6] &= ~(1 << UInt64(truncatingIfNeeded: index & 63))
    }

    @inline(never)
    private func day(at place: Place, _ slot: Slot, _ index: Int) -> Place? {
        guard place.pointee == UInt8(ascii: "\""), place[11] == UInt8(ascii: "\""),
            let day = CellReading.day(Cell(start: place + 1, count: 10))
        else { return nil }
        slot.put(day, at: index)
        return place + 12
    }

    /// A number or a text that names an instant; digits finer than a microsecond are cut, and the row is flagged.
    @inline(never)
    private func instant(at place: Place, _ slot: Slot, _ index: Int, _ limit: Place) -> Place? {
        guard let (instant, next) = JSONInstant.read(place, limit, slot.pointee.encoding) else { return nil }
        slot.put(instant.micros, at: index)
        let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: index & 63)
        if instant.isCut { slot.pointee.cut[index >> 6] |= bit } else { slot.pointee.cut[index >> 6] &= ~bit }
        return next
    }

    /// `{}` without a blank in it.
    @inline(never)
    private func emptyObject(at place: Place, _ slot: Slot, _ index: Int) -> Place? {
        guard place.pointee == UInt8(ascii: "{"), place[1] == UInt8(ascii: "}") else { return nil }
        slot.put(TextView(offset: place - base, length: 2), at: index)
        return place + 2
    }

    /// Text that holds an escape, or ends in a control character and so is none.
    @inline(never)
    private func escapedText(at place: Place, _ slot: Slot, _ index: Int, _ limit: Place) -> Place? {
        var cursor = JSONCursor(base, from: place - base, to: limit - base)
        guard cursor.string() != nil else { return nil }
        guard JSONString.nul(base, place - base + 1..<cursor.position - 1) == nil else { return nil }
        if slot.pointee.rowMask != 0 {
            let decoded = decoded.takeUnretainedValue()
            let start = decoded.count
            JSONString.decode(base, place - base + 1..<cursor.position - 1, into: decoded)
            slot.put(TextView(offset: end + start, length: decoded.count - start), at: index)
        }
        return base + cursor.position
    }

    /// A text without its quotes, or a number, true or false as it is written.
    @inline(never)
    private func scalar(at place: Place, _ slot: Slot, _ index: Int, _ limit: Place) -> Place? {
        switch place.pointee {
        case UInt8(ascii: "{"), UInt8(ascii: "["): nil
        case UInt8(ascii: "\""): escapedText(at: place, slot, index, limit)
        default: anything(at: place, slot, index, limit)
        }
    }

    /// A whole number of eight digits or more.
    @inline(never)
    private func longInteger(at place: Place, _ slot: Slot, _ index: Int) -> Place? {
        let isNegative = place.pointee == UInt8(ascii: "-")
        let first = isNegative ? place + 1 : place
        guard first.pointee != 48 else { return nil }
        var next = first
        while next - first < 20, next.pointee &- 48 <= 9 { next += 1 }
        guard next - first < 20, let value = CellReading.integer(Cell(start: place, count: next - place)) else {
            return nil
        }
        slot.put(value, at: index)
        return next
    }

    /// The text of a value of any kind.
    @inline(never)
    private func anything(at place: Place, _ slot: Slot, _ index: Int, _ limit: Place) -> Place? {
        if takesNotANumber, let length = JSONCursor.notANumber(place, limit) {
            return markMissing(slot, index) ? place + length : nil
        }
        var cursor = JSONCursor(base, from: place - base, to: limit - base)
        cursor.depth = slot.pointee.depth
        guard cursor.skipValue() else { return nil }
        let length = cursor.position - (place - base)
        // White space between elements may hold a line end, and then the record is none.
        if isLines, JSONFormat.lineFeed(base, place - base, cursor.position) != nil { return nil }
        if length == 4, place.pointee == UInt8(ascii: "n") {
            return markMissing(slot, index) ? base + cursor.position : nil
        }
        // A text in it holds no NUL, as no other text does.
        if memchr(place, Int32(UInt8(ascii: "\\")), length) != nil,
            JSONString.nul(base, place - base..<cursor.position) != nil
        {
            return nil
        }
        slot.put(TextView(offset: place - base, length: length), at: index)
        return base + cursor.position
    }
}

/// Reads the digits of numbers.
enum JSONNumber {
    @inline(__always)
    static func eightBytes(_ place: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
    }

    @inline(__always)
    static func fourBytes(_ place: UnsafePointer<UInt8>) -> UInt32 {
        UInt32(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt32.self))
    }

    /// The number that eight digits make, each a byte from 0 to 9, the first in the lowest byte.
    ///
    /// Source: Johnny Lee and Daniel Lemire, "Quickly parsing eight digits" (lemire.me, 2018 and 2022).
    @inline(__always)
    static func value(ofDigits digits: UInt64) -> UInt32 {
        let pairs = digits &* 10 &+ digits >> 8
        let mask: UInt64 = 0x0000_00FF_0000_00FF
        let high = (pairs & mask) &* 0x000F_4240_0000_0064
        let low = (pairs >> 16 & mask) &* 0x0000_2710_0000_0001
        return UInt32(truncatingIfNeeded: (high &+ low) >> 32)
    }

    /// A number that a double can represent without losing a digit, and the place behind it.
    static func decimal(at place: JSONCells.Place, _ limit: JSONCells.Place) -> (Double, JSONCells.Place)? {
        let isNegative = place.pointee == UInt8(ascii: "-")
        var next = isNegative ? place + 1 : place
        let first = next
        var mantissa: UInt64 = 0
        while next < limit, next.pointee &- 48 <= 9 {
            mantissa = mantissa &* 10 &+ UInt64(next.pointee &- 48)
            next += 1
        }
        let whole = next - first
        guard whole > 0, whole == 1 || first.pointee != 48 else { return nil }
        var decimals = 0
        if next < limit, next.pointee == UInt8(ascii: ".") {
            next += 1
            let point = next
            while next < limit, next.pointee &- 48 <= 9 {
                mantissa = mantissa &* 10 &+ UInt64(next.pointee &- 48)
                next += 1
            }
            decimals = next - point
            guard decimals > 0 else { return nil }
        }
        let hasExponent = next < limit && next.pointee | 0x20 == UInt8(ascii: "e")
        // Exact while mantissa and power of ten both are: Clinger, "How to Read Floating Point Numbers Accurately"
        // (PLDI 1990).
        if !hasExponent, whole + decimals <= JSONDigits.always {
            let value = Double(mantissa) / powersOfTen[decimals]
            return (isNegative ? -value : value, next)
        }
        return longDecimal(at: place, limit)
    }

    @inline(never)
    private static func longDecimal(at place: JSONCells.Place, _ limit: JSONCells.Place) -> (Double, JSONCells.Place)? {
        var cursor = JSONCursor(place, to: limit - place)
        guard let isWhole = cursor.number() else { return nil }
        let text = Cell(start: place, count: cursor.position)
        guard let value = CellReading.decimal(text), isWhole || JSONDigits.areKept(text, by: value) else { return nil }
        if isWhole {
            guard let exact = CellReading.integer(text), Int64(exactly: value) == exact else { return nil }
        }
        return (value, place + cursor.position)
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

/// The significant digits of a number and the power of ten of the last one, for comparing two spellings.
package struct JSONDigits: Equatable {
    /// In ASCII, without zeros at either end.
    package private(set) var digits: [UInt8] = []
    package private(set) var exponent = 0

    /// How many digits every double keeps: a decimal of no more comes back as it was (IEEE 754, binary64).
    static let always = 15

    /// Whether the shortest spelling of `value` is the number that `text` spells. `text` is a JSON number.
    static func areKept(_ text: Cell, by value: Double) -> Bool {
        let written = JSONDigits(text)
        if written.digits.count <= always, !written.digits.isEmpty, value != 0, value.isNormal { return true }
        return written == JSONDigits(of: value)
    }

    /// Of the shortest spelling of a number.
    package init(of value: Double) {
        var text = value.description
        self = text.withUTF8 { JSONDigits($0) }
    }

    /// The number behind an `e`. Beyond a million million digits a number is 0 or infinite, whatever its exponent, and no text
    /// has so many digits that the two together overflow.
    static func exponent(_ digits: Cell) -> Int { CellReading.saturatedInteger(digits, within: 1_000_000_000_000) ?? 0 }

    init(_ text: Cell) {
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
