/// Finds the types of Swift source and their stored properties and cases; steps over everything else.
struct SwiftParser {
    /// How many types a source may declare, and properties and cases in all.
    private static let limits = (types: 5_000, members: 100_000, depth: 48)
    /// Attributes that change nothing about what is stored.
    private static let harmless: Set<String> = [
        "available", "MainActor", "frozen", "objc", "objcMembers", "nonobjc", "dynamicMemberLookup", "usableFromInline",
        "inlinable", "preconcurrency", "propertyWrapper", "main", "discardableResult", "backDeployed", "IBInspectable",
        "NSManaged", "unchecked", "retroactive", "dynamicCallable", "resultBuilder", "globalActor", "testable",
    ]
    private static let modifiers: Set<String> = [
        "public", "private", "fileprivate", "internal", "open", "package", "final", "lazy", "weak", "unowned",
        "nonisolated", "indirect", "mutating", "nonmutating", "override", "required", "convenience", "dynamic",
        "optional",
        "isolated", "distributed", "prefix", "postfix", "infix", "borrowing", "consuming", "sending",
    ]

    let bytes: [UInt8]
    let name: String
    var tokens: [SwiftToken]
    var position = 0
    private(set) var declarations: [SwiftDeclaration] = []
    /// `typealias` by its path.
    private(set) var aliases: [String: SwiftWrittenType] = [:]
    private var members = 0

    init(_ bytes: [UInt8], name: String) throws(DaybookError) {
        (self.bytes, self.name) = (bytes, name)
        tokens = try SwiftLexer(bytes, name: name).tokens
    }

    /// Reads the whole source.
    mutating func read() throws(DaybookError) {
        while token.kind != .end { try readMember(of: nil, []) }
    }

    var token: SwiftToken { tokens[position] }

    func ahead(_ count: Int) -> SwiftToken { tokens[min(position + count, tokens.count - 1)] }

    mutating func advance(by count: Int = 1) { position = min(position + count, tokens.count - 1) }

    /// Steps over a mark, if it is the token.
    mutating func take(_ mark: String) -> Bool {
        guard token.is(mark) else { return false }
        advance()
        return true
    }

    /// Steps over a point and the name behind it; nil if there is no such name.
    mutating func takePart() -> String? {
        guard token.is("."), ahead(1).kind == .word else { return nil }
        defer { advance(by: 2) }
        return ahead(1).text
    }

    /// Steps over all up to the end of the brackets that are open, and over their closing mark.
    mutating func leave(_ closing: String) {
        while !token.is(closing), !token.is("}"), token.kind != .end { skip() }
        _ = take(closing)
    }

    /// Whether the token stands right behind the one before.
    var isAttached: Bool { tokens[position - 1].end == token.at }

    func error(_ message: String, at: Int, hint: String = "the file must be one that Swift compiles") -> DaybookError {
        let place = SwiftLexer.place(at, in: bytes, name: name)
        return DaybookError("swift-model", message, at: place, hint: hint)
    }

    /// Steps over a bracket and all in it, or over one token.
    mutating func skip() {
        var depth = 0
        repeat {
            if token.kind == .mark {
                switch token.text {
                case "(", "[", "{": depth += 1
                case ")", "]", "}": depth -= 1
                default: break
                }
            }
            if token.kind == .end { return }
            advance()
        } while depth > 0
    }

    /// What stands before a declaration.
    private struct Preface {
        var attributes: [(name: String, at: Int)] = []
        var words: Set<String> = []
        var isStatic: Bool { words.contains("static") || words.contains("class") }
        var unknown: (name: String, at: Int)? { attributes.first { !SwiftParser.harmless.contains($0.name) } }
    }

    private mutating func readPreface() -> Preface {
        var preface = Preface()
        while true {
            if take("@") {
                var attribute = (name: token.text, at: token.at)
                advance()
                while let name = takePart() { attribute.name = name }
                if token.is("("), isAttached { skip() }
                if token.is("<"), isAttached { _ = skipGenerics() }
                preface.attributes.append(attribute)
            } else if token.kind == .word, !token.isPlain, SwiftParser.modifiers.contains(token.text) {
                // A property may have the name of a modifier, but then it stands behind its keyword.
                preface.words.insert(token.text)
                advance()
                if token.is("("), isAttached { skip() }
            } else if token.isWord("static")
                || token.isWord("class") && ["func", "var", "let", "subscript", "init"].contains(ahead(1).text)
            {
                preface.words.insert(token.text)
                advance()
            } else {
                return preface
            }
        }
    }

