import DaybookCore

/// Why a value that is JSON does not belong in its column.
extension JSONMorselReading {
    /// A number or text that its column could have taken, had it named an instant.
    private func notAnInstant(_ leaf: JSONPlan.Leaf, _ column: Int, _ byte: UInt8, _ range: Range<Int>) -> Misfit? {
        let isText = byte == UInt8(ascii: "\"")
        let isNumber = JSONValueName.of(byte) == "a number"
        guard isText || isNumber else { return nil }
        if isText == (leaf.encoding == .iso) {
            return Misfit(kind: .notAnInstant, column: column, at: range.lowerBound)
        }
        return Misfit(
            kind: .unexpectedValue,
            column: column,
            at: range.lowerBound,
            message: "\(isText ? "text" : "a number") in a column of instants written as \(leaf.encoding.rawValue)"
                + "; 'dates' says how they are written"
        )
    }

    func wrongKind(_ column: Int, _ byte: UInt8, _ range: Range<Int>) -> Misfit {
        let leaf = reader.plan.leaves[column]
        let field = leaf.field
        if field.kind == .day, byte == UInt8(ascii: "\"") {
            return Misfit(kind: .notADay, column: column, at: range.lowerBound)
        }
        if field.kind == .text, byte == UInt8(ascii: "\""),
            let nul = JSONString.nul(base, range.lowerBound + 1..<range.upperBound - 1)
        {
            return Misfit(kind: .nulCharacter, column: column, at: nul)
        }
        if field.kind == .instant, let wrong = notAnInstant(leaf, column, byte, range) { return wrong }
        var found = JSONValueName.of(byte)
        var isTooLarge = false
        if found == "a number" {
            let number = Cell(start: base + range.lowerBound, count: range.count)
            isTooLarge = field.kind == .integer && CellReading.isTooLargeInteger(number)
            let text = String(
                decoding: UnsafeBufferPointer(start: base + range.lowerBound, count: min(range.count, 40)),
                as: UTF8.self
            )
            found = "the number \(text)"
        }
        return Misfit(
            kind: .unexpectedValue,
            column: column,
            at: range.lowerBound,
            message: "\(found)\(isTooLarge ? " is too large for" : " in") a column of kind \(field.kind.rawValue)"
                + (leaf.isDeclared ? "" : "; declare the column with 'columns' if its values vary")
        )
    }
}
