/// A JSON pointer (RFC 6901): `/main/entries`, with `~1` for a slash in a key and `~0` for a tilde.
package struct JSONPointer: Hashable, Sendable {
    package var tokens: [String]

    /// Why a text is no pointer.
    package enum Mistake: Error { case noSlash, tilde }

    package init(tokens: [String]) { self.tokens = tokens }

    package init(written text: String) throws(Mistake) {
        guard text.isEmpty || text.hasPrefix("/") else { throw .noSlash }
        tokens = []
        for token in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            tokens.append(try JSONPointer.unescaped(token))
        }
    }

    private static func unescaped(_ token: Substring) throws(Mistake) -> String {
        var result = ""
        var rest = token
        while let character = rest.popFirst() {
            guard character == "~" else {
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "0": result.append("~")
            case "1": result.append("/")
            default: throw .tilde
            }
        }
        return result
    }

    package static func escaped(_ token: String) -> String {
        token.reduce(into: "") { $0 += $1 == "~" ? "~0" : $1 == "/" ? "~1" : String($1) }
    }

    package var written: String { tokens.map { "/" + JSONPointer.escaped($0) }.joined() }
}

/// An object or an array around a value.
package enum JSONHolder: Sendable {
    case array
    /// With the key under which the value stands.
    case object(key: [UInt8])

    var isObject: Bool { if case .object = self { true } else { false } }
}

extension JSONCursor {
    /// Steps to the value that `pointer` names and returns what is open around it, outermost first. Nil, perhaps with a
    /// fault, if there is no such value; `missing` is then the first token that was not found.
    ///
    /// Nothing behind the value is read, so of two equal keys on the way the first leads to it; `finish` finds the other.
    package mutating func enter(_ pointer: JSONPointer, missing: inout String?) -> [JSONHolder]? {
        var around: [JSONHolder] = []
        for token in pointer.tokens {
            missing = token
            skipSpace()
            let step = JSONPath.Step(token)
            around.append(byte == UInt8(ascii: "{") ? .object(key: step.key) : .array)
            guard enter(step, takesFirst: true) else { return nil }
        }
        missing = nil
        skipSpace()
        return around
    }

    /// The value at `path` in the record at the cursor, its quotes included. The last of duplicate keys counts.
    package mutating func range(of path: ArraySlice<[UInt8]>) -> Range<Int>? {
        skipSpace()
        guard let name = path.first else {
            let start = position
            return skipValue() ? start..<position : nil
        }
        guard byte == UInt8(ascii: "{"), open() else { return nil }
        var found: Range<Int>?
        skipSpace()
        while byte != UInt8(ascii: "}"), let key = key() {
            if JSONString.isName(name, base, key.bytes, isEscaped: key.isEscaped) {
                var inner = self
                found = inner.range(of: path.dropFirst())
            }
            guard skipValue(), next(inObject: true) == true else { return found }
        }
        return found
    }

    /// The value at the end of a path that begins at the cursor; nil if there is none, or skipped text is no JSON.
    ///
    /// Of two equal keys the last one counts, as in an import.
    package mutating func range(of path: JSONPath) -> Range<Int>? {
        for step in path.steps { guard enter(step, takesFirst: false) else { return nil } }
        skipSpace()
        let start = position
        return skipValue() ? start..<position : nil
    }

    /// Steps into the object or array at the cursor, to the value of a step; false, perhaps with a fault, without one.
    ///
    /// - Parameter takesFirst: whether of two equal keys the first counts, so that nothing behind it is read.
    private mutating func enter(_ step: JSONPath.Step, takesFirst: Bool) -> Bool {
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): return open() && enter(key: step.key, takesFirst: takesFirst)
        case UInt8(ascii: "["):
            guard let number = step.number, open() else { return false }
            skipSpace()
            if byte == UInt8(ascii: "]") { return false }
            for _ in 0..<number { guard skipValue(), next(inObject: false) == true else { return false } }
            return true
        default: return false
        }
    }

    private mutating func enter(key: [UInt8], takesFirst: Bool) -> Bool {
        skipSpace()
        if byte == UInt8(ascii: "}") { return false }
        let inside = depth
        var found: Int?
        while true {
            guard let name = self.key() else { return false }
            if JSONString.isName(key, base, name.bytes, isEscaped: name.isEscaped) {
                found = position
                if takesFirst { return true }
            }
            guard skipValue(), let more = next(inObject: true) else { return false }
            guard more else { break }
        }
        guard let found else { return false }
        (position, depth) = (found, inside)
        return true
    }
}

/// The steps from a JSON value to one inside it: a pointer parsed once for many values.
package struct JSONPath: Sendable, Hashable {
    /// A key of an object, or the number of an element: the value decides which of the two a token is.
    package struct Step: Sendable, Hashable {
        let key: [UInt8]
        package let number: Int?

        package init(_ token: String) {
            key = Array(token.utf8)
            // Neither `01` nor `+1` is the number of an element.
            number = Int(token).flatMap { $0 >= 0 && String($0) == token ? $0 : nil }
        }
    }

    package var steps: [Step]

    package init(_ pointer: JSONPointer) { steps = pointer.tokens.map(Step.init) }
}
