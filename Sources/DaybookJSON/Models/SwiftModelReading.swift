/// Makes a model of the types of a source, or refuses what it does not know.
struct SwiftModelReading {
    static let deepestAlias = 64
    static let builtIn: [String: SwiftModel.Shape] = [
        "String": .text, "Bool": .flag, "Date": .date, "URL": .url, "UUID": .uuid, "Data": .data, "Decimal": .decimal,
        "Double": .double, "Float": .float, "CGFloat": .double, "TimeInterval": .double, "Float64": .double,
        "Float32": .float,
        "Int": .integer(isSigned: true, bits: 0), "Int8": .integer(isSigned: true, bits: 8),
        "Int16": .integer(isSigned: true, bits: 16), "Int32": .integer(isSigned: true, bits: 32),
        "Int64": .integer(isSigned: true, bits: 64), "UInt": .integer(isSigned: false, bits: 0),
        "UInt8": .integer(isSigned: false, bits: 8), "UInt16": .integer(isSigned: false, bits: 16),
        "UInt32": .integer(isSigned: false, bits: 32), "UInt64": .integer(isSigned: false, bits: 64),
    ]
    /// Protocols and the class without a coding of its own that a class may name.
    private static let plain: Set<String> = [
        "Codable", "Decodable", "Encodable", "Identifiable", "Hashable", "Equatable", "Comparable", "Sendable", "Error",
        "ObservableObject", "CustomStringConvertible", "CustomDebugStringConvertible", "AnyObject", "NSObject",
        "Copyable",
        "Escapable", "LocalizedError", "CaseIterable", "Transferable", "CodingKeyRepresentable",
    ]
    static let byHand = "declare the fields by hand with 'fields', or a plain struct of the same form"

    private let source: SwiftSource
    private var numbers: [String: Int] = [:]
    /// Paths whose forms are still to be read: no recursion, so that a long chain of types costs no stack.
    private var left: [(path: String, at: Int)] = []
    private var types: [SwiftModel.Declared] = []

    init(_ source: SwiftSource) { self.source = source }

    mutating func model(of written: SwiftWrittenType) throws(DaybookError) -> SwiftModel {
        let root = try shape(of: written, in: [])
        var next = 0
        while next < left.count {
            types[next] = try declared(left[next].path, usedAt: left[next].at)
            next += 1
        }
        return SwiftModel(root: root, types: types)
    }

    private mutating func shape(
        of written: SwiftWrittenType,
        in scope: [String],
        depth: Int = 0
    ) throws(DaybookError) -> SwiftModel.Shape {
        switch written {
        case .optional(let inner): return .optional(try shape(of: inner, in: scope, depth: depth + 1))
        case .array(let inner): return .array(try shape(of: inner, in: scope, depth: depth + 1))
        case .dictionary(let key, let value):
            let key = try shape(of: key, in: scope, depth: depth + 1)
            return .dictionary(key, try shape(of: value, in: scope, depth: depth + 1))
        case .other(let what, let at):
            throw source.error("this is \(what), and no model can hold it", at: at, hint: SwiftModelReading.byHand)
        case .value(let path, let member, let at):
            if case .type(let name) = source.lookUp(path, scope),
                source.types[name]?.cases.contains(where: { $0.name == member }) == true
            {
                return try shape(of: .name(path, [], at: at), in: scope, depth: depth + 1)
            }
            if path == ["Date"], ["now", "distantPast", "distantFuture"].contains(member) { return .date }
            let message = "the type of '\(path.joined(separator: ".")).\(member)' cannot be told from here"
            throw source.error(message, at: at, hint: "write the type behind the name, as in 'name: Type = value'")
        case .name(let path, let arguments, let at):
            return try shape(named: path, arguments, at: at, in: scope, depth: depth)
        }
    }

