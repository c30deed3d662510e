import DaybookCore

/// Which of a group's values is taken.
package enum Pick: UInt8, Sendable, BitwiseCopyable {
    case least, greatest, first, last
}

/// One number, flag, day or instant for each group: the least, the greatest, the first or the last.
///
/// All kinds are kept as whole numbers that sort as the values do; see `Column.sortable`.
package struct PickedValues: GroupValues {
    package static let code = GroupValuesCode.picked

    private let pick: Pick
    package private(set) var values: [Int64] = []
    package private(set) var isThere: [Bool] = []

    package init(_ pick: Pick) { self.pick = pick }

    package mutating func grow(to groups: Int) {
        values.extend(to: groups, with: 0)
        isThere.extend(to: groups, with: false)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
        guard let column else { preconditionFailure("a value is that of a column") }
        let sortable = batch[column].sortable
        let pick = pick
        values.withUnsafeMutableBufferPointer { values in
            isThere.withUnsafeMutableBufferPointer { isThere in
                sortable.forEachValue(groups.codes) { _, group, value in
                    guard !isThere[group] || Self.takes(value, insteadOf: values[group], pick) else { return }
                    values[group] = value
                    isThere[group] = true
                }
            }
        }
    }

    package mutating func merge(_ later: PickedValues, _ places: [Int32]) {
        for group in places.indices where later.isThere[group] {
            let mine = Int(places[group])
            guard !isThere[mine] || Self.takes(later.values[group], insteadOf: values[mine], pick) else { continue }
            values[mine] = later.values[group]
            isThere[mine] = true
        }
    }

    @inline(__always)
    private static func takes(_ later: Int64, insteadOf earlier: Int64, _ pick: Pick) -> Bool {
        switch pick {
        case .least: later < earlier
        case .greatest: later > earlier
        case .first: false
        case .last: true
        }
    }

    package var emptied: PickedValues { PickedValues(pick) }

    package func taking(_ groups: [Int32]) -> PickedValues {
        var result = PickedValues(pick)
        (result.values, result.isThere) = (values.taking(groups), isThere.taking(groups))
        return result
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult, _ groups: [Int32], _ rows: [Int32]) {
        column.fill(groups, rows) { isThere[$0] ? values[$0] : nil }
    }

    package var footprint: Int { values.footprint + isThere.footprint }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        bytes.append(raw: pick.rawValue)
        bytes.append(packed: values[groups])
        bytes.append(packed: isThere[groups].map { $0 ? UInt8(1) : 0 }[...])
    }

    package init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        pick = try Pick(reading: &reader)
        values = try reader.packed(groups)
        isThere = try reader.packed(groups).map { (flag: UInt8) in flag != 0 }
    }
}

