/// A single value that a job sets: a number, text, true, false or null.
struct SetValue: OptionValue {
    let json: String

    static let kind = OptionKind.text
    static var placeholder: SetValue { SetValue(json: "null") }
    var written: String { json }

    private init(json: String) { self.json = json }

    init(reading node: OptionNode) throws(DaybookError) {
        if case .nothing = node.content {
            json = "null"
            return
        }
        guard let text = node.text else { throw node.expected("a number, text, true, false or null") }
        let bytes = Bytes(text)
        if node.plainText != nil, StoredValueReader.scalar(bytes.filled) != nil {
            json = text
        } else {
            let quoted = Bytes()
            quoted.append(jsonString: text)
            json = quoted.text(0..<quoted.count)
        }
    }
}
