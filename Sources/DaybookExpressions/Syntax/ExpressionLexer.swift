/// Cuts the text of an expression into tokens.
struct ExpressionLexer {
    typealias Mistake = ExpressionMistake

    /// The limit on the bytes of an expression: enough for a list of a thousand words, and a bound for later work.
    static let longest = 32_768

    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    static func tokens(of text: String) throws(Mistake) -> [ExpressionToken] {
        guard text.utf8.count <= longest else {
            throw Mistake("an expression may have \(longest) bytes at most", at: 0..<1)
        }
        var lexer = ExpressionLexer(text)
        var tokens: [ExpressionToken] = []
        while let token = try lexer.next() { tokens.append(token) }
        let end = lexer.scalars.count
        tokens.append(ExpressionToken(kind: .end, span: end..<end))
        return tokens
    }

    private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        position + ahead < scalars.count ? scalars[position + ahead] : nil
    }

    private mutating func next() throws(Mistake) -> ExpressionToken? {
        while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
        guard let scalar = peek() else { return nil }
        let start = position
        let kind: ExpressionToken.Kind
        switch scalar {
        case "'": kind = .text(try quoted(by: "'", "a text"))
        case "\"": kind = .quotedName(try name(in: "\""))
        case "`": kind = .quotedName(try name(in: "`"))
        case "0"..."9": kind = try number()
        case _ where Self.beginsName(scalar): kind = .name(bareName())
        default: kind = .sign(try sign(scalar))
        }
        return ExpressionToken(kind: kind, span: start..<position)
    }

    /// The text between two quotes; a doubled quote is one quote.
    private mutating func quoted(by quote: Unicode.Scalar, _ what: String) throws(Mistake) -> String {
        let start = position
        var text = ""
        position += 1
        while let scalar = peek() {
            if scalar == quote {
                guard peek(1) == quote else {
                    position += 1
                    return text
                }
                position += 1
            }
            text.unicodeScalars.append(scalar)
            position += 1
        }
        let hint: String? = quote == "'" ? "a ' inside a text is written twice: 'it''s'" : nil
        throw Mistake("\(what) begins here and has no closing \(quote)", at: start..<start + 1, hint: hint)
    }

    private mutating func name(in quote: Unicode.Scalar) throws(Mistake) -> String {
        let start = position
        let name = try quoted(by: quote, "a column name")
        guard !name.isEmpty else { throw Mistake("these quotes hold no column name", at: start..<position) }
        return name
    }

    static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.isXIDStart
    }

    private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        beginsName(scalar) || scalar.properties.isXIDContinue
    }

    /// Letters, digits and `_`; a dot between them is part of the name, as in `main.temp` and `words.0`.
    private mutating func bareName() -> String {
        var name = ""
        while let scalar = peek() {
            let isDot = scalar == "." && peek(1).map(Self.continuesName) ?? false
            guard isDot || Self.continuesName(scalar) else { break }
            name.unicodeScalars.append(scalar)
            position += 1
        }
        return name
    }

    private mutating func digits() -> String {
        var digits = ""
        while let scalar = peek(), ("0"..."9").contains(scalar) {
            digits.unicodeScalars.append(scalar)
            position += 1
        }
        return digits
    }

    private mutating func number() throws(Mistake) -> ExpressionToken.Kind {
        let start = position
        var written = digits()
        var isWhole = true
        if peek() == ".", peek(1).map({ ("0"..."9").contains($0) }) ?? false {
            isWhole = false
            position += 1
            written += "." + digits()
        }
        if peek() == "e" || peek() == "E" {
            let signed = peek(1) == "+" || peek(1) == "-"
            if peek(signed ? 2 : 1).map({ ("0"..."9").contains($0) }) ?? false {
                isWhole = false
                position += 1
                written += "e"
                if signed {
                    written += peek() == "-" ? "-" : "+"
                    position += 1
                }
                written += digits()
            }
        }
        if let scalar = peek(), Self.continuesName(scalar) {
            let rest = bareName()
            let message = "'\(written)\(rest)' is neither a number nor a name"
            let hint = "a column whose name begins with a digit stands in double quotes: \"\(written)\(rest)\""
            throw Mistake(message, at: start..<position, hint: hint)
        }
        if isWhole {
            if let value = UInt64(written), value <= 1 << 63 { return .integer(value) }
            throw Mistake("\(written) does not fit a 64-bit number", at: start..<position)
        }
        guard let value = Double(written), value.isFinite else {
            throw Mistake("\(written) is too large for a number", at: start..<position)
        }
        return .decimal(value)
    }

    /// Spellings from other languages, and what to write instead.
    private static let strangers: [(written: String, hint: String)] = [
        ("==", "write '=' to compare"), ("&&", "write 'and'"), ("&", "write 'and'"),
        ("|", "write 'or', or '||' to join texts"),
        ("!", "write 'not'"), ("=>", "write '>='"), ("=<", "write '<='"),
        ("~", "write like, or matches(text, 'pattern')"),
        ("{", "a column is named without braces"), ("[", "a list is written in ( )"), (";", "an expression has no ';'"),
        ("“", "a text stands in plain single quotes: 'text'"), ("‘", "a text stands in plain single quotes: 'text'"),
        ("’", "a text stands in plain single quotes: 'text'"), ("”", "a text stands in plain single quotes: 'text'"),
        ("$", "a param is written ${name}, and is filled in before the expression is read"),
        ("#", "a colour is a text: '#EC007F'"), (".", "a number begins with a digit: 0.5"),
    ]

    private func stands(_ written: String) -> Bool {
        written.unicodeScalars.enumerated().allSatisfy { peek($0.offset) == $0.element }
    }

    private mutating func sign(_ scalar: Unicode.Scalar) throws(Mistake) -> String {
        let start = position
        func mistake(_ written: String, _ hint: String?) -> Mistake {
            Mistake("'\(written)' means nothing here", at: start..<start + written.unicodeScalars.count, hint: hint)
        }
        if stands("!=") {
            position += 2
            return "<>"
        }
        for (written, hint) in Self.strangers where written.utf8.count > 1 && stands(written) {
            throw mistake(written, hint)
        }
        let candidates = [peek(1).map { "\(scalar)\($0)" }, "\(scalar)"].compactMap(\.self)
        if let sign = candidates.first(where: ExpressionToken.signs.contains) {
            position += sign.unicodeScalars.count
            return sign
        }
        throw mistake("\(scalar)", Self.strangers.first { $0.written == "\(scalar)" }?.hint)
    }
}

