/// The options that all importers have, worded and checked alike.
extension OptionReader {
    mutating func readKinds(help: String) -> OptionMap<ColumnKind> {
        read("columns", default: OptionMap(entries: []), help: help)
    }

    /// Reads the same where not every kind can be read.
    mutating func readKinds<Kind: ReadableKind>(_: Kind.Type, help: String) -> OptionMap<ColumnKind> {
        let columns: OptionMap<Kind> = read("columns", default: OptionMap(entries: []), help: help)
        return OptionMap(entries: columns.entries.map { ($0.key, $0.value.columnKind, $0.place) })
    }

    mutating func readFileColumn() -> ColumnName? {
        optional("file_column", help: "Column to write the name of the file to, without its directory.")
    }

    /// Reads the form of Unicode in which texts are wanted; nil for texts as they stand.
    mutating func readNormalForm() -> NormalForm? {
        optional(
            "normalise",
            help:
                "Bring texts to one form of Unicode: nfc composes letters, nfkc makes plain letters, digits and spaces of full-width ones too."
        )
    }

    mutating func readEncoding() -> TextEncoding {
        read("encoding", default: .utf8, help: "The encoding, where no byte-order mark tells it.")
    }

    /// Reads how numbers are written in the columns that are to hold numbers.
    mutating func readNumberFormats(in columns: OptionMap<ColumnKind>) -> NumberFormats {
        let formats = readNumberFormats()
        let numbers = columns.entries.filter { $0.value == .integer || $0.value == .decimal }
        refuse(formats, unlessOf: numbers.map(\.key))
        return formats
    }
}

extension NormalForm: OptionChoice {}

/// What becomes of files that hold nothing at all.
///
/// Most often such a file is a delivery that failed: its rows are not there, and no row could tell of it.
enum EmptyFiles: String, OptionChoice {
    case refuse, allow

    static let help = "Whether a file that holds nothing at all is an error."

    /// Refuses what a stage read, where some of it holds nothing.
    func check(_ empty: [SourceName], of count: Int, hint: String) throws(DaybookError) {
        guard self == .refuse, let first = empty.first else { return }
        let others = empty.count - 1
        let named = empty.dropFirst().prefix(3).map { "'\($0.path)'" }.joined(separator: ", ")
        throw DaybookError(
            "empty-file",
            "'\(first.path)' is empty"
                + (others == 0 ? "" : ", as \(others == 1 ? "is" : "are") \(others) more of \(count) files: \(named)")
                + (others > 3 ? ", …" : ""),
            at: SourcePlace(file: first.path, line: 1, column: 1),
            hint: hint,
            blame: .data
        )
    }
}
