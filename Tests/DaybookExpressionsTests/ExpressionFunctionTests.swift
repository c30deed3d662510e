import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookDates
@testable import DaybookExpressions
@testable import DaybookValues

/// Every example in the table of functions is true, and the table keeps to its own rules.
@Suite struct ExpressionFunctionTests {
    private static let examples = ExpressionFunction.all.flatMap { function in
        function.examples.map { (function.name, $0.expression, $0.value) }
    }

    @Test("an example gives the value that help promises", arguments: examples)
    func example(_ name: String, _ expression: String, _ value: String?) throws {
        #expect(try ExpressionTrial.value(of: expression) == value, "\(expression)")
    }

    @Test("the table has one function of each name, with help, examples and a name in lower case")
    func table() {
        #expect(Set(ExpressionFunction.all.map(\.name)).count == ExpressionFunction.all.count)
        for function in ExpressionFunction.all {
            #expect(function.help.hasSuffix("."), "\(function.name)")
            #expect(!function.examples.isEmpty, "\(function.name)")
            #expect(function.examples.allSatisfy { $0.expression.contains("\(function.name)(") }, "\(function.name)")
            #expect(function.name == function.name.lowercased())
            #expect(!ExpressionParser.reserved.contains(function.name), "\(function.name) is a keyword")
        }
        for other in ExpressionFunction.otherNames {
            #expect(ExpressionFunction.byName[other.key] == nil, "\(other.key) is a function of its own")
            let isThere = other.value == "as_of" || ExpressionFunction.byName[other.value] != nil
            #expect(isThere, "\(other.value) is no function")
        }
    }

    @Test("a function gives the same over columns as over constants", arguments: examples)
    func overColumns(_ name: String, _ expression: String, _ value: String?) throws {
        // Each text and number of the example becomes a column that holds it in every row.
        let tokens = try ExpressionLexer.tokens(of: expression)
        var rest = Array(expression.unicodeScalars)
        var fields: [Field] = []
        var columns: [Column] = []
        for (index, token) in tokens.enumerated().reversed() {
            let column: Column
            switch token.kind {
            case .text(let text):
                // A text is JSON only where it is written as one.
                guard !expression.hasPrefix("json_") else { continue }
                let before = index > 0 ? tokens[index - 1].kind : .end
                // A literal that is a day by its place has to stay one.
                guard CalendarDay(iso: text) == nil, case .sign = before else { continue }
                var builder = TextColumnBuilder(rows: 3)
                for _ in 0..<3 { builder.append(text) }
                column = .text(builder.build())
            case .integer(let number): column = .integers(Values([Int64](repeating: Int64(number), count: 3)))
            case .decimal(let number): column = .decimals(Values([Double](repeating: number, count: 3)))
            default: continue
            }
            let name = "c\(fields.count)"
            // 'decimals' of round and the pattern of matches have to be fixed.
            let isFixed =
                expression.hasPrefix("round(") || expression.hasPrefix("matches(")
            if name == "c0", isFixed, tokens.contains(where: { $0.kind == .sign(",") }) {
                continue
            }
            fields.append(Field(name, column.kind))
            columns.append(column)
            rest.replaceSubrange(token.span, with: name.unicodeScalars)
        }
        let batch = Batch(Schema(fields), columns, count: 3, provenance: .made)
        let text = String(String.UnicodeScalarView(rest))
        let result = try ExpressionTrial.column(of: text, in: batch)
        for row in 0..<3 { #expect(result.displayText(row) == value, "\(text), from \(expression)") }
    }
}

/// Checks and evaluates expressions as a stage does.
enum ExpressionTrial {
    static func column(of text: String, in batch: Batch) throws -> Column {
        try ExpressionText(text).checked(against: batch.schema, context: ExampleRunner.context, zone: .seoul)
            .outcome(batch).column
    }

    /// The value of an expression without columns, as a person reads it.
    static func value(of text: String) throws -> String? {
        try column(of: text, in: Batch(Schema(), [], count: 1, provenance: .made)).displayText(0)
    }

    static func truth(of text: String, in batch: Batch) throws -> TernaryMask {
        try ExpressionText(text).condition(against: batch.schema, context: ExampleRunner.context, zone: .seoul)
            .truth(batch)
    }
}

extension ZoneRules {
    static let seoul = ZoneRules(name: "Asia/Seoul", fixedOffset: 9 * 3_600)
}
