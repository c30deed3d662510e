/// An element of an XML 1.0 document, with everything escaped that XML would take for its own or does not allow.
struct XMLElement {
    var name: String
    var attributes: [String: String]
    var children: [XMLElement] = []
    var text = ""

    init(_ name: String, _ attributes: [String: String] = [:]) {
        self.name = name
        self.attributes = attributes
    }

    /// The lines of the element, its attributes in one order at every run.
    func lines(indent: String = "") -> [String] {
        let attributes = attributes.sorted { XMLElement.rank($0.key) < XMLElement.rank($1.key) }
            .map { " \($0.key)=\"\(XMLElement.escaped($0.value, isAttribute: true))\"" }.joined()
        let start = "\(indent)<\(name)\(attributes)"
        if children.isEmpty { return [text.isEmpty ? "\(start)/>" : "\(start)>\(XMLElement.escaped(text))</\(name)>"] }
        return ["\(start)>"] + children.flatMap { $0.lines(indent: indent + "  ") } + ["\(indent)</\(name)>"]
    }

    /// The name of a thing first, since a reader looks for it there.
    private static func rank(_ key: String) -> (Int, String) { (key == "name" ? 0 : 1, key) }

    /// Text between tags or in a quoted attribute. Line ends of all kinds become one line feed.
    static func escaped(_ text: String, isAttribute: Bool = false) -> String {
        var result = ""
        var wasReturn = false
        for scalar in text.unicodeScalars {
            defer { wasReturn = scalar == "\r" }
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            // Not only for its own sake: `]]>` may stand in no text.
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n" where wasReturn: break
            // A reader makes a blank of a line end in an attribute, unless it is written so.
            case "\n", "\r": result += isAttribute ? "&#10;" : "\n"
            case "\t": result += isAttribute ? "&#9;" : "\t"
            default: result.unicodeScalars.append(allowed(scalar))
            }
        }
        return result
    }

    /// The scalar, or what is shown for one that XML 1.0 forbids or that steers a terminal.
    private static func allowed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let isNoncharacter = scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
        return isNoncharacter ? "\u{FFFD}" : PrintableText.of(scalar)
    }
}
