import DaybookCore

/// Which of a group's values is taken.
enum Pick: UInt8, Sendable, BitwiseCopyable {
    case least, greatest, first, last
}

/// One number, flag, day or instant for each group: the least, the greatest, the first or the last.
///
/// All kinds are kept as whole numbers that sort as the values do; see `Column.sortable`.
struct PickedValues: GroupValues {
    static let code = GroupValuesCode.picked

    private let pick: Pick
    private(set) var values: [Int64] = []
    private(set) var isThere: [Bool] = []

    init(_ pick: Pick) { self.pick = pick }

    mutating func grow(to groups: Int) {
        values.append(contentsOf: repeatElement(0, count: groups - values.count))
        isThere.append(contentsOf: repeatElement(false, count: groups - isThere.count))
    }

    mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
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

    mutating func merge(_ later: PickedValues, _ places: [Int32]) {
        for (group, place) in places.enumerated() where later.isThere[group] {
            let mine = Int(place)
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

    var emptied: PickedValues { PickedValues(pick) }

    func split(_ split: GroupSplit) -> [PickedValues] {
        zip(split.split(values), split.split(isThere)).map { values, isThere in
            var part = PickedValues(pick)
            (part.values, part.isThere) = (values, isThere)
            return part
        }
    }

    var footprint: Int { values.count * 9 }

    func write(to bytes: Bytes) {
        bytes.append(raw: pick.rawValue)
        bytes.append(array: values)
        bytes.append(array: isThere)
    }

    init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        pick = try Pick(reading: &reader)
        values = try reader.array()
        isThere = try reader.array()
    }
}

/// One text for each group: the least, the greatest, the first or the last. Text sorts by its bytes, as in `sort_rows`.
///
/// Texts lie one behind another; what was taken out stays until it is as much as what is left.
struct PickedText: GroupValues {
    static let code = GroupValuesCode.text

    private struct View: Sendable, BitwiseCopyable {
        var start = 0
        /// -1 for a group without a text.
        var length = -1
    }

    private let pick: Pick
    private var bytes: [UInt8] = []
    private var views: [View] = []
    private var used = 0
    private static let slack = 1 << 16

    init(_ pick: Pick) { self.pick = pick }

    mutating func grow(to groups: Int) {
        views.append(contentsOf: repeatElement(View(), count: groups - views.count))
    }

    mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
        let text: TextColumn
        switch column.map({ batch[$0] }) {
        case .text(let column), .json(let column): text = column
        default: preconditionFailure("a text is that of a column of text")
        }
        let pick = pick
        var rows = [Int32](repeating: -1, count: views.count)
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
        for (group, row) in rows.enumerated() where row >= 0 { text.withCell(Int(row)) { set(group, $0) } }
    }

    private mutating func set(_ group: Int, _ cell: Cell) {
        used += cell.count - max(0, views[group].length)
        views[group] = View(start: bytes.count, length: cell.count)
        bytes.append(contentsOf: cell)
    }

    func withText<Result>(_ group: Int, _ body: (Cell?) -> Result) -> Result {
        let view = views[group]
        guard view.length >= 0 else { return body(nil) }
        return bytes.withUnsafeBufferPointer {
            body(Cell(rebasing: $0[view.start..<view.start + view.length]))
        }
    }

    /// How many bytes the text of a group has.
    func length(_ group: Int) -> Int { max(0, views[group].length) }

    mutating func merge(_ later: PickedText, _ places: [Int32]) {
        for (group, place) in places.enumerated() {
            later.withText(group) { text in
                guard let text else { return }
                let takes = withText(Int(place)) { mine in
                    mine.map { Self.takes(text, insteadOf: $0, pick) } ?? true
                }
                if takes { set(Int(place), text) }
            }
        }
        guard bytes.count > 2 * used + Self.slack else { return }
        var left: [UInt8] = []
        left.reserveCapacity(used)
        for group in views.indices where views[group].length >= 0 {
            let start = left.count
            left.append(contentsOf: bytes[views[group].start..<views[group].start + views[group].length])
            views[group].start = start
        }
        bytes = left
    }

    var emptied: PickedText { PickedText(pick) }

    func split(_ split: GroupSplit) -> [PickedText] {
        var parts = split.sizes.map { size in
            var part = PickedText(pick)
            part.grow(to: size)
            return part
        }
        for group in views.indices {
            withText(group) { text in
                if let text { parts[Int(split.parts[group])].set(Int(split.places[group]), text) }
            }
        }
        return parts
    }

    var footprint: Int { bytes.count + views.count * MemoryLayout<View>.stride }

    @inline(__always)
    private static func takes(_ later: Cell, insteadOf earlier: Cell, _ pick: Pick) -> Bool {
        switch pick {
        case .least: comesBefore(later, earlier)
        case .greatest: comesBefore(earlier, later)
        case .first: false
        case .last: true
        }
    }

    @inline(__always)
    private static func comesBefore(_ first: Cell, _ second: Cell) -> Bool {
        let common = min(first.count, second.count)
        var place = 0
        while place < common, first[place] == second[place] { place &+= 1 }
        return place < common ? first[place] < second[place] : first.count < second.count
    }

    func write(to out: Bytes) {
        out.append(raw: pick.rawValue)
        for group in views.indices {
            out.append(raw: Int64(views[group].length))
            withText(group) { if let text = $0 { out.append(text) } }
        }
    }

    init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        pick = try Pick(reading: &reader)
        grow(to: groups)
        for group in 0..<groups {
            let length = Int(try reader.raw(Int64.self))
            if length >= 0 { set(group, try reader.take(length)) }
        }
    }
}

extension Pick {
    fileprivate init(reading reader: inout ByteReader) throws(DaybookError) {
        guard let pick = Pick(rawValue: try reader.raw()) else {
            throw DaybookError.machine("damaged-partial", "a stored partial result cannot be read back")
        }
        self = pick
    }
}