/// One text for each group: the least, the greatest, the first or the last. Text sorts by its bytes, as in `sort_rows`.
///
/// Texts lie one behind another; what was taken out stays until it is as much as what is left.
package struct PickedText: GroupValues {
    package static let code = GroupValuesCode.text

    private let pick: Pick
    private var bytes: [UInt8] = []
    /// Where each text stands, and its length; `none` for a group without a text.
    private var starts: [Int] = []
    private var lengths: [UInt32] = []
    private static let none = UInt32.max
    private var used = 0
    package private(set) var longestText = 0
    private static let slack = 1 << 12

    package init(_ pick: Pick) { self.pick = pick }

    package mutating func grow(to groups: Int) {
        starts.extend(to: groups, with: 0)
        lengths.extend(to: groups, with: Self.none)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
        let text: TextColumn
        switch column.map({ batch[$0] }) {
        case .text(let column), .json(let column): text = column
        default: preconditionFailure("a text is that of a column of text")
        }
        let pick = pick
        var rows = [Int32](repeating: -1, count: lengths.count)
        let base = text.bytes.base
        rows.withUnsafeMutableBufferPointer { rows in
            text.views.withUnsafeBufferPointer { views in
                groups.codes.withUnsafeBufferPointer { groups in
                    for row in 0..<views.count where !text.missing.isMissing(row) {
                        let group = Int(groups[row])
                        let earlier = Int(rows[group])
                        if earlier >= 0 {
                            let mine = Cell(start: base + Int(views[row].offset), count: Int(views[row].length))
                            let other = Cell(
                                start: base + Int(views[earlier].offset),
                                count: Int(views[earlier].length)
                            )
                            guard Self.takes(mine, insteadOf: other, pick) else { continue }
                        }
                        rows[group] = Int32(truncatingIfNeeded: row)
                    }
                }
            }
        }
        bytes.reserveCapacity(rows.reduce(0) { $0 + ($1 < 0 ? 0 : Int(text.views[Int($1)].length)) })
        for (group, row) in rows.enumerated() where row >= 0 { text.withCell(Int(row)) { set(group, $0) } }
    }

    @inline(__always)
    private mutating func set(_ group: Int, _ cell: Cell) {
        used += cell.count - textLength(group)
        longestText = max(longestText, cell.count)
        starts[group] = bytes.count
        lengths[group] = UInt32(cell.count)
        bytes.append(contentsOf: cell)
    }

    @inline(__always)
    private func withText<Result>(_ group: Int, _ body: (Cell?) -> Result) -> Result {
        guard lengths[group] != Self.none else { return body(nil) }
        let start = starts[group]
        return bytes.withUnsafeBufferPointer {
            body(Cell(rebasing: $0[start..<start + Int(lengths[group])]))
        }
    }

    @inline(__always)
    package func textLength(_ group: Int) -> Int { lengths[group] == Self.none ? 0 : Int(lengths[group]) }

    package mutating func merge(_ later: PickedText, _ places: [Int32]) {
        for (group, place) in places.enumerated() {
            later.withText(group) { text in
                guard let text else { return }
                let takes = withText(Int(place)) { mine in
                    mine.map { Self.takes(text, insteadOf: $0, pick) } ?? true
                }
                if takes { set(Int(place), text) }
            }
        }
        if bytes.count > 2 * used + Self.slack { self = taking(lengths.indices.map { Int32(truncatingIfNeeded: $0) }) }
    }

    package var emptied: PickedText { PickedText(pick) }

    package func taking(_ groups: [Int32]) -> PickedText {
        var result = PickedText(pick)
        result.grow(to: groups.count)
        result.bytes.reserveCapacity(groups.reduce(0) { $0 + textLength(Int($1)) })
        for (place, group) in groups.enumerated() {
            withText(Int(group)) { text in if let text { result.set(place, text) } }
        }
        return result
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult, _ groups: [Int32], _ rows: [Int32]) {
        for (group, row) in zip(groups, rows) {
            withText(Int(group)) { text in if let text { column.set(row, text) } }
        }
    }

    package var footprint: Int { bytes.footprint + starts.footprint + lengths.footprint }

    @inline(__always)
    private static func takes(_ later: Cell, insteadOf earlier: Cell, _ pick: Pick) -> Bool {
        switch pick {
        case .least: later.comesBefore(earlier)
        case .greatest: earlier.comesBefore(later)
        case .first: false
        case .last: true
        }
    }

    /// Lengths are written with one more, and so 0 for a group without a text.
    package func write(_ groups: Range<Int>, to out: Bytes) {
        out.append(raw: pick.rawValue)
        out.append(packed: lengths[groups].map { $0 &+ 1 }[...])
        bytes.withUnsafeBufferPointer { bytes in
            for group in groups where lengths[group] != Self.none {
                out.append(Cell(rebasing: bytes[starts[group]..<starts[group] + Int(lengths[group])]))
            }
        }
    }

    package init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        pick = try Pick(reading: &reader)
        lengths = try reader.packed(groups).map { (length: UInt32) in length &- 1 }
        starts.reserveCapacity(groups)
        for length in lengths {
            starts.append(used)
            guard length != Self.none else { continue }
            used += Int(length)
            longestText = max(longestText, Int(length))
        }
        bytes = Array(try reader.take(used))
    }
}

extension Pick {
    fileprivate init(reading reader: inout ByteReader) throws(DaybookError) {
        guard let pick = Pick(rawValue: try reader.raw()) else { throw ByteReader.damaged }
        self = pick
    }
}