    private mutating func shape(
        named path: [String],
        _ arguments: [SwiftWrittenType],
        at: Int,
        in scope: [String],
        depth: Int
    ) throws(DaybookError) -> SwiftModel.Shape {
        let text = path.joined(separator: ".")
        guard depth < SwiftModelReading.deepestAlias else {
            throw source.error("'\(text)' leads in a circle or too deep", at: at, hint: "mend the typealias")
        }
        switch source.lookUp(path, scope) {
        case .alias(let type, let scope): return try shape(of: type, in: scope, depth: depth + 1)
        case .type(let name):
            if let number = numbers[name] { return .type(number) }
            numbers[name] = left.count
            left.append((name, at))
            types.append(SwiftModel.Declared(name: name, form: .record([]), isKey: false))
            return .type(left.count - 1)
        case nil: break
        }
        let modules: Set<String> = ["Swift", "Foundation", "CoreGraphics"]
        let name = path.count == 2 && modules.contains(path[0]) ? path[1] : text
        var inner: [SwiftModel.Shape] = []
        for argument in arguments { inner.append(try shape(of: argument, in: scope, depth: depth + 1)) }
        switch (name, inner.count) {
        case ("Optional", 1): return .optional(inner[0])
        case ("Array", 1), ("Set", 1), ("ContiguousArray", 1): return .array(inner[0])
        case ("Dictionary", 2): return .dictionary(inner[0], inner[1])
        case (_, 0): if let shape = SwiftModelReading.builtIn[name] { return shape }
        default: break
        }
        if name == "Any" || name == "AnyObject" {
            throw source.error("'\(name)' is coded by nobody", at: at, hint: "give the property a type of its own")
        }
        let hint =
            "if another file declares it, put both into one file; if it is a type of Apple's, declare the fields by hand with 'fields'"
        throw source.error("'\(text)' is no type that this file declares or this reader knows", at: at, hint: hint)
    }

    private mutating func declared(_ path: String, usedAt at: Int) throws(DaybookError) -> SwiftModel.Declared {
        guard let type = source.types[path] else { preconditionFailure("a type was looked up and is gone") }
        try check(type, usedAt: at)
        let names = source.inherited(type)
        let isKey = names.contains("CodingKeyRepresentable")
        if type.keyword == .enum { return SwiftModel.Declared(name: path, form: try enumeration(type), isKey: isKey) }
        if names.contains("RawRepresentable") || names.contains("OptionSet") {
            let message = "'\(path)' has a raw value, and is coded as that alone"
            throw source.error(message, at: type.at, hint: "declare the property with the type of the raw value")
        }
        let fixed = type.properties.filter(\.isFixed).map(\.name)
        return SwiftModel.Declared(name: path, form: .record(try fields(of: type)), isKey: isKey, fixed: fixed)
    }

    private func check(_ type: SwiftDeclaration, usedAt at: Int) throws(DaybookError) {
        let path = type.name
        if type.keyword == .protocol {
            let hint = "name the type that conforms to it"
            throw source.error("'\(path)' is a protocol, of which no decoder knows the type", at: at, hint: hint)
        }
        guard source.isCoded(type) else {
            let hint = "declare it so, as in 'extension \(path): Codable {}', or name another type"
            throw source.error("'\(path)' is not Codable", at: type.at, hint: hint)
        }
        if source.repeated.contains(path) {
            let hint = "keep one of the two in the file that this names"
            throw source.error("'\(path)' is declared more than once in this file", at: type.at, hint: hint)
        }
        if let fault = type.fault { throw source.error(fault) }
        if type.isGeneric {
            throw source.error("'\(path)' is generic", at: type.at, hint: "write a struct with the types put in")
        }
        if type.keyword == .actor {
            throw source.error("'\(path)' is an actor", at: type.at, hint: SwiftModelReading.byHand)
        }
        for name in source.inherited(type) {
            if let base = source.types[name], base.keyword == .protocol, let fault = base.fault {
                throw source.error(fault)
            }
        }
        guard type.keyword == .class, let base = type.inherited.first else { return }
        let known = source.types[base.name]
        if known?.keyword == .protocol || known == nil && SwiftModelReading.plain.contains(base.name) { return }
        let message =
            known == nil
            ? "whether '\(base.name)' is a class or a protocol cannot be told from this file"
            : "'\(path)' inherits from '\(base.name)', and what Swift makes for it leaves the properties of one of the two out"
        let hint = known == nil ? "put protocols behind Codable" : SwiftModelReading.byHand
        throw source.error(message, at: base.at, hint: hint)
    }

