/// One ASCII character, or `none`.
struct OneByte: OptionValue {
    let byte: UInt8?

    init(_ byte: UInt8) { self.byte = byte }

    static var kind: OptionKind { .text }
    static var placeholder: OneByte { OneByte(0) }

    init(reading node: OptionNode) throws(DaybookError) {
        if node.text == "none" {
            byte = nil
        } else if let byte = OneByte.byte(of: node) {
            self.byte = byte
        } else {
            throw node.expected("one ASCII character, tab or none")
        }
    }

    var written: String { byte.map { String(Character(UnicodeScalar($0))) } ?? "none" }

    /// The character that a node names, unless it ends lines or is NUL, which no text holds.
    static func byte(of node: OptionNode) -> UInt8? {
        if node.text == "tab" || node.text == "\\t" { return 9 }
        guard let text = node.text, text.utf8.count == 1, let byte = text.utf8.first else { return nil }
        return [0, CSVDialect.lineFeed, CSVDialect.carriageReturn].contains(byte) ? nil : byte
    }
}

/// The character that separates the cells of an output file.
struct CellDelimiter: OptionValue {
    let byte: UInt8

    init(_ byte: UInt8) { self.byte = byte }

    static var kind: OptionKind { .text }
    static var placeholder: CellDelimiter { CellDelimiter(0) }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let byte = OneByte.byte(of: node) else { throw node.expected("one ASCII character or tab") }
        self.byte = byte
    }

    var written: String { OneByte(byte).written }
}
