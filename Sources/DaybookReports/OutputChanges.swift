import DaybookEngine
import DaybookPages

/// What a dry run would change in one output.
public struct OutputChanges: Sendable {
    public enum Kind: String, Sendable {
        /// There is no such file yet.
        case new
        /// Byte for byte as it is.
        case same
        /// Other bytes for the same rows.
        case sameRows = "same_rows"
        case changed
    }

    /// Path of the output, masked; with the part of it, such as a key, where several stages write one.
    public var name: String
    public var kind: Kind
    public var lines: [String]
    /// Rows that would come, go and change; nil where rows are not compared.
    public var rows: JSONValue?

    public init(_ name: String, _ kind: Kind, _ lines: [String], _ rows: JSONValue? = nil) {
        (self.name, self.kind, self.lines, self.rows) = (name, kind, lines, rows)
    }

    var json: JSONValue {
        JSONValue(withoutNulls: ["output": .text(name), "kind": .text(kind.rawValue), "rows": rows ?? .null])
    }
}

extension RunReport {
    /// `nothing was written; out/p.plist would change, and out/q.plist would be new`.
    var foretold: String? {
        guard isDry else { return nil }
        let words: [(OutputChanges.Kind, String)] = [
            (.changed, "would change"), (.new, "would be new"), (.sameRows, "would have the same rows in other bytes"),
            (.same, "would stay as they are"),
        ]
        let parts = words.compactMap { kind, words -> String? in
            let names = changes.filter { $0.kind == kind }.map(\.name)
            guard !names.isEmpty else { return nil }
            let shown = names.count > 3 ? "\(DisplayText.count(names.count)) outputs" : DisplayText.list(names)
            return "\(shown) \(names.count == 1 ? words.replacing("they are", with: "it is") : words)"
        }
        return "a dry run, so nothing was written" + (parts.isEmpty ? "" : "; " + parts.joined(separator: ", "))
    }
}

/// What a dry run would change, for people.
struct ChangesText {
    let run: RunReport
    let style: TerminalStyle

    func lines() -> [String] {
        run.changes.filter { $0.kind != .same }.flatMap { change -> [String] in
            guard change.rows == nil else { return change.lines.map(style.prose) }
            return ["\(PrintableText.of(change.name)): \(change.lines.joined(separator: " "))"].map(style.prose)
        }
    }

    /// The same on a page.
    var markup: HTML {
        let items: [HTML] = run.changes.map { change in
            "<h3>\(RunPage.text(change.name))</h3>\n<pre class=\"changes\">\(change.lines.map { "\(RunPage.text($0))\n" as HTML }.joined())</pre>\n"
        }
        return items.joined()
    }
}
