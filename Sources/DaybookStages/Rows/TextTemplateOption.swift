extension TextTemplate: OptionValue {
    package static let kind = OptionKind.text
    package static var placeholder: TextTemplate { TextTemplate(text: "", pieces: []) }
    package var written: String { text.written }

    /// The most bytes a template may have. A batch of the shortest rows then still makes less than 4 GiB of text.
    private static let longest = 4_096

    package init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else {
            throw node.expected("a template", hint: "write text such as \"{name}: {temp:.1f}\"")
        }
        guard text.utf8.count <= Self.longest else {
            throw DaybookError("bad-template", "a template may have \(Self.longest) bytes at most", at: node.place)
        }
        var scanner = TemplateScanner(node, text)
        self.init(text: text, pieces: try scanner.pieces())
    }
}

/// Cuts a template into pieces, and knows where in the job each stands.
private struct TemplateScanner {
    private let scalars: [Unicode.Scalar]
    private let node: OptionNode
    /// Where the first character stands, when the scalar is written as it reads: without escapes, on one line, and
    /// with nothing filled in. Else a mistake is told at the whole scalar.
    private let start: SourcePlace?
    private var position = 0

    init(_ node: OptionNode, _ text: String) {
        self.node = node
        scalars = Array(text.unicodeScalars)
        var start = node.place
        let quotes = node.plainText == nil ? 1 : 0
        start.column += quotes
        self.start = node.place.length == scalars.count + 2 * quotes ? start : nil
    }

    private func place(_ range: Range<Int>) -> SourcePlace {
        guard var place = start else { return node.place }
        place.column += range.lowerBound
        place.length = max(1, range.count)
        return place
    }

    private func mistake(_ message: String, _ range: Range<Int>, hint: String?) -> DaybookError {
        DaybookError("bad-template", message, at: place(range), hint: hint)
    }

    mutating func pieces() throws(DaybookError) -> [TextTemplate.Piece] {
        var pieces: [TextTemplate.Piece] = []
        var literal = ""
        while position < scalars.count {
            let scalar = scalars[position]
            let isDoubled = position + 1 < scalars.count && scalars[position + 1] == scalar
            guard scalar == "{" || scalar == "}", !isDoubled else {
                literal.unicodeScalars.append(scalar)
                position += scalar == "{" || scalar == "}" ? 2 : 1
                continue
            }
            guard scalar == "{" else {
                throw mistake(
                    "a '}' closes nothing",
                    position..<position + 1,
                    hint: "write '}}' for the text '}'"
                )
            }
            if !literal.isEmpty { pieces.append(.literal(Array(literal.utf8))) }
            literal = ""
            pieces.append(.value(try value()))
        }
        if !literal.isEmpty { pieces.append(.literal(Array(literal.utf8))) }
        return pieces
    }

    /// Reads what stands between braces, and moves behind it.
    private mutating func value() throws(DaybookError) -> TemplateValue {
        let open = position
        let end = scalars[(open + 1)...].firstIndex { $0 == "}" || $0 == "{" }
        guard let end, scalars[end] == "}" else {
            throw mistake("a '{' is never closed", open..<open + 1, hint: "write '{{' for the text '{'")
        }
        position = end + 1
        let colon = scalars[open..<end].firstIndex(of: ":") ?? end
        guard colon > open + 1 else {
            throw mistake(
                "the braces name no column",
                open..<end + 1,
                hint: "write {name} for the value of column 'name', or '{{' for the text '{'"
            )
        }
        let column = ColumnName(text(open + 1..<colon), at: place(open + 1..<colon))
        guard colon < end else { return TemplateValue(column: column, format: nil) }
        return TemplateValue(
            column: column,
            format: try ValueFormat(text(colon + 1..<end), at: place(colon + 1..<end))
        )
    }

    private func text(_ range: Range<Int>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars[range])
        return text
    }
}
