import DaybookDates

/// Fills in one template for all rows of a batch.
///
/// Each value of the template first becomes a column of text in a loop for its kind; then the lengths are added up, and
/// the bytes are copied, column by column.
package struct TemplateWriter {
    /// The content of one piece in a batch.
    private enum Part {
        case literal([UInt8])
        /// `words` replace missing values; without them the whole text is missing.
        case column(TextColumn, words: [UInt8]?)
    }

    /// The most bytes that one text may have.
    package static let longest = 1 << 20
    /// The most bytes that the texts of a batch may have together, for views count in 32 bits.
    private static let mostBytes = 1 << 31

    private let parts: [Part]
    private let rows: Int

    package init(_ template: CompiledTemplate, of batch: Batch, missing: String?) {
        rows = batch.count
        parts = template.pieces.map { piece in
            switch piece {
            case .literal(let bytes): return .literal(bytes)
            case .value(let value, let dates):
                let column = batch[value.column]
                let words = missing.map { Self.words($0, like: column.kind, value.format?.field) }
                return .column(Self.text(of: column, value.format?.field ?? .plain, dates), words: words)
            }
        }
    }

    /// The values of a column as text, as their format has them.
    private static func text(of column: Column, _ field: FieldFormat, _ dates: DateTextWriter?) -> TextColumn {
        switch column {
        case .text(let column), .json(let column): return field.text(of: column)
        case .integers(let values): return field.text(of: values)
        case .decimals(let values): return field.text(of: values)
        case .flags(let values): return field.text(of: words(of: values))
        // Without a pattern a date is written as everywhere else, an instant in UTC.
        case .days(let days) where dates == nil:
            return days.text(longest: ISOText.maximumLength) { ISOText.write(day: $0, to: $1) }
        case .instants(let instants) where dates == nil:
            return instants.text(longest: ISOText.maximumLength) { ISOText.write(instant: $0, to: $1) }
        case .days, .instants:
            guard let text = dates?.text(of: column).text else { preconditionFailure("dates are written as text") }
            return text
        }
    }

    private static func words(of flags: Values<Bool>) -> TextColumn {
        TextColumn(
            Bytes("truefalse"),
            views: flags.elements.map { $0 ? TextView(offset: 0, length: 4) : TextView(offset: 4, length: 5) },
            missing: flags.missing
        )
    }

    /// The words for a missing value, as wide as the value would be.
    private static func words(_ words: String, like kind: ColumnKind, _ field: FieldFormat?) -> [UInt8] {
        var builder = TextColumnBuilder(rows: 1)
        builder.append(words)
        guard var field, kind != .day, kind != .instant else { return Array(words.utf8) }
        if kind == .integer || kind == .decimal { field.alignment = field.alignment ?? .right }
        return field.text(of: builder.build()).withCell(0) { Array($0) }
    }

    /// One text per row. `reject` receives the rows whose text would be too long.
    package func text(_ reject: (_ row: Int) -> Void) -> TextColumn {
        var lengths = [Int](repeating: 0, count: rows)
        var missing: Mask?
        for part in parts { add(part, to: &lengths, &missing) }
        var end = 0
        var views = [TextView](repeating: TextView(offset: 0, length: 0), count: rows)
        for row in 0..<rows where !missing.isMissing(row) {
            if lengths[row] > Self.longest || end + lengths[row] > Self.mostBytes {
                reject(row)
                // A gap, so that nothing is copied.
                missing.insert(row, of: rows)
                continue
            }
            views[row] = TextView(offset: end, length: lengths[row])
            end += lengths[row]
        }
        let bytes = Bytes(capacity: end)
        bytes.count = end
        var cursors = views.map { Int($0.offset) }
        for part in parts { copy(part, to: bytes.mutableBase, &cursors, missing) }
        return TextColumn(bytes, views: views, missing: missing)
    }

    private func add(_ part: Part, to lengths: inout [Int], _ missing: inout Mask?) {
        switch part {
        case .literal(let literal):
            for row in 0..<rows { lengths[row] &+= literal.count }
        case .column(let column, let words):
            column.views.withUnsafeBufferPointer { views in
                for row in 0..<rows { lengths[row] &+= Int(views[row].length) }
            }
            guard let gaps = column.missing else { return }
            for row in 0..<rows where gaps[row] {
                lengths[row] &-= Int(column.views[row].length)
                if let words { lengths[row] &+= words.count } else { missing.insert(row, of: rows) }
            }
        }
    }

    private func copy(_ part: Part, to target: UnsafeMutablePointer<UInt8>, _ cursors: inout [Int], _ missing: Mask?) {
        switch part {
        case .literal(let literal): copy(literal, to: target, &cursors) { missing.isMissing($0) }
        case .column(let column, let words):
            let base = column.bytes.base
            let gaps = column.missing
            column.views.withUnsafeBufferPointer { views in
                for row in 0..<rows where !missing.isMissing(row) && !gaps.isMissing(row) {
                    let length = Int(views[row].length)
                    (target + cursors[row]).update(from: base + Int(views[row].offset), count: length)
                    cursors[row] &+= length
                }
            }
            withExtendedLifetime(column) {}
            guard let words, let gaps else { return }
            copy(words, to: target, &cursors) { missing.isMissing($0) || !gaps[$0] }
        }
    }

    @inline(__always)
    private func copy(
        _ bytes: [UInt8],
        to target: UnsafeMutablePointer<UInt8>,
        _ cursors: inout [Int],
        except isLeftOut: (_ row: Int) -> Bool
    ) {
        bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            for row in 0..<rows where !isLeftOut(row) {
                (target + cursors[row]).update(from: start, count: bytes.count)
                cursors[row] &+= bytes.count
            }
        }
    }
}
