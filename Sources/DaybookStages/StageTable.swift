import DaybookCore

extension StageTable {
    /// Every stage that ships with Daybook, alphabetically.
    public static let builtIn = StageTable([
        BuildMonthCalendar.self,
        CountDDays.self,
        ExportCSV.self,
        ExportHTML.self,
        ExportICS.self,
        ExportJSON.self,
        ExportUserDefaults.self,
        ImportCSV.self,
        ImportJSON.self,
        ImportUserDefaults.self,
        ListAnniversaries.self,
        NormaliseDates.self,
        RenameColumns.self,
        SelectColumns.self,
        SortRows.self,
        SummariseMonthlyEmotions.self,
        ValidateHexColours.self,
    ])
}
