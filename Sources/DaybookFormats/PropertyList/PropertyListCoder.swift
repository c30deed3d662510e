/// Tells the values that Foundation's `PropertyListEncoder` writes as dictionaries, and its `JSONEncoder` as one text or number.
enum PropertyListCoder {
    /// What `JSONEncoder` writes of a `URL` or a `Decimal`; nil for any other value.
    static func plain(_ list: PropertyList, _ value: Int) -> (json: Bytes, isNumber: Bool)? {
        guard case .dictionary = list[value] else { return nil }
        let below = list.below(value)
        guard below.count == 2 || below.count == 10 else { return nil }
        var entries: [String: Int] = [:]
        for place in stride(from: below.startIndex, to: below.endIndex, by: 2) {
            guard let key = list.text(Int(below[place])) else { return nil }
            entries[key] = Int(below[place + 1])
        }
        if let relative = entries["relative"], entries.count == 1 { return url(list, relative) }
        return decimal(list, entries).map { ($0, true) }
    }

    /// A URL without a base; one with a base keeps its two parts.
    private static func url(_ list: PropertyList, _ value: Int) -> (json: Bytes, isNumber: Bool)? {
        guard case .text(let piece) = list[value] else { return nil }
        let text = Bytes()
        list.withBytes(piece) { text.append(jsonString: $0) }
        return (text, false)
    }

    /// A whole number of up to 128 bits in pieces of 16, and a power of ten.
    private static func decimal(_ list: PropertyList, _ entries: [String: Int]) -> Bytes? {
        guard entries.count == 5, let exponent = entries["exponent"].flatMap({ list.whole($0) }),
            let length = entries["length"].flatMap({ list.whole($0) }), (0...8).contains(length),
            let sign = entries["isNegative"], case .flag(let isNegative) = list[sign],
            let compact = entries["isCompact"], case .flag = list[compact],
            let mantissa = entries["mantissa"], case .array = list[mantissa]
        else { return nil }
        let pieces = list.below(mantissa).map { list.whole(Int($0)) }
        guard pieces.count == 8, (-128...127).contains(exponent) else { return nil }
        var number: UInt128 = 0
        for piece in pieces.prefix(Int(length)).reversed() {
            guard let piece, (0...0xFFFF).contains(piece) else { return nil }
            number = number << 16 | UInt128(piece)
        }
        // Foundation writes what is no number so.
        if length == 0, isNegative { return Bytes("null") }
        var digits = String(number)
        if exponent > 0, number > 0 { digits += String(repeating: "0", count: Int(exponent)) }
        if exponent < 0 {
            let point = Int(-exponent)
            if digits.utf8.count <= point {
                digits = String(repeating: "0", count: point + 1 - digits.utf8.count) + digits
            }
            digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -point))
            while digits.hasSuffix("0") { digits.removeLast() }
            if digits.hasSuffix(".") { digits.removeLast() }
        }
        return Bytes((isNegative ? "-" : "") + digits)
    }
}

extension PropertyList {
    fileprivate func whole(_ value: Int) -> Int64? {
        guard case .integer(let number) = self[value] else { return nil }
        return Int64(exactly: number)
    }
}
