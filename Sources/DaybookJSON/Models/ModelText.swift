import DaybookDates

/// A model as the options of importers and exporters, in YAML.
package struct ModelText {
    /// Deeper objects are written as JSON.
    private static let deepest = 6

    private struct Line {
        var key: String
        var column: String
        var field: String
        var note: String?
    }

    private let model: SwiftModel
    private let source: SwiftSource
    private let type: String
    private let dates: CodableDates
    private var lines: [Line] = []
    private var rules: [(column: String, values: [String])] = []
    private var notes: [String] = []

    /// - Parameter type: the type as it was asked for, such as `[Todo]`.
    package init(_ type: String, of source: SwiftSource, dates: CodableDates) throws(DaybookError) {
        model = try source.model(of: type)
        (self.source, self.type, self.dates) = (source, type, dates)
        guard case .type(let number) = model.root.innermost, case .record(let fields) = model.types[number].form else {
            let hint = "name a struct, such as \(source.outermost.first ?? "Todo")"
            throw DaybookError("swift-model", "'\(type)' is no record with fields", hint: hint)
        }
        add(fields, to: "", isOptional: false, within: [number])
        for name in model.types[number].fixed {
            notes.append("'\(name)' is a 'let' with a value: it is written by the app, and never read")
        }
    }

    private mutating func add(_ fields: [SwiftModel.Field], to outer: String, isOptional: Bool, within: [Int]) {
        for field in fields {
            var (shape, isOptional) = (field.shape, isOptional)
            while case .optional(let inner) = shape { (shape, isOptional) = (inner, true) }
            let key = outer + field.key
            if case .type(let number) = shape, case .record(let inner) = model.types[number].form, !inner.isEmpty,
                !within.contains(number), within.count < ModelText.deepest,
                !inner.contains(where: { $0.key.contains(".") })
            {
                add(inner, to: key + ".", isOptional: isOptional, within: within + [number])
                continue
            }
            let (column, kind, note) = words(for: shape, key)
            if field.key.contains(".") {
                notes.append("'\(key)' has a dot in its own name: write 'nest: false', and no fields inside others")
            }
            lines.append(Line(key: key, column: column, field: kind + (isOptional ? "?" : ""), note: note))
        }
    }

    /// The kinds of the column and of the field, and what they do not say.
    private mutating func words(for shape: SwiftModel.Shape, _ key: String) -> (String, field: String, note: String?) {
        switch shape {
        case .text: return ("text", "text", nil)
        case .flag: return ("flag", "flag", nil)
        case .date: return (dates == .iso ? "text" : "instant", "date", dates == .iso ? "an instant" : nil)
        case .url, .uuid: return ("text", "text", model.name(shape))
        case .data: return ("text", "text", "Data, as base64")
        case .decimal: return ("decimal", "decimal", "Decimal: digits behind the seventeenth are lost")
        case .float: return ("decimal", "decimal", "Float")
        case .double: return ("decimal", "decimal", nil)
        case .integer(true, let bits) where bits == 0 || bits == 64: return ("integer", "integer", nil)
        case .integer: return ("integer", "integer", model.name(shape))
        case .optional, .array, .dictionary: return ("json", "json", model.name(shape))
        case .type(let number):
            let name = model.types[number].name
            switch model.types[number].form {
            case .words(let words):
                rules.append((key, words))
                return ("text", "text", "\(name): \(words.joined(separator: ", "))")
            case .numbers(_, let numbers):
                return ("integer", "integer", "\(name): \(numbers.map(String.init).joined(separator: ", "))")
            case .cases(let cases):
                return ("json", "json", "\(name): {\"\(cases.first?.key ?? "")\": {…}}")
            case .record: return ("json", "json", name)
            }
        }
    }

    /// The text that a person pastes into a job.
    package var yaml: String {
        let others = source.models.filter { $0 != type }
        var text = "# \(type) of \(source.name)\n"
        if !others.isEmpty { text += "# also there: \(others.joined(separator: ", "))\n" }
        for note in notes { text += "# \(note)\n" }
        text += "\n# import_user_defaults, and import_json without 'dates'\n"
        if dates != .iso, lines.contains(where: { $0.column == "instant" }) { text += "dates: \(dates.rawValue)\n" }
        text += "columns:\n" + list { $0.column }
        text += "\n# export_user_defaults, and export_json\ndates: \(dates.rawValue)\n"
        text += "fields:\n" + list { $0.field }
        let whole = type.hasPrefix("[") ? type : "[\(type)]"
        text += "model: { file: \(ModelText.quoted(source.name)), type: \(ModelText.quoted(whole)) }\n"
        guard !rules.isEmpty else { return text }
        text += "\n# check_rows before the export\nrules:\n"
        for rule in rules {
            let values = rule.values.map(ModelText.quoted).joined(separator: ", ")
            text += "  - in_set: { column: \(ModelText.quoted(rule.column)), values: [\(values)] }\n"
        }
        return text
    }

    private func list(_ kind: (Line) -> String) -> String {
        let written = lines.map { "  \(ModelText.quoted($0.key)): \(kind($0))" }
        let width = written.map { Prose.width(of: $0) }.max() ?? 0
        return zip(lines, written).map { line, text in
            guard let note = line.note else { return text + "\n" }
            return text + String(repeating: " ", count: width - Prose.width(of: text)) + "  # \(note)\n"
        }.joined()
    }

    /// Text that YAML reads as this text.
    private static func quoted(_ text: String) -> String {
        let words: Set<String> = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        let isPlain =
            text.utf8.first.map { (65...90).contains($0 & 0xDF) } ?? false
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0 & 0xDF) || $0 == 0x2E || $0 == 0x5F
            }
        if isPlain, !words.contains(text.lowercased()) { return text }
        let bytes = Bytes()
        bytes.append(jsonString: text)
        return bytes.text(0..<bytes.count)
    }
}