    /// Reads or steps over one member of a type, or of the file if there is none.
    private mutating func readMember(of type: Int?, _ path: [String]) throws(DaybookError) {
        let start = position
        let preface = readPreface()
        guard token.kind == .word, !token.isPlain else {
            if position == start || token.is("{") { skip() }
            return
        }
        switch token.text {
        case "struct", "class", "enum", "actor", "extension", "protocol": try readType(preface, path)
        case "var", "let": try readProperties(of: type, preface)
        case "case" where type.map { declarations[$0].keyword == .enum } ?? false:
            try readCases(of: type ?? 0)
        case "func", "init", "deinit", "subscript", "macro": readFunction(of: type)
        case "typealias": readAlias(path)
        case "import":
            advance()
            while token.kind != .end, !token.isFirstOnLine { advance() }
        default: skip()
        }
    }

    private mutating func readType(_ preface: Preface, _ outer: [String]) throws(DaybookError) {
        guard let keyword = SwiftDeclaration.Keyword(rawValue: token.text) else { return advance() }
        advance()
        guard token.kind == .word else { return }
        var declaration = SwiftDeclaration(keyword: keyword, path: outer + [token.text], at: token.at)
        advance()
        while keyword == .extension, let part = takePart() { declaration.path.append(part) }
        guard declaration.path.count <= SwiftParser.limits.depth else {
            throw error("types are nested too deeply here", at: declaration.at)
        }
        if token.is("<") { declaration.isGeneric = skipGenerics() }
        if token.is(":") {
            repeat {
                advance()
                // '@retroactive', '@unchecked' and '~'.
                while token.is("@") || token.is("~") { advance(by: token.is("@") ? 2 : 1) }
                var last = (name: token.text, at: token.at)
                guard token.kind == .word else { break }
                advance()
                while let name = takePart() { last.name = name }
                if token.is("<") { _ = skipGenerics() }
                declaration.inherited.append(last)
            } while token.is(",") || token.is("&")
        }
        while token.kind != .end, !token.is("{"), !token.is("}") { advance() }
        guard token.is("{") else { return }
        if let unknown = preface.unknown {
            let message = "'@\(unknown.name)' may change what '\(declaration.name)' stores"
            declaration.fault = SwiftFault(message: message, hint: SwiftModelReading.byHand, at: unknown.at)
        }
        guard declarations.count < SwiftParser.limits.types else {
            throw error("the file declares more than \(SwiftParser.limits.types) types", at: declaration.at)
        }
        let index = declarations.count
        declarations.append(declaration)
        if keyword == .protocol { return skip() }
        let opening = token.at
        advance()
        while !token.is("}") {
            guard token.kind != .end else {
                throw error("'\(declaration.name)' opens here and is never closed", at: opening)
            }
            try readMember(of: index, declaration.path)
        }
        advance()
    }

    /// Steps over `<…>`; false, without a step, where a bracket or the end comes first.
    mutating func skipGenerics() -> Bool {
        let start = position
        var depth = 0
        repeat {
            if token.is("<") { depth += 1 } else if token.is(">") { depth -= 1 }
            let stops = token.is("{") || token.is("}") || token.is(")") || token.is("]") || token.is(";")
            if stops || token.kind == .end || token.kind == .text {
                position = start
                return false
            }
            if token.is("(") || token.is("[") { skip() } else { advance() }
        } while depth > 0
        return true
    }

    /// Steps over a function, and notes one that codes the type by hand.
    private mutating func readFunction(of type: Int?) {
        let (keyword, at) = (token.text, token.at)
        advance()
        let isCoder = token.isWord("encode")
        while !token.is("("), !token.is("{"), !token.is("}"), token.kind != .end {
            if !token.is("<") || !skipGenerics() { advance() }
        }
        if token.is("(") {
            let label = ahead(1).text
            let byHand = keyword == "init" && label == "from" || keyword == "func" && isCoder && label == "to"
            // 'from decoder: any Decoder', and no other type.
            let isCoding = (2...7).contains { ["Decoder", "Encoder"].contains(ahead($0).text) }
            if byHand, isCoding, let type {
                let what = keyword == "init" ? "init(from:)" : "encode(to:)"
                let message =
                    "'\(declarations[type].name)' is coded by its own '\(what)', whose form cannot be read from here"
                declarations[type].fault = SwiftFault(message: message, hint: SwiftModelReading.byHand, at: at)
            }
        }
        while !token.is("{"), !token.is("}"), token.kind != .end {
            if token.is("(") || token.is("[") { skip() } else { advance() }
        }
        if token.is("{") { skip() }
    }

