/// Whether an output is one file or a directory of parts.
package enum OutputParts: String, OptionChoice {
    case one, shards

    package static let help = """
        One file, or a directory of that name with a part for each shard, such as part-000000.csv; one behind the other they are the \
        file. Needs 'publish'.
        """
}

extension SinkTarget {
    /// A text output.
    ///
    /// - Parameters:
    ///   - way: what becomes of the rows of the file.
    ///   - holdsRows: whether the file has rows; by default if one of its lines is not blank.
    package init(
        _ output: PathText,
        _ parts: OutputParts,
        _ way: TextGrowth,
        holdsRows: @escaping @Sendable (BaseFile) -> Bool = { $0.hasLine(behind: 0) }
    ) {
        self.init(output)
        isInParts = parts == .shards
        guard way != .none else { return }
        base = SinkBase(output, mustExist: false)
        growth = Growth(groups: way.columns, holdsRows: holdsRows)
    }
}

extension OptionReader {
    /// Reads whether rows are added after the rows of a text output.
    package mutating func readAppend(to output: PathText, _ parts: OutputParts) -> Bool {
        let appends = read(
            "append",
            default: false,
            help: "Whether the rows come behind those that the file holds already, in the place of them."
        )
        if appends { refuseGrowth("append", of: output, parts) }
        return appends
    }

    /// Reads the same, or whether rows take the place of some of them.
    package mutating func readGrowth(of output: PathText, _ parts: OutputParts) -> TextGrowth {
        let appends = readAppend(to: output, parts)
        let columns: [ColumnName] = read(
            "replace_by",
            default: [],
            help:
                "Columns such as [day]: rows take the place of those that the file holds of the same day, and of days that were read and have none. The file is in the order of these columns."
        )
        refuseRepeats(of: columns, in: "replace_by")
        guard !columns.isEmpty else { return appends ? .appends : .none }
        if appends {
            refuse(
                "replace_by",
                "'append' keeps all old rows, and 'replace_by' does not",
                hint: "choose one of the two"
            )
        }
        refuseGrowth("replace_by", of: output, parts)
        return .replaces(by: columns)
    }

    private mutating func refuseGrowth(_ key: String, of output: PathText, _ parts: OutputParts) {
        if output.isStandardStream {
            refuse(key, "a stream has no old rows", hint: "name a file, or leave '\(key)' out")
        }
        if parts == .shards {
            refuse(key, "an output in parts is made anew by every run", hint: "leave '\(key)' or 'parts' out")
        }
    }
}
