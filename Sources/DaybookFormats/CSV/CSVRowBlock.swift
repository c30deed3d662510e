import CScan

/// The columns of up to 64 rows as text: views of that in the batch, and other values written out.
final class CSVRowBlock {
    /// As many rows as a word of a mask has bits.
    static let size = 64
    /// Room for a value that is not text, the longest of which have `ISOText.maximumLength` bytes.
    private static let slotSize = 64

    private let count: Int
    private let escapesFormulas: Bool
    private(set) var rows = 0
    /// How long all texts are together.
    private(set) var length = 0
    let columns: UnsafeMutablePointer<csv_column>
    /// For each column that is not text a view and a slot for every row.
    private let views: UnsafeMutablePointer<TextView>
    private let slots: UnsafeMutablePointer<UInt8>
    /// By column.
    private var integers: [IntegerWriter]

    init(columns count: Int, escapesFormulas: Bool) {
        self.count = count
        self.escapesFormulas = escapesFormulas
        integers = [IntegerWriter](repeating: IntegerWriter(), count: count)
        columns = .allocate(capacity: count)
        views = .allocate(capacity: CSVRowBlock.size * count)
        slots = .allocate(capacity: CSVRowBlock.size * CSVRowBlock.slotSize * count + Bytes.slack)
    }

    deinit {
        columns.deallocate()
        views.deallocate()
        slots.deallocate()
    }

    /// Takes the rows from `first` on, which is a multiple of 64.
    func take(_ cells: UnsafeBufferPointer<CellPointers>, from first: Int, rows: Int) {
        self.rows = rows
        length = 0
        for (place, column) in cells.enumerated() {
            let missing = column.missing(from: first)
            switch column.kind {
            case .text, .json:
                let views = column.views + first
                for row in 0..<rows { length &+= Int(views[row].length) }
                set(place, views, column.text, missing, isText: true)
            case .integer:
                var integers = integers[place]
                write(place, missing) { integers.write(column.integer(first &+ $0), to: $1) }
                self.integers[place] = integers
            case .day:
                let days = WrittenDays.shared
                write(place, missing) { days.write(column.day(first &+ $0), to: $1) }
            case .instant: write(place, missing) { ISOText.write(instant: column.integer(first &+ $0), to: $1) }
            case .decimal: write(place, missing) { NumberText.write(column.decimal(first &+ $0), to: $1) }
            case .flag: write(place, missing) { CSVRowBlock.write(column.flag(first &+ $0), to: $1) }
            }
        }
    }

    @inline(__always)
    private func write(
        _ place: Int,
        _ missing: UInt64,
        _ write: (_ row: Int, _ out: UnsafeMutablePointer<UInt8>) -> Int
    ) {
        let views = self.views + place * CSVRowBlock.size
        let slots = self.slots + place * CSVRowBlock.size * CSVRowBlock.slotSize
        for row in 0..<rows {
            let start = row &* CSVRowBlock.slotSize
            let isMissing = missing >> UInt64(row) & 1 == 1
            views[row] = TextView(offset: start, length: isMissing ? 0 : write(row, slots + start))
        }
        length += rows * CSVRowBlock.slotSize
        set(place, views, slots, missing, isText: false)
    }

    private func set(
        _ place: Int,
        _ views: UnsafePointer<TextView>,
        _ text: UnsafePointer<UInt8>,
        _ missing: UInt64,
        isText: Bool
    ) {
        let views = UnsafeRawPointer(views).assumingMemoryBound(to: UInt32.self)
        columns[place] = csv_column(
            views: views,
            text: text,
            missing: missing,
            all_are_odd: isText && escapesFormulas
        )
    }

    private static func write(_ flag: Bool, to out: UnsafeMutablePointer<UInt8>) -> Int {
        let text: StaticString = flag ? "true" : "false"
        out.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        return text.utf8CodeUnitCount
    }

    /// The text of a cell; nil where there is no value.
    func cell(_ cursor: csv_cursor) -> Cell? {
        let column = columns[cursor.column]
        guard column.missing >> UInt64(cursor.row) & 1 == 0 else { return nil }
        let (offset, length) = (Int(column.views[cursor.row * 2]), Int(column.views[cursor.row * 2 + 1]))
        return Cell(start: column.text + offset, count: length)
    }
}
