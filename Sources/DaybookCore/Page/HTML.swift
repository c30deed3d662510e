/// Markup, written as a literal: what is put into it is escaped, unless it is markup itself.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
    package private(set) var text: String

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += HTMLText.escaped(value.description)
        }

        package mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

        /// Markup that stands there only sometimes, such as an attribute.
        package mutating func appendInterpolation(_ markup: HTML, if isThere: Bool) {
            if isThere { text += markup.text }
        }

        /// What no row and no job has written, and a page takes as it is.
        package mutating func appendInterpolation(own text: String) { self.text += text }
    }

    package init(stringLiteral value: String) { text = value }
    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package var isEmpty: Bool { text.isEmpty }

    package static func += (markup: inout HTML, other: HTML) { markup.text += other.text }

    package static func + (markup: HTML, other: HTML) -> HTML {
        var markup = markup
        markup += other
        return markup
    }
}

extension Sequence<HTML> {
    package func joined(separator: String = "") -> HTML { "\(own: map(\.text).joined(separator: separator))" }
}

extension ByteOutput {
    package func write(_ markup: HTML) throws(DaybookError) { try write(markup.text) }
}

/// The parts that pages have in common.
package enum PageParts {
    /// Links to the parts of the page; each is an item of a list.
    package static func contents(_ links: [HTML], _ words: PageWords = PageWords()) -> HTML {
        "<nav aria-label=\"\(words("Contents"))\"><ul>\n\(links.joined(separator: "\n"))\n</ul></nav>\n"
    }

    /// A few figures with their labels, and a style where it is not empty.
    package static func tiles(_ tiles: [(label: String, value: String, style: String)]) -> HTML {
        let items = tiles.map { tile -> HTML in
            let style: HTML = " class=\"\(tile.style)\""
            return "<div><dt>\(tile.label)</dt><dd\(style, if: !tile.style.isEmpty)>\(tile.value)</dd></div>"
        }
        return "<dl class=\"tiles\">\n\(items.joined(separator: "\n"))\n</dl>\n"
    }
}
