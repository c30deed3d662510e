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
    /// Symbolic links that lead to nothing that could be compared.
    public var links: [String] = []
    /// Submodules of git that changed, whose files are those of another repository.
    public var submodules: [String] = []

    public init() {}

    /// Two files, or the tables of two directories or patterns, which meet by their paths in them.
    public init(_ before: String, _ after: String) throws(DaybookError) {
        switch (try Place(before), try Place(after)) {
        case (.file, .file):
            let name = before == after ? before : "\(before) and \(after)"
            pairs = [Pair(name, WrittenTable(FilePath.canonical(before)), WrittenTable(FilePath.canonical(after)))]
        case (.files(let earlier, let old), .files(let later, let new)):
            let tables = { (names: [String]) in names.filter(WrittenTable.isTable(named:)) }
            others = Set(old + new).count { !WrittenTable.isTable(named: $0) }
            if others > 0, tables(old + new).isEmpty {
                var error = WrittenTable.notCompared()
                error.hint = "no file of '\(before)' and '\(after)' is called so"
                throw error
            }
            came = tables(new).filter { !old.contains($0) }
            went = tables(old).filter { !new.contains($0) }
            pairs = tables(old).filter(Set(new).contains).map { name in
                let places = [earlier, later].map { WrittenTable(FilePath.canonical(FilePath.join($0, name))) }
                return Pair(name, places[0], places[1])
            }
        case (.file, .files): throw TablePairs.unlike(after, before)
        case (.files, .file): throw TablePairs.unlike(before, after)
        }
    }

    private static func unlike(_ several: String, _ file: String) -> DaybookError {
        let message = "'\(several)' is several files, and '\(file)' is one"
        return DaybookError("usage", message, hint: "name two files, two directories or two patterns")
    }

    /// What a path on the command line names.
    private enum Place {
        case file
        /// Files by their paths below a directory.
        case files(below: String, [String])

        init(_ path: String) throws(DaybookError) {
            let status: FileStatus?
            do { status = try FileStatus.of(path) } catch {
                throw .machine("unreadable", "cannot read '\(path)': \(error.reason)")
            }
            if let status {
                self = status.isDirectory ? .files(below: path, Place.files(in: path)) : .file
                return
            }
            guard path.contains(where: { "*?[{".contains($0) }) else {
                throw .machine("missing-file", "there is no '\(path)'")
            }
            let found = try PathPattern(path, from: "").expand().map(\.path)
            let fixed = path.split(separator: "/", omittingEmptySubsequences: false).prefix { part in
                !part.contains { "*?[{".contains($0) }
            }
            let root = fixed.joined(separator: "/")
            self = .files(below: root, found.map { root.isEmpty ? $0 : String($0.dropFirst(root.count + 1)) }.sorted())
        }

        /// The paths of all files below a directory, but for hidden ones, in order.
        private static func files(in directory: String) -> [String] {
            let directory = FilePath.canonical(directory)
            let files = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
            return files.filter { name in
                !name.split(separator: "/").contains { $0.hasPrefix(".") }
                    && (try? FileStatus.of(FilePath.join(directory, name)))??.isRegularFile == true
            }.sorted()
        }
    }
}
