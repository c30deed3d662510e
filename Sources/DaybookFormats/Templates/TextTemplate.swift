/// A text with places for the values of a row, such as `기온 | {main.temp:.1f} ℃`, cut into its pieces.
///
/// `{{` and `}}` stand for braces. A name ends at the first colon, and what follows is the format, so a column whose name
/// holds a colon or a brace has to be renamed first.
package struct TextTemplate: Sendable {
    package enum Piece: Sendable {
        case literal([UInt8])
        case value(TemplateValue)
    }

    package let text: String
    package let pieces: [Piece]

    package init(text: String, pieces: [Piece]) {
        self.text = text
        self.pieces = pieces
    }

    /// The template that is nothing but the plain value of a column.
    package init(of column: ColumnName) {
        self.init(text: column.text, pieces: [.value(TemplateValue(column: column, format: nil))])
    }
}

/// One `{column:format}` of a template.
package struct TemplateValue: Sendable {
    package let column: ColumnName
    /// Nil for the plain value.
    package let format: ValueFormat?

    package init(column: ColumnName, format: ValueFormat?) {
        self.column = column
        self.format = format
    }
}

/// A template with its date patterns compiled.
package struct CompiledTemplate: Sendable {
    package enum Piece: Sendable {
        case literal([UInt8])
        /// `dates` is there when the format may be a date pattern.
        case value(TemplateValue, dates: DateTextWriter?)
    }

    package let pieces: [Piece]

    package init(_ template: TextTemplate, names: LocaleNames?, zone: ZoneRules) {
        pieces = template.pieces.map { piece in
            switch piece {
            case .literal(let bytes): return .literal(bytes)
            case .value(let value):
                // A pattern of names without a language is refused once its column is known to hold dates.
                guard let pattern = value.format?.pattern, names != nil || !pattern.needsNames else {
                    return .value(value, dates: nil)
                }
                return .value(value, dates: DateTextWriter(DateWriter(pattern, names: names), zone: zone))
            }
        }
    }

    package var values: [TemplateValue] {
        pieces.compactMap { if case .value(let value, _) = $0 { value } else { nil } }
    }

    /// The column whose plain value is all of the text; nil when there is more to it.
    package var plainColumn: ColumnName? {
        guard pieces.count == 1, let value = values.first, value.format == nil else { return nil }
        return value.column
    }
}
