import DaybookBytes
import Foundation

/// A copy of a part of a table's file, read as the table is; gone with its last user.
final class TableCopy: Sendable {
    let table: ReadTable
    private let place = ScratchPlace()
    /// How many lines of the file stand before a byte of the copy, and not in it.
    let linesLeftOut: @Sendable (Int) -> Int

    /// Nil where it cannot be written.
    init?(_ bytes: Bytes, of table: ReadTable, linesLeftOut: @escaping @Sendable (Int) -> Int = { _ in 0 }) {
        self.linesLeftOut = linesLeftOut
        let path = FilePath.join(place.path, FilePath.name(of: table.path))
        self.table = table.reading(path)
        do {
            try place.make()
            try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL).writeAll(bytes)
        } catch { return nil }
    }

    deinit { place.remove() }
}
