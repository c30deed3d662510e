import DaybookBytes
import DaybookEngine
import Foundation

/// Tables to compare, each before and after, and those of which there is only one.
public struct TablePairs: Sendable {
    /// A table that is in both places.
    public struct Pair: Sendable {
        public var name: String
        public var before: WrittenTable
        public var after: WrittenTable

        public init(_ name: String, _ before: WrittenTable, _ after: WrittenTable) {
            (self.name, self.before, self.after) = (name, before, after)
        }
    }

    public var pairs: [Pair] = []
    public var came: [String] = []
    public var went: [String] = []
    /// Files that are no tables which could be compared.
    public var others = 0

    public init() {}

    /// Two files, or the tables of two directories, which meet by their paths in them.
    public init(_ before: String, _ after: String) throws(DaybookError) {
        let isDirectory = (try TablePairs.isDirectory(before), try TablePairs.isDirectory(after))
        switch isDirectory {
        case (false, false):
            let name = before == after ? before : "\(before) and \(after)"
            pairs = [Pair(name, WrittenTable(FilePath.canonical(before)), WrittenTable(FilePath.canonical(after)))]
        case (true, true):
            let (old, new) = (TablePairs.files(in: before), TablePairs.files(in: after))
            let tables = { (names: [String]) in names.filter(WrittenTable.isTable(named:)) }
            others = Set(old + new).count { !WrittenTable.isTable(named: $0) }
            came = tables(new).filter { !old.contains($0) }
            went = tables(old).filter { !new.contains($0) }
            pairs = tables(old).filter(Set(new).contains).map { name in
                Pair(
                    name,
                    WrittenTable(FilePath.canonical(FilePath.join(before, name))),
                    WrittenTable(FilePath.canonical(FilePath.join(after, name)))
                )
            }
        default:
            let (directory, file) = isDirectory.0 ? (before, after) : (after, before)
            let message = "'\(directory)' is a directory, and '\(file)' is a file"
            throw DaybookError("usage", message, hint: "name two files, or two directories")
        }
    }

    private static func isDirectory(_ path: String) throws(DaybookError) -> Bool {
        let status: FileStatus?
        do { status = try FileStatus.of(path) } catch {
            throw .machine("unreadable", "cannot read '\(path)': \(error.reason)")
        }
        guard let status else { throw .machine("missing-file", "there is no '\(path)'") }
        return status.isDirectory
    }

    /// The paths of all files below a directory, but for hidden ones, in order.
    private static func files(in directory: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return files.filter { name in
            !name.split(separator: "/").contains { $0.hasPrefix(".") }
                && (try? FileStatus.of(FilePath.join(directory, name)))??.isRegularFile == true
        }.sorted()
    }
}
