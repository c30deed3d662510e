import DaybookCore

/// How rows are written as JSON.
package struct JSONWriteSettings: Sendable {
    package enum Layout: String, CaseIterable, BitwiseCopyable, Sendable { case array, lines, object }

    package let layout: Layout
    package let pretty: Bool
    package let nest: Bool
    /// How deep the braces of a row are indented.
    package let rowDepth: Int

    package init(
        layout: Layout,
        pretty: Bool,
        nest: Bool,
        rowDepth: Int
    ) {
        self.layout = layout
        self.pretty = pretty
        self.nest = nest
        self.rowDepth = rowDepth
    }
}
