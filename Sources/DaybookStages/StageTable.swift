import DaybookCore

extension StageTable {
    /// Every stage that ships with Daybook, alphabetically.
    public static let builtIn = StageTable([
        ExportCSV.self,
        ImportCSV.self,
        ImportJSON.self,
        RenameColumns.self,
        SelectColumns.self,
        SortRows.self,
        SummariseMonthlyEmotions.self,
        ValidateHexColours.self,
    ])
}
