import DaybookDates

/// A text with places for the values of a row, such as `기온 | {main.temp:.1f} ℃`, cut into its pieces.
///
/// `{{` and `}}` are literal braces. A name ends at the first colon, and the format follows, so a column whose name has
/// a colon or a brace must be renamed first.
package struct TextTemplate: Sendable {
    package enum Piece: Sendable {
        case literal([UInt8])
        case value(TemplateValue)
    }

    package let text: String
    package let pieces: [Piece]
}

/// One `{column:format}` of a template.
package struct TemplateValue: Sendable {
    package let column: ColumnName
    /// Nil for the plain value.
    package let format: ValueFormat?
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
                // A pattern with names but no language is refused once its column is known to have dates.
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

    /// The column whose plain value is the whole text; nil for any other template.
    package var plainColumn: ColumnName? {
        guard pieces.count == 1, let value = values.first, value.format == nil else { return nil }
        return value.column
    }
}

extension TextTemplate: OptionValue {
    package static let kind = OptionKind.text
    package static var placeholder: TextTemplate { TextTemplate(text: "", pieces: []) }
    package var written: String { text.written }

    /// The limit of a template in bytes. A batch of the shortest rows then still makes less than 4 GiB of text.
    private static let longest = 4_096

    /// The template that is nothing but the plain value of a column.
    package init(of column: ColumnName) {
        self.init(text: column.text, pieces: [.value(TemplateValue(column: column, format: nil))])
    }

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

/// Cuts a template into pieces, and knows the place of each in the job.
private struct TemplateScanner {
    private let scalars: [Unicode.Scalar]
    private let node: OptionNode
    /// The place of the first character, if the scalar is written as it reads: without escapes, on one line, and with
    /// nothing filled in. Otherwise mistakes are reported at the whole scalar.
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
                throw mistake("a '}' closes nothing", position..<position + 1, hint: "write '}}' for the text '}'")
            }
            if !literal.isEmpty { pieces.append(.literal(Array(literal.utf8))) }
            literal = ""
            pieces.append(.value(try value()))
        }
        if !literal.isEmpty { pieces.append(.literal(Array(literal.utf8))) }
        return pieces
    }

    /// Reads the content of braces, and moves behind it.
    private mutating func value() throws(DaybookError) -> TemplateValue {
        let open = position
        let end = scalars[(open + 1)...].firstIndex { $0 == "}" || $0 == "{" }
        guard let end, scalars[end] == "}" else {
            throw mistake("a '{' is never closed", open..<open + 1, hint: "write '{{' for the text '{'")
        }
        position = end + 1
        let colon = scalars[open..<end].firstIndex(of: ":") ?? end
        guard colon > open + 1 else {
            let hint = "write {name} for the value of column 'name', or '{{' for the text '{'"
            throw mistake("the braces name no column", open..<end + 1, hint: hint)
        }
        let column = ColumnName(text(open + 1..<colon), at: place(open + 1..<colon))
        guard colon < end else { return TemplateValue(column: column, format: nil) }
        return TemplateValue(column: column, format: try ValueFormat(text(colon + 1..<end), at: place(colon + 1..<end)))
    }

    private func text(_ range: Range<Int>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars[range])
        return text
    }
}

extension Finding.Kind {
    package static let textTooLong = Finding.Kind(
        "text-too-long",
        "the text of the template would be longer than 1 MiB"
    )
}

