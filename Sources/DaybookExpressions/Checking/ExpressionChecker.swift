import DaybookDates

/// Determines the kind of every part of an expression, and refuses mismatches, before a row is read.
struct ExpressionChecker {
    typealias Syntax = ExpressionSyntax
    typealias Mistake = ExpressionMistake

    /// A part whose kind is known.
    struct Typed {
        /// Nil for the word `missing`, which fits every kind, and for unknown kinds.
        var kind: ColumnKind?
        /// In an open schema: the part depends on an unknown column.
        var isUnknown = false
        var computation: Computation
        var syntax: Syntax

        var span: Range<Int> { syntax.span }
        var isMissing: Bool { kind == nil && !isUnknown }
        /// The text of a literal, which may be a day.
        var literal: String? {
            if case .text(let text) = syntax.form { text } else { nil }
        }
    }

    let schema: Schema
    let asOf: CalendarDay
    let zone: ZoneRules?
    let text: ExpressionText

    /// The source text of a part, for a hint.
    func written(_ syntax: Syntax) -> String { text.written(syntax.span) }

    // MARK: Parts

    func check(_ syntax: Syntax) throws(Mistake) -> Typed {
        switch syntax.form {
        case .text(let text): return constant(.text(text), syntax)
        case .integer(let number): return constant(.integer(try whole(number, isNegative: false, syntax.span)), syntax)
        case .decimal(let number): return constant(.decimal(number), syntax)
        case .flag(let flag): return constant(.flag(flag), syntax)
        case .missing: return Typed(kind: nil, computation: .constant(.missing(.text)), syntax: syntax)
        case .asOf: return constant(.day(asOf.number), syntax)
        case .day(let text): return constant(.day(try day(text, syntax.span)), syntax)
        case .instant(let text): return constant(.instant(try instant(text, syntax.span)), syntax)
        case .column(let name): return try column(name, syntax)
        case .call(let name, let span, let arguments): return try call(name, at: span, arguments, syntax)
        case .not(let part): return try folded(.flag, [try condition(part)], syntax) { .not($0[0]) }
        case .negated(let part): return try negated(part, syntax)
        case .all(let parts): return try folded(.flag, try parts.map(condition), syntax, Computation.all)
        case .any(let parts): return try folded(.flag, try parts.map(condition), syntax, Computation.any)
        case .compared(let comparison, let first, let second):
            return try compared(comparison, first, second, syntax)
        case .computed(let operation, let first, let second, let sign):
            return try computed(operation, first, second, at: sign, syntax)
        case .joined(let parts):
            let texts = try parts.map { (part) throws(Mistake) in try textual(try check(part), "'||' joins texts") }
            return try folded(.text, texts, syntax, Computation.joined)
        case .between(let value, let low, let high): return try between(value, low, high, syntax)
        case .oneOf(let value, let list): return try oneOf(value, list, syntax)
        case .like(let text, let pattern, let escape): return try like(text, pattern, escape, syntax)
        case .isMissing(let part): return try folded(.flag, [try check(part)], syntax) { .isMissing($0[0]) }
        case .chosen(let branches, let otherwise): return try chosen(branches, otherwise, syntax)
        }
    }

    /// A part that has to be true or false.
    func condition(_ syntax: Syntax) throws(Mistake) -> Typed {
        let typed = try check(syntax)
        if let adapted = adapted(typed, to: .flag) { return adapted }
        let kind = typed.kind ?? .text
        var hint = "compare it with something, such as \(written(syntax)) \(kind == .text ? "= '…'" : "> 0")"
        if kind == .text { hint += ", or write to_flag(\(written(syntax)))" }
        let message = "a condition is true or false, and this is \(displayText(typed))"
        throw Mistake(message, at: syntax.span, hint: hint, code: "wrong-kind")
    }

    // MARK: Constants

    func constant(_ operand: Operand, _ syntax: Syntax) -> Typed {
        Typed(kind: operand.column.kind, computation: .constant(operand), syntax: syntax)
    }

