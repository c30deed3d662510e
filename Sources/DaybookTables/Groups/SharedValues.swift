import CScan

/// The value that the first row of each group has in a column of any kind, and whether all its rows have the same.
///
/// Values are the same when their bytes are, and a missing one is the same as a missing one.
package struct SharedValues: GroupValues {
    package static let code = GroupValuesCode.shared

    private var bytes: [UInt8] = []
    private var starts: [Int] = []
    /// With two more; 1 where the value is missing, and 0 where no row has come yet.
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
                guard !text.missing.isMissing(row) else {
                    add(nil, to: Int(groups[row]))
                    continue
                }
                text.withCell(row) { add($0, to: Int(groups[row])) }
            }
        case let column:
            let values = column.sortable
            for row in groups.indices {
                guard !values.missing.isMissing(row) else {
                    add(nil, to: Int(groups[row]))
                    continue
                }
                withUnsafeBytes(of: values.elements[row]) { add($0.bindMemory(to: UInt8.self), to: Int(groups[row])) }
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

    private func cell(of group: Int) -> Range<Int> {
        starts[group]..<starts[group] + Int(max(lengths[group], 2) - 2)
    }

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
