import CScan

/// Reads single values of a morsel into their columns.
///
/// Small and without references of its own, so that the row loop keeps it in registers.
struct JSONCells: BitwiseCopyable {
    package typealias Place = UnsafePointer<UInt8>

    let base: Place
    /// Where the bytes of the source end; decoded text will stand behind.
    let end: Int
    let isLines: Bool
    /// Whether NaN and Infinity are missing values.
    let takesNotANumber: Bool
    /// Text with escapes, decoded. Whoever reads the morsel keeps it alive.
    let decoded: Unmanaged<Bytes>

    /// Reads one value into `slot` and gives the place behind it; nil when it is not of the slot's kind, or no JSON.
    ///
    /// What stands behind the value is not looked at: the caller goes on only if it is what may stand there. Reads up to
    /// 64 bytes past the end of the morsel, where its buffer has room, and never believes them.
    @inline(__always)
    func value(at place: Place, into slot: UnsafeMutablePointer<JSONSlot>, row: Int, limit: Place) -> Place? {
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
            // Digits are told apart eight at a time: a byte of `digits` is below 10 exactly for a digit.
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
        case .day:
            return day(at: place, slot, index) ?? null(at: place, slot, index)
        case .json:
            return anything(at: place, slot, index, limit)
        case .instant:
            return instant(at: place, slot, index, limit) ?? null(at: place, slot, index)
        case .scalar:
            return scalar(at: place, slot, index, limit)
        case .emptyObject:
            return emptyObject(at: place, slot, index)
        }
    }

    /// Steps over `null` and marks the row, or gives nil.
    @inline(never)
    private func null(at place: Place, _ slot: UnsafeMutablePointer<JSONSlot>, _ index: Int) -> Place? {
        guard JSONNumber.fourBytes(place) == 0x6C6C_756E else {
            guard takesNotANumber, let length = JSONCursor.notANumber(place, base + end) else { return nil }
            return markMissing(slot, index) ? place + length : nil
        }
        return markMissing(slot, index) ? place + 4 : nil
    }

    /// Marks the row, and writes a harmless value below the mark where one is needed. Always true.
    @inline(__always)
    func markMissing(_ slot: UnsafeMutablePointer<JSONSlot>, _ index: Int) -> Bool {
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

    /// Takes the mark away that an attempt at this row has left.
    @inline(__always)
    func clearMissing(_ slot: UnsafeMutablePointer<JSONSlot>, _ row: Int) {
        let index = row & slot.pointee.rowMask
        slot.pointee.missing[index >> 6] &= ~(1 << UInt64(truncatingIfNeeded: index & 63))
    }

    @inline(never)
    private func day(at place: Place, _ slot: UnsafeMutablePointer<JSONSlot>, _ index: Int) -> Place? {
        guard place.pointee == UInt8(ascii: "\""), place[11] == UInt8(ascii: "\""),
            let day = CellReading.day(Cell(start: place + 1, count: 10))
        else { return nil }
        slot.put(day, at: index)
        return place + 12
    }

    /// A number or a text that names an instant; what is finer than a microsecond is cut, and marked.
    @inline(never)
    private func instant(
        at place: Place,
        _ slot: UnsafeMutablePointer<JSONSlot>,
        _ index: Int,
        _ limit: Place
    ) -> Place? {
        guard let (instant, next) = JSONInstant.read(place, limit, slot.pointee.encoding) else { return nil }
        slot.put(instant.micros, at: index)
        let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: index & 63)
        if instant.isCut {
            slot.pointee.cut[index >> 6] |= bit
        } else {
            slot.pointee.cut[index >> 6] &= ~bit
        }
        return next
    }

    /// `{}` without a blank in it.
    @inline(never)
    private func emptyObject(at place: Place, _ slot: UnsafeMutablePointer<JSONSlot>, _ index: Int) -> Place? {
        guard place.pointee == UInt8(ascii: "{"), place[1] == UInt8(ascii: "}") else { return nil }
        slot.put(TextView(offset: place - base, length: 2), at: index)
        return place + 2
    }

    /// Text that holds an escape, or ends in a control character and so is none.
    @inline(never)
    private func escapedText(
        at place: Place,
        _ slot: UnsafeMutablePointer<JSONSlot>,
        _ index: Int,
        _ limit: Place
    ) -> Place? {
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
    private func scalar(
        at place: Place,
        _ slot: UnsafeMutablePointer<JSONSlot>,
        _ index: Int,
        _ limit: Place
    ) -> Place? {
        guard place.pointee != UInt8(ascii: "{"), place.pointee != UInt8(ascii: "[") else { return nil }
        guard place.pointee == UInt8(ascii: "\"") else { return anything(at: place, slot, index, limit) }
        return escapedText(at: place, slot, index, limit)
    }

    /// A whole number of eight digits or more.
    @inline(never)
    private func longInteger(at place: Place, _ slot: UnsafeMutablePointer<JSONSlot>, _ index: Int) -> Place? {
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
    private func anything(
        at place: Place,
        _ slot: UnsafeMutablePointer<JSONSlot>,
        _ index: Int,
        _ limit: Place
    ) -> Place? {
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