/// One word, number, text or sign of an expression, and its place.
struct ExpressionToken: Sendable {
    enum Kind: Sendable, Equatable {
        /// A name without quotes: a column, a function or a keyword.
        case name(String)
        /// A name in double quotes or backticks: always a column.
        case quotedName(String)
        /// A text in single quotes.
        case text(String)
        /// A whole number without its sign. `2^63` is allowed, since a minus may precede it.
        case integer(UInt64)
        case decimal(Double)
        /// One of `signs`.
        case sign(String)
        case end
    }

    static let signs: Set<String> = ["=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||", "(", ")", ","]

    let kind: Kind
    /// Its range in the Unicode scalars of the text.
    let span: Range<Int>

    /// How an error names it: `'and'`, `the number 3`, `the end`.
    var displayText: String {
        switch kind {
        case .name(let name): "'\(name)'"
        case .quotedName(let name): "the column \"\(name)\""
        case .text(let text): "the text '\(text)'"
        case .integer(let number): "the number \(number)"
        case .decimal(let number): "the number \(number)"
        case .sign(let sign): "'\(sign)'"
        case .end: "the end"
        }
    }
}

/// A mistake in an expression, with its place in the text; callers that know the job file make an error of it.
struct ExpressionMistake: Error {
    var code: DaybookError.Code = "bad-expression"
    var message: String
    var span: Range<Int>
    var hint: String?
    /// The missing column, if that is the mistake.
    var column: String?

    init(_ message: String, at span: Range<Int>, hint: String? = nil, code: DaybookError.Code = "bad-expression") {
        (self.code, self.message, self.span, self.hint) = (code, message, span, hint)
    }
}
