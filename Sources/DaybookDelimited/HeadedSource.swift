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
    var warnings: [SourceWarning] { get set }
}

extension HeadedFormat {
    func place(_ byte: Int, _ head: SourceHead) -> SourcePlace {
        var cursor = LineCursor(head.bytes.filled, firstLine: 1, lineEnd: lineEnd)
        let (line, column) = cursor.place(of: byte)
        return SourcePlace(file: head.source.path, line: line, column: column)
    }

    /// The names in the header. An empty one becomes `column_3`, a repeated one `name_2`; both are warnings.
    ///
    /// - Parameters:
    ///   - written: the cells of the header, each with its place.
    ///   - areExact: whether blanks are a part of the cells. Then no new name is one of theirs, and invisible parts are
    ///     warnings too.
    mutating func name(_ written: [(text: String, place: Int)], areExact: Bool, _ bytes: Cell) -> [String] {
        var names: [String] = []
        var used: Set<String> = []
        let others = areExact ? Set(written.map(\.text)) : []
        /// The last number appended to a name.
        var numbers: [String: Int] = [:]
        var cursor = LineCursor(bytes, firstLine: 1, lineEnd: lineEnd)
        func warn(_ code: String, _ message: String, at place: Int) {
            warnings.append(SourceWarning(Finding.Kind(code, message, severity: .warning), at: place, &cursor))
        }
        for (index, (text, place)) in written.enumerated() {
            var name = text
            if name.isEmpty {
                name = "column_\(index + 1)"
                warn("empty-column-name", "column \(index + 1) has no name; it is called '\(name)'", at: place)
            }
            if used.contains(name) {
                var number = numbers[name, default: 1] + 1
                while used.contains("\(name)_\(number)") || others.contains("\(name)_\(number)") { number += 1 }
                numbers[name] = number
                let message = "the name '\(name)' stands twice in the header; the second is called '\(name)_\(number)'"
                warn("duplicate-column-name", message, at: place)
                name = "\(name)_\(number)"
            }
            if areExact, let unseen = Self.unseen(in: text) {
                warn("unseen-in-column-name", "the name '\(text)' \(unseen)", at: place)
            }
            used.insert(name)
            names.append(name)
        }
        return names
    }

    /// The invisible part of a name, because of which a job that names the column as it looks does not find it.
    private static func unseen(in name: String) -> String? {
        let odd = name.unicodeScalars.first { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .spaceSeparator: scalar != " "
            case .lineSeparator, .paragraphSeparator: true
            default: scalar == "\u{FEFF}" || scalar == "\u{200B}"
            }
        }
        if let odd { return "holds \(UnseenCharacter.displayText(odd)), which nobody sees" }
        let verbs = [name.hasPrefix(" ") ? "begins" : nil, name.hasSuffix(" ") ? "ends" : nil].compactMap(\.self)
        return verbs.isEmpty ? nil : "\(verbs.joined(separator: " and ")) with a space"
    }
}

/// The columns that a reader makes of cells: those of its batches, followed by those that are only checked.
///
/// Columns of a declared kind are checked even if no stage reads them: whether a row is rejected must not depend on
/// later stages.
struct ReadColumns: Sendable {
    let schema: Schema
    /// The index of the cell of each column in a row; a column of other files only is behind the last cell.
    let cells: [Int]
    private let fields: [Field]
    private let places: [String: Int]
    private let numbers: NumberFormats

    init(_ schema: Schema, checking declared: Schema, among names: [String], _ numbers: NumberFormats) {
        let places = Dictionary(zip(names, names.indices)) { first, _ in first }
        let unwanted = declared.fields.filter { schema.index(of: $0.name) == nil }
        fields = schema.fields + unwanted
        cells = fields.map { places[$0.source ?? $0.name] ?? names.count }
        (self.schema, self.places, self.numbers) = (schema, places, numbers)
    }

    /// The index of the cell of a column of the file; nil for no such column.
    func cell(of column: String) -> Int? { places[column] }

    /// Makes a batch of the texts of the columns: parses declared kinds.
    func batch(
        _ texts: [TextColumn],
        _ spans: [RecordSpan],
        _ records: [UInt32],
        _ morsel: Morsel,
        _ findings: inout Findings
    ) -> Batch {
        let columns = zip(fields, texts).map { field, text in
            let format = numbers.format(of: field.name)
            return text.reading(field.kind, by: format, named: ColumnName(field.name), reporting: &findings)
        }
        let provenance = Provenance.morsel(morsel, spans: spans, records: records)
        let batch = Batch(Schema(fields), columns, count: spans.count, provenance: provenance)
        return fields.count == schema.fields.count
            ? batch : batch.replacing(schema, Array(columns.prefix(schema.fields.count)))
    }
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

/// The kinds that cells of a text file are read as.
enum CellValueKind: String, ReadableKind {
    case text, integer, decimal, flag, day

    static func hint(insteadOf other: ColumnKind) -> String? {
        switch other {
        case .instant: "read it as text and put normalise_dates behind"
        case .json: "read it as text; a cell of such a file is no JSON value"
        default: nil
        }
    }
}
