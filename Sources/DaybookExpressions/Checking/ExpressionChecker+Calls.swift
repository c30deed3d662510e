extension ExpressionChecker {
    // MARK: Numbers

    func negated(_ part: Syntax, _ syntax: Syntax) throws(Mistake) -> Typed {
        if case .integer(let number) = part.form {
            return constant(.integer(try whole(number, isNegative: true, syntax.span)), syntax)
        }
        let inner = try number(try check(part), "'-'")
        return try folded(inner.kind, [inner], syntax) { .negated($0[0]) }
    }

    func computed(
        _ operation: Arithmetic,
        _ first: Syntax,
        _ second: Syntax,
        at sign: Range<Int>,
        _ syntax: Syntax
    ) throws(Mistake) -> Typed {
        let parts = try [first, second].map(check)
        try refuseDays(parts, operation, sign)
        let numbers = try parts.map { (part) throws(Mistake) in try number(part, "'\(operation.rawValue)'") }
        let (kind, fitted) = try common(numbers, "cannot compute")
        let result = operation == .divided ? .decimal : kind
        return try folded(result, fitted, syntax) { .computed(operation, $0[0], $0[1]) }
    }

    private func refuseDays(_ parts: [Typed], _ operation: Arithmetic, _ sign: Range<Int>) throws(Mistake) {
        guard parts.contains(where: { $0.kind == .day || $0.kind == .instant }) else { return }
        let (first, second) = (written(parts[0].syntax), written(parts[1].syntax))
        let hint: String
        switch (operation, parts[0].kind, parts[1].kind) {
        case (.minus, .day, .day): hint = "write days_between(\(second), \(first))"
        case (.plus, .day, .integer): hint = "write add_days(\(first), \(second))"
        case (.minus, .day, .integer): hint = "write add_days(\(first), -\(second))"
        case (.plus, .integer, .day): hint = "write add_days(\(second), \(first))"
        default: hint = "days are counted with days_between(from, to) and moved with add_days(day, days)"
        }
        let message = "'\(operation.rawValue)' computes with numbers, not with days"
        throw Mistake(message, at: sign, hint: hint, code: "wrong-kind")
    }

    /// A part that has to be a number.
    private func number(_ typed: Typed, _ why: String) throws(Mistake) -> Typed {
        if typed.isUnknown || typed.kind?.isNumber == true { return typed }
        if typed.isMissing, let integer = adapted(typed, to: .integer) { return integer }
        let text = written(typed.syntax)
        var hint: String? = typed.kind == .text ? "write to_integer(\(text)) or to_decimal(\(text))" : nil
        if let literal = typed.literal { hint = Double(literal) != nil ? "a number stands without quotes" : nil }
        if why == "'+'", typed.kind == .text { hint = "texts are joined with '||'" + (hint.map { "; or \($0)" } ?? "") }
        if typed.kind == .flag { hint = "write to_integer(\(text))" }
        let message = "\(why) computes with numbers, and this is \(displayText(typed))"
        throw Mistake(message, at: typed.span, hint: hint, code: "wrong-kind")
    }

    // MARK: Functions

    func call(_ name: String, at span: Range<Int>, _ arguments: [Syntax], _ syntax: Syntax) throws(Mistake) -> Typed {
        guard let function = ExpressionFunction.byName[name.lowercased()] else { throw unknownFunction(name, at: span) }
        guard arguments.count >= function.fewest, arguments.count <= function.most ?? .max else {
            let message = "\(function.name) takes \(displayCount(of: function)), and here are \(arguments.count)"
            throw Mistake(message, at: syntax.span, hint: "it is called as \(function.signature)")
        }
        if function.needsZone, zone == nil {
            let message = "\(function.name) needs the time zone of the job"
            let hint = "add a line such as 'timezone: Asia/Seoul' at the top of the job"
            throw Mistake(message, at: span, hint: hint, code: "missing-timezone")
        }
        var arguments = arguments
        var kernel = function.kernel
        if let last = arguments.last, arguments.count == function.parameters.count,
            function.takesPattern || function.takesPointer
        {
            let pattern = function.takesPattern ? try pattern(last) : nil
            let path = function.takesPointer ? try pointer(last) : nil
            arguments.removeLast()
            kernel = { call in
                var call = call
                (call.pattern, call.path) = (pattern, path ?? call.path)
                return function.kernel(call)
            }
        }
        let parts = try fittedArguments(try arguments.map(check), of: function)
        return try folded(function.result ?? parts[0].kind, parts, syntax) { .called(kernel, $0) }
    }

    /// A regular expression; a mistake is reported at its own characters.
    private func pattern(_ syntax: Syntax) throws(Mistake) -> RegularExpression {
        guard case .text(let written) = syntax.form else { throw patternIsNoText(syntax) }
        var span = syntax.span
        do throws(DaybookError) {
            return try RegularExpression(written) { scalars in
                // With a doubled quote in it, the text is shorter than its source.
                if span.count == written.unicodeScalars.count + 2 {
                    let start = span.lowerBound + 1 + scalars.lowerBound
                    span = start..<start + max(1, scalars.count)
                }
                return nil
            }
        } catch {
            throw Mistake(error.message, at: span, hint: error.hint, code: error.code)
        }
    }

    /// A JSON pointer; an invalid one is reported.
    private func pointer(_ syntax: Syntax) throws(Mistake) -> JSONPath {
        guard case .text(let written) = syntax.form else {
            throw Mistake(
                "a JSON pointer has to be a text in quotes, the same in every row",
                at: syntax.span,
                hint:
                    "write it as in '/items/0/price'; where the keys are values, json_entries makes an array of them, "
                    + "and explode_rows rows"
            )
        }
        do throws(JSONPointer.Mistake) {
            return JSONPath(try JSONPointer(written: written))
        } catch {
            let hint = error == .noSlash ? "did you mean '/\(written)'?" : "'~' is written '~0', and '/' in a key '~1'"
            throw Mistake("'\(written)' is no JSON pointer", at: syntax.span, hint: hint)
        }
    }

    private func fittedArguments(_ arguments: [Typed], of function: ExpressionFunction) throws(Mistake) -> [Typed] {
        var parts = arguments
        let first = function.parameter(at: 0)
        if first.kinds == .common || first.kinds == .ordered {
            let (kind, fitted) = try common(parts, "\(function.name) cannot compare", exactly: true)
            if kind == .json { throw mixedJSON(fitted) }
            try requireComparable(kind, first.kinds == .ordered, fitted)
            return fitted
        }
        for index in parts.indices {
            let parameter = function.parameter(at: index)
            parts[index] = try fitted(parts[index], to: parameter, of: function)
            if parameter.isFixed, !parts[index].isUnknown {
                guard let constant = parts[index].computation.constant, constant.missing(1) == nil else {
                    let message = "'\(parameter.name)' of \(function.name) has to be the same in every row"
                    throw Mistake(message, at: parts[index].span)
                }
            }
        }
        return parts
    }

    private func fitted(
        _ part: Typed,
        to parameter: ExpressionFunction.Parameter,
        of function: ExpressionFunction
    ) throws(Mistake) -> Typed {
        switch parameter.kinds {
        case .any: return adapted(part, to: part.kind ?? .text) ?? part
        case .number: return try number(part, function.name)
        case .common, .ordered, .pattern, .pointer: return part
        case .one(let kind):
            if let adapted = try fitted(part, to: kind) { return adapted }
            let text = written(part.syntax)
            let hint: String? =
                switch (part.kind, kind) {
                case (_, .text): "write to_text(\(text))"
                case (.instant, .day): "write day_of(\(text))"
                case (.text, .json): "write parse_json(\(text))"
                case (_, .json): "only JSON has values inside"
                case (.text, _): "write to_\(kind.rawValue)(\(text))"
                case (.decimal, .integer):
                    "write to_integer(\(text)); round, floor or ceil it first where it is not whole"
                default: "it is called as \(function.signature)"
                }
            throw Mistake(
                "'\(parameter.name)' of \(function.name) is \(kind.displayWithArticle), and this is \(displayText(part))",
                at: part.span,
                hint: hint,
                code: "wrong-kind"
            )
        }
    }

    private func displayCount(of function: ExpressionFunction) -> String {
        let fewest = function.fewest
        guard let most = function.most else { return "at least \(fewest) value\(fewest == 1 ? "" : "s")" }
        if fewest == most { return "\(most) value\(most == 1 ? "" : "s")" }
        return "\(fewest) or \(most) values"
    }

    private func unknownFunction(_ name: String, at span: Range<Int>) -> Mistake {
        let word = name.lowercased()
        let names = ExpressionFunction.all.map(\.name)
        var hint = NearestName.hint(for: word, among: names)
        if let other = ExpressionFunction.otherNames[word] { hint = "did you mean '\(other)'?" }
        if ["count", "sum", "avg", "mean", "median"].contains(word) {
            hint = "an expression sees one row at a time; 'summarise_rows' counts and adds up"
        }
        if ["concat", "concat_ws"].contains(word) { hint = "texts are joined with '||'" }
        if ["if", "iif"].contains(word) { hint = "write 'case when … then … else … end'" }
        if schema.names.contains(name) { hint = "'\(name)' is a column; an operator is missing behind it" }
        return Mistake(
            "there is no function '\(name)'",
            at: span,
            hint: hint ?? "the functions are \(names.joined(separator: ", "))",
            code: "unknown-function"
        )
    }
}
