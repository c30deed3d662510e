/// A format whose files name their columns.
protocol HeadedFormat: SourceFormat {
    var source: SourceName { get }
    /// Nil where a file names none.
    var columns: [String]? { get }
    /// How many of the columns the header names.
    var headerWidth: Int { get }
    /// The offset of the header.
    var headerStart: Int { get }
    var isEmpty: Bool { get }
    /// Whether no row follows the header.
    var isRowless: Bool { get }
}

/// An import of text files with a header: the columns of all files, and how they may differ.
protocol HeadedSource: TextSource where Format: HeadedFormat {
    var columns: OptionMap<ColumnKind> { get }
    var columnsDiffer: ColumnsDiffer { get }
    var empty: EmptyFiles { get }

    /// The columns of all files.
    func union(of formats: [Format]) -> [String]
}

extension HeadedSource {
    /// A cell is text until a stage or an option converts it.
    public static var otherKind: ColumnKind? { .text }

    func union(of formats: [Format]) -> [String] { SameColumns.union(of: formats.compactMap(\.columns)) }

    /// - Parameters:
    ///   - nameless: the message and the hint if no file names columns.
    ///   - hint: the hint for files with other columns than the first.
    func schema(
        of formats: [Format],
        nameless: (message: String, hint: String),
        differing hint: String
    ) throws(DaybookError) -> Schema {
        let lost = "its rows are likely lost; write 'empty: allow' if a file may hold nothing"
        try empty.check(
            formats.filter(\.isEmpty).map(\.source),
            rowless: formats.filter(\.isRowless).map(\.source),
            of: formats.count,
            hint: lost
        )
        guard formats.contains(where: { $0.columns != nil }) else {
            let message =
                "\(formats.first?.source.path ?? "the input") has \(nameless.message), so its columns are not known"
            throw .data("no-columns", message, at: paths.first?.place, hint: nameless.hint)
        }
        try columnsDiffer.check(named(formats).map(\.file), hint: hint)
        return fields(union(of: formats))
    }

    func fields(_ names: [String]) -> Schema {
        let kinds = Dictionary(columns.entries.map { ($0.key, $0.value) }) { first, _ in first }
        return Schema(names.map { Field($0, kinds[$0] ?? .text, source: $0) })
    }

    /// The declared columns that a file has.
    func declared(in format: Format) -> Schema {
        let known = Set(format.columns ?? [])
        let there = columns.entries.filter { known.contains($0.key) }
        return Schema(there.map { Field($0.key, $0.value, source: $0.key) })
    }

    public func warnings(of formats: [Format]) -> [(text: Int, warning: SourceWarning)] {
        let files = named(formats)
        guard let found = columnsDiffer.warning(of: files.map(\.file)) else { return [] }
        let (text, file) = files[found.file]
        return [(text, SourceWarning(found.kind, at: formats[text].headerStart, line: file.line, column: 1))]
    }

    public func missing(from formats: [Format]) -> [DaybookError] {
        guard let first = formats.first(where: { $0.columns != nil }) else { return [] }
        return columns.missing(among: union(of: formats)) { "no column named '\($0)' in \(first.source.path)" }
    }

    /// The columns that each file names, with its index in `formats`.
    private func named(_ formats: [Format]) -> [(text: Int, file: SameColumns.File)] {
        formats.enumerated().compactMap { text, format in
            format.columns.map { (text, (format.source, format.headerLine, Array($0.prefix(format.headerWidth)))) }
        }
    }
}