    /// A part made of others; computed at once if they are all constant.
    func folded(
        _ kind: ColumnKind?,
        _ parts: [Typed],
        _ syntax: Syntax,
        _ computation: ([Computation]) -> Computation
    ) throws(Mistake) -> Typed {
        guard !parts.contains(where: \.isUnknown) else {
            return Typed(kind: kind, isUnknown: true, computation: .unknown, syntax: syntax)
        }
        let computation = computation(parts.map(\.computation))
        guard parts.allSatisfy({ $0.computation.constant != nil }) else {
            return Typed(kind: kind, computation: computation, syntax: syntax)
        }
        let row = Batch(Schema(), [], count: 1, provenance: .made)
        let result = Evaluation(row, columns: [], zone: zone).operand(computation)
        guard result.faults == nil else {
            let message = "'\(written(syntax))' cannot be computed"
            let hint = "it divides by 0, or the result is too large"
            throw Mistake(message, at: syntax.span, hint: hint, code: "not-computable")
        }
        return Typed(kind: kind, computation: .constant(Operand(constant: result.column)), syntax: syntax)
    }

    func whole(_ magnitude: UInt64, isNegative: Bool, _ span: Range<Int>) throws(Mistake) -> Int64 {
        guard let value = Int64(exactly: isNegative ? -Int128(magnitude) : Int128(magnitude)) else {
            throw Mistake("\(magnitude) does not fit a 64-bit number", at: span)
        }
        return value
    }

    func day(_ text: String, _ span: Range<Int>) throws(Mistake) -> Int32 {
        if let day = CalendarDay(iso: text) { return day.number }
        let isShaped = CalendarDay.isShapedLikeDay(text)
        throw Mistake(
            isShaped ? "'\(text)' is not a day of the calendar" : "'\(text)' is not a date such as 2026-11-21",
            at: span
        )
    }

    func instant(_ text: String, _ span: Range<Int>) throws(Mistake) -> Int64 {
        let bytes = Bytes(text)
        defer { withExtendedLifetime(bytes) {} }
        if let instant = ReadInstant(iso: bytes.filled) { return instant.micros }
        let hint = "it needs a time and an offset, or Z; a day is compared with day_of(…)"
        throw Mistake("'\(text)' is not an instant such as 2026-11-21T14:00:00+09:00", at: span, hint: hint)
    }

    // MARK: Columns

    private func column(_ name: String, _ syntax: Syntax) throws(Mistake) -> Typed {
        let column = ColumnName(name, at: text.place(syntax.span))
        do throws(DaybookError) {
            guard let field = try schema.requiring(column) else {
                return Typed(kind: nil, isUnknown: true, computation: .unknown, syntax: syntax)
            }
            return Typed(kind: field.kind, computation: .column(ColumnName(field.name)), syntax: syntax)
        } catch {
            var hints = [error.hint]
            var missing = error.column
            if written(syntax).hasPrefix("\"") {
                // A text in the wrong quotes is a mistake of the job, whatever columns there are.
                missing = nil
                hints.insert("a text stands in single quotes: '\(name)'", at: 0)
            } else if text.isQuoted, case .column = text.syntax.form {
                hints.insert("for the text itself, put quotes into the quotes: \"'\(name)'\"", at: 0)
            }
            let hint = hints.compactMap(\.self).joined(separator: "; ")
            var mistake = Mistake(error.message, at: syntax.span, hint: hint, code: error.code)
            mistake.column = missing
            throw mistake
        }
    }

    func displayText(_ typed: Typed) -> String { typed.kind.map { $0.displayWithArticle } ?? "missing" }
}

extension ColumnKind {
    /// How a message about an expression names a value of the kind.
    var displayWithArticle: String {
        switch self {
        case .text: "text"
        case .json: "JSON"
        case .integer, .instant: "an \(rawValue)"
        case .decimal, .flag, .day: "a \(rawValue)"
        }
    }

    var isNumber: Bool { self == .integer || self == .decimal }
}

extension ExpressionChecker {
    /// The part as a value of that kind, if that needs no decision: a whole number as a decimal, a literal text as the
    /// day it spells, `missing` as anything. Nil if it is of another kind.
    func adapted(_ typed: Typed, to kind: ColumnKind, exactly: Bool = false) -> Typed? {
        if typed.isUnknown || typed.kind == kind { return typed }
        var result = typed
        result.kind = kind
        if typed.isMissing {
            result.computation = .constant(.missing(kind))
        } else if typed.kind == .integer, kind == .decimal {
            let constant = typed.computation.constant.map { ArithmeticKernel.widened($0) }
            result.computation = constant.map(Computation.constant) ?? .widened(typed.computation, exactly: exactly)
        } else {
            return nil
        }
        return result
    }

