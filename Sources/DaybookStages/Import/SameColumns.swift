/// Refuses files of one stage that do not all have the columns of the first.
enum SameColumns {
    /// - Parameters:
    ///   - files: each with the line on which its columns are named.
    ///   - hint: what a person can do about it.
    static func check(
        _ files: [(source: SourceName, line: Int, columns: [String])],
        hint: String
    ) throws(DaybookError) {
        guard let first = files.first else { return }
        for file in files where Set(file.columns) != Set(first.columns) {
            let lost = first.columns.filter { !file.columns.contains($0) }.map { "'\($0)' is missing" }
            let new = file.columns.filter { !first.columns.contains($0) }.map { "'\($0)' is new" }
            throw DaybookError(
                "columns-differ",
                "the columns of \(file.source.path) are not those of \(first.source.path): "
                    + (lost + new).joined(separator: ", "),
                at: SourcePlace(file: file.source.path, line: file.line, column: 1),
                hint: hint,
                blame: .data
            ).about(file.source.path)
        }
    }
}
