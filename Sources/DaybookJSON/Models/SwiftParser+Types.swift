extension SwiftParser {
    /// Reads a type; stops behind it.
    mutating func readWrittenType(depth: Int = 0) -> SwiftWrittenType {
        let at = token.at
        guard depth < 64 else { return .other("a type that is nested too deeply", at: at) }
        while token.is("@") { advance(by: 2) }
        var type = readBareType(depth)
        while true {
            if token.is("?") || token.is("!"), isAttached {
                type = .optional(type)
                advance()
            } else if take("&") {
                type = .other("a composition of protocols", at: at)
                _ = readBareType(depth)
            } else if token.is("->") || token.isWord("async") || token.isWord("throws") {
                advance()
                _ = readWrittenType(depth: depth + 1)
                return .other("a function", at: at)
            } else {
                return type
            }
        }
    }

    private mutating func readBareType(_ depth: Int) -> SwiftWrittenType {
        let at = token.at
        if take("[") {
            let first = readWrittenType(depth: depth + 1)
            let second = take(":") ? readWrittenType(depth: depth + 1) : nil
            let isKnown = token.is("]")
            leave("]")
            guard isKnown else { return .other("a type that this reader does not know", at: at) }
            return second.map { .dictionary(first, $0) } ?? .array(first)
        }
        if token.is("(") {
            guard ahead(1).is("(") || ahead(1).is("[") || ahead(2).is(")") || ahead(2).is("?") || ahead(2).is(".")
            else {
                skip()
                return .other("a tuple or a function", at: at)
            }
            advance()
            let type = readWrittenType(depth: depth + 1)
            if take(")") { return type }
            leave(")")
            return .other("a tuple", at: at)
        }
        guard token.kind == .word else { return .other("no type that this reader knows", at: at) }
        if token.isWord("any") || token.isWord("some"), ahead(1).kind == .word {
            advance()
            let name = token.text
            _ = readWrittenType(depth: depth + 1)
            return .other("any '\(name)', of which no decoder knows the type", at: at)
        }
        var path = [token.text]
        var arguments: [SwiftWrittenType] = []
        advance()
        if token.is("<") { arguments = readArguments(depth) }
        while let part = takePart() {
            path.append(part)
            if token.is("<") { arguments = readArguments(depth) }
        }
        return .name(path, arguments, at: at)
    }

    private mutating func readArguments(_ depth: Int) -> [SwiftWrittenType] {
        var arguments: [SwiftWrittenType] = []
        repeat {
            advance()
            arguments.append(readWrittenType(depth: depth + 1))
        } while token.is(",")
        _ = take(">")
        return arguments
    }

    /// The type of an initial value that tells it; stays before the value.
    mutating func typeOfValue() -> SwiftWrittenType? {
        let start = position
        defer { position = start }
        let at = token.at
        let next = ahead(1)
        let isAlone = next.endsValue
        switch token.kind {
        case .text where isAlone: return .name(["String"], [], at: at)
        case .number where isAlone: return .name([SwiftParser.isWhole(token.text) ? "Int" : "Double"], [], at: at)
        case .mark where token.text == "-" && next.kind == .number:
            return .name([SwiftParser.isWhole(next.text) ? "Int" : "Double"], [], at: at)
        case .mark where token.text == "[":
            let type = readWrittenType()
            return token.is("(") && ahead(1).is(")") ? type : nil
        case .word where isAlone && (token.text == "true" || token.text == "false"):
            return .name(["Bool"], [], at: at)
        case .word where token.text.first?.isUppercase == true:
            let type = readWrittenType()
            if token.is("("), ahead(1).is(")") { return type }
            // 'Priority.low' and 'Date.now' are values of the types before the point.
            guard case .name(let path, let arguments, _) = type, path.count > 1, arguments.isEmpty,
                path.last?.first?.isLowercase == true, token.endsValue
            else { return nil }
            return .value(Array(path.dropLast()), of: path[path.count - 1], at: at)
        default: return nil
        }
    }

    private static func isWhole(_ number: String) -> Bool {
        let digits = number.lowercased()
        return digits.hasPrefix("0x") || digits.allSatisfy { $0.isNumber || $0 == "_" }
    }

    /// Steps over a value, up to the end of its statement or the comma behind it.
    mutating func skipExpression() {
        let start = position
        while token.kind != .end {
            if token.kind == .mark {
                switch token.text {
                case ",", ";", "}", ")", "]": return
                case "{":
                    if ahead(1).isObserver { return }
                    skip()
                    continue
                default: break
                }
            }
            if position > start, endsStatement { return }
            if token.is("(") || token.is("[") {
                skip()
            } else if !token.is("<") || position == start || !isAttached || !skipGenerics() {
                advance()
            }
        }
    }

    /// Whether a line end before the token ends a statement.
    private var endsStatement: Bool {
        guard token.isFirstOnLine else { return false }
        let operators: Set<String> = ["+", "-", "*", "/", "%", "&", "|", "^", "=", "<", ">", ".", ":", "->"]
        let last = tokens[position - 1]
        if last.kind == .mark, operators.contains(last.text) || last.text == ",", last.text != ">" { return false }
        if last.is("?"), position > 1, tokens[position - 2].end != last.at { return false }
        if last.kind == .word, !last.isPlain, ["try", "await", "in", "is", "as", "return"].contains(last.text) {
            return false
        }
        if token.kind == .mark, operators.contains(token.text) || token.is("?") { return false }
        return !(token.isWord("is") || token.isWord("as") || token.isWord("else"))
    }
}
