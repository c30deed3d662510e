extension JSONPointer: OptionValue {
    package static var kind: OptionKind { .text }
    package static var placeholder: JSONPointer { JSONPointer(tokens: []) }

    package init(reading node: OptionNode) throws(DaybookError) {
        do throws(Mistake) {
            guard let text = node.text else { throw .noSlash }
            try self.init(written: text)
        } catch {
            switch error {
            case .noSlash:
                throw node.expected(
                    "a JSON pointer such as /main/entries",
                    hint: node.text.map { "did you mean '/\($0)'?" }
                )
            case .tilde: throw node.expected("a JSON pointer, in which '~' is written '~0'")
            }
        }
    }
}
