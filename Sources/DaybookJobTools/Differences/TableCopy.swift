import DaybookBytes
import Foundation

/// A copy of a part of a table's file, read as the table is; gone with its last user.
final class TableCopy: Sendable {
    let table: ReadTable
    private let directory: URL
    /// How many lines of the file stand before a byte of the copy, and not in it.
    let linesLeftOut: @Sendable (Int) -> Int

    /// Nil where it cannot be written.
    init?(_ bytes: Bytes, of table: ReadTable, linesLeftOut: @escaping @Sendable (Int) -> Int = { _ in 0 }) {
        self.linesLeftOut = linesLeftOut
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-diff-\(UUID().uuidString)")
        let path = directory.appendingPathComponent(FilePath.name(of: table.path))
        self.table = table.reading(path.path)
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(bytes.filled).write(to: path)
        } catch {
            try? FileManager.default.removeItem(at: directory)
            return nil
        }
    }

    deinit { try? FileManager.default.removeItem(at: directory) }
}
