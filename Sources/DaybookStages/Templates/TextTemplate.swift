import DaybookCore

/// A text with places for the values of a row, such as `기온 | {main.temp:.1f} ℃`, cut into its pieces.
///
/// `{{` and `}}` stand for braces. A name ends at the first colon, and what follows is the format, so a column whose name
/// holds a colon or a brace has to be renamed first.
struct TextTemplate: OptionValue {
    enum Piece: Sendable {
        case literal([UInt8])
        case value(TemplateValue)
    }

    let text: String
    let pieces: [Piece]

    static let kind = OptionKind.text
    static var placeholder: TextTemplate { TextTemplate(text: "", pieces: []) }
    var written: String { text.written }

    /// The most bytes a template may have. A batch of the shortest rows then still makes less than 4 GiB of text.
    private static let longest = 4_096

    private init(text: String, pieces: [Piece]) {
        self.text = text
        self.pieces = pieces
    }

    /// The template that is nothing but the plain value of a column.
    init(of column: ColumnName) {
        self.init(text: column.text, pieces: [.value(TemplateValue(column: column, format: nil))])
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else {
            throw node.expected("a template", hint: "write text such as \"{name}: {temp:.1f}\"")
        }
        guard text.utf8.count <= Self.longest else {
            throw DaybookError("bad-template", "a template may have \(Self.longest) bytes at most", at: node.place)
        }
        self.text = text
        var scanner = TemplateScanner(node, text)
        pieces = try scanner.pieces()
    }
}

/// One `{column:format}` of a template.
struct TemplateValue: Sendable {
    let column: ColumnName
    /// Nil for the plain value.
    let format: ValueFormat?
}

/// A template with its date patterns compiled.
struct CompiledTemplate: Sendable {
    enum Piece: Sendable {
        case literal([UInt8])
        /// `dates` is there when the format may be a date pattern.
        case value(TemplateValue, dates: DateTextWriter?)
    }

    let pieces: [Piece]

    init(_ template: TextTemplate, names: LocaleNames?, zone: ZoneRules) {
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

    var values: [TemplateValue] {
        pieces.compactMap { if case .value(let value, _) = $0 { value } else { nil } }
    }

    /// The column whose plain value is all of the text; nil when there is more to it.
    var plainColumn: ColumnName? {
        guard pieces.count == 1, let value = values.first, value.format == nil else { return nil }
        return value.column
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

/// What templates write dates with: the names of one language, and the job's time zone for instants.
struct TemplateLanguage: Sendable {
    private let names: LocaleNames?
    private let timezone: String?
    private let zone: ZoneRules

    /// Reads the option `locale`, which has the same meaning in every stage with templates.
    init(reading options: inout OptionReader) {
        let locale: String? = options.optional("locale", help: "Whose names of months and weekdays are written: ko_KR.")
        names = locale.flatMap { LocaleNames.named($0, reading: &options) }
        timezone = options.context.timezone
        // Without a zone the check of the columns lets no template write instants by a pattern.
        zone = timezone.flatMap { ZoneRules(named: $0) } ?? .utc
    }

    func compile(_ template: TextTemplate) -> CompiledTemplate {
        CompiledTemplate(template, names: names, zone: zone)
    }

    /// Refuses a template with a column that is not there, or with a format that its column does not take.
    func check(_ template: CompiledTemplate, in schema: Schema) throws(DaybookError) {
        for value in template.values {
            guard let field = try schema.requiring(value.column) else { continue }
            try value.format?.check(field.kind, of: value.column, timezone: timezone, hasNames: names != nil)
        }
    }
}