    /// The same, with literal texts read as days or instants if the kind requires it.
    func fitted(_ typed: Typed, to kind: ColumnKind, exactly: Bool = false) throws(Mistake) -> Typed? {
        guard let literal = typed.literal else { return adapted(typed, to: kind, exactly: exactly) }
        switch kind {
        case .day: return constant(.day(try day(literal, typed.span)), typed.syntax)
        case .instant: return constant(.instant(try instant(literal, typed.span)), typed.syntax)
        case .json:
            let bytes = Bytes(literal)
            defer { withExtendedLifetime(bytes) {} }
            guard bytes.filled.isJSON else {
                throw Mistake("'\(literal)' is no JSON", at: typed.span, code: "wrong-kind")
            }
            return constant(.json(literal), typed.syntax)
        default: return adapted(typed, to: kind)
        }
    }

    /// The common kind of all parts, and the parts as values of it; nil if a part is unknown.
    ///
    /// - Parameters:
    ///   - keepsWhole: whether whole numbers stay whole among decimals, to be compared exactly.
    ///   - exactly: whether those that no decimal holds cannot be computed; else they become the nearest.
    func common(
        _ parts: [Typed],
        _ why: String,
        keepsWhole: Bool = false,
        exactly: Bool = false
    ) throws(Mistake) -> (kind: ColumnKind?, parts: [Typed]) {
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
        let areKnown = !parts.contains(where: \.isUnknown)
        if kind == nil, areKnown, parts.contains(where: { $0.literal != nil }) { kind = .text }
        guard let kind else { return (nil, parts) }
        let fitted = try parts.map { (part) throws(Mistake) -> Typed in
            if keepsWhole, kind == .decimal, part.kind == .integer { return part }
            guard let adapted = try self.fitted(part, to: kind, exactly: exactly) else { throw mismatch(parts, why) }
            return adapted
        }
        return (areKnown ? kind : nil, fitted)
    }

