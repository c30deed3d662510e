import DaybookContracts
import DaybookQuality
import DaybookStandard

/// Every rule of `check_rows` that ships with Daybook, and ours.
public enum WordbookRules: RuleSet {
    public static let table = RuleTable(RuleTable.builtIn.rules + [NoUnwanted.self])
}

extension StageTable {
    /// Every stage that ships with Daybook, with our rules, and our stage.
    public static let wordbook = StageTable(
        StageTable.builtIn(checkingBy: WordbookRules.self).stages + [
            CountWords.self, ImportPairs.self, ExportPairs.self, ReadShelf.self, AddToShelf.self,
        ]
    )
}
