/// A rule that looks something up in another stage, which is read to its end before any row comes.
protocol ReferringRule: CheckRule {
    /// That stage; nil where the rule was written without one.
    var side: BuildSideReference? { get }
    /// What it needs of it.
    var sideColumns: [ColumnName] { get }

    /// Refuses columns that do not fit together. Of the rows that come nothing may be known.
    func check(_ input: Schema?, against side: Schema) throws(DaybookError)
    /// The same rule, which now knows the rows of that stage.
    func knowing(_ side: BuildSide) throws(DaybookError) -> Self
}

/// A stage as an option: `orders`, or `orders.rejects`.
struct StageReference: OptionValue {
    let side: BuildSideReference
    let written: String

    static var kind: OptionKind { .text }
    static var placeholder: StageReference {
        StageReference(side: BuildSideReference("placeholder", at: nil), written: "placeholder")
    }

    private init(side: BuildSideReference, written: String) { (self.side, self.written) = (side, written) }

    init(reading node: OptionNode) throws(DaybookError) {
        let text = node.text ?? ""
        // An id has no dot.
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard !text.isEmpty, parts.count == 1 || (parts.count == 2 && parts[1] == "rejects" && !parts[0].isEmpty) else {
            throw node.expected("the id of a stage, such as orders or orders.rejects")
        }
        side = BuildSideReference(String(parts[0]), readsRejects: parts.count == 2, at: node.place)
        written = text
    }
}
