/// All rows of a side, with the columns that are needed: in memory, or on disk where they take more than their stage wants to hold.
public struct BuildSide: Sendable {
    public let schema: Schema
    /// In order; none of its batches is empty.
    public let rows: BatchBuffer
    /// The file of a source, as messages name it, by the place of the source among the inputs; nil where it is no file.
    public let fileName: @Sendable (_ source: Int) -> String?

    public init(
        _ schema: Schema,
        _ rows: BatchBuffer,
        fileName: @escaping @Sendable (_ source: Int) -> String? = { _ in nil }
    ) {
        (self.schema, self.rows, self.fileName) = (schema, rows, fileName)
    }
}

/// A stage that the options of another name, `vocabulary` or `vocabulary.rejects`, and where they do.
public struct BuildSideReference: Sendable, Hashable {
    public var stage: String
    public var readsRejects: Bool
    public var place: SourcePlace?

    public init(_ stage: String, readsRejects: Bool = false, at place: SourcePlace?) {
        self.stage = stage
        self.readsRejects = readsRejects
        self.place = place
    }
}

extension NearestNames {
    /// The texts of a column may take so many bytes to be looked among.
    private static let mostBytes = 1 << 20

    /// The texts in a column of a side; nil where there are several columns, other values, or many rows or bytes.
    package convenience init?(of side: BuildSide, in columns: [ColumnName]) throws(DaybookError) {
        guard columns.count == 1, side.schema[columns[0]]?.kind == .text, side.rows.rowCount <= LookAlikes.most else {
            return nil
        }
        let bytes = Bytes()
        var ends: [Int] = []
        try side.rows.forEachBatch { (batch) throws(DaybookError) in
            batch.text(in: columns[0]).forEachValue { _, cell in
                guard bytes.count <= NearestNames.mostBytes else { return }
                bytes.append(cell)
                ends.append(bytes.count)
            }
        }
        guard bytes.count <= NearestNames.mostBytes else { return nil }
        let cells = (bytes: bytes.array, ends: ends)
        @Sendable func isOdd() -> Bool {
            var start = 0
            return cells.bytes.withUnsafeBufferPointer { bytes in
                cells.ends.contains { end in
                    defer { start = end }
                    return LookAlikes.oddity(in: Cell(rebasing: bytes[start..<end])) != nil
                }
            }
        }
        self.init(haveOddity: isOdd) {
            var (start, seen, texts): (Int, Set<[UInt8]>, [String]) = (0, [], [])
            for end in cells.ends {
                let cell = Array(cells.bytes[start..<end])
                if seen.insert(cell).inserted { texts.append(String(decoding: cell, as: UTF8.self)) }
                start = end
            }
            return texts
        }
    }
}
