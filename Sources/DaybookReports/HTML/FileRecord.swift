import DaybookEngine

/// A record of a file, cell by cell, as the file has it.
struct FileRecord {
    /// The names of the columns, each of which stands there once.
    let names: [String]
    /// Those of the cells that the finding is about.
    let marked: Set<String>
    /// Whether a cell that is not there is not in the file either.
    let isWhole: Bool
    private let cells: [String: String]

    /// What stands in a column; nil where the record has no such cell, or goes on in a line that was not read.
    subscript(name: String) -> String? { cells[name] }

    init(names: [String], cells: [String: String], marked: Set<String>, isWhole: Bool) {
        (self.names, self.cells, self.marked, self.isWhole) = (names, cells, marked, isWhole)
    }

    /// Reads a line of a delimited text below the names of its columns; nil unless it is beyond doubt what is what.
    ///
    /// - Parameters:
    ///   - at: the place in the line, in bytes, at which a cell has to begin.
    ///   - field: the name that the cell has to have; with none, all of `columns` have to be there.
    init?(
        head: ArraySlice<UInt8>,
        line: ArraySlice<UInt8>,
        at: Int,
        field: String?,
        columns: [String],
        mask: SecretMask
    ) {
        for delimiter in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")] {
            guard let first = DelimitedLine(head, delimiter), !first.isOpen, first.cells.count > 1,
                let own = DelimitedLine(line, delimiter), let place = own.starts.firstIndex(of: at),
                own.isOpen ? own.cells.count <= first.cells.count : own.cells.count == first.cells.count
            else { continue }
            let names = first.cells
            guard Set(names).count == names.count else { continue }
            if let field {
                guard names[place] == field else { continue }
            } else {
                guard !columns.isEmpty, columns.allSatisfy(names.contains) else { continue }
            }
            let shown = names.map(mask.masking)
            guard Set(shown).count == names.count else { return nil }
            self.init(
                names: shown,
                cells: Dictionary(uniqueKeysWithValues: zip(shown, own.cells.map(mask.masking))),
                marked: Set((field.map { [$0] } ?? columns).map(mask.masking)),
                isWhole: !own.isOpen
            )
            return
        }
        return nil
    }
}

/// The cells of one line of a delimited text, with quotes as RFC 4180 has them.
private struct DelimitedLine {
    private(set) var cells: [String] = []
    /// Where each cell begins, in bytes.
    private(set) var starts: [Int] = []
    /// Whether the last cell goes on in the next line.
    private(set) var isOpen = false

    /// Nil for what is written otherwise, and for what is too much for a page.
    init?(_ line: ArraySlice<UInt8>, _ delimiter: UInt8) {
        let bytes = Array(line)
        let quote = UInt8(ascii: "\"")
        var position = 0
        while position <= bytes.count {
            guard cells.count < 2_000 else { return nil }
            starts.append(position)
            var cell: [UInt8] = []
            if position < bytes.count, bytes[position] == quote {
                position += 1
                isOpen = true
                while position < bytes.count {
                    defer { position += 1 }
                    guard bytes[position] == quote else {
                        cell.append(bytes[position])
                        continue
                    }
                    guard position + 1 < bytes.count, bytes[position + 1] == quote else {
                        isOpen = false
                        break
                    }
                    cell.append(quote)
                    position += 1
                }
                guard isOpen || position == bytes.count || bytes[position] == delimiter else { return nil }
            } else {
                while position < bytes.count, bytes[position] != delimiter {
                    guard bytes[position] != quote else { return nil }
                    cell.append(bytes[position])
                    position += 1
                }
            }
            guard let text = String(validating: cell, as: UTF8.self) else { return nil }
            cells.append(isOpen ? text + "…" : text)
            position += 1
        }
    }
}
