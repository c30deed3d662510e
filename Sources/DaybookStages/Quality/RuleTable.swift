import DaybookCore

/// The kinds of rules that `check_rows` knows.
enum RuleTable {
    static let builtIn: [any CheckRule.Type] = [
        NotMissing.self,
        Unique.self,
        InSet.self,
        Between.self,
        RowCount.self,
    ]

    static var names: [String] { builtIn.map { $0.name } }

    static subscript(name: String) -> (any CheckRule.Type)? { builtIn.first { $0.name == name } }
}
