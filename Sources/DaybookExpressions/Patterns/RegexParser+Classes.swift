extension RegexParser {
    /// Reads a class such as `[^0-9A-F]`; the place is at the bracket.
    mutating func bracketClass() throws(RegexProblem) -> ScalarSet {
        let start = position
        position += 1
        let isNegated = take("^")
        if peek == "]" {
            let hint = #"write \] for the character itself"#
            throw problem("the class is empty", from: start, length: position + 1 - start, hint: hint)
        }
        var ranges: [ClosedRange<UInt32>] = []
        while true {
            guard let next = peek else {
                let hint = #"write \[ for the character itself"#
                throw problem("the class is never closed", from: start, length: 1, hint: hint)
            }
            if next == "]" { break }
            try refuseAmbiguous(next)
            ranges += try classItem(from: start)
        }
        position += 1
        var set = ScalarSet(ranges)
        if flags.ignoresCase { set = set.ignoringCase }
        return isNegated ? set.inverted : set
    }

    /// One character, range or escape of a class.
    private mutating func classItem(from classStart: Int) throws(RegexProblem) -> [ClosedRange<UInt32>] {
        let start = position
        let opensClass = start == classStart + 1 || start == classStart + 2 && scalars[start - 1] == "^"
        if peek == "-", !opensClass, peek(1) != "]" {
            throw problem("this '-' does not stand between two characters", hint: #"write \- for the character itself"#)
        }
        let opening = try classEnd()
        guard case .scalar(let first) = opening else {
            if peek == "-", peek(1) != "]" {
                let hint = #"write \- for the character itself"#
                throw problem("a range cannot begin with a class", from: start, hint: hint)
            }
            if case .set(let set) = opening { return set.ranges }
            return []
        }
        guard peek == "-", peek(1) != "]", peek(1) != nil else { return [first.value...first.value] }
        position += 1
        if let next = peek { try refuseAmbiguous(next) }
        guard case .scalar(let last) = try classEnd() else {
            throw problem("a range cannot end with a class", from: start, hint: #"write \- for the character itself"#)
        }
        guard first.value <= last.value else {
            throw problem("the range runs backwards", from: start, hint: "write the smaller character first")
        }
        return [first.value...last.value]
    }

    /// Reads one end of a range, or an escape for a set.
    private mutating func classEnd() throws(RegexProblem) -> Escaped {
        let start = position
        guard scalars[start] == "\\" else {
            position += 1
            return .scalar(scalars[start])
        }
        let escaped = try escapedScalars()
        guard case .unknown = escaped else { return escaped }
        let letter = scalars[start + 1]
        throw letter == "b"
            ? problem(
                #"'\b' stands for a word boundary, which is no character"#,
                from: start,
                length: 2,
                hint: #"write \x08"#
            )
            : unknownEscape(letter, from: start)
    }

    /// Refuses syntax that other engines read as a class inside a class, or as plain characters.
    private func refuseAmbiguous(_ next: Unicode.Scalar) throws(RegexProblem) {
        if next == "[", peek(1) == ":" {
            throw problem("names such as [:alpha:] are not supported", length: 2, hint: #"write \p{L}, \d, \w or \s"#)
        }
        if next == "[" {
            throw problem("a class inside a class is not supported", hint: #"write \[ for the character itself"#)
        }
        for sign in ["&&", "--", "~~"] where goesOn(with: sign) {
            let hint = "write the class out; a backslash before each makes them characters"
            throw problem("the set operation '\(sign)' is not supported", length: 2, hint: hint)
        }
    }
}

extension RegexParser {
    /// Reads an escape outside brackets.
    mutating func escape() throws(RegexProblem) -> RegexTree {
        let start = position
        guard let letter = peek(1) else { throw endsWithBackslash() }
        let assertion: RegexAssertion? =
            switch letter {
            case "b": .wordBoundary
            case "B": .noWordBoundary
            case "A": .textStart
            case "z": .textEnd
            default: nil
            }
        if let assertion {
            position += 2
            return .assertion(assertion)
        }
        switch try escapedScalars() {
        case .set(let set): return .set(set)
        case .scalar(let scalar): return .set(literal(scalar))
        case .unknown: throw unknownEscape(letter, from: start)
        }
    }

    /// The meaning of an escape that is also allowed in brackets.
    enum Escaped {
        case scalar(Unicode.Scalar)
        case set(ScalarSet)
        case unknown
    }

    /// Reads an escape for scalars; the place is at the backslash.
    mutating func escapedScalars() throws(RegexProblem) -> Escaped {
        guard let letter = peek(1) else { throw endsWithBackslash() }
        let start = position
        position += 2
        switch letter {
        case "d": return .set(.digits)
        case "D": return .set(ScalarSet.digits.inverted)
        case "w": return .set(.word)
        case "W": return .set(ScalarSet.word.inverted)
        case "s": return .set(.whiteSpace)
        case "S": return .set(ScalarSet.whiteSpace.inverted)
        case "t": return .scalar("\t")
        case "n": return .scalar("\n")
        case "r": return .scalar("\r")
        case "f": return .scalar("\u{0C}")
        case "p", "P": return .set(try property(isNegated: letter == "P", from: start))
        case "x":
            return .scalar(try peek == "{" ? bracedNumber(from: start) : fixedNumber(of: 2, from: start))
        case "u":
            return .scalar(try peek == "{" ? bracedNumber(from: start) : fixedNumber(of: 4, from: start))
        default:
            guard letter.isASCII, !letter.properties.isAlphabetic, !RegexParser.isDigit(letter) else {
                position = start
                return .unknown
            }
            return .scalar(letter)
        }
    }

    private func endsWithBackslash() -> RegexProblem {
        problem("the pattern ends with a backslash", hint: #"write \\ for the character itself"#)
    }

    func unknownEscape(_ letter: Unicode.Scalar, from start: Int) -> RegexProblem {
        let written = "\\\(letter)"
        func refused(_ message: String, _ hint: String?) -> RegexProblem {
            problem(message, from: start, length: 2, hint: hint)
        }
        if let hint = RegexParser.otherEscapes[letter] { return refused("'\(written)' is not supported", hint) }
        guard !"123456789kg".unicodeScalars.contains(letter) else {
            return refused("the backreference '\(written)' is not supported", RegexParser.backreferenceHint)
        }
        let hint = letter.isASCII ? nil : "leave out the backslash: only ASCII characters need one"
        return refused("'\(written)' is not an escape", hint)
    }

    /// Escapes of other engines, and what to write instead.
    private static let otherEscapes: [Unicode.Scalar: String] = [
        "Z": #"write $ or \z"#, "h": #"write [ \t] or \p{Zs}"#, "v": #"write \x0B or [\n\r]"#, "R": #"write \r?\n"#,
        "N": #"write [^\n]"#, "X": #"write .\p{M}*"#, "<": #"write \b"#, ">": #"write \b"#, "0": #"write \x00"#,
        "Q": "escape each character", "E": "escape each character",
    ]

    private mutating func fixedNumber(of digits: Int, from start: Int) throws(RegexProblem) -> Unicode.Scalar {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = peek.flatMap(RegexParser.hexValue) else {
                let hint = digits == 2 ? #"write \x41 or \x{1F600}"# : #"write \uAC00 or \u{1F600}"#
                throw problem("'\\\(scalars[start + 1])' needs \(digits) hex digits", from: start, hint: hint)
            }
            value = value * 16 + digit
            position += 1
        }
        return try scalar(value, from: start)
    }

    private mutating func bracedNumber(from start: Int) throws(RegexProblem) -> Unicode.Scalar {
        position += 1
        let first = position
        var value: UInt32 = 0
        while let digit = peek.flatMap(RegexParser.hexValue), position - first < 8 {
            value = value << 4 | digit
            position += 1
        }
        guard position > first, take("}") else {
            throw problem("braces need 1 to 8 hex digits and a '}'", from: start, hint: #"write \x{1F600}"#)
        }
        return try scalar(value, from: start)
    }

    private func scalar(_ value: UInt32, from start: Int) throws(RegexProblem) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else {
            let hint = "they end at 10FFFF, without D800 to DFFF"
            throw problem("this number is not a Unicode scalar", from: start, hint: hint)
        }
        return scalar
    }

    private static func hexValue(_ scalar: Unicode.Scalar) -> UInt32? {
        switch scalar {
        case "0"..."9": scalar.value - 48
        case "a"..."f": scalar.value - 87
        case "A"..."F": scalar.value - 55
        default: nil
        }
    }

    /// Reads the name of `\p{Hangul}` or `\pL`; the place is behind the letter.
    private mutating func property(isNegated: Bool, from start: Int) throws(RegexProblem) -> ScalarSet {
        var name = ""
        var isNegated = isNegated
        if take("{") {
            if take("^") { isNegated.toggle() }
            while let next = peek, next != "}", name.unicodeScalars.count < 64 {
                name.unicodeScalars.append(next)
                position += 1
            }
            guard take("}") else { throw problem("the name of the property does not end with '}'", from: start) }
        } else if let letter = peek {
            name.unicodeScalars.append(letter)
            position += 1
        }
        guard var set = ScalarSet.property(named: name) else {
            throw problem(
                "'\(name)' is not a property that is known here",
                from: start,
                hint: NearestName.hint(for: name, among: ScalarSet.propertyNames)
                    ?? "there are the categories, such as L, Lu, Nd, P and Sc, and \(ScalarSet.displayProperties)"
            )
        }
        // Cases first, then the complement: without upper case, \P{Lu} would regain it through lower case.
        if flags.ignoresCase { set = set.ignoringCase }
        return isNegated ? set.inverted : set
    }
}
