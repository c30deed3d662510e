import DaybookCore

extension StageTable {
    /// Every stage that ships with Daybook, alphabetically.
    public static let builtIn = StageTable([
        BuildMonthCalendar.self,
        CheckRows.self,
        CountDDays.self,
        CountStreaks.self,
        DeduplicateRows.self,
        DeriveColumns.self,
        DifferenceSnapshots.self,
        ExportCSV.self,
        ExportHTML.self,
        ExportICS.self,
        ExportJSON.self,
        ExportSqlite.self,
        ExportUserDefaults.self,
        FilterRows.self,
        FormatText.self,
        ImportCoreData.self,
        ImportCSV.self,
        ImportJSON.self,
        ImportSqlite.self,
        ImportUserDefaults.self,
        ListAnniversaries.self,
        NormaliseDates.self,
        RenameColumns.self,
        SelectColumns.self,
        SortRows.self,
        SplitDays.self,
        SplitSections.self,
        SummariseMonthlyEmotions.self,
        ValidateHexColours.self,
    ])
}
