/// The parts that drawings have in common.
package enum HTMLDrawing {
    /// Names and what they stand for.
    package static func facts(_ facts: [(String, HTML)]) -> HTML {
        let items = facts.map { fact -> HTML in "<div><dt>\(fact.0)</dt><dd>\(fact.1)</dd></div>" }.joined(
            separator: "\n"
        )
        return "<dl class=\"facts\">\n\(items)\n</dl>\n"
    }

    static func note(_ sentences: [HTML]) -> HTML {
        sentences.isEmpty ? "" : "<p class=\"note\">\(sentences.joined(separator: " "))</p>\n"
    }
}

extension String {
    /// With a capital at its beginning, for a heading.
    var firstRaised: String { prefix(1).uppercased() + dropFirst() }
}
