/// How rows are written under a key of user defaults.
package struct DefaultsWriteSettings: Sendable {
    package var output = PathText.placeholder
    package var key = ""
    package var format: DefaultsFormat?
    package var formatPlace: SourcePlace?
    package var into: PathText?
    /// Whether a key that is not in `into` is added beside one of nearly its name.
    package var isNew = false
    package var keyPlace: SourcePlace?
    package var replaced = DefaultsReplaced.json
    package var content = DefaultsContent.data
    package var layout = DefaultsLayout.array
    package var layoutPlace: SourcePlace?

    package init() {}
}
