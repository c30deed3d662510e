import DaybookCore

/// A text of an event: the name of a column, or, where it has braces, a template such as `{title} ({day:yyyy})`.
struct EventText: OptionValue {
    let template: TextTemplate

    static var kind: OptionKind { .either([.column, .text]) }
    static var placeholder: EventText { EventText(template: TextTemplate(of: .placeholder)) }
    var written: String { template.written }

    private init(template: TextTemplate) { self.template = template }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else {
            throw node.expected("a column name, or text with columns in braces such as \"{title}!\"")
        }
        let hasBraces = text.unicodeScalars.contains { $0 == "{" || $0 == "}" }
        template = hasBraces ? try TextTemplate(reading: node) : TextTemplate(of: ColumnName(text, at: node.place))
    }
}

/// The texts of the events of one batch, made of one template.
struct EventTexts {
    let column: TextColumn
    /// Rows whose text would be too long; it is missing in them, and they cannot be written.
    private(set) var tooLong: Set<Int> = []

    init(_ template: CompiledTemplate, of batch: Batch) {
        // A column of text is what it is, however long its texts are.
        if let name = template.plainColumn, case .text(let text) = batch[name] {
            column = text
            return
        }
        var tooLong: Set<Int> = []
        column = TemplateWriter(template, of: batch, missing: nil).text { tooLong.insert($0) }
        self.tooLong = tooLong
    }
}
