extension RegexParser {
    /// Reads a class such as `[^0-9A-F]`; the place is at the bracket.
    mutating func bracketClass() throws(RegexProblem) -> ScalarSet {
        let start = position
        position += 1
        let isNegated = take("^")
        if peek == "]" {
            throw problem(
                "the class is empty",
                from: start,
                length: position + 1 - start,
                hint: #"write \] for the character itself"#
            )
        }
        var ranges: [ClosedRange<UInt32>] = []
        while true {
            guard let next = peek else {
                throw problem(
                    "the class is never closed",
                    from: start,
                    length: 1,
                    hint: #"write \[ for the character itself"#
                )
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
                throw problem(
                    "a range cannot begin with a class",
                    from: start,
                    hint: #"write \- for the character itself"#
                )
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

    /// Reads one end of a range, or an escape that stands for a set.
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

    /// Refuses what other engines read as a class inside a class, or as plain characters.
    private func refuseAmbiguous(_ next: Unicode.Scalar) throws(RegexProblem) {
        if next == "[", peek(1) == ":" {
            throw problem("names such as [:alpha:] are not supported", length: 2, hint: #"write \p{L}, \d, \w or \s"#)
        }
        if next == "[" {
            throw problem("a class inside a class is not supported", hint: #"write \[ for the character itself"#)
        }
        for sign in ["&&", "--", "~~"] where goesOn(with: sign) {
            throw problem(
                "the set operation '\(sign)' is not supported",
                length: 2,
                hint: "write the class out; a backslash before each makes them characters"
            )
        }
    }
}
