import DaybookPages

/// Frames pages: the head, what the page is about, links to its sections, what it holds, and the foot.
package enum PageFrame {
    /// - Parameters:
    ///   - kicker: what kind of page it is, above its heading.
    ///   - isData: whether the heading is a name from the data, in no known language.
    ///   - below: what stands below the heading.
    ///   - links: items that lead to the sections; none for a page without contents.
    package static func markup(
        title: String,
        sheet: String,
        kicker: HTML,
        heading: HTML,
        isData: Bool = false,
        below: HTML = "",
        links: [HTML] = [],
        main: HTML,
        foot: HTML
    ) -> HTML {
        """
        \(PageHead.markup(title: title, sheet: sheet))<header>
        <p class="kicker">\(kicker)</p>
        <h1\(" lang=\"\"", if: isData)>\(heading)</h1>
        \(below)</header>
        \(PageParts.contents(links), if: !links.isEmpty)<main>
        \(main)</main>
        <footer>\(foot)</footer>
        </body>
        </html>

        """
    }
}
