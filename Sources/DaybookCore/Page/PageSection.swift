/// A section of a page, to which the contents of the page lead.
package struct PageSection {
    package let id: String
    package let heading: String
    /// With the element that has the id; empty for a section that has nothing to tell.
    package let markup: HTML

    package var isEmpty: Bool { markup.isEmpty }

    package var link: HTML { "<li><a href=\"#\(id)\">\(heading)</a></li>" }

    /// - Parameter body: what stands below the heading; empty for a section that has nothing to tell and is left out.
    package init(id: String, heading: String, body: HTML) {
        let whole: HTML = """
            <section id="\(id)" aria-labelledby="\(id)-h">
            <h2 id="\(id)-h">\(heading)</h2>
            \(body)</section>

            """
        self.init(id: id, heading: heading, whole: body.isEmpty ? "" : whole)
    }

    /// - Parameter whole: with the element that has the id.
    package init(id: String, heading: String, whole: HTML) { (self.id, self.heading, markup) = (id, heading, whole) }
}
