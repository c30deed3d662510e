import DaybookCore

/// One ASCII character, or `none`.
struct OneByte: OptionValue {
    let byte: UInt8?

    init(_ byte: UInt8) { self.byte = byte }

    static var kind: OptionKind { .text }
    static var placeholder: OneByte { OneByte(0) }

    init(reading node: OptionNode) throws(DaybookError) {
        if node.text == "none" {
            byte = nil
        } else if node.text == "tab" || node.text == "\\t" {
            byte = 9
        } else if let text = node.text, text.utf8.count == 1, let first = text.utf8.first, first != 10, first != 13 {
            byte = first
        } else {
            throw node.expected("one ASCII character, tab or none")
        }
    }

    var written: String { byte.map { String(Character(UnicodeScalar($0))) } ?? "none" }
}
