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
    private let checks = Checks()

    public static let kind = OptionKind.expression
    public static var placeholder: ExpressionText {
        promised { () throws(DaybookError) in try ExpressionText("missing") }
    }
    public var written: String { text.written }

    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else {
            throw node.expected(Self.kind.displayText, hint: "write it in one line or as a block of text")
        }
        try self.init(text, node)
    }

    /// An expression of the program's own, or of a test.
    public init(_ text: String) throws(DaybookError) { try self.init(text, nil) }

    private init(_ text: String, _ node: OptionNode?) throws(DaybookError) {
        do throws(ExpressionMistake) {
            syntax = try ExpressionParser.parse(text)
        } catch {
            throw error.located(node?.place(ofText: error.span))
        }
        (self.text, self.node) = (text, node)
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
        var seen: Set<String> = []
        return syntax.all.compactMap { part in
            guard case .column(let name) = part.form, seen.insert(name).inserted else { return nil }
            return ColumnName(name, at: place(part.span))
        }
    }

    public var columns: ColumnSet { ColumnSet(columnNames) }

    /// Whether it needs the day of an instant, for which the job has to name a time zone.
    public var needsZone: Bool { calls.contains { $0.function.needsZone } }

    /// A pattern that costs much in a long cell.
    public var warning: JobWarning? {
        for (function, arguments) in calls where function.takesPattern {
            guard let last = arguments.last, case .text(let written) = last.form,
                var found = (try? RegularExpression(written))?.warning
            else { continue }
            found.place = place(last.span)
            return found
        }
        return nil
    }

    private var calls: [(function: ExpressionFunction, arguments: [ExpressionSyntax])] {
        syntax.all.compactMap { part in
            guard case .call(let name, _, let arguments) = part.form else { return nil }
            return ExpressionFunction.byName[name.lowercased()].map { ($0, arguments) }
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
        try resolved(against: schema, context, zone, isCondition: false)
    }

    /// The same, for a Boolean expression.
    public func condition(
        against schema: Schema,
        context: OptionReader.Context,
        zone: ZoneRules? = nil
    ) throws(DaybookError) -> Expression {
        try resolved(against: schema, context, zone, isCondition: true)
    }

    private func resolved(
        against schema: Schema,
        _ context: OptionReader.Context,
        _ zone: ZoneRules?,
        isCondition: Bool
    ) throws(DaybookError) -> Expression {
        if let known = checks.expression(for: schema, context.asOf), !isCondition || known.kind == .flag {
            return known
        }
        let zone = zone ?? (["UTC", "Etc/UTC"].contains(context.timezone) ? .utc : nil)
        let checker = ExpressionChecker(schema: schema, asOf: context.asOf, zone: zone, text: self)
        do throws(ExpressionMistake) {
            let typed = try isCondition ? checker.condition(syntax) : checker.check(syntax)
            let result = Expression(
                kind: typed.kind,
                isUnknown: typed.isUnknown,
                columnNames: columnNames,
                computation: typed.computation,
                zone: zone
            )
            checks.keep(result, for: schema, context.asOf)
            return result
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
