/// The greatest or the least of some texts, as text and as numbers: where all are numbers and the two differ, who compares them as text is misled.
///
/// It is the same in whatever batches the rows come.
package struct TextExtremes: Sendable {
    /// Which of the values of a group is about these texts.
    package let value: Int
    private let isGreatest: Bool
    private var areNumbers = true
    private var rows = 0
    private var text = ""
    private var number = 0.0
    private var numberText = ""

    package init(of texts: TextColumn, value: Int, isGreatest: Bool) {
        (self.value, self.isGreatest) = (value, isGreatest)
        var (first, most) = (0, 0)
        for row in 0..<texts.count where !texts.missing.isMissing(row) {
            guard let number = texts.withCell(row, { CellReading.decimal($0) }), number.isFinite else {
                areNumbers = false
                return
            }
            if rows == 0 || isGreater(number, self.number) { (self.number, most) = (number, row) }
            if rows == 0
                || texts.withCell(row, { cell in texts.withCell(first) { comes(cell, before: $0) } })
            {
                first = row
            }
            rows += 1
        }
        guard rows > 0 else { return }
        text = texts.withCell(first) { String(decoding: $0, as: UTF8.self) }
        numberText = texts.withCell(most) { String(decoding: $0, as: UTF8.self) }
    }

    private func comes(_ cell: Cell, before other: Cell) -> Bool {
        isGreatest ? other.lexicographicallyPrecedes(cell) : cell.lexicographicallyPrecedes(other)
    }

    private func isGreater(_ one: Double, _ other: Double) -> Bool { isGreatest ? one > other : one < other }

    package mutating func merge(_ later: TextExtremes) {
        areNumbers = areNumbers && later.areNumbers
        guard areNumbers, later.rows > 0 else { return }
        if rows == 0
            || Array(isGreatest ? text.utf8 : later.text.utf8)
                .lexicographicallyPrecedes(Array(isGreatest ? later.text.utf8 : text.utf8))
        {
            text = later.text
        }
        if rows == 0 || isGreater(later.number, number) { (number, numberText) = (later.number, later.numberText) }
        rows += later.rows
    }

    package init(reading reader: inout ByteReader) throws(DaybookError) {
        value = Int(try reader.raw(UInt32.self))
        isGreatest = try reader.raw(UInt8.self) == 1
        areNumbers = try reader.raw(UInt8.self) == 1
        rows = Int(try reader.raw(Int64.self))
        number = Double(bitPattern: try reader.raw(UInt64.self))
        text = try reader.text()
        numberText = try reader.text()
    }

    package func write(to bytes: Bytes) {
        bytes.append(raw: UInt32(value))
        bytes.append(raw: UInt8(isGreatest ? 1 : 0))
        bytes.append(raw: UInt8(areNumbers ? 1 : 0))
        bytes.append(raw: Int64(rows))
        bytes.append(raw: number.bitPattern)
        bytes.append(counted: text)
        bytes.append(counted: numberText)
    }

    /// What there is to say; nil where nobody is misled.
    ///
    /// - Parameter column: the column of the texts.
    package func message(in column: ColumnName) -> String? {
        guard areNumbers, rows > 1, Double(text) != number else { return nil }
        return
            "the texts of '\(column)' are numbers, and as text '\(text)' is \(isGreatest ? "greater" : "less") than '\(numberText)'; "
            + "'cast_columns: { \(column): decimal }' before makes numbers of them"
    }
}
