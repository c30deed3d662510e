/// The options that all importers have, worded and checked alike.
extension OptionReader {
    package mutating func readKinds(help: String) -> OptionMap<ColumnKind> {
        read("columns", default: OptionMap(entries: []), help: help)
    }

    /// Reads the same option if only some kinds can be read.
    package mutating func readKinds<Kind: ReadableKind>(_: Kind.Type, help: String) -> OptionMap<ColumnKind> {
        let columns: OptionMap<Kind> = read("columns", default: OptionMap(entries: []), help: help)
        return OptionMap(entries: columns.entries.map { ($0.key, $0.value.columnKind, $0.place) })
    }

    public mutating func readFileColumn() -> ColumnName? {
        optional("file_column", help: "Column to write the name of the file to, without its directory.")
    }

    /// Reads the Unicode normal form for texts; nil for unchanged texts.
    public mutating func readNormalForm() -> NormalForm? {
        optional(
            "normalise",
            help:
                "Bring texts to one form of Unicode: nfc composes letters, nfkc makes plain letters, digits and spaces of full-width ones too."
        )
    }

    public mutating func readEncoding() -> TextEncoding {
        read("encoding", default: .utf8, help: "The encoding, where no byte-order mark tells it.")
    }

    /// Reads the number format of the columns that hold numbers.
    package mutating func readNumberFormats(in columns: OptionMap<ColumnKind>) -> NumberFormats {
        let formats = readNumberFormats()
        let numbers = columns.entries.filter { $0.value == .integer || $0.value == .decimal }
        refuse(formats, unlessOf: numbers.map(\.key))
        return formats
    }
}

extension NormalForm: OptionChoice {}
extension TextFault: OptionChoice {}

/// The treatment of files that are completely empty, or without a row.
///
/// Such a file is mostly a failed delivery: its rows are missing, and no row could reveal that.
public enum EmptyFiles: String, OptionChoice {
    case refuse, allow
    case refuseRowless = "refuse_rowless"

    public static let help =
        "Whether a file that holds nothing at all is an error; with refuse_rowless, one that holds no row is one too."

    /// Refuses the input of a stage if some of it is empty.
    ///
    /// - Parameter rowless: the files without a row, with the empty ones among them.
    public func check(_ empty: [SourceName], rowless: [SourceName], of count: Int, hint: String) throws(DaybookError) {
        let isRowless = self == .refuseRowless && rowless.count > empty.count
        let empty = isRowless ? rowless : empty
        guard self != .allow, let first = empty.first else { return }
        let others = empty.count - 1
        let named = empty.dropFirst().prefix(3).map { "'\($0.path)'" }.joined(separator: ", ")
        let verb = isRowless ? (one: "has", many: "have") : (one: "is", many: "are")
        throw DaybookError(
            "empty-file",
            "'\(first.path)' \(isRowless ? "has no row" : "is empty")"
                + (others == 0
                    ? "" : ", as \(others == 1 ? verb.one : verb.many) \(others) more of \(count) files: \(named)")
                + (others > 3 ? ", …" : ""),
            at: SourcePlace(file: first.path, line: 1, column: 1),
            hint: isRowless ? "its rows are likely lost; write 'empty: refuse' if a file may have none" : hint,
            blame: .data
        )
    }
}

/// Which of the files that match its paths an import reads.
public struct FileIntake: Sendable, Hashable {
    /// Whether a path may match no file.
    public var isOptional = false
    /// Whether files that an earlier run imported are left out.
    public var isNewOnly = false
    /// The day that each file belongs to, if the import says so; it then reads whole days, and `isNewOnly` is set.
    public var day: FileDay?
    /// The same if the name of a file says its day.
    public var dayOfName: FileDay? { day.flatMap { $0.isOfRows ? nil : $0 } }
    /// The policy for files that come again.
    public var redelivery = Redelivery()
    /// The policy for files that come long after their day; nil to accept them.
    public var late: LateFiles?
    /// The column that the job adds to all rows; nil without one.
    public var given: GivenColumn?
    /// What columns are, in words for people.
    public var descriptions: [String: String] = [:]

    public init() {}
}

/// A column with one value in all rows, which the job gives.
public struct GivenColumn: Sendable, Hashable {
    public var name: ColumnName
    public var value: String

    package init(name: ColumnName, value: String) { (self.name, self.value) = (name, value) }
}

