/// Whether an output is one file or a directory of parts.
enum OutputParts: String, OptionChoice {
    case one, shards

    static let help = """
        One file, or a directory of that name with a part for each shard, such as part-000000.csv; one behind the other they are the \
        file. Needs 'publish'.
        """
}
