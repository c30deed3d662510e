import DaybookExpressions
import DaybookReports

/// How an expression is written, for the pages of the stages that take one; its functions come from their table.
struct ExpressionPages {
    private let style: TerminalStyle

    init(_ style: TerminalStyle) { self.style = style }

    /// What may be written, and what it means.
    private static let forms: [(written: String, meaning: String)] = [
        ("= <> < <= > >=", "compare values of one kind; != is <>"),
        ("and or not", "join conditions; what cannot be known for a missing value is missing"),
        ("is missing, is not missing", "ask whether there is a value"),
        ("in ('a', 'b'), not in", "ask whether a value is in a list"),
        ("between 0 and 9, not between", "ask whether a value lies within bounds, both included"),
        (
            "like '행복%', not like",
            "compare text with a pattern: % is any text, _ one character; escape '!' makes !% a %"
        ),
        ("+ - * / %", "compute; '/' gives a decimal"),
        (
            "||",
            "join texts; for a row, an expression makes at most 4,096 bytes and sixteen times what its columns hold, and never above 64 MiB"
        ),
        ("case when x > 1 then 'a' else 'b' end", "choose the value behind the first condition that is true"),
        ("'it''s', 12, 0.5, true, false, missing", "values"),
        ("date '2026-11-21', as_of", "days; beside a day, '2026-11-21' is one too"),
        ("emotion, 날짜, main.temp, \"my column\"", "columns; a name with other characters stands in double quotes"),
    ]

    private var groups: [(name: String, functions: [ExpressionFunction])] {
        ExpressionFunction.Group.allCases.map { group in
            (group.rawValue, ExpressionFunction.all.filter { $0.group == group })
        }
    }

    var text: [String] {
        var lines = [style.bold("Expressions"), ""]
        let width = Self.forms.map { Prose.width(of: $0.written) }.max() ?? 0
        for form in Self.forms {
            lines += StageText.row(form.written, form.meaning, width: min(width, 38), style)
        }
        for group in groups {
            lines += ["", "  " + style.bold("\(group.name) functions")]
            for function in group.functions {
                lines += StageText.row(function.signature, function.help, width: 38, style)
            }
        }
        return lines + [""]
    }

    var markdown: [String] {
        var lines = ["**Expressions.**", "", "| Written | Meaning |", "| --- | --- |"]
        for form in Self.forms { lines.append("| \(StageMarkdown.code(form.written)) | \(form.meaning) |") }
        lines += ["", "| Function | |", "| --- | --- |"]
        for function in ExpressionFunction.all { lines.append("| `\(function.signature)` | \(function.help) |") }
        return lines + [""]
    }

    var json: JSONValue {
        .list(
            ExpressionFunction.all.map { function in
                [
                    "name": .text(function.name), "signature": .text(function.signature),
                    "help": .text(function.help),
                    "examples": .list(
                        function.examples.map {
                            ["expression": .text($0.expression), "value": JSONValue($0.value)]
                        }
                    ),
                ]
            }
        )
    }
}
