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
        let (kind, fitted) = try common(values, "one case cannot give")
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
