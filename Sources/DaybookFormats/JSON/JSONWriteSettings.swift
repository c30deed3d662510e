/// How rows are written as JSON.
package struct JSONWriteSettings: Sendable {
    package enum Layout: String, CaseIterable, BitwiseCopyable, Sendable { case array, lines, object }

    package var layout = Layout.array
    package var pretty = false
    package var nest = false
    /// How deep the braces of a row are indented.
    package var rowDepth: Int { pretty && layout == .array ? 1 : 0 }

    package init() {}
}
