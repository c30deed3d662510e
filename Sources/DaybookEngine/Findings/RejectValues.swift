import CScan

/// The values of rejected rows as texts, one after another.
struct RejectValues {
    /// By subject, the cells that it is about; nil where there are none.
    let cells: [CellPointers?]
    /// By place, the row of the reject.
    let rows: [UInt32]

    /// The values, written to `bytes`.
    ///
    /// - Parameter write: writes a value that is neither text nor a whole number.
    func column(of rejects: Rejects, in bytes: Bytes, _ write: (_ row: Int, _ subject: Int) -> Void) -> TextColumn {
        var gaps = [UInt64](repeating: 0, count: (rejects.count + 63) / 64)
        var all = [TextView](repeating: TextView(offset: 0, length: 0), count: rejects.count)
        var views = all.mutableSpan
        for group in rejects.groups {
            put(rejects.places.span.extracting(group.range), group.subject, to: &views, &gaps, bytes, write)
        }
        let hasGaps = gaps.contains { $0 != 0 }
        return TextColumn(bytes, views: all, missing: hasGaps ? Mask(words: gaps, count: rejects.count) : nil)
    }

    /// Puts down the values that one subject is about.
    private func put(
        _ places: Span<UInt32>,
        _ subject: Int,
        to views: inout MutableSpan<TextView>,
        _ gaps: inout [UInt64],
        _ bytes: Bytes,
        _ write: (_ row: Int, _ subject: Int) -> Void
    ) {
        guard let cells = cells[subject] else {
            return putEach(places, of: nil, to: &views, &gaps, bytes) { _, _ in }
        }
        switch cells.kind {
        case .text, .json:
            putEach(places, of: cells, to: &views, &gaps, bytes) { row, out in
                out.put(short: cells.cell(row))
            }
        case .integer:
            putEach(places, of: cells, to: &views, &gaps, bytes) { row, out in
                out.reserve(NumberText.maximumLength)
                out.next += NumberText.write(cells.integer(row), to: out.next)
            }
        default:
            putEach(places, of: cells, to: &views, &gaps, bytes) { row, out in
                out.finish()
                write(row, subject)
                out = ByteCursor(bytes)
            }
        }
    }

    @inline(__always)
    private func putEach(
        _ places: Span<UInt32>,
        of cells: CellPointers?,
        to views: inout MutableSpan<TextView>,
        _ gaps: inout [UInt64],
        _ bytes: Bytes,
        _ put: (_ row: Int, _ out: inout ByteCursor) -> Void
    ) {
        var out = ByteCursor(bytes)
        for index in places.indices {
            let place = Int(truncatingIfNeeded: places[index])
            let row = Int(truncatingIfNeeded: rows[place])
            let start = out.count
            if cells?.isMissing(row) ?? true { gaps[place >> 6] |= 1 << UInt64(place & 63) } else { put(row, &out) }
            views[place] = TextView(offset: start, length: out.count - start)
        }
        out.finish()
    }
}

extension ByteCursor {
    /// Writes a text that is short as a rule and stands in a buffer that may be read a little behind its end.
    @inline(__always)
    fileprivate mutating func put(short cell: Cell) {
        reserve(cell.count + 16)
        json_copy_blocks(next, cell.baseAddress, cell.count)
        next += cell.count
    }
}
