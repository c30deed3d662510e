/// The rows of one side of a stage, as they come.
package struct BuildSideBuffer {
    /// How many bytes a side may take in memory, where it is looked things up in.
    private static let memoryLimit = 1 << 30

    package private(set) var batches: [Batch] = []
    private var footprint = 0

    package mutating func append(_ batch: Batch, of stage: PlannedStage) throws(DaybookError) {
        guard batch.count > 0 else { return }
        footprint += batch.footprint
        guard footprint <= BuildSideBuffer.memoryLimit else {
            throw DaybookError.machine(
                "lookup-too-large",
                "what '\(stage.id)' looks things up in takes more than 1 GiB of memory",
                hint: "leave out columns that are not needed with select_columns, or read the larger table as the rows"
            ).located(at: stage.place)
        }
        batches.append(batch)
    }
}
