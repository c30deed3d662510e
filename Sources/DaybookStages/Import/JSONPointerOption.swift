extension JSONPointer: OptionValue {
    package static var kind: OptionKind { .text }
    package static var placeholder: JSONPointer { JSONPointer(tokens: []) }

    package init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, text.isEmpty || text.hasPrefix("/") else {
            throw node.expected(
                "a JSON pointer such as /main/entries",
                hint: node.text.map { "did you mean '/\($0)'?" }
            )
        }
        var tokens: [String] = []
        for token in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            tokens.append(try JSONPointer.unescaped(token, node))
        }
        self.init(tokens: tokens)
    }

    private static func unescaped(_ token: Substring, _ node: OptionNode) throws(DaybookError) -> String {
        var result = ""
        var rest = token
        while let character = rest.popFirst() {
            guard character == "~" else {
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "0": result.append("~")
            case "1": result.append("/")
            default: throw node.expected("a JSON pointer, in which '~' is written '~0'")
            }
        }
        return result
    }
}