extension OptionReader {
    /// Reads which files an import uses; every importer has these options. Call it after the others.
    ///
    /// - Parameter declaresColumns: whether the options name columns that exist without a file.
    public mutating func readIntake(declaresColumns: Bool) -> FileIntake {
        var intake = FileIntake()
        intake.given = context.given
        intake.isOptional = read(
            "optional",
            default: false,
            help: "Whether there need not be a file; the columns are then those that the options declare."
        )
        intake.isNewOnly = read(
            "new_only",
            default: false,
            help: "Whether files are left out that an earlier run of the job, one that passed, has read as they are."
        )
        intake.day = optional(
            "day",
            help:
                "The day that each file belongs to, by its name, or the days, by a column; all files of a day are read if one is new. Implies 'new_only'."
        )
        intake.descriptions = readDescriptions()
        if intake.day != nil {
            if isWritten("new_only"), !intake.isNewOnly {
                refuse("new_only", "with 'day', only days with new files are read", hint: "leave 'new_only' out")
            }
            intake.isNewOnly = true
        }
        let redelivery: Redelivery? = optional(
            "redelivery",
            help:
                "What becomes of files that come again: { same_bytes: skip, other_bytes: fail } leaves out the bytes of a file under another name, and stops at other bytes under a known name."
        )
        intake.redelivery = redelivery ?? Redelivery()
        intake.late = optional(
            "late",
            help: "What becomes of a new file that comes long after its day: { after: 3 days, then: warn }."
        )
        if redelivery != nil, !intake.isNewOnly {
            refuse("redelivery", "without 'new_only' or 'day', all files are read anew each time", hint: "leave it out")
        }
        if intake.late != nil, intake.day == nil {
            refuse("late", "the files have no day that they could come after", hint: "say it under 'day'")
        }
        if intake.isOptional, !declaresColumns {
            refuse(
                "optional",
                "without a file nothing would tell the columns",
                hint: "declare them under 'columns', each with its kind"
            )
        }
        return intake
    }

    /// Reads what columns are, in words for people.
    public mutating func readDescriptions() -> [String: String] {
        let written = read(
            "describe",
            default: OptionMap<String>(entries: []),
            help: "What columns are, in words for people, as 'explain' shows them to the end of the job."
        )
        return Dictionary(written.entries.map { ($0.key, $0.value) }) { _, last in last }
    }
}

/// The treatment of a stage's files that do not all have the same columns.
package enum ColumnsDiffer: String, OptionChoice {
    case refuse, union

    package static let help =
        "Whether files with other columns than the first are an error, or all are put together by name."

    /// Refuses files without the columns of the first, unless the files are combined.
    ///
    /// - Parameter hint: what a person can do about it.
    package func check(_ files: [SameColumns.File], hint: String) throws(DaybookError) {
        guard self == .refuse, let other = SameColumns.others(files).first else { return }
        throw DaybookError(
            "columns-differ",
            "the columns of \(files[other].source.path) are not those of \(files[0].source.path): "
                + SameColumns.difference(files[other], from: files[0]),
            at: SourcePlace(file: files[other].source.path, line: files[other].line, column: 1),
            hint: hint,
            blame: .data
        ).about(files[other].source.path)
    }

    /// A warning about the first file without the columns of the first, if files are combined.
    package func warning(of files: [SameColumns.File]) -> (file: Int, kind: Finding.Kind)? {
        let others = self == .union ? SameColumns.others(files) : []
        guard let first = others.first else { return nil }
        let rest = others.count - 1
        let difference = SameColumns.difference(files[first], from: files[0])
        let kind = Finding.Kind(
            "columns-differ",
            "the columns are not those of \(files[0].source.path): \(difference)"
                + (rest == 0 ? "" : "; \(rest) more of \(files.count) files differ too"),
            severity: .warning
        )
        return (first, kind)
    }
}

/// Compares the columns of a stage's files with the columns of the first file.
package enum SameColumns {
    /// A file with the line on which its columns are named.
    package typealias File = (source: SourceName, line: Int, columns: [String])

    /// All columns, each where it is named first.
    package static func union(of files: [[String]]) -> [String] {
        var seen: Set<String> = []
        return files.flatMap { $0 }.filter { seen.insert($0).inserted }
    }

    fileprivate static func others(_ files: [File]) -> [Int] {
        guard let first = files.first.map({ Set($0.columns) }) else { return [] }
        return files.indices.filter { Set(files[$0].columns) != first }
    }

    fileprivate static func difference(_ file: File, from first: File) -> String {
        let lost = first.columns.filter { !file.columns.contains($0) }.map { "'\($0)' is missing" }
        let new = file.columns.filter { !first.columns.contains($0) }.map { "'\($0)' is new" }
        return (lost + new).joined(separator: ", ")
    }
}

/// Some column kinds: those that a stage can read. Options offer no others.
package protocol ReadableKind: OptionChoice {
    /// What to do if another kind is requested.
    static func hint(insteadOf other: ColumnKind) -> String?
}

extension ReadableKind {
    package static var otherWords: [String: String] { ColumnKind.otherWords.filter { Self(rawValue: $0.value) != nil } }

    package var columnKind: ColumnKind {
        guard let kind = ColumnKind(rawValue: rawValue) else {
            preconditionFailure("'\(rawValue)' is offered, which is no kind of column")
        }
        return kind
    }

    package init(reading node: OptionNode) throws(DaybookError) {
        if let text = node.text, Self(rawValue: text) == nil {
            let word = text.lowercased()
            let other = ColumnKind(rawValue: ColumnKind.otherWords[word] ?? word)
            if let hint = other.flatMap(Self.hint) { throw node.expected(Self.kind.displayText, hint: hint) }
        }
        self = try Self.choice(reading: node)
    }
}
