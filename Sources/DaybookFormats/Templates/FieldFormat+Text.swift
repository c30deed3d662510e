extension FieldFormat {
    package func text(of values: Values<Int64>) -> TextColumn {
        let shift = decimals + (style == .percent ? 2 : 0)
        return text(values.count, values.missing) { row, digits in
            let value = values.elements[row]
            digits.put(value.magnitude, shift: shift, decimals: decimals)
            return value < 0
        }
    }

    package func text(of values: Values<Double>) -> TextColumn {
        let shift = decimals + (style == .percent ? 2 : 0)
        let isPlain = style == nil
        return text(values.count, values.missing) { row, digits in
            let value = values.elements[row]
            if isPlain || !value.isFinite {
                digits.put(shortest: value)
            } else {
                digits.put(value.magnitude, shift: shift, decimals: decimals)
            }
            return value < 0
        }
    }

    /// One text a row; `put` puts the digits of its number, and says whether it is negative.
    @inline(__always)
    private func text(
        _ rows: Int,
        _ missing: Mask?,
        _ put: (_ row: Int, _ digits: inout DigitBuffer) -> Bool
    ) -> TextColumn {
        var digits = DigitBuffer()
        return fill.withUnsafeBufferPointer { fill in
            TextColumn(rows: rows, missing: missing, capacity: rows * max(width, 12)) { row, bytes in
                let isNegative = put(row, &digits)
                append(digits, isNegative: isNegative, fill, to: bytes)
            }
        }
    }

    /// Appends a number; one whose digits are all 0 has no minus, for nobody means −0.0 ℃.
    @inline(__always)
    private func append(_ digits: borrowing DigitBuffer, isNegative: Bool, _ fill: Cell, to bytes: Bytes) {
        let characters = digits.characters
        let whole = digits.wholeDigits
        let minus = isNegative && !digits.isZero
        let commas = isGrouped && whole > 0 ? (whole - 1) / 3 : 0
        let length = (minus || showsPlus ? 1 : 0) + characters.count + commas + (style == .percent ? 1 : 0)
        let gap = max(0, width - length)
        // What is no number, such as inf, is filled up with spaces.
        let zeros = padsZeros && whole > 0 ? gap : 0
        let left = leftPart(of: gap - zeros, unlessAligned: .right)
        let start = bytes.reserve(length + gap * fill.count)
        var next = Self.repeated(fill, left, at: start)
        if minus || showsPlus {
            next.pointee = minus ? UInt8(ascii: "-") : UInt8(ascii: "+")
            next += 1
        }
        for _ in 0..<zeros {
            next.pointee = UInt8(ascii: "0")
            next += 1
        }
        for place in 0..<characters.count {
            if isGrouped, place > 0, place < whole, (whole - place) % 3 == 0 {
                next.pointee = UInt8(ascii: ",")
                next += 1
            }
            next.pointee = characters[place]
            next += 1
        }
        if style == .percent {
            next.pointee = UInt8(ascii: "%")
            next += 1
        }
        next = Self.repeated(fill, gap - zeros - left, at: next)
        bytes.count += next - start
    }

    /// The texts at their width; the same column when there is none.
    package func text(of column: TextColumn) -> TextColumn {
        guard width > 0 else { return column }
        let capacity = column.count * width
        return fill.withUnsafeBufferPointer { fill in
            TextColumn(rows: column.count, missing: column.missing, capacity: capacity) { row, bytes in
                column.withCell(row) { append($0, fill, to: bytes) }
            }
        }
    }

    private func append(_ cell: Cell, _ fill: Cell, to bytes: Bytes) {
        var characters = 0
        for byte in cell where byte & 0xC0 != 0x80 { characters &+= 1 }
        let gap = max(0, width - characters)
        let left = leftPart(of: gap, unlessAligned: .left)
        let start = bytes.reserve(cell.count + gap * fill.count)
        var next = Self.repeated(fill, left, at: start)
        if let first = cell.baseAddress { next.update(from: first, count: cell.count) }
        next = Self.repeated(fill, gap - left, at: next + cell.count)
        bytes.count += next - start
    }

    /// How much of a gap stands on the left.
    private func leftPart(of gap: Int, unlessAligned usual: Alignment) -> Int {
        switch alignment ?? usual {
        case .left: 0
        case .right: gap
        case .centre: gap / 2
        }
    }

    private static func repeated(
        _ fill: Cell,
        _ count: Int,
        at place: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var next = place
        for _ in 0..<count {
            for byte in fill {
                next.pointee = byte
                next += 1
            }
        }
        return next
    }
}
