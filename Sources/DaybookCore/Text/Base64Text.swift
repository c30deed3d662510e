/// Writes bytes as base64 text (RFC 4648, section 4), with its padding and without line ends.
extension Bytes {
    public func append(base64 cell: Cell) {
        let target = reserve((cell.count + 2) / 3 * 4)
        let written = Base64Text.alphabet.withUnsafeBufferPointer { letters in
            var next = target
            var position = 0
            while position + 3 <= cell.count {
                let bits = UInt32(cell[position]) << 16 | UInt32(cell[position + 1]) << 8 | UInt32(cell[position + 2])
                next[0] = letters[Int(bits >> 18)]
                next[1] = letters[Int(bits >> 12 & 63)]
                next[2] = letters[Int(bits >> 6 & 63)]
                next[3] = letters[Int(bits & 63)]
                next += 4
                position += 3
            }
            let rest = cell.count - position
            guard rest > 0 else { return next - target }
            let bits = UInt32(cell[position]) << 16 | (rest == 2 ? UInt32(cell[position + 1]) << 8 : 0)
            next[0] = letters[Int(bits >> 18)]
            next[1] = letters[Int(bits >> 12 & 63)]
            next[2] = rest == 2 ? letters[Int(bits >> 6 & 63)] : UInt8(ascii: "=")
            next[3] = UInt8(ascii: "=")
            return next + 4 - target
        }
        count += written
    }
}

private enum Base64Text {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