    /// The keys by the names of properties or cases; nil if each is its own.
    private func codingKeys(of type: SwiftDeclaration) throws(DaybookError) -> [String: String]? {
        let path = type.name + ".CodingKeys"
        let hint = "write them as 'enum CodingKeys: String, CodingKey'"
        if source.aliases[path] != nil {
            throw source.error("the CodingKeys of '\(type.name)' are a typealias", at: type.at, hint: hint)
        }
        guard let keys = source.types[path] else { return nil }
        guard keys.keyword == .enum, !source.repeated.contains(path), keys.fault == nil else {
            throw source.error("the CodingKeys of '\(type.name)' are no plain enumeration", at: keys.at, hint: hint)
        }
        var texts: [String: String] = [:]
        for key in keys.cases {
            guard !key.isConditional else {
                let hint = "move it out of '#if', or declare the fields by hand with 'fields'"
                throw source.error("the key '\(key.name)' stands in '#if'", at: key.at, hint: hint)
            }
            switch key.raw {
            // Of keys with numbers JSON has the names.
            case nil, .number: texts[key.name] = key.name
            case .text(let text): texts[key.name] = text
            case .other:
                let hint = "write it as plain text"
                throw source.error("the key of '\(key.name)' cannot be read", at: key.at, hint: hint)
            }
        }
        return texts
    }

    private mutating func fields(of type: SwiftDeclaration) throws(DaybookError) -> [SwiftModel.Field] {
        let keys = try codingKeys(of: type)
        var fields: [SwiftModel.Field] = []
        for property in type.properties where !property.isFixed {
            guard let key = keys.map({ $0[property.name] }) ?? property.name else { continue }
            if let fault = property.fault { throw source.error(fault) }
            guard let written = property.type else {
                let message = "the type of '\(property.name)' cannot be told from its value"
                let hint = "write the type behind the name, as in 'name: Type = value'"
                throw source.error(message, at: property.at, hint: hint)
            }
            fields.append(SwiftModel.Field(key: key, shape: try shape(of: written, in: type.path), at: property.at))
        }
        return fields
    }

    private mutating func enumeration(_ type: SwiftDeclaration) throws(DaybookError) -> SwiftModel.Form {
        if let conditional = type.cases.first(where: \.isConditional) {
            let message =
                "the case '\(conditional.name)' stands in '#if', so it depends on the build whether there is one"
            throw source.error(message, at: conditional.at, hint: "move it out of '#if'")
        }
        if let raw = type.inherited.first, source.types[raw.name] == nil || source.aliases[raw.name] != nil {
            var shape = SwiftModelReading.builtIn[raw.name]
            if let alias = source.aliases[raw.name] { shape = try self.shape(of: alias, in: []) }
            switch shape {
            case .text: return .words(try words(of: type))
            case .integer: return .numbers(shape ?? .text, try numbers(of: type))
            case nil: break
            default:
                let message = "the raw values of '\(type.name)' are neither text nor whole numbers"
                throw source.error(message, at: raw.at, hint: SwiftModelReading.byHand)
            }
        }
        if source.inherited(type).contains("RawRepresentable") || type.cases.contains(where: { $0.raw != nil }) {
            let message = "the raw values of '\(type.name)' cannot be read"
            throw source.error(message, at: type.at, hint: "write the type of the raw values first behind the colon")
        }
        return .cases(try cases(of: type))
    }

    private func words(of type: SwiftDeclaration) throws(DaybookError) -> [String] {
        try type.cases.map { entry throws(DaybookError) in
            switch entry.raw {
            case nil: entry.name
            case .text(let text): text
            default: throw unreadableRaw(entry)
            }
        }
    }

