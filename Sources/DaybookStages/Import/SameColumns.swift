/// What becomes of files of one stage that do not all have the same columns.
enum ColumnsDiffer: String, OptionChoice {
    case refuse, union

    static let help = "Whether files with other columns than the first are an error, or all are put together by name."

    /// Refuses files that do not all have the columns of the first, unless they are put together.
    ///
    /// - Parameter hint: what a person can do about it.
    func check(_ files: [SameColumns.File], hint: String) throws(DaybookError) {
        if self == .refuse { try SameColumns.check(files, hint: hint) }
    }

    /// A warning about the first file that does not have the columns of the first, where files are put together.
    func warning(of files: [SameColumns.File]) -> (file: Int, kind: Finding.Kind)? {
        self == .union ? SameColumns.warning(of: files) : nil
    }
}

/// Holds the columns of the files of one stage against those of the first.
enum SameColumns {
    /// A file with the line on which its columns are named.
    typealias File = (source: SourceName, line: Int, columns: [String])

    /// Refuses files that do not all have the columns of the first.
    ///
    /// - Parameter hint: what a person can do about it.
    static func check(_ files: [File], hint: String) throws(DaybookError) {
        guard let other = others(files).first else { return }
        throw DaybookError(
            "columns-differ",
            "the columns of \(files[other].source.path) are not those of \(files[0].source.path): "
                + difference(files[other], from: files[0]),
            at: SourcePlace(file: files[other].source.path, line: files[other].line, column: 1),
            hint: hint,
            blame: .data
        ).about(files[other].source.path)
    }

    /// A warning about the first file that does not have the columns of the first; nil where all have.
    static func warning(of files: [File]) -> (file: Int, kind: Finding.Kind)? {
        let others = others(files)
        guard let first = others.first else { return nil }
        let rest = others.count - 1
        let kind = Finding.Kind(
            "columns-differ",
            "the columns are not those of \(files[0].source.path): \(difference(files[first], from: files[0]))"
                + (rest == 0 ? "" : "; \(rest) more of \(files.count) files differ too"),
            severity: .warning
        )
        return (first, kind)
    }

    /// All columns, each where it is named first.
    static func union(of files: [[String]]) -> [String] {
        var seen: Set<String> = []
        return files.flatMap { $0 }.filter { seen.insert($0).inserted }
    }

    private static func others(_ files: [File]) -> [Int] {
        guard let first = files.first.map({ Set($0.columns) }) else { return [] }
        return files.indices.filter { Set(files[$0].columns) != first }
    }

    private static func difference(_ file: File, from first: File) -> String {
        let lost = first.columns.filter { !file.columns.contains($0) }.map { "'\($0)' is missing" }
        let new = file.columns.filter { !first.columns.contains($0) }.map { "'\($0)' is new" }
        return (lost + new).joined(separator: ", ")
    }
}
