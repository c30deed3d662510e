import DaybookDates
import Synchronization

/// An expression in a job: parsed with the options, and checked once the columns are known.
///
/// ```
/// count between 0 and 1000 and emotion is not missing
/// ```
/// A mistake is reported at its own line and column, wherever in the scalar it is.
public struct ExpressionText: OptionValue {
    public let text: String
    let syntax: ExpressionSyntax
    private let node: OptionNode?
    private let checks: Checks

    public static let kind = OptionKind.expression
    public static var placeholder: ExpressionText { ExpressionText("missing", ExpressionParser.missing, node: nil) }
    public var written: String { text.written }

    private init(_ text: String, _ syntax: ExpressionSyntax, node: OptionNode?) {
        self.text = text
        self.syntax = syntax
        self.node = node
        checks = Checks()
    }

    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else {
            throw node.expected(Self.kind.displayText, hint: "write it in one line or as a block of text")
        }
        do throws(ExpressionMistake) {
            self.init(text, try ExpressionParser.parse(text), node: node)
        } catch {
            throw error.located(node.place(ofText: error.span))
        }
    }

    /// An expression of the program's own, or of a test.
    public init(_ text: String) throws(DaybookError) {
        do throws(ExpressionMistake) {
            self.init(text, try ExpressionParser.parse(text), node: nil)
        } catch {
            throw error.located(nil)
        }
    }

    /// The place of the whole expression in the job.
    public var place: SourcePlace? { node?.place }
    func place(_ span: Range<Int>) -> SourcePlace? { node?.place(ofText: span) }

    /// Whether the job quotes all of it.
    var isQuoted: Bool { node.map { $0.plainText == nil } ?? false }

    /// The part of the text that was written there, shortened for a message.
    func written(_ span: Range<Int>) -> String {
        let scalars = text.unicodeScalars.dropFirst(span.lowerBound).prefix(span.count)
        var part = ""
        part.unicodeScalars.append(contentsOf: scalars.prefix(60))
        return scalars.count > 60 ? part + "…" : part
    }

    /// The columns that it names, each once, in the order of the text.
    public var columnNames: [ColumnName] {
        var names: [ColumnName] = []
        var seen: Set<String> = []
        syntax.visit { part in
            if case .column(let name) = part.form, seen.insert(name).inserted {
                names.append(ColumnName(name, at: place(part.span)))
            }
        }
        return names
    }

    public var columns: ColumnSet { ColumnSet(columnNames) }

    /// Whether it needs the day of an instant, for which the job has to name a time zone.
    public var needsZone: Bool {
        var needs = false
        forEachCall { function, _ in needs = needs || function.needsZone }
        return needs
    }

    /// A pattern that costs much in a long cell.
    public var warning: JobWarning? {
        var warning: JobWarning?
        forEachCall { function, arguments in
            guard function.takesPattern, let last = arguments.last, case .text(let written) = last.form else { return }
            guard warning == nil, var found = (try? RegularExpression(written))?.warning else { return }
            found.place = place(last.span)
            warning = found
        }
        return warning
    }

    private func forEachCall(_ body: (ExpressionFunction, [ExpressionSyntax]) -> Void) {
        syntax.visit { part in
            guard case .call(let name, _, let arguments) = part.form,
                let function = ExpressionFunction.byName[name.lowercased()]
            else { return }
            body(function, arguments)
        }
    }

    /// The expression over those columns, or an error at the place of the mistake.
    ///
    /// - Parameter zone: The rules of the job's time zone, if `needsZone` is true.
    public func checked(
        against schema: Schema,
        context: OptionReader.Context,
        zone: ZoneRules? = nil
    ) throws(DaybookError) -> Expression {
        if let known = checks.expression(for: schema, context.asOf) { return known }
        let result = try resolved(against: schema, context, zone) { checker throws(ExpressionMistake) in
            try checker.check(syntax)
        }
        checks.keep(result, for: schema, context.asOf)
        return result
    }

    /// The same, for a Boolean expression.
    public func condition(
        against schema: Schema,
        context: OptionReader.Context,
        zone: ZoneRules? = nil
    ) throws(DaybookError) -> Condition {
        if let known = checks.expression(for: schema, context.asOf), known.kind == .flag {
            return Condition(expression: known)
        }
        let result = try resolved(against: schema, context, zone) { checker throws(ExpressionMistake) in
            try checker.condition(syntax)
        }
        checks.keep(result, for: schema, context.asOf)
        return Condition(expression: result)
    }

    private func resolved(
        against schema: Schema,
        _ context: OptionReader.Context,
        _ zone: ZoneRules?,
        _ check: (ExpressionChecker) throws(ExpressionMistake) -> ExpressionChecker.Typed
    ) throws(DaybookError) -> Expression {
        let zone = zone ?? (["UTC", "Etc/UTC"].contains(context.timezone) ? .utc : nil)
        let checker = ExpressionChecker(schema: schema, asOf: context.asOf, zone: zone, text: self)
        do throws(ExpressionMistake) {
            let typed = try check(checker)
            return Expression(
                kind: typed.kind,
                isUnknown: typed.isUnknown,
                names: columnNames,
                computation: typed.computation,
                zone: zone
            )
        } catch {
            throw error.located(place(error.span))
        }
    }

    /// The last result of checking. A stage checks again for every batch, nearly always against the same columns.
    private final class Checks: Sendable {
        private let last = Mutex<(schema: Schema, asOf: CalendarDay, expression: Expression)?>(nil)

        func expression(for schema: Schema, _ asOf: CalendarDay) -> Expression? {
            last.withLock { last in
                guard let last, last.asOf == asOf, last.schema == schema else { return nil }
                return last.expression
            }
        }

        func keep(_ expression: Expression, for schema: Schema, _ asOf: CalendarDay) {
            last.withLock { $0 = (schema, asOf, expression) }
        }
    }
}

extension ExpressionMistake {
    func located(_ place: SourcePlace?) -> DaybookError {
        DaybookError(code, message, at: place, hint: hint, column: column)
    }
}

extension ExpressionParser {
    static let missing = ExpressionSyntax(form: .missing, span: 0..<7, height: 1)
}

extension ExpressionText {
    /// The rules of the job's time zone, where the expression needs one; a job without one is then refused.
    package func zone(reading options: inout OptionReader) -> ZoneRules? {
        guard needsZone else { return nil }
        return ZoneRules(named: options.timezone(because: "an expression asks for the day of an instant"))
    }

    /// An expression or a condition over the columns of a batch, which the schema check has found to be right.
    package static func promised<Checked>(_ check: () throws(DaybookError) -> Checked) -> Checked {
        do throws(DaybookError) { return try check() } catch {
            preconditionFailure("an expression is wrong that its schema check let pass: \(error.message)")
        }
    }
}
