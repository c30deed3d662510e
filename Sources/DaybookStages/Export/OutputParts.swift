/// Whether an output is one file or a directory of parts.
enum OutputParts: String, OptionChoice {
    case one, shards

    static let help = """
        One file, or a directory of that name with a part for each shard, such as part-000000.csv; one behind the other they are the \
        file. Needs 'publish'.
        """
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
