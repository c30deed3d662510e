import DaybookCore

/// How rows are written under a key of user defaults.
package struct DefaultsWriteSettings: Sendable {
    package let output: PathText
    package let key: String
    package let format: DefaultsFormat?
    package let formatPlace: SourcePlace?
    package let into: PathText?
    /// Whether a key that is not in `into` is added beside one of nearly its name.
    package let isNew: Bool
    package let keyPlace: SourcePlace?
    package let replaced: DefaultsReplaced
    package let content: DefaultsContent
    package let layout: DefaultsLayout
    package let layoutPlace: SourcePlace?

    package init(
        output: PathText,
        key: String,
        format: DefaultsFormat?,
        formatPlace: SourcePlace?,
        into: PathText?,
        isNew: Bool,
        keyPlace: SourcePlace?,
        replaced: DefaultsReplaced,
        content: DefaultsContent,
        layout: DefaultsLayout,
        layoutPlace: SourcePlace?
    ) {
        self.output = output
        self.key = key
        self.format = format
        self.formatPlace = formatPlace
        self.into = into
        self.isNew = isNew
        self.keyPlace = keyPlace
        self.replaced = replaced
        self.content = content
        self.layout = layout
        self.layoutPlace = layoutPlace
    }
}
