import CScan

/// The choice among a group's values.
package enum Pick: UInt8, Sendable, BitwiseCopyable {
    case least, greatest, first, last

    /// Whether a later value takes the place of an earlier one.
    @inline(__always)
    fileprivate func takes<Value>(
        _ later: Value,
        insteadOf earlier: Value,
        by comesBefore: (Value, Value) -> Bool
    ) -> Bool {
        switch self {
        case .least: comesBefore(later, earlier)
        case .greatest: comesBefore(earlier, later)
        case .first: false
        case .last: true
        }
    }
}

/// One number, flag, day or instant for each group: the minimum, the maximum, the first or the last.
///
/// All kinds are stored as whole numbers that sort alike; see `Column.sortable`.
package struct PickedValues: GroupValues {
    package static let code = GroupValuesCode.picked

    private let pick: Pick
    private var values: [Int64] = []
    private var isThere: [Bool] = []

    package var parameter: UInt8 { pick.rawValue }

    package init(_ pick: Pick) { self.pick = pick }

    package mutating func grow(to groups: Int) {
        values.extend(to: groups, with: 0)
        isThere.extend(to: groups, with: false)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let column else { preconditionFailure("a value is that of a column") }
        let sortable = batch[column].sortable
        let pick = pick
        values.withUnsafeMutableBufferPointer { values in
            isThere.withUnsafeMutableBufferPointer { isThere in
                sortable.forEachValue(groups) { _, group, value in
                    guard !isThere[group] || pick.takes(value, insteadOf: values[group], by: <) else { return }
                    values[group] = value
                    isThere[group] = true
                }
            }
        }
    }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        bytes.append(packed: values[groups])
        bytes.append(packed: isThere[groups].map { $0 ? UInt8(1) : 0 }[...])
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        let later: [Int64] = try reader.packed(places.count)
        let pick = pick
        try reader.forEachPacked(places.count) { (group, flag: UInt8) in
            let mine = Int(places[group])
            guard flag == 1, !isThere[mine] || pick.takes(later[group], insteadOf: values[mine], by: <) else { return }
            values[mine] = later[group]
            isThere[mine] = true
        }
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) { column.fill { isThere[$0] ? values[$0] : nil } }
}

/// One text for each group: the least, the greatest, the first or the last. Text sorts by its bytes, as in `sort_rows`.
///
/// Texts are stored one behind another; discarded texts stay until they take as much as the others.
package struct PickedText: GroupValues {
    package static let code = GroupValuesCode.text

    private let pick: Pick
    private var bytes: [UInt8] = []
    /// The offset of each text, and its length; `none` for a group without a text.
    private var starts: [Int] = []
    private var lengths: [UInt32] = []
    private static let none = UInt32.max
    private var used = 0
    private static let slack = 1 << 12

    package var parameter: UInt8 { pick.rawValue }

    package init(_ pick: Pick) { self.pick = pick }

    package mutating func grow(to groups: Int) {
        starts.extend(to: groups, with: 0)
        lengths.extend(to: groups, with: Self.none)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let text = column.flatMap({ batch[$0].text }) else {
            preconditionFailure("a text is that of a column of text")
        }
        let pick = pick
        var rows = [Int32](repeating: -1, count: lengths.count)
        let base = text.bytes.base
        rows.withUnsafeMutableBufferPointer { rows in
            text.views.withUnsafeBufferPointer { views in
                groups.withUnsafeBufferPointer { groups in
                    for row in 0..<views.count where !text.missing.isMissing(row) {
                        let group = Int(groups[row])
                        let earlier = Int(rows[group])
                        if earlier >= 0 {
                            let mine = Cell(start: base + Int(views[row].offset), count: Int(views[row].length))
                            let other = Cell(
                                start: base + Int(views[earlier].offset),
                                count: Int(views[earlier].length)
                            )
                            guard pick.takes(mine, insteadOf: other, by: { $0.comesBefore($1) }) else { continue }
                        }
                        rows[group] = Int32(truncatingIfNeeded: row)
                    }
                }
            }
        }
        used = rows.reduce(0) { $0 + ($1 < 0 ? 0 : Int(text.views[Int($1)].length)) }
        bytes = [UInt8](unsafeUninitializedCapacity: used) { bytes, filled in
            for (group, row) in rows.enumerated() where row >= 0 {
                text.withCell(Int(row)) { cell in
                    starts[group] = filled
                    lengths[group] = UInt32(cell.count)
                    if !cell.isEmpty { cell.copy(to: bytes.baseAddress.unsafelyUnwrapped + filled) }
                    filled += cell.count
                }
            }
        }
    }

    /// Lengths are packed with one more, and so 0 for a group without a text.
    package func write(_ groups: Range<Int>, to out: Bytes) {
        out.append(packed: lengths[groups].map { $0 &+ 1 }[...])
        bytes.withUnsafeBufferPointer { bytes in
            for group in groups where lengths[group] != Self.none {
                out.append(cell: Cell(rebasing: bytes[starts[group]..<starts[group] + Int(lengths[group])]))
            }
        }
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        let later: [UInt32] = try reader.packed(places.count)
        // All texts are appended, and the unneeded ones removed once they are many.
        var start = bytes.count
        bytes.append(contentsOf: try reader.take(later.reduce(0) { $0 + max(Int($1) - 1, 0) }))
        let pick = pick
        var used = used
        bytes.withUnsafeBufferPointer { bytes in
            starts.withUnsafeMutableBufferPointer { starts in
                lengths.withUnsafeMutableBufferPointer { lengths in
                    for (length, place) in zip(later, places) where length > 0 {
                        let group = Int(place)
                        let text = Cell(rebasing: bytes[start..<start + Int(length) - 1])
                        defer { start += text.count }
                        if lengths[group] != Self.none {
                            let mine = starts[group]..<starts[group] + Int(lengths[group])
                            let other = Cell(rebasing: bytes[mine])
                            guard pick.takes(text, insteadOf: other, by: { $0.comesBefore($1) }) else { continue }
                            used -= mine.count
                        }
                        used += text.count
                        starts[group] = start
                        lengths[group] = length - 1
                    }
                }
            }
        }
        self.used = used
        if bytes.count > 2 * used + Self.slack { tidy() }
    }

    /// Compacts the remaining texts.
    private mutating func tidy() {
        var left: [UInt8] = []
        left.reserveCapacity(used)
        for group in lengths.indices where lengths[group] != Self.none {
            let start = starts[group]
            starts[group] = left.count
            left += bytes[start..<start + Int(lengths[group])]
        }
        bytes = left
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) {
        column.fill(bytes) { group in
            lengths[group] == Self.none ? nil : TextView(offset: starts[group], length: Int(lengths[group]))
        }
    }
}

