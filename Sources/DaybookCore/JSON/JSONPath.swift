/// The steps from a JSON value to one inside it: a pointer made ready for many values.
package struct JSONPath: Sendable, Hashable {
    /// A key of an object, or the number of an element, for it depends on the value which of the two a token is.
    package struct Step: Sendable, Hashable {
        let key: [UInt8]
        let number: Int?

        package init(_ token: String) {
            key = Array(token.utf8)
            // Neither `01` nor `+1` is the number of an element.
            number = Int(token).flatMap { $0 >= 0 && String($0) == token ? $0 : nil }
        }
    }

    package var steps: [Step]

    package init(_ pointer: JSONPointer) { steps = pointer.tokens.map(Step.init) }
}

extension JSONCursor {
    /// The value at the end of a path that begins at the cursor; nil where there is none, and where what is passed over is no JSON.
    ///
    /// Of two equal keys the last one counts, as in an import.
    package mutating func range(of path: JSONPath) -> Range<Int>? {
        for step in path.steps {
            skipSpace()
            switch byte {
            case UInt8(ascii: "{"): guard open(), enter(key: step.key) else { return nil }
            case UInt8(ascii: "["): guard let number = step.number, open(), enter(element: number) else { return nil }
            default: return nil
            }
        }
        skipSpace()
        let start = position
        return skipValue() ? start..<position : nil
    }

    private mutating func enter(key: [UInt8]) -> Bool {
        var found: Int?
        let inside = depth
        if closesAtOnce(UInt8(ascii: "}")) { return false }
        repeat {
            guard let name = self.key() else { return false }
            if JSONString.isName(key, base, name.bytes, isEscaped: name.isEscaped) { found = position }
            guard skipValue(), let more = next(inObject: true) else { return false }
            if !more { break }
        } while true
        guard let found else { return false }
        (position, depth) = (found, inside)
        return true
    }

    private mutating func enter(element number: Int) -> Bool {
        if closesAtOnce(UInt8(ascii: "]")) { return false }
        for _ in 0..<number { guard skipValue(), next(inObject: false) == true else { return false } }
        return true
    }
}
