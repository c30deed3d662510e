extension RegexParser {
    /// Reads what follows `(?` and says whether a group opens; `(?i)` opens none. The place is behind the `(`.
    mutating func groupOpening(from start: Int) throws(RegexProblem) -> Bool {
        position += 1
        if take(":") { return true }
        for (mark, name, hint) in RegexParser.unsupportedGroups where goesOn(with: mark) {
            throw problem(
                "\(name) is not supported",
                from: start,
                length: mark.unicodeScalars.count + 2,
                hint: hint
            )
        }
        if take("P<") || take("<") { return try groupName(from: start) }
        return try flagSetting(from: start)
    }

    private static let twoRules =
        "no automaton finds it in linear time; write two patterns, one for what must be there and one for what must not"

    private static let unsupportedGroups: [(mark: String, name: String, hint: String)] = [
        ("=", "look-ahead", twoRules), ("!", "negative look-ahead", twoRules), ("<=", "look-behind", twoRules),
        ("<!", "negative look-behind", twoRules),
        (">", "an atomic group", "write (?:…): nothing backtracks here"),
        ("#", "a comment", "leave it out, or write it beside the pattern as a comment of the job file"),
        ("P=", "a backreference", backreferenceHint), ("P>", "recursion", "write the repeated part out"),
        ("&", "recursion", "write the repeated part out"), ("R", "recursion", "write the repeated part out"),
        ("(", "a condition", "write both cases with | between them"),
        ("|", "a branch reset", "write (?:…|…)"), ("'", "a quoted group name", "write (?<name>…)"),
    ]

    static let backreferenceHint =
        "no automaton finds it in linear time; compare two columns with an expression instead"

    /// Reads the rest of `(?<name>`. Nobody asks for groups by their names; they are only there to be read.
    private mutating func groupName(from start: Int) throws(RegexProblem) -> Bool {
        let nameStart = position
        while let next = peek, next == "_" || next.properties.isAlphabetic || RegexParser.isDigit(next) {
            position += 1
        }
        guard position > nameStart, take(">") else {
            throw problem("the name of the group does not end with '>'", from: start, hint: "write (?<name>…), or (…)")
        }
        return true
    }

    /// Reads the rest of `(?i)` or `(?i-s:`.
    private mutating func flagSetting(from start: Int) throws(RegexProblem) -> Bool {
        var isOn = true
        while let next = peek {
            switch next {
            case "i": flags.ignoresCase = isOn
            case "s": flags.dotMatchesLineFeed = isOn
            case "m": flags.anchorsMatchAtLines = isOn
            case "-" where isOn: isOn = false
            case ")", ":":
                position += 1
                guard position > start + 3 else { throw unknownGroup(from: start) }
                return next == ":"
            case "x":
                throw problem("the flag x is not supported", hint: "write the pattern without spaces and comments")
            case "u", "U":
                throw problem(
                    "the flag \(next) is not supported",
                    hint: #"leave it out: \w, \s, \b and (?i) know all of Unicode"#
                )
            default: throw unknownGroup(from: start)
            }
            position += 1
        }
        throw problem("the group is never closed", from: start, length: 1, hint: #"write \( for the character itself"#)
    }

    private func unknownGroup(from start: Int) -> RegexProblem {
        problem(
            "this kind of group is not supported",
            from: start,
            length: 3,
            hint: "there are (…), (?:…), (?<name>…) and the flags (?i), (?s) and (?m)"
        )
    }
}
