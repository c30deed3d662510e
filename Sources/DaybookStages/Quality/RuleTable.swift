/// The kinds of rules that a `check_rows` knows, in the order in which help lists them.
public struct RuleTable: Sendable {
    public let rules: [any CheckRule.Type]

    public init(_ rules: [any CheckRule.Type]) { self.rules = rules }

    public var names: [String] { rules.map { $0.name } }

    public subscript(name: String) -> (any CheckRule.Type)? { rules.first { $0.name == name } }

    /// Every rule that ships with Daybook.
    public static let builtIn = RuleTable([
        // One value at a time.
        NotMissing.self,
        InSet.self,
        NotInSet.self,
        Between.self,
        Length.self,
        Matches.self,
        NotMatches.self,
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
        Decreasing.self,
        ConsistentKind.self,
        Outliers.self,
        // All rows together.
        RowCount.self,
        Freshness.self,
        NoGaps.self,
        ContainsAll.self,
        Distinct.self,
        Sum.self,
        Mean.self,
        Median.self,
        Quantile.self,
        Deviation.self,
        Share.self,
        MissingShare.self,
        Columns.self,
    ])
}

/// The rules of a `CheckRows`, named by a type, since a table knows a stage by its type alone.
///
/// A package that adds rules has one with `RuleTable(RuleTable.builtIn.rules + [Mine.self])`, and its stages are
/// `StageTable.builtIn(checkingBy:)`.
public protocol RuleSet: Sendable {
    static var table: RuleTable { get }
}

/// The rules that ship with Daybook.
public enum BuiltInRules: RuleSet {
    public static var table: RuleTable { .builtIn }
}