/// The text after the colon of `{column:format}`.
///
/// Days and instants take a date pattern, everything else a field format. Which of the two applies, `d` for a whole
/// number or `d` for the day of the month, is known once the column is.
package struct ValueFormat: Sendable {
    package let text: String
    package let place: SourcePlace
    private let asField: Result<FieldFormat, FieldFormat.Problem>
    private let asPattern: Result<DatePattern, DatePattern.Problem>

    package var field: FieldFormat? { try? asField.get() }
    package var pattern: DatePattern? { try? asPattern.get() }

    package init(_ text: String, at place: SourcePlace) throws(DaybookError) {
        self.text = text
        self.place = place
        asField = Result { () throws(FieldFormat.Problem) in try FieldFormat(text) }
        asPattern = Result { () throws(DatePattern.Problem) in try DatePattern(text) }
        guard case .failure(let field) = asField, case .failure(let pattern) = asPattern else { return }
        guard field.isOfForm else { throw refusal(field.message, hint: field.hint) }
        let message = "'\(text)' is neither a format of numbers and text nor a date pattern"
        throw refusal(message, hint: Self.isMeantForDays(text) ? pattern.hint : field.hint ?? Self.hint)
    }

    /// Whether letters of a date are doubled in it, as in `YYYY-ww`.
    private static func isMeantForDays(_ text: String) -> Bool {
        zip(text, text.dropFirst()).contains { $0 == $1 && "yYMdDHhmsEw".contains($0) }
    }

    package static let hint =
        ".1f writes one decimal, 8 makes the text eight characters wide, and days take patterns such as yyyy-MM-dd"

    /// Refuses a format that values of `kind` do not take.
    package func check(_ kind: ColumnKind, of column: ColumnName, timezone: String?, hasNames: Bool)
        throws(DaybookError)
    {
        switch kind {
        case .day, .instant: try checkPattern(kind, of: column, timezone, hasNames)
        case .text, .json, .flag, .integer, .decimal:
            if case .failure(let problem) = asField { throw refusal(problem.message, hint: problem.hint) }
            if let problem = field?.problem(with: kind) {
                throw refusal("\(problem.message), and column '\(column)' holds \(kind.rawValue)", hint: problem.hint)
            }
        }
    }

    private func checkPattern(
        _ kind: ColumnKind,
        of column: ColumnName,
        _ timezone: String?,
        _ hasNames: Bool
    ) throws(DaybookError) {
        if case .failure(let problem) = asPattern { throw refusal(problem.message, hint: problem.hint) }
        if kind == .day, pattern?.hasTime == true {
            throw refusal("the pattern '\(text)' writes a time, and column '\(column)' holds days", hint: nil)
        }
        if pattern?.needsNames == true, !hasNames {
            let hint = "add 'locale: ko_KR'"
            throw refusal("the pattern '\(text)' writes names, and no 'locale' says in which language", hint: hint)
        }
        if kind == .instant, timezone == nil {
            let message = "the job needs a 'timezone' because column '\(column)' holds instants"
            let hint = "add a line such as 'timezone: Asia/Seoul' at the top of the job"
            throw DaybookError("missing-timezone", message, at: place, hint: hint)
        }
    }

    private func refusal(_ message: String, hint: String?) -> DaybookError {
        DaybookError("bad-template", message, at: place, hint: hint)
    }
}

/// The language of dates in templates: the names of one language, and the job's time zone for instants.
package struct TemplateLanguage: Sendable {
    private let names: LocaleNames?
    private let timezone: String?
    private let zone: ZoneRules

    /// Reads the option `locale`, which has the same meaning in every stage with templates.
    package init(reading options: inout OptionReader) {
        let locale: String? = options.optional("locale", help: "Whose names of months and weekdays are written: ko_KR.")
        names = locale.flatMap { LocaleNames.named($0, reading: &options) }
        timezone = options.context.timezone
        // Without a zone the check of the columns lets no template write instants by a pattern.
        zone = timezone.flatMap { ZoneRules(named: $0) } ?? .utc
    }

    package func compile(_ template: TextTemplate) -> CompiledTemplate {
        CompiledTemplate(template, names: names, zone: zone)
    }

    /// Refuses a template with a missing column, or with a format that its column does not take.
    package func check(_ template: CompiledTemplate, in schema: Schema) throws(DaybookError) {
        for value in template.values {
            guard let field = try schema.requiring(value.column) else { continue }
            try value.format?.check(field.kind, of: value.column, timezone: timezone, hasNames: names != nil)
        }
    }
}

