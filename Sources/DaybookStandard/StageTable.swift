import DaybookApple
import DaybookCalendars
import DaybookDelimited
import DaybookJSON
import DaybookPages
import DaybookQuality
import DaybookSQLite
import DaybookStages

extension StageTable {
    /// Every stage that ships with Daybook, alphabetically.
    public static let builtIn = builtIn(checkingBy: BuiltInRules.self)

    /// The same stages, whose `check_rows` knows the rules of a package that adds some.
    public static func builtIn<Rules: RuleSet>(checkingBy: Rules.Type) -> StageTable {
        StageTable([
            BuildMonthCalendar.self,
            CastColumns.self,
            CheckRows<Rules>.self,
            CleanText.self,
            CountDDays.self,
            CountStreaks.self,
            DeduplicateRows.self,
            DeriveColumns.self,
            DifferenceSnapshots.self,
            ExplodeRows.self,
            ExportCSV.self,
            ExportHTML.self,
            ExportICS.self,
            ExportJSON.self,
            ExportSqlite.self,
            ExportUserDefaults.self,
            FillMissing.self,
            FilterRows.self,
            FormatText.self,
            ImportCoreData.self,
            ImportCSV.self,
            ImportFixedWidth.self,
            ImportJSON.self,
            ImportSqlite.self,
            ImportUserDefaults.self,
            JoinRows.self,
            ListAnniversaries.self,
            NestRows.self,
            NormaliseDates.self,
            PivotRows.self,
            RenameColumns.self,
            SelectColumns.self,
            SortRows.self,
            SplitDays.self,
            SplitSections.self,
            SummariseMonthlyEmotions.self,
            SummariseRows.self,
            UnionRows.self,
            UnpivotRows.self,
            ValidateHexColours.self,
            WindowRows.self,
        ])
    }
}
