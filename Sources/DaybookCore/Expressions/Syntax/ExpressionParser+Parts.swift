extension ExpressionParser {
    // MARK: Predicates

    /// Reads what is said of `left`: a comparison, `in`, `between`, `like` or `is`.
    mutating func predicate(
        on left: ExpressionSyntax,
        from start: Int
    ) throws(ExpressionMistake) -> ExpressionSyntax {
        if case .sign(let sign) = token.kind, let comparison = Comparison(rawValue: sign.rawValue) {
            advance()
            return try node(.compared(comparison, left, try expression(.joined)), from: start)
        }
        if take("is") {
            let isNegated = take("not")
            guard take("missing") || take("null") else {
                throw ExpressionMistake(
                    "expected 'missing' behind 'is', found \(token.spoken)",
                    at: here,
                    hint: "write 'is missing' or 'is not missing'; values are compared with '='"
                )
            }
            return try negating(isNegated, try node(.isMissing(left), from: start), from: start)
        }
        let isNegated = take("not")
        let result: ExpressionSyntax
        if take("in") {
            result = try node(.oneOf(left, try list()), from: start)
        } else if take("between") {
            let low = try expression(.joined)
            try expect("and", "between the two bounds")
            result = try node(.between(left, low, try expression(.joined)), from: start)
        } else {
            try expect("like", "here")
            let pattern = try expression(.joined)
            let escape = take("escape") ? try primary() : nil
            result = try node(.like(left, pattern, escape: escape), from: start)
        }
        return try negating(isNegated, result, from: start)
    }

    private func negating(
        _ isNegated: Bool,
        _ syntax: ExpressionSyntax,
        from start: Int
    ) throws(ExpressionMistake) -> ExpressionSyntax {
        isNegated ? try node(.not(syntax), from: start) : syntax
    }

    /// Reads `(a, b, c)`, which holds at least one value.
    private mutating func list() throws(ExpressionMistake) -> [ExpressionSyntax] {
        guard take(.open) else {
            throw ExpressionMistake(
                "expected '(' behind 'in', found \(token.spoken)",
                at: here,
                hint: "a list is written in ('a', 'b')"
            )
        }
        return try arguments(orNone: false)
    }

    /// Reads values up to the `)` that closes them.
    private mutating func arguments(orNone: Bool) throws(ExpressionMistake) -> [ExpressionSyntax] {
        let open = tokens[position - 1].span
        var values: [ExpressionSyntax] = []
        if orNone, take(.close) { return [] }
        repeat { values.append(try expression(.or)) } while take(.comma)
        guard take(.close) else { throw unclosed(open) }
        return values
    }

    private func unclosed(_ open: Range<Int>) -> ExpressionMistake {
        if case .end = token.kind { return ExpressionMistake("this ( is never closed", at: open) }
        return ExpressionMistake("expected ',' or ')', found \(token.spoken)", at: here)
    }

    // MARK: Values

    mutating func primary() throws(ExpressionMistake) -> ExpressionSyntax {
        let first = token
        let start = first.span.lowerBound
        switch first.kind {
        case .text(let text):
            advance()
            return try node(.text(text), from: start)
        case .integer(let number):
            advance()
            return try node(.integer(number), from: start)
        case .decimal(let number):
            advance()
            return try node(.decimal(number), from: start)
        case .quotedName(let name):
            advance()
            return try node(.column(name), from: start)
        case .name(let name): return try named(name, from: start)
        case .sign(.open):
            advance()
            let inner = try expression(.or)
            guard take(.close) else { throw unclosed(first.span) }
            return inner
        case .sign, .end:
            throw ExpressionMistake("expected a value, found \(token.spoken)", at: here)
        }
    }

    private mutating func named(_ name: String, from start: Int) throws(ExpressionMistake) -> ExpressionSyntax {
        let word = name.lowercased()
        if word == "case" { return try chosen(from: start) }
        let nameSpan = token.span
        if Self.reserved.contains(word) {
            let form: ExpressionSyntax.Form? =
                switch word {
                case "true": .flag(true)
                case "false": .flag(false)
                case "missing", "null": .missing
                case "as_of": .asOf
                default: nil
                }
            guard let form else {
                throw ExpressionMistake(
                    "expected a value, found '\(name)'",
                    at: here,
                    hint: "a column of that name stands in double quotes: \"\(name)\""
                )
            }
            advance()
            return try node(form, from: start)
        }
        advance()
        if case .text(let text) = token.kind, ["date", "day", "instant", "timestamp"].contains(word) {
            advance()
            return try node(word.hasPrefix("da") ? .day(text) : .instant(text), from: start)
        }
        if take(.open) {
            return try node(.call(name, name: nameSpan, try arguments(orNone: true)), from: start)
        }
        return try node(.column(name), from: start)
    }

    private mutating func chosen(from start: Int) throws(ExpressionMistake) -> ExpressionSyntax {
        advance()
        guard isKeyword("when") else {
            throw ExpressionMistake(
                "expected 'when' behind 'case', found \(token.spoken)",
                at: here,
                hint: "write the whole condition each time: case when x = 1 then 'a' when x = 2 then 'b' end"
            )
        }
        var branches: [ExpressionSyntax.Branch] = []
        while take("when") {
            let condition = try expression(.or)
            try expect("then", "behind the condition")
            branches.append(ExpressionSyntax.Branch(condition: condition, value: try expression(.or)))
        }
        let otherwise = take("else") ? try expression(.or) : nil
        try expect("end", "to close 'case'")
        return try node(.chosen(branches, otherwise: otherwise), from: start)
    }
}
