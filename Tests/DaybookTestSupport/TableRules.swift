import DaybookContracts

/// What every table of stages has to keep to, so that jobs, help and errors read well.
public enum TableRules {
    /// The keys that stand beside a stage in a job, and so cannot name one.
    public static let engineKeys: Set<String> = ["id", "from", "rejects"]

    /// Everything that is wrong with the stages of a table; empty when all is well.
    public static func problems(in table: StageTable) -> [String] {
        var problems: [String] = []
        for (name, stages) in Dictionary(grouping: table.stages, by: { $0.description.name }) where stages.count > 1 {
            problems.append("\(stages.count) stages are named '\(name)'")
        }
        return problems + table.stages.flatMap(self.problems(of:))
    }

    static func problems(of stage: any Stage.Type) -> [String] {
        let description = stage.description
        var problems = nameProblems(stage) + summaryProblems(description.summary)
        let specs = OptionReader.specs(of: stage)
        for spec in specs { problems += optionProblems(spec) }
        for key in Set(specs.map(\.key)).subtracting(optionsShown(in: description.examples))
            .sorted()
        {
            problems.append("no example uses the option '\(key)'")
        }
        if description.examples.isEmpty { problems.append("there is no example") }
        if description.examples.allSatisfy({ $0.refused == nil && $0.findings.isEmpty }) {
            problems.append("no example shows a refusal or a finding")
        }
        let claims = description.examples.map(\.claim)
        for claim in claims where claim.hasSuffix(".") || claim.isEmpty {
            problems.append("the claim '\(claim)' is to be a sentence without its full stop")
        }
        if Set(claims).count < claims.count { problems.append("two examples make the same claim") }
        return problems.map { "\(description.name): \($0)" }
    }

    /// `ValidateHexColours` as `validate_hex_colours`, and `ImportCSV` as `import_csv`.
    public static func snakeCase(_ typeName: String) -> String {
        let letters = Array(typeName)
        var result = ""
        for (index, letter) in letters.enumerated() {
            let beginsWord =
                letter.isUppercase && index > 0
                && (!letters[index - 1].isUppercase || (index + 1 < letters.count && letters[index + 1].isLowercase))
            if beginsWord { result += "_" }
            result += letter.lowercased()
        }
        return result
    }

    /// The name of a stage's type; what a generic one is made for is no part of it.
    public static func typeName(of stage: any Stage.Type) -> String {
        String(String(describing: stage).prefix { $0 != "<" })
    }

    private static func nameProblems(_ stage: any Stage.Type) -> [String] {
        let name = stage.description.name
        let type = typeName(of: stage)
        var problems: [String] = []
        // `CountDDays` is written count_d_days by the same rule as every other type.
        if name != snakeCase(type) {
            problems.append("the type \(stage) is to be named '\(snakeCase(type))'")
        }
        if engineKeys.contains(name) { problems.append("the name is a key of the engine") }
        let isSnakeCase = name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
        if !isSnakeCase || !name.contains("_") { problems.append("a name is a verb and an object in snake case") }
        return problems
    }

    private static func summaryProblems(_ summary: String) -> [String] {
        var problems: [String] = []
        if !summary.hasSuffix(".") || summary.dropLast().contains(". ") || summary.contains("\n") {
            problems.append("the summary is to be one sentence with its full stop")
        }
        if summary.first?.isUppercase != true { problems.append("the summary is to begin with a capital letter") }
        return problems
    }

    private static func optionProblems(_ spec: OptionSpec) -> [String] {
        var problems: [String] = []
        if !spec.help.hasSuffix(".") || spec.help.count < 2 {
            problems.append("the help of '\(spec.key)' is to be a sentence with its full stop")
        }
        if snakeCase(spec.key) != spec.key { problems.append("the option '\(spec.key)' is to be in snake case") }
        if engineKeys.contains(spec.key) { problems.append("the option '\(spec.key)' is a key of the engine") }
        return problems
    }

    private static func optionsShown(in examples: [StageExample]) -> Set<String> {
        Set(examples.flatMap { (try? ExampleOptions.entries($0.options))?.map(\.key) ?? [] })
    }
}
