/// Whether an output is one file or a directory of parts.
enum OutputParts: String, OptionChoice {
    case one, shards

    static let help = """
        One file, or a directory of that name with a part for each shard, such as part-000000.csv; one behind the other they are the \
        file. Needs 'publish'.
        """
}

extension SinkTarget {
    /// A text output.
    ///
    /// - Parameters:
    ///   - appends: whether rows come behind those that the file holds.
    ///   - holdsRows: whether it holds some; by default where a line of it is not blank.
    init(
        _ output: PathText,
        _ parts: OutputParts,
        appends: Bool,
        holdsRows: @escaping @Sendable (BaseFile) -> Bool = { $0.hasLine(behind: 0) }
    ) {
        self.init(output)
        isInParts = parts == .shards
        guard appends else { return }
        base = SinkBase(output, mustExist: false)
        growth = Growth(holdsRows: holdsRows)
    }
}

extension OptionReader {
    /// Reads whether rows come behind those that a text output holds already.
    mutating func readAppend(to output: PathText, _ parts: OutputParts) -> Bool {
        let appends = read(
            "append",
            default: false,
            help: "Whether the rows come behind those that the file holds already, in the place of them."
        )
        if appends, output.isStandardStream {
            refuse("append", "to a stream nothing is added", hint: "name a file, or leave 'append' out")
        }
        if appends, parts == .shards {
            refuse("append", "an output in parts is made anew by every run", hint: "leave 'append' or 'parts' out")
        }
        return appends
    }
}
