import DaybookBytes

/// The text of a job with its comments, line by line.
struct JobText {
    private struct Line {
        var text: String
        var comment: String?
    }

    private var lines: [Line] = []
    /// How wide comments of their own lines become.
    private static let width = 100
    /// A longer comment stands above its line.
    private static let longestBeside = 72
    /// Comments beside lines do not stand further right than this for the sake of one long line.
    private static let furthest = 44

    mutating func add(_ text: String, _ comment: String? = nil) {
        guard let comment else { return lines.append(Line(text: text)) }
        let clean = CommentText.of(comment)
        if Prose.width(of: clean) > JobText.longestBeside {
            remark(clean, indent: text.prefix { $0 == " " }.count)
            lines.append(Line(text: text))
        } else {
            lines.append(Line(text: text, comment: clean))
        }
    }

    mutating func blank() { lines.append(Line(text: "")) }

    /// Comments on lines of their own, broken between words.
    mutating func remark(_ text: String, indent: Int = 0) {
        let start = String(repeating: " ", count: indent) + "#"
        var line = start
        for word in CommentText.of(text).split(separator: " ") {
            if line != start, Prose.width(of: line) + Prose.width(of: String(word)) + 1 > JobText.width {
                lines.append(Line(text: line))
                line = start
            }
            line += " " + word
        }
        lines.append(Line(text: line))
    }

    /// One option, with the values to choose from where there are several.
    mutating func add(_ option: SuggestedOption, indent: Int) {
        let margin = String(repeating: " ", count: indent)
        let key = YAMLScalar.key(option.key)
        if !option.others.isEmpty { remark("choose one:", indent: indent) }
        switch option.value {
        case .map(let entries) where !entries.isEmpty:
            add("\(margin)\(key):", option.reason)
            for entry in entries { add(entry, indent: indent + 2) }
        case .list(let values) where Prose.width(of: YAMLScalar.of(option.value)) + indent > 80:
            add("\(margin)\(key):", option.reason)
            for value in values { add("\(margin)  - \(YAMLScalar.of(value))") }
        default: add("\(margin)\(key): \(YAMLScalar.of(option.value))", option.reason)
        }
        for other in option.others {
            add("\(margin)# \(key): \(YAMLScalar.of(other.value))", other.reason)
        }
    }

    /// The whole text; comments of neighbouring lines stand under each other.
    var text: String {
        var result = ""
        var index = 0
        while index < lines.count {
            guard lines[index].comment != nil else {
                result += lines[index].text + "\n"
                index += 1
                continue
            }
            var end = index
            while end < lines.count, lines[end].comment != nil { end += 1 }
            let widths = lines[index..<end].map { Prose.width(of: $0.text) }
            let column = widths.filter { $0 <= JobText.furthest }.max() ?? 0
            for (line, width) in zip(lines[index..<end], widths) {
                let gap = String(repeating: " ", count: max(0, column - width) + 2)
                result += "\(line.text)\(gap)# \(line.comment ?? "")\n"
            }
            index = end
        }
        return result
    }
}