    private func numbers(of type: SwiftDeclaration) throws(DaybookError) -> [Int] {
        var numbers: [Int] = []
        for entry in type.cases {
            switch entry.raw {
            // Counted on from the one before.
            case nil: numbers.append((numbers.last ?? -1) &+ 1)
            case .number(let number): numbers.append(number)
            default: throw unreadableRaw(entry)
            }
        }
        return numbers
    }

    private func unreadableRaw(_ entry: SwiftCase) -> DaybookError {
        let message = "the raw value of '\(entry.name)' cannot be read"
        return source.error(message, at: entry.at, hint: "write it as a plain literal")
    }

    private mutating func cases(of type: SwiftDeclaration) throws(DaybookError) -> [SwiftModel.Case] {
        let keys = try codingKeys(of: type)
        var cases: [SwiftModel.Case] = []
        for entry in type.cases {
            guard let key = keys.map({ $0[entry.name] }) ?? entry.name else { continue }
            let own = type.name + "." + entry.name.prefix(1).uppercased() + entry.name.dropFirst() + "CodingKeys"
            if let keys = source.types[own] {
                let message = "the values of '\(entry.name)' have keys of their own, which this reader does not know"
                throw source.error(message, at: keys.at, hint: SwiftModelReading.byHand)
            }
            let fields = try (entry.values ?? []).enumerated().map { index, value throws(DaybookError) in
                SwiftModel.Field(key: value.label ?? "_\(index)", shape: try shape(of: value.type, in: type.path))
            }
            cases.append(SwiftModel.Case(key: key, fields: fields))
        }
        return cases
    }
}

/// A Swift type with all types that it holds, as the Codable that Swift makes for them reads JSON.
package struct SwiftModel: Sendable {
    /// A type as JSON writes its values.
    package indirect enum Shape: Sendable, Hashable {
        case text, flag, date, url, uuid, data, decimal, double, float
        case integer(isSigned: Bool, bits: Int)
        case optional(Shape)
        /// Also a set.
        case array(Shape)
        case dictionary(Shape, Shape)
        /// The number of a type of the model.
        case type(Int)

        /// The type inside all optionals, arrays and dictionaries.
        var innermost: Shape {
            switch self {
            case .optional(let inner), .array(let inner), .dictionary(_, let inner): inner.innermost
            default: self
            }
        }
    }

    /// A stored property, or a value of a case.
    package struct Field: Sendable {
        package var key: String
        package var shape: Shape
        /// The byte of the source at which it is declared.
        package var at = 0
    }

    /// A case with its values.
    package struct Case: Sendable {
        package var key: String
        package var fields: [Field]
    }

    package enum Form: Sendable {
        case record([Field])
        /// The raw values of an enumeration.
        case words([String])
        case numbers(Shape, [Int])
        /// An enumeration without raw values: `{"case":{"label":value}}`.
        case cases([Case])
    }

    /// A type that the source declares.
    package struct Declared: Sendable {
        package var name: String
        package var form: Form
        /// Whether it is a key of objects, rather than every other element of an array.
        package var isKey: Bool
        /// Properties that are written and never read: a `let` with an initial value.
        package var fixed: [String] = []
    }

    package var root: Shape
    package var types: [Declared]

    /// A shape as Swift writes it.
    package func name(_ shape: Shape) -> String {
        switch shape {
        case .text: "String"
        case .flag: "Bool"
        case .date: "Date"
        case .url: "URL"
        case .uuid: "UUID"
        case .data: "Data"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .integer(let isSigned, let bits): (isSigned ? "Int" : "UInt") + (bits == 0 ? "" : "\(bits)")
        case .optional(let inner): name(inner) + "?"
        case .array(let inner): "[\(name(inner))]"
        case .dictionary(let key, let value): "[\(name(key)): \(name(value))]"
        case .type(let number): types[number].name
        }
    }
}
