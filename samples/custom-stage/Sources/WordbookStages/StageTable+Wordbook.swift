import DaybookCore
import DaybookStages

extension StageTable {
    /// Every stage that ships with Daybook, and ours.
    public static let wordbook = StageTable(StageTable.builtIn.stages + [CountWords.self])
}
