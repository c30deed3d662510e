/// The import that reads what a stage wrote, as rows.
public struct ReadBack: Sendable {
    /// Name of the import.
    public var stage: String
    /// Its options, without the path.
    public var options: [OptionNode.Entry]

    public init(_ stage: String, _ options: [OptionNode.Entry] = []) { (self.stage, self.options) = (stage, options) }

    /// Options with plain scalars as values.
    public init(_ stage: String, _ options: KeyValuePairs<String, String>) {
        self.init(stage, options.map { OptionNode.Entry(written: $0.key, .text($0.value, quoted: false)) })
    }

    /// JSON as an array, as lines, or as one object.
    public static var json: ReadBack { ReadBack("import_json", ["empty": "allow"]) }

    /// CSV in which a row that equals the header is a row, since a run wrote it.
    public static func csv(hasHeader: Bool = true, encoding: TextEncoding = .utf8) -> ReadBack {
        ReadBack(
            "import_csv",
            [
                "empty": "allow", "header": hasHeader ? "true" : "false", "encoding": encoding.name,
                "delimiter": "auto", "repeated_header": "keep", "second_header": "keep",
            ]
        )
    }
}

extension OptionNode.Entry {
    /// An option that no file holds.
    public init(written key: String, _ content: OptionNode.Content) {
        let place = SourcePlace(file: "the table", line: 1, column: 1)
        self.init(key: key, keyPlace: place, value: OptionNode(content, at: place))
    }
}
