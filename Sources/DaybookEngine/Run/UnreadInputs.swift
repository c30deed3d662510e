/// The inputs of a source of which no file is read: none is there, or all were taken before. There are columns and no rows.
final class UnreadInputs: OpenedInputs, Sendable {
    let schema: Schema
    let missing: [DaybookError]
    let header: SourcePlace?
    /// Whether there is no file, so that the options alone tell the columns.
    let isAbsent: Bool

    /// The columns that the options of the source declare, as no file tells them.
    init(declaredBy source: SourceKind) {
        schema = Schema(source.declaredSchema.fields)
        (missing, header, isAbsent) = ([], nil, true)
    }

    /// The columns of a file that is not read.
    init(columnsOf opened: any OpenedInputs) {
        (schema, missing, header, isAbsent) = (opened.schema, opened.missing, opened.header, false)
    }

    func feed(
        _ schema: Schema,
        morselSize: Int,
        _ registry: SourceRegistry
    ) throws(DaybookError) -> any SourceItemFeed { StoreFeed([], batchSize: morselSize) }

    func parts(of size: Int, _ registry: SourceRegistry) throws(DaybookError) -> [InputPart] { [] }
}
