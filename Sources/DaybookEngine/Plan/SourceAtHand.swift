import DaybookCore

/// A source whose records are at hand in another way than as the files of its paths: given by a test, or replayed.
package protocol SourceAtHand: ReadingNode {
    /// Gets ready, and learns the columns. Sources that findings may name are added to `archive`.
    func open(_ archive: SourceArchive, _ settings: RunSettings) throws(DaybookError) -> any InputAtHand
}

extension SourceAtHand {
    package var paths: [PathText] { [] }
}

/// What a held source gives to a run.
package protocol InputAtHand: AnyObject, Sendable {
    var schema: Schema { get }
    /// The columns that the options name and no record has.
    var missing: [DaybookError] { get }
    /// Where the columns are named; nil where that is in no text.
    var header: SourcePlace? { get }
    /// The files that were read all the same, as the manifest lists them.
    var files: [RunInputs.File] { get }
    /// What is odd about the source as a whole.
    func warnings(of stage: PlannedStage) -> [RenderedFinding]
    /// Makes the readers, once the columns that are needed are known.
    func makeReaders(for schema: Schema, _ archive: SourceArchive) throws(DaybookError)
    func feed(morselSize: Int) -> any SourceItemFeed
}

extension InputAtHand {
    package var missing: [DaybookError] { [] }
    package var header: SourcePlace? { nil }
    package var files: [RunInputs.File] { [] }
    package func warnings(of stage: PlannedStage) -> [RenderedFinding] { [] }
}
