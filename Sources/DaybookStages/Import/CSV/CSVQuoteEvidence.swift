import DaybookCore

/// What the first records of a delimited text say about its quote.
///
/// A record speaks for the quote when one of its cells begins and ends with it, also where the record is spoilt by a stray
/// one; a spoilt record without such a cell speaks against it.
struct CSVQuoteEvidence {
    private var records = 0
    private var opposing = 0
    /// How many cells stand in quotes.
    private(set) var cells = 0
    /// For each column, how many of its cells stand in quotes, and how many hold anything.
    private var columns: [(quoted: Int, filled: Int)] = []

    /// Whether more records speak for the quote than against it, or none at all.
    var holds: Bool { opposing == 0 || records > opposing }

    /// Whether most cells of some column stand in quotes.
    var encloses: Bool { columns.contains { $0.quoted > 1 && $0.quoted * 2 > $0.filled } }

    mutating func add(_ cells: [CSVCellSample]) {
        while columns.count < cells.count { columns.append((0, 0)) }
        var quoted = 0
        for (column, cell) in cells.enumerated() where cell.isQuoted || cell.isFilled {
            columns[column].filled += 1
            guard cell.isQuoted else { continue }
            columns[column].quoted += 1
            quoted += 1
        }
        self.cells += quoted
        if quoted > 0 { records += 1 }
    }

    /// Adds a record whose quotes are out of place.
    mutating func add(spoilt record: UnsafeBufferPointer<UInt8>, _ dialect: CSVDialect) {
        let enclosed = record.split { $0 == dialect.delimiter || CSVDialect.mayEndLine($0) }
            .count { $0.count > 1 && $0.first == dialect.quote && $0.last == dialect.quote }
        cells += enclosed
        if enclosed > 0 { records += 1 } else { opposing += 1 }
    }
}