/// Fills in one template for all rows of a batch.
///
/// Each value of the template first becomes a column of text in a loop for its kind; then the lengths are added up, and
/// the bytes are copied, column by column.
package struct TemplateWriter {
    /// The content of one piece in a batch.
    private enum Part {
        case literal([UInt8])
        /// `words` replace missing values; without them the whole text is missing.
        case column(TextColumn, words: [UInt8]?)
    }

    /// The most bytes that one text may have.
    package static let longest = 1 << 20
    /// The most bytes that the texts of a batch may have together, for views count in 32 bits.
    private static let mostBytes = 1 << 31

    private let parts: [Part]
    private let rows: Int

    package init(_ template: CompiledTemplate, of batch: Batch, missing: String?) {
        rows = batch.count
        parts = template.pieces.map { piece in
            switch piece {
            case .literal(let bytes): return .literal(bytes)
            case .value(let value, let dates):
                let column = batch[value.column]
                let words = missing.map { Self.words($0, like: column.kind, value.format?.field) }
                return .column(Self.text(of: column, value.format?.field ?? .plain, dates), words: words)
            }
        }
    }

    /// The values of a column as text, as their format has them.
    private static func text(of column: Column, _ field: FieldFormat, _ dates: DateTextWriter?) -> TextColumn {
        switch column {
        case .text(let column), .json(let column): return field.text(of: column)
        case .integers(let values): return field.text(of: values)
        case .decimals(let values): return field.text(of: values)
        case .flags(let values): return field.text(of: words(of: values))
        // Without a pattern a date is written as everywhere else, an instant in UTC.
        case .days(let days) where dates == nil:
            return days.text(longest: ISOText.maximumLength) { ISOText.write(day: $0, to: $1) }
        case .instants(let instants) where dates == nil:
            return instants.text(longest: ISOText.maximumLength) { ISOText.write(instant: $0, to: $1) }
        case .days, .instants:
            guard let text = dates?.text(of: column).text else { preconditionFailure("dates are written as text") }
            return text
        }
    }

    private static func words(of flags: Values<Bool>) -> TextColumn {
        TextColumn(
            Bytes("truefalse"),
            views: flags.elements.map { $0 ? TextView(offset: 0, length: 4) : TextView(offset: 4, length: 5) },
            missing: flags.missing
        )
    }

    /// The words for a missing value, as wide as the value would be.
    private static func words(_ words: String, like kind: ColumnKind, _ field: FieldFormat?) -> [UInt8] {
        var builder = TextColumnBuilder(rows: 1)
        builder.append(words)
        guard var field, kind != .day, kind != .instant else { return Array(words.utf8) }
        if kind == .integer || kind == .decimal { field.alignment = field.alignment ?? .right }
        return field.text(of: builder.build()).withCell(0) { Array($0) }
    }

    /// One text per row. `reject` receives the rows whose text would be too long.
    package func text(_ reject: (_ row: Int) -> Void) -> TextColumn {
        var lengths = [Int](repeating: 0, count: rows)
        var missing: Mask?
        for part in parts { add(part, to: &lengths, &missing) }
        var end = 0
        var views = [TextView](repeating: TextView(offset: 0, length: 0), count: rows)
        for row in 0..<rows where !missing.isMissing(row) {
            if lengths[row] > Self.longest || end + lengths[row] > Self.mostBytes {
                reject(row)
                // A gap, so that nothing is copied.
                missing.insert(row, of: rows)
                continue
            }
            views[row] = TextView(offset: end, length: lengths[row])
            end += lengths[row]
        }
        let bytes = Bytes(capacity: end)
        bytes.count = end
        var cursors = views.map { Int($0.offset) }
        for part in parts { copy(part, to: bytes.mutableBase, &cursors, missing) }
        return TextColumn(bytes, views: views, missing: missing)
    }

    private func add(_ part: Part, to lengths: inout [Int], _ missing: inout Mask?) {
        switch part {
        case .literal(let literal):
            for row in 0..<rows { lengths[row] &+= literal.count }
        case .column(let column, let words):
            column.views.withUnsafeBufferPointer { views in
                for row in 0..<rows { lengths[row] &+= Int(views[row].length) }
            }
            guard let gaps = column.missing else { return }
            for row in 0..<rows where gaps[row] {
                lengths[row] &-= Int(column.views[row].length)
                if let words { lengths[row] &+= words.count } else { missing.insert(row, of: rows) }
            }
        }
    }

    private func copy(_ part: Part, to target: UnsafeMutablePointer<UInt8>, _ cursors: inout [Int], _ missing: Mask?) {
        switch part {
        case .literal(let literal): copy(literal, to: target, &cursors) { missing.isMissing($0) }
        case .column(let column, let words):
            let base = column.bytes.base
            let gaps = column.missing
            column.views.withUnsafeBufferPointer { views in
                for row in 0..<rows where !missing.isMissing(row) && !gaps.isMissing(row) {
                    let length = Int(views[row].length)
                    (target + cursors[row]).update(from: base + Int(views[row].offset), count: length)
                    cursors[row] &+= length
                }
            }
            withExtendedLifetime(column) {}
            guard let words, let gaps else { return }
            copy(words, to: target, &cursors) { missing.isMissing($0) || !gaps[$0] }
        }
    }

    @inline(__always)
    private func copy(
        _ bytes: [UInt8],
        to target: UnsafeMutablePointer<UInt8>,
        _ cursors: inout [Int],
        except isLeftOut: (_ row: Int) -> Bool
    ) {
        bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            for row in 0..<rows where !isLeftOut(row) {
                (target + cursors[row]).update(from: start, count: bytes.count)
                cursors[row] &+= bytes.count
            }
        }
    }
}
