/// The types of a Swift source file that are coded, and the models that can be made of them.
package struct SwiftSource: Sendable {
    let bytes: [UInt8]
    let name: String
    /// Structures, classes, enumerations and protocols by their paths.
    private(set) var types: [String: SwiftDeclaration] = [:]
    /// Paths that several declarations have.
    private(set) var repeated: Set<String> = []
    let aliases: [String: SwiftWrittenType]
    /// The paths of all types that are coded, in their order in the file.
    package private(set) var models: [String] = []

    package init(_ bytes: [UInt8], name: String) throws(DaybookError) {
        var parser = try SwiftParser(bytes, name: name)
        try parser.read()
        (self.bytes, self.name, aliases) = (bytes, name, parser.aliases)
        for declaration in parser.declarations where declaration.keyword != .extension {
            if types.updateValue(declaration, forKey: declaration.name) != nil { repeated.insert(declaration.name) }
        }
        for part in parser.declarations where part.keyword == .extension {
            guard var whole = types[part.name] else { continue }
            whole.inherited += part.inherited
            whole.fault = whole.fault ?? part.fault
            types[part.name] = whole
        }
        var known: Set<String> = []
        models = parser.declarations.map(\.name).filter { name in
            guard let type = types[name], type.keyword != .protocol, type.path.last != "CodingKeys" else {
                return false
            }
            return isCoded(type) && known.insert(name).inserted
        }
    }

    /// The coded types that no other of them holds.
    package var outermost: [String] {
        var held: Set<String> = []
        for name in models {
            guard let type = types[name] else { continue }
            let values = type.cases.flatMap { $0.values ?? [] }.map(\.type)
            for written in type.properties.compactMap(\.type) + values {
                for inner in declared(in: written, type.path) where inner != name { held.insert(inner) }
            }
        }
        return models.filter { !held.contains($0) }
    }

    /// The declared types that a written type names.
    private func declared(in written: SwiftWrittenType, _ scope: [String], depth: Int = 0) -> [String] {
        guard depth < SwiftModelReading.deepestAlias else { return [] }
        switch written {
        case .optional(let inner), .array(let inner): return declared(in: inner, scope, depth: depth + 1)
        case .dictionary(let key, let value):
            return declared(in: key, scope, depth: depth + 1) + declared(in: value, scope, depth: depth + 1)
        case .value(let path, _, _):
            guard case .type(let name) = lookUp(path, scope) else { return [] }
            return [name]
        case .other: return []
        case .name(let path, let arguments, _):
            let inner = arguments.flatMap { declared(in: $0, scope, depth: depth + 1) }
            switch lookUp(path, scope) {
            case .type(let name): return inner + [name]
            case .alias(let type, let scope): return inner + declared(in: type, scope, depth: depth + 1)
            case nil: return inner
            }
        }
    }

    enum Found {
        case type(String)
        case alias(SwiftWrittenType, [String])
    }

    /// What a name means inside a type: what the innermost type around it declares under that name.
    func lookUp(_ path: [String], _ scope: [String]) -> Found? {
        for count in (0...scope.count).reversed() {
            let outer = Array(scope[..<count])
            let name = (outer + path).joined(separator: ".")
            if types[name] != nil { return .type(name) }
            if let alias = aliases[name] { return .alias(alias, outer) }
        }
        return nil
    }

    /// All names that a type inherits, also through protocols and classes of the file.
    func inherited(_ type: SwiftDeclaration) -> Set<String> {
        var all: Set<String> = []
        var left = type.inherited.map(\.name)
        while let name = left.popLast() {
            guard all.insert(name).inserted, let inner = types[name] else { continue }
            guard inner.keyword == .protocol || inner.keyword == .class else { continue }
            left += inner.inherited.map(\.name)
        }
        return all
    }

    func isCoded(_ type: SwiftDeclaration) -> Bool {
        !inherited(type).isDisjoint(with: ["Codable", "Decodable", "Encodable"])
    }

    func error(_ message: String, at: Int, hint: String) -> DaybookError {
        DaybookError("swift-model", message, at: SwiftLexer.place(at, in: bytes, name: name), hint: hint)
    }

    func error(_ fault: SwiftFault) -> DaybookError { error(fault.message, at: fault.at, hint: fault.hint) }

    /// The model of a type such as `Todo` or `[Todo]`.
    ///
    /// - Parameter place: where the job or the command names the type.
    package func model(of type: String, at place: SourcePlace? = nil) throws(DaybookError) -> SwiftModel {
        let unknown = DaybookError(
            "swift-model",
            "'\(type)' is no type that can be read, such as Todo or [Todo]",
            at: place,
            hint: models.isEmpty ? nil : "the models of '\(name)' are \(DisplayText.list(models, "and"))"
        )
        let written: SwiftWrittenType
        do throws(DaybookError) {
            var parser = try SwiftParser(Array(type.utf8), name: type)
            written = parser.readWrittenType()
            guard parser.token.kind == .end else { throw unknown }
        } catch { throw unknown }
        for name in SwiftSource.names(in: written) where lookUp(name, []) == nil {
            if SwiftModelReading.builtIn[name.last ?? ""] != nil { continue }
            let text = name.joined(separator: ".")
            var error = unknown
            error.message = "'\(self.name)' declares no '\(text)'"
            error.hint = NearestName.hint(for: text, among: models) ?? error.hint
            throw error
        }
        var reading = SwiftModelReading(self)
        return try reading.model(of: written)
    }

    private static func names(in written: SwiftWrittenType) -> [[String]] {
        switch written {
        case .name(let path, let arguments, _): arguments.isEmpty ? [path] : arguments.flatMap(names)
        case .optional(let inner), .array(let inner): names(in: inner)
        case .dictionary(let key, let value): names(in: key) + names(in: value)
        case .value, .other: []
        }
    }
}