    /// The error for parts of different kinds, at the one that is most likely to need a conversion.
    private func mismatch(_ parts: [Typed], _ why: String) -> Mistake {
        let known = parts.filter { $0.kind != nil }
        guard let first = known.first, let second = known.first(where: { !isAlike($0.kind, first.kind) }) else {
            return Mistake("these values are of different kinds", at: parts[0].span)
        }
        // Text is what an import yields until a stage converts it; JSON combines with nothing.
        let culprit = [first, second].first { $0.kind == .json } ?? (second.kind == .text ? second : first)
        let other = culprit.span == first.span ? second : first
        let message = "\(why) \(displayText(culprit)) with \(displayText(other))"
        let hint = conversion(of: culprit, to: other)
        return Mistake(message, at: culprit.span, hint: hint, code: "wrong-kind")
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
            // A literal says nothing of other values: to_integer turns '19.90' into a gap, which breaks no rule.
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

extension ExpressionChecker {
    func compared(_ sign: Comparison, _ first: Syntax, _ second: Syntax, _ syntax: Syntax) throws(Mistake) -> Typed {
        let parts = try [first, second].map(check)
        for part in parts {
            if case .missing = part.syntax.form {
                let other = written(part.span == parts[0].span ? second : first)
                let hint = "write '\(other) is \(sign == .unequal ? "not " : "")missing'"
                throw Mistake("nothing equals missing, not even missing", at: syntax.span, hint: hint)
            }
        }
        let (kind, fitted) = try common(parts, "cannot compare", keepsWhole: true)
        try requireComparable(kind, sign.isOrder, fitted)
        return try folded(.flag, fitted, syntax) { .compared(sign, $0[0], $0[1]) }
    }

    func requireComparable(_ kind: ColumnKind?, _ isOrder: Bool, _ parts: [Typed]) throws(Mistake) {
        if kind == .json {
            let message = "a JSON value can be written in several ways, and is not compared"
            let hint = "write to_text(\(written(parts[0].syntax))) for its source text"
            throw Mistake(message, at: parts[0].span, hint: hint, code: "wrong-kind")
        }
        if kind == .flag, isOrder {
            throw Mistake("of true and false none is less", at: parts[0].span, code: "wrong-kind")
        }
    }

    func between(_ value: Syntax, _ low: Syntax, _ high: Syntax, _ syntax: Syntax) throws(Mistake) -> Typed {
        let (kind, parts) = try common(try [value, low, high].map(check), "cannot compare", keepsWhole: true)
        try requireComparable(kind, true, parts)
        return try folded(.flag, parts, syntax) { .between($0[0], $0[1], $0[2]) }
    }

    func oneOf(_ value: Syntax, _ list: [Syntax], _ syntax: Syntax) throws(Mistake) -> Typed {
        let parts = try ([value] + list).map(check)
        for part in parts.dropFirst() {
            if part.isMissing {
                let hint = "write 'or \(written(value)) is missing' behind the list"
                throw Mistake("missing is in no list", at: part.span, hint: hint)
            }
            guard part.isUnknown || part.computation.constant != nil else {
                let hint = "compare columns with '=' and or"
                throw Mistake("a list holds values that are the same in every row", at: part.span, hint: hint)
            }
        }
        let (kind, fitted) = try common(parts, "cannot compare", keepsWhole: true)
        try requireComparable(kind, false, fitted)
        let constants = fitted.dropFirst().compactMap(\.computation.constant)
        guard kind != nil, let own = fitted[0].kind, constants.count == list.count else {
            return Typed(kind: .flag, isUnknown: true, computation: .unknown, syntax: syntax)
        }
        guard constants.allSatisfy({ $0.missing(1) == nil }) else {
            throw Mistake("a value of the list is missing", at: syntax.span)
        }
        return try folded(.flag, [fitted[0]], syntax) { .oneOf($0[0], MemberList(constants, of: own)) }
    }

    func like(_ text: Syntax, _ pattern: Syntax, _ escape: Syntax?, _ syntax: Syntax) throws(Mistake) -> Typed {
        let typed = try textual(try check(text), "'like' looks into text")
        guard case .text(let written) = pattern.form else { throw patternIsNoText(pattern) }
        var escaping: Unicode.Scalar?
        if let escape {
            guard case .text(let text) = escape.form, text.unicodeScalars.count == 1 else {
                throw Mistake("an escape is a text of one character", at: escape.span)
            }
            escaping = text.unicodeScalars.first
        }
        guard let compiled = LikePattern(written, escape: escaping) else {
            let hint = "it goes before %, _ or itself"
            throw Mistake("the escape stands before what needs none", at: pattern.span, hint: hint)
        }
        return try folded(.flag, [typed], syntax) { .like($0[0], compiled) }
    }

    func patternIsNoText(_ syntax: Syntax) -> Mistake {
        Mistake("a pattern is a text in single quotes", at: syntax.span)
    }

    /// A part that has to be text.
    func textual(_ typed: Typed, _ why: String) throws(Mistake) -> Typed {
        if let text = adapted(typed, to: .text) { return text }
        let message = "\(why), and this is \(displayText(typed))"
        let hint = "write to_text(\(written(typed.syntax)))"
        throw Mistake(message, at: typed.span, hint: hint, code: "wrong-kind")
    }

    func chosen(_ branches: [Syntax.Branch], _ otherwise: Syntax?, _ syntax: Syntax) throws(Mistake) -> Typed {
        let conditions = try branches.map(\.condition).map(condition)
        let values = try (branches.map(\.value) + [otherwise].compactMap(\.self)).map(check)
        let (kind, fitted) = try common(values, "one case cannot give", exactly: true)
        if kind == .json { throw mixedJSON(fitted) }
        guard let kind else {
            let isUnknown = values.contains(where: \.isUnknown)
            return Typed(kind: nil, isUnknown: isUnknown, computation: .constant(.missing(.text)), syntax: syntax)
        }
        return try folded(kind, conditions + fitted, syntax) { parts in
            let last = otherwise == nil ? Computation.constant(.missing(kind)) : parts[parts.count - 1]
            let pairs = zip(parts[..<branches.count], parts[branches.count...]).map { (condition: $0, value: $1) }
            return .chosen(pairs, otherwise: last, kind)
        }
    }

    func mixedJSON(_ parts: [Typed]) -> Mistake {
        Mistake(
            "a JSON value is not chosen among others",
            at: parts[0].span,
            hint: "write to_text(\(written(parts[0].syntax))) for its source text",
            code: "wrong-kind"
        )
    }
}
