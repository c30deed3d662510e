extension BinaryInteger {
    /// The number as people read it, with commas between its thousands: `4,183`.
    public var spoken: String {
        let digits = String(magnitude)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.utf8.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }
}

extension Double {
    /// A figure that nobody compares with its last digits: six of them, or all of a whole number.
    public var brief: String {
        var scale = 1.0
        while magnitude * scale < 100_000, scale < 1e15 { scale *= 10 }
        let rounded = (self * scale).rounded() / scale
        return Column.decimals(Values([rounded.isFinite ? rounded : self])).spoken(0) ?? ""
    }
}