extension SwiftSource {
    /// The one model that no other holds, which is meant where no type is named.
    package func only() throws(DaybookError) -> String {
        let outermost = outermost.isEmpty ? models : outermost
        guard let only = outermost.first else {
            let hint = "the models of an app are those of its types that say Codable"
            throw DaybookError("swift-model", "the file has no type that is Codable", hint: hint)
        }
        guard outermost.count == 1 else {
            let message = "several models stand alone: \(DisplayText.list(outermost, "and"))"
            throw DaybookError("swift-model", message, hint: "choose one with '--type \(only)'")
        }
        return only
    }
}

/// A type as Swift source writes it.
indirect enum SwiftWrittenType: Sendable {
    /// `Outer.Inner<Argument>`, and the byte at which it stands.
    case name([String], [SwiftWrittenType], at: Int)
    case optional(SwiftWrittenType)
    case array(SwiftWrittenType)
    case dictionary(SwiftWrittenType, SwiftWrittenType)
    /// The type of `Priority.low`, where it is a value of the type before the point.
    case value([String], of: String, at: Int)
    /// A type that no model may have: what it is, in words.
    case other(String, at: Int)
}

/// A stored property of a type.
struct SwiftProperty: Sendable {
    var name: String
    var at: Int
    /// Nil if neither an annotation nor the initial value tells it.
    var type: SwiftWrittenType?
    /// Whether it is a `let` with an initial value, which no decoder sets.
    var isFixed: Bool
    /// Why it cannot be read as it stands, and what to do.
    var fault: SwiftFault?
}

/// A case of an enumeration.
struct SwiftCase: Sendable {
    struct Value: Sendable {
        /// Nil where it has none.
        var label: String?
        var type: SwiftWrittenType
    }

    enum Raw: Sendable {
        case text(String)
        case number(Int)
        case other
    }

    var name: String
    var at: Int
    var raw: Raw?
    /// Nil without parentheses.
    var values: [Value]?
    var isConditional: Bool
}

/// What is wrong at a byte of the source, and what to do about it.
struct SwiftFault: Sendable {
    var message: String
    var hint: String
    var at: Int
}

/// A type, an extension or a protocol of Swift source, with the parts that decide how it is coded.
struct SwiftDeclaration: Sendable {
    enum Keyword: String, Sendable { case `struct`, `class`, `enum`, `protocol`, `actor`, `extension` }

    var keyword: Keyword
    /// `["Outer", "Inner"]`.
    var path: [String]
    var at: Int
    var isGeneric = false
    /// The types and protocols behind the colon.
    var inherited: [(name: String, at: Int)] = []
    var properties: [SwiftProperty] = []
    var cases: [SwiftCase] = []
    /// Why the type cannot be read: an attribute that changes it, a hand-written coding.
    var fault: SwiftFault?

    var name: String { path.joined(separator: ".") }
}
