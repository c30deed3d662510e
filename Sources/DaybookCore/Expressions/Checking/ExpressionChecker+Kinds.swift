extension ExpressionChecker {
    /// The part as a value of that kind, where no decision is needed for it: a whole number as a decimal, a literal text as
    /// the day it spells, `missing` as anything. Nil when it is another kind.
    func adapted(_ typed: Typed, to kind: ColumnKind) -> Typed? {
        var result = typed
        if typed.isUnknown { return typed }
        if typed.isMissing {
            result.kind = kind
            result.computation = .constant(.missing(kind))
            return result
        }
        if typed.kind == kind { return typed }
        guard typed.kind == .integer, kind == .decimal else { return nil }
        result.kind = .decimal
        if let constant = typed.computation.constant {
            result.computation = .constant(ArithmeticKernel.widened(constant))
        } else {
            result.computation = .widened(typed.computation)
        }
        return result
    }

    /// The same, with literal texts read as days or instants where the kind asks for them.
    func fitted(_ typed: Typed, to kind: ColumnKind) throws(ExpressionMistake) -> Typed? {
        if let literal = typed.literal {
            if kind == .day { return constant(.day(try day(literal, typed.span)), typed.syntax) }
            if kind == .json { return constant(.json(try json(literal, typed.span)), typed.syntax) }
            if kind == .instant { return constant(.instant(try instant(literal, typed.span)), typed.syntax) }
        }
        return adapted(typed, to: kind)
    }

    private func json(_ text: String, _ span: Range<Int>) throws(ExpressionMistake) -> String {
        let bytes = Bytes(text)
        defer { withExtendedLifetime(bytes) {} }
        guard JSONFunctions.isWhole(bytes.filled) else {
            throw ExpressionMistake("'\(text)' is no JSON", at: span, code: "wrong-kind")
        }
        return text
    }

    /// The kind that all parts have in common, and the parts as values of it; nil when a part is not known.
    ///
    /// - Parameter keepsWhole: whether whole numbers stay what they are among decimals, to be compared exactly.
    func common(
        _ parts: [Typed],
        _ why: String,
        keepsWhole: Bool = false
    ) throws(ExpressionMistake) -> (kind: ColumnKind?, parts: [Typed]) {
        var kind: ColumnKind?
        for part in parts where !part.isUnknown && part.literal == nil {
            guard let own = part.kind else { continue }
            if let known = kind, known != own {
                guard known.isNumber, own.isNumber else { throw mismatch(parts, why) }
                kind = .decimal
            } else {
                kind = own
            }
        }
        if kind == nil {
            kind = parts.contains { $0.literal != nil } && !parts.contains(where: \.isUnknown) ? .text : nil
        }
        guard let kind else { return (nil, parts) }
        var fitted: [Typed] = []
        for part in parts {
            let isKept = keepsWhole && kind == .decimal && part.kind == .integer
            guard let adapted = isKept ? part : try self.fitted(part, to: kind) else { throw mismatch(parts, why) }
            fitted.append(adapted)
        }
        return (parts.contains(where: \.isUnknown) ? nil : kind, fitted)
    }

    /// The error for parts of different kinds, at the one that is most likely to need a conversion.
    private func mismatch(_ parts: [Typed], _ why: String) -> ExpressionMistake {
        let known = parts.filter { $0.kind != nil }
        guard let first = known.first, let second = known.first(where: { !isAlike($0.kind, first.kind) }) else {
            return ExpressionMistake("these values are of different kinds", at: parts[0].span)
        }
        // Text is what an import gives until a stage says otherwise; JSON goes with nothing.
        let json = [first, second].first { $0.kind == .json }
        let culprit = json ?? (second.kind == .text ? second : first)
        let other = culprit.span == first.span ? second : first
        return ExpressionMistake(
            "\(why) \(spoken(culprit)) with \(spoken(other))",
            at: culprit.span,
            hint: conversion(of: culprit, to: other),
            code: "wrong-kind"
        )
    }

    private func isAlike(_ one: ColumnKind?, _ other: ColumnKind?) -> Bool {
        one == other || (one?.isNumber ?? true) && (other?.isNumber ?? true)
    }

    /// What to write so that one part has the kind of the other.
    private func conversion(of part: Typed, to other: Typed) -> String? {
        guard let from = part.kind, let to = other.kind else { return nil }
        let (own, its) = (written(part.syntax), written(other.syntax))
        switch (from, to) {
        case (.text, .integer), (.text, .decimal):
            if let literal = part.literal, Double(literal) != nil {
                return "a number stands without quotes: \(literal)"
            }
            if let literal = part.literal { return "for text, write to_text(\(its)); '\(literal)' is no number" }
            // A literal says nothing of the other values: of '19.90', to_integer makes a missing one, which breaks no rule.
            return to == .integer && other.literal == nil
                ? "write to_integer(\(own)), or to_decimal(\(own)) where not all are whole" : "write to_decimal(\(own))"
        case (.text, .flag) where part.literal == "true" || part.literal == "false":
            return "true and false stand without quotes"
        case (.text, .day), (.text, .instant), (.text, .flag): return "write to_\(to.rawValue)(\(own))"
        case (.json, _): return "write to_text(\(own)) for its source text"
        case (_, .json): return "write to_text(\(its)) for its source text"
        case (.instant, .day): return "write day_of(\(own))"
        case (.day, .instant): return "write day_of(\(its))"
        case (_, .text): return other.literal == nil ? "write to_text(\(own))" : nil
        case (.day, _), (_, .day): return "days are counted with days_between(from, to)"
        default: return nil
        }
    }
}
