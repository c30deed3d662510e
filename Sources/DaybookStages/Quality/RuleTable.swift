import DaybookCore
import DaybookFormats
import DaybookTables

/// The kinds of rules that `check_rows` knows, in the order in which help lists them.
enum RuleTable {
    static let builtIn: [any CheckRule.Type] = [
        // One value at a time.
        NotMissing.self,
        InSet.self,
        Between.self,
        Length.self,
        Matches.self,
        ReadsAs.self,
        DateFormatRule.self,
        HexColour.self,
        RefersTo.self,
        // Several values of a row.
        Holds.self,
        Implies.self,
        // A row beside others.
        Unique.self,
        Increasing.self,
        ConsistentKind.self,
        // All rows together.
        RowCount.self,
        Freshness.self,
        Sum.self,
        Mean.self,
        Share.self,
        Columns.self,
    ]

    static var names: [String] { builtIn.map { $0.name } }

    static subscript(name: String) -> (any CheckRule.Type)? { builtIn.first { $0.name == name } }
}