/// The value in the first row of each group in a column of any kind, and whether all its rows have the same value.
///
/// Values are the same if their bytes are equal, or both are missing.
package struct SharedValues: GroupValues {
    package static let code = GroupValuesCode.shared

    private var bytes: [UInt8] = []
    private var starts: [Int] = []
    /// The length plus two; 1 for a missing value, and 0 before the first row.
    private var lengths: [UInt32] = []
    private var differs: [Bool] = []

    package init() {}

    package mutating func grow(to groups: Int) {
        starts.extend(to: groups, with: 0)
        lengths.extend(to: groups, with: 0)
        differs.extend(to: groups, with: false)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let column else { preconditionFailure("a shared value is that of a column") }
        switch batch[column] {
        case .text(let text), .json(let text):
            for row in groups.indices {
                let group = Int(groups[row])
                if text.missing.isMissing(row) {
                    add(nil, to: group)
                } else {
                    text.withCell(row) { add($0, to: group) }
                }
            }
        case let column:
            let values = column.sortable
            for row in groups.indices {
                let group = Int(groups[row])
                if values.missing.isMissing(row) {
                    add(nil, to: group)
                } else {
                    withUnsafeBytes(of: values.elements[row]) { add($0.bindMemory(to: UInt8.self), to: group) }
                }
            }
        }
    }

    @inline(__always)
    private mutating func add(_ cell: Cell?, to group: Int) {
        let length = cell.map { UInt32(truncatingIfNeeded: $0.count) &+ 2 } ?? 1
        if lengths[group] == 0 {
            (starts[group], lengths[group]) = (bytes.count, length)
            if let cell { bytes.append(contentsOf: cell) }
        } else if lengths[group] != length {
            differs[group] = true
        } else if let cell, let other = cell.baseAddress {
            let start = starts[group]
            if !bytes.withUnsafeBytes({ memcmp($0.baseAddress.unsafelyUnwrapped + start, other, cell.count) == 0 }) {
                differs[group] = true
            }
        }
    }

    private func cell(of group: Int) -> Range<Int> { starts[group]..<starts[group] + Int(max(lengths[group], 2) - 2) }

    package func write(_ groups: Range<Int>, to out: Bytes) {
        out.append(packed: lengths[groups])
        out.append(packed: differs[groups].map { $0 ? UInt8(1) : 0 }[...])
        bytes.withUnsafeBufferPointer { bytes in
            for group in groups { out.append(Cell(rebasing: bytes[cell(of: group)])) }
        }
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        let later: [UInt32] = try reader.packed(places.count)
        let flags: [UInt8] = try reader.packed(places.count)
        for (number, place) in places.enumerated() where later[number] > 0 {
            let cell = try reader.take(Int(max(later[number], 2) - 2))
            add(later[number] == 1 ? nil : cell, to: Int(place))
            if flags[number] == 1 { differs[Int(place)] = true }
        }
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) {
        let isText = column.kind == .text || column.kind == .json
        bytes.withUnsafeBufferPointer { bytes in
            for group in lengths.indices {
                if case .shared = result, differs[group] { column.reject(group) }
                guard lengths[group] > 1 else { continue }
                let cell = Cell(rebasing: bytes[cell(of: group)])
                if isText { column.set(group, cell) } else { column.set(group, cell.number(Int64.self)) }
            }
        }
    }
}

/// The maximum or minimum of some texts, as text and as numbers: if all are numbers, the two may differ and mislead.
///
/// The result does not depend on the batches.
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
            if rows == 0 || texts.withCell(row, { cell in texts.withCell(first) { comes(cell, before: $0) } }) {
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

    /// The warning; nil if the texts are in the order of their numbers.
    ///
    /// - Parameter column: the column of the texts.
    package func message(in column: ColumnName) -> String? {
        guard areNumbers, rows > 1, Double(text) != number else { return nil }
        return
            "the texts of '\(column)' are numbers, and as text '\(text)' is \(isGreatest ? "greater" : "less") than '\(numberText)'; "
            + "'cast_columns: { \(column): decimal }' before makes numbers of them"
    }
}
