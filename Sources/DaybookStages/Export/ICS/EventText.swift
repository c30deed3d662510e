import DaybookCore

/// A text of an event: the name of a column, or a template with columns in braces such as `{title} ({text})`.
///
/// `{{` and `}}` stand for braces. A value is written as everywhere else: a day as `2026-11-21`.
struct EventText: OptionValue {
    enum Piece: Sendable {
        case literal([UInt8])
        case column(ColumnName)
    }

    let written: String
    let pieces: [Piece]

    static var kind: OptionKind { .either([.column, .text]) }
    static var placeholder: EventText { EventText(ColumnName.placeholder) }

    init(_ column: ColumnName) {
        written = column.text
        pieces = [.column(column)]
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else {
            throw node.expected("a column name, or text with columns in braces such as \"{title}!\"")
        }
        written = text
        pieces = try EventText.pieces(of: text, at: node.place)
    }

    var columns: [ColumnName] { pieces.compactMap { if case .column(let name) = $0 { name } else { nil } } }

    private static func pieces(of text: String, at place: SourcePlace) throws(DaybookError) -> [Piece] {
        let scalars = Array(text.unicodeScalars)
        guard scalars.contains("{") || scalars.contains("}") else { return [.column(ColumnName(text, at: place))] }
        var pieces: [Piece] = []
        var literal = ""
        var position = 0
        while position < scalars.count {
            let scalar = scalars[position]
            guard scalar == "{" || scalar == "}" else {
                literal.unicodeScalars.append(scalar)
                position += 1
                continue
            }
            if position + 1 < scalars.count, scalars[position + 1] == scalar {
                literal.unicodeScalars.append(scalar)
                position += 2
                continue
            }
            guard scalar == "{", let end = scalars[position...].firstIndex(of: "}"), end > position + 1 else {
                throw DaybookError(
                    "bad-template",
                    "'\(text)' has a brace that names no column",
                    at: place,
                    hint: "write {title} for the value of column 'title', and {{ for a brace"
                )
            }
            if !literal.isEmpty { pieces.append(.literal(Array(literal.utf8))) }
            literal = ""
            var name = ""
            name.unicodeScalars.append(contentsOf: scalars[position + 1..<end])
            pieces.append(.column(ColumnName(name, at: place)))
            position = end + 1
        }
        if !literal.isEmpty { pieces.append(.literal(Array(literal.utf8))) }
        return pieces
    }

    /// One text a row; missing where any of its values is.
    func texts(of batch: Batch) -> TextColumn {
        if pieces.count == 1, case .column(let name) = pieces[0], case .text(let column) = batch[name] { return column }
        let parts = pieces.map { piece -> (literal: [UInt8], column: Column?) in
            switch piece {
            case .literal(let bytes): (bytes, nil)
            case .column(let name): ([], batch[name])
            }
        }
        var builder = TextColumnBuilder(rows: batch.count, capacity: batch.count * 24)
        let bytes = builder.bytes
        for row in 0..<batch.count {
            let start = bytes.count
            var isMissing = false
            for part in parts {
                if let column = part.column {
                    if column.missing.isMissing(row) { isMissing = true } else { column.appendValue(row, to: bytes) }
                } else {
                    part.literal.withUnsafeBufferPointer { bytes.append($0) }
                }
            }
            if isMissing {
                bytes.count = start
                builder.appendMissing()
            } else {
                builder.appendView(from: start)
            }
        }
        return builder.build()
    }
}
