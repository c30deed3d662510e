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
