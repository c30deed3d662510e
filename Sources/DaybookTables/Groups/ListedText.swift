/// All texts of each group as one JSON array, in row order. A row without a text adds nothing to its array.
package struct ListedText: GroupValues {
    package static let code = GroupValuesCode.listed

    /// A stretch of text, with commas between its elements, and the next one of the same group.
    private struct Piece: BitwiseCopyable {
        var start: Int
        var length: UInt32
        var next = Piece.none
        static let none = Int32(-1)
    }

    private var bytes: [UInt8] = []
    private var pieces: [Piece] = []
    /// The first and the last piece of each group.
    private var heads: [Int32] = []
    private var tails: [Int32] = []

    package init() {}

    package mutating func grow(to groups: Int) {
        heads.extend(to: groups, with: Piece.none)
        tails.extend(to: groups, with: Piece.none)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let text = column.flatMap({ batch[$0].text }) else {
            preconditionFailure("a list is that of a column of text")
        }
        text.forEachValue { row, cell in append(cell, to: Int(groups[row])) }
    }

    @inline(__always)
    private mutating func append(_ cell: Cell, to group: Int) {
        let piece = Piece(start: bytes.count, length: UInt32(truncatingIfNeeded: cell.count))
        bytes.append(contentsOf: cell)
        let place = Int32(truncatingIfNeeded: pieces.count)
        pieces.append(piece)
        if heads[group] == Piece.none { heads[group] = place } else { pieces[Int(tails[group])].next = place }
        tails[group] = place
    }

    private func forEachPiece(_ group: Int, _ body: (Range<Int>) -> Void) {
        var place = heads[group]
        while place != Piece.none {
            let piece = pieces[Int(place)]
            body(piece.start..<piece.start + Int(piece.length))
            place = piece.next
        }
    }

    /// How long the elements of a group are with the commas between them; nil where there is none.
    private func length(of group: Int) -> Int? {
        var length = -1
        forEachPiece(group) { length += $0.count + 1 }
        return length < 0 ? nil : length
    }

    /// Lengths are packed with one more, and so 0 for a group without elements.
    package func write(_ groups: Range<Int>, to out: Bytes) {
        out.append(packed: groups.map { Int64((length(of: $0) ?? -1) + 1) }[...])
        bytes.withUnsafeBufferPointer { bytes in
            for group in groups {
                var isFirst = true
                forEachPiece(group) { piece in
                    if !isFirst { out.append(UInt8(ascii: ",")) }
                    out.append(Cell(rebasing: bytes[piece]))
                    isFirst = false
                }
            }
        }
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        let lengths: [Int64] = try reader.packed(places.count)
        for (length, place) in zip(lengths, places) where length > 0 {
            append(try reader.take(Int(length) - 1), to: Int(place))
        }
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) {
        let array = Bytes()
        bytes.withUnsafeBufferPointer { bytes in
            for group in heads.indices {
                array.removeAll()
                array.append(UInt8(ascii: "["))
                forEachPiece(group) { piece in
                    if array.count > 1 { array.append(UInt8(ascii: ",")) }
                    array.append(Cell(rebasing: bytes[piece]))
                }
                array.append(UInt8(ascii: "]"))
                column.set(group, array.filled)
            }
        }
    }
}