    private mutating func readAlias(_ path: [String]) {
        advance()
        guard token.kind == .word else { return }
        let (name, at) = (token.text, token.at)
        advance()
        let isGeneric = token.is("<") && skipGenerics()
        guard take("=") else { return }
        let type = readWrittenType()
        aliases[(path + [name]).joined(separator: ".")] = isGeneric ? .other("'\(name)' is generic", at: at) : type
    }

    private mutating func count(at: Int) throws(DaybookError) {
        members += 1
        if members > SwiftParser.limits.members { throw error("the file declares too many properties", at: at) }
    }

    private mutating func readProperties(of type: Int?, _ preface: Preface) throws(DaybookError) {
        let isLet = token.isWord("let")
        let isConditional = token.isConditional
        var read: [SwiftProperty] = []
        repeat {
            advance()
            let at = token.at
            try count(at: at)
            guard token.kind == .word else {
                if let type, token.is("(") {
                    let message = "'\(declarations[type].name)' declares several properties as a tuple"
                    let hint = "declare each property on its own"
                    declarations[type].fault = SwiftFault(message: message, hint: hint, at: at)
                }
                skip()
                if take("=") { skipExpression() }
                return
            }
            var property = SwiftProperty(name: token.text, at: at, type: nil, isFixed: false)
            advance()
            if take(":") { property.type = readWrittenType() }
            var isComputed = false
            if take("=") {
                property.type = property.type ?? typeOfValue()
                property.isFixed = isLet
                skipExpression()
            }
            if token.is("{") {
                isComputed = !ahead(1).isObserver
                skip()
            }
            if isConditional {
                let message =
                    "'\(property.name)' stands in '#if', so it depends on the build whether there is such a field"
                let hint = "move it out of '#if', or declare the fields by hand with 'fields'"
                property.fault = SwiftFault(message: message, hint: hint, at: at)
            }
            if let unknown = preface.unknown {
                let message = "'@\(unknown.name)' may wrap '\(property.name)', and decides how it is stored"
                let hint = "declare the fields by hand with 'fields', or the property without the wrapper"
                property.fault = SwiftFault(message: message, hint: hint, at: unknown.at)
            }
            if !isComputed { read.append(property) }
        } while token.is(",")
        guard let type, !preface.isStatic, !preface.words.contains("lazy"), declarations[type].keyword != .extension
        else { return }
        // In 'let a, b: Int' both are integers.
        for index in read.indices.dropLast().reversed() where read[index].type == nil && !read[index].isFixed {
            read[index].type = read[index + 1].type
        }
        declarations[type].properties += read
    }

    private mutating func readCases(of type: Int) throws(DaybookError) {
        repeat {
            advance()
            guard token.kind == .word else { return }
            var read = SwiftCase(name: token.text, at: token.at, isConditional: token.isConditional)
            try count(at: token.at)
            advance()
            if token.is("(") { read.values = readCaseValues() }
            if take("=") { read.raw = readRaw() }
            declarations[type].cases.append(read)
        } while token.is(",")
    }

    private mutating func readRaw() -> SwiftCase.Raw {
        let isNegative = take("-")
        defer { skipExpression() }
        switch token.kind {
        case .text where token.isPlain && !isNegative: return .text(token.text)
        case .number: return SwiftParser.integer(token.text, isNegative).map { .number($0) } ?? .other
        default: return .other
        }
    }

    private static func integer(_ text: String, _ isNegative: Bool) -> Int? {
        let digits = text.replacing("_", with: "").lowercased()
        let sign = isNegative ? "-" : ""
        for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] where digits.hasPrefix(prefix) {
            return Int(sign + digits.dropFirst(2), radix: radix)
        }
        return Int(sign + digits)
    }

    private mutating func readCaseValues() -> [SwiftCase.Value] {
        var values: [SwiftCase.Value] = []
        repeat {
            advance()
            if token.is(")") { break }
            var label: String?
            if token.kind == .word, ahead(1).is(":") {
                label = token.text
                advance(by: 2)
            } else if token.isWord("_"), ahead(1).kind == .word, ahead(2).is(":") {
                advance(by: 3)
            }
            values.append(SwiftCase.Value(label: label, type: readWrittenType()))
            if take("=") { skipExpression() }
        } while token.is(",")
        leave(")")
        return values
    }
}
