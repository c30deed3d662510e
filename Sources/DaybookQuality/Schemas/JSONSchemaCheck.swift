import DaybookDates
import DaybookExpressions

/// Holds one text of JSON against a schema, without a copy of it: a part of the value is a range of its bytes.
struct JSONSchemaCheck {
    /// What does not fit: a JSON pointer to it, the value there if it is no object or array, and the words behind it.
    struct Fault {
        var pointer: String
        var value: String?
        var words: String
    }

    private let schema: JSONSchema
    private let base: UnsafePointer<UInt8>
    private let end: Int
    /// Whether the first fault is described, which costs a pass of its own.
    private let explains: Bool
    private(set) var fault: Fault?
    private var depth = 0
    private var steps = 0
    /// Why the value cannot be judged, which no 'not' turns into a fit.
    private var excess: String?

    /// How deep schemas may be within each other, which bounds the stack.
    private static let deepest = 1_000
    /// How many schemas a value may be held against, beside so many for each of its bytes: alternatives within alternatives have no end.
    private static let (mostSteps, stepsOfByte) = (200_000, 100)

    private init(_ schema: JSONSchema, _ cell: Cell, explains: Bool) {
        // An empty cell has no base, and no byte is read of it.
        (self.schema, base, end) = (schema, cell.baseAddress ?? UnsafePointer(bitPattern: 1)!, cell.count)
        self.explains = explains
    }

    /// Whether a value of JSON fits a schema; nil for a text that is not JSON.
    static func fits(_ schema: JSONSchema, _ cell: Cell, isJSON: Bool) -> Bool? {
        var check = JSONSchemaCheck(schema, cell, explains: false)
        guard let value = isJSON ? check.start..<cell.count : check.whole() else { return nil }
        return check.holds(0, value) && check.excess == nil
    }

    /// What does not fit; nil where all does.
    static func fault(of cell: Cell, _ schema: JSONSchema) -> Fault? {
        var check = JSONSchemaCheck(schema, cell, explains: true)
        guard let value = check.whole() else { return nil }
        let fits = check.holds(0, value)
        if let excess = check.excess { return Fault(pointer: "", value: nil, words: excess) }
        return fits ? nil : check.fault
    }

    /// Why a text is not JSON, and at which of its bytes.
    static func reason(_ cell: Cell) -> (place: Int, fault: JSONFault)? {
        guard let base = cell.baseAddress else { return (0, .noValue) }
        var cursor = JSONCursor(base, to: cell.count)
        cursor.skipSpace()
        if cursor.skipValue(), cursor.finish() { return nil }
        return cursor.fault.map { (cursor.faultAt, $0) }
    }

    private var start: Int {
        var cursor = JSONCursor(base, to: end)
        cursor.skipSpace()
        return cursor.position
    }

    private func whole() -> Range<Int>? {
        var cursor = JSONCursor(base, from: start, to: end)
        let start = cursor.position
        guard cursor.skipValue() else { return nil }
        let range = start..<cursor.position
        return cursor.finish() ? range : nil
    }

    // MARK: - Assertions

    private mutating func holds(_ number: Int, _ value: Range<Int>) -> Bool {
        steps += 1
        if depth >= JSONSchemaCheck.deepest { excess = "is nested deeper than can be judged" }
        if steps > JSONSchemaCheck.mostSteps + end * JSONSchemaCheck.stepsOfByte {
            excess = "takes too many steps to be judged"
        }
        guard excess == nil else { return false }
        depth += 1
        defer { depth -= 1 }
        for assertion in schema.nodes[number] where !holds(assertion, value) { return false }
        return true
    }

    private mutating func holds(_ assertion: JSONSchema.Assertion, _ value: Range<Int>) -> Bool {
        let first = base[value.lowerBound]
        let isNumber = first.isJSONNumber
        switch assertion {
        case .nothing: return fail("is not allowed", value)
        case .types(let types):
            return has(types, value) || fail("is not \(types.displayText)", value)
        case .among(let values, let words):
            return values.contains(JSONSchemaCheck.canonical(cell(value))) || fail(words, value)
        case .bound(let bound, let isLeast, let isExclusive):
            guard isNumber else { return true }
            let number = JSONNumber(number(value))
            let (low, high) = isLeast ? (bound, number) : (number, bound)
            let side = isLeast == isExclusive ? "more" : "less"
            return (isExclusive ? low.isLess(than: high) : !high.isLess(than: low))
                || fail("is \(isExclusive ? "not " : "")\(side) than \(bound.written)", value)
        case .multiple(let step):
            guard isNumber else { return true }
            return JSONNumber(number(value)).isMultiple(of: step) || fail("is no multiple of \(step.written)", value)
        case .length, .pattern, .format:
            return first != UInt8(ascii: "\"") || holds(ofString: assertion, value)
        case .elements, .items, .unique, .contains:
            return first != UInt8(ascii: "[") || holds(ofArray: assertion, value)
        case .members, .properties, .names, .present, .dependent:
            return first != UInt8(ascii: "{") || holds(ofObject: assertion, value)
        case .all(let schemas):
            for one in schemas where !holds(one, value) { return false }
            return true
        case .any(let schemas):
            for one in schemas where holds(one, value) { return forgiven() }
            // With one alternative of the value's type, its fault says more.
            return fault != nil && schemas.count == 1
                ? false : fail("fits none of the \(schemas.count) schemas of 'anyOf'", value)
        case .one(let schemas):
            var fitting = 0
            for one in schemas where holds(one, value) { fitting += 1 }
            if fitting == 1 { return forgiven() }
            return fail(
                "fits \(fitting == 0 ? "none" : "\(fitting)") of the \(schemas.count) schemas of 'oneOf'",
                value
            )
        case .not(let forbidden):
            return holds(forbidden, value) ? fail("fits what 'not' forbids", value) : forgiven()
        case .condition(let condition, let then, let otherwise):
            let next = holds(condition, value) ? then : otherwise
            _ = forgiven()
            return next.map { holds($0, value) } ?? true
        }
    }

    private mutating func holds(ofString assertion: JSONSchema.Assertion, _ value: Range<Int>) -> Bool {
        let inner = value.lowerBound + 1..<close(value) - 1
        let isEscaped = cell(inner).contains(UInt8(ascii: "\\"))
        switch assertion {
        case .length(let range):
            let count = JSONSchemaCheck.text(cell(inner), isEscaped) { text in
                text.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }
            }
            return range.contains(count) || fail(JSONSchemaCheck.off("character", count, range), value)
        case .pattern(let pattern):
            return JSONSchemaCheck.text(cell(inner), isEscaped, pattern.matches)
                || fail("does not match '\(pattern.pattern.shortened)'", value)
        case .format(let format):
            return JSONSchemaCheck.text(cell(inner), isEscaped, format.holds)
                || fail("is not \(format.displayText)", value)
        default: return true
        }
    }

    private mutating func holds(ofArray assertion: JSONSchema.Assertion, _ value: Range<Int>) -> Bool {
        var cursor = JSONCursor(base, from: value.lowerBound, to: end)
        var (count, fitting) = (0, 0)
        var seen: Set<[UInt8]> = []
        guard cursor.open() else { return true }
        var isOpen = !cursor.closesAtOnce(UInt8(ascii: "]"))
        while isOpen {
            cursor.skipSpace()
            let start = cursor.position
            guard cursor.skipValue() else { return true }
            let element = start..<cursor.position
            switch assertion {
            case .items(let prefix, let rest):
                if let schema = count < prefix.count ? prefix[count] : rest, !holds(schema, element) {
                    return passOn("\(count)")
                }
            case .unique:
                guard seen.insert(JSONSchemaCheck.canonical(cell(element))).inserted else {
                    return fail("stands in the list twice", element) || passOn("\(count)")
                }
            case .contains(let schema, _):
                if holds(schema, element) { fitting += 1 }
                _ = forgiven()
            default: break
            }
            count += 1
            isOpen = cursor.next(inObject: false) == true
        }
        switch assertion {
        case .elements(let range):
            return range.contains(count) || fail(JSONSchemaCheck.off("element", count, range), value)
        case .contains(_, let range):
            return range.contains(fitting) || fail("has \(fitting) elements that fit 'contains'", value)
        default: return true
        }
    }

    private mutating func holds(ofObject assertion: JSONSchema.Assertion, _ value: Range<Int>) -> Bool {
        var cursor = JSONCursor(base, from: value.lowerBound, to: end)
        var count = 0
        var (seen, isAsked): (UInt64, Bool) = (0, true)
        if case .present(_, .some) = assertion { isAsked = false }
        if case .dependent = assertion { isAsked = false }
        guard cursor.open() else { return true }
        var isOpen = !cursor.closesAtOnce(UInt8(ascii: "}"))
        while isOpen {
            guard let (name, isEscaped) = cursor.key() else { return true }
            let start = cursor.position
            guard cursor.skipValue() else { return true }
            let member = start..<cursor.position
            count += 1
            switch assertion {
            case .properties(let properties, let patterns, let rest):
                var isKnown = false
                for property in properties where JSONString.isName(property.name, base, name, isEscaped: isEscaped) {
                    isKnown = true
                    guard holds(property.schema, member) else { return passOn(name, isEscaped) }
                }
                for (pattern, schema) in patterns
                where JSONSchemaCheck.text(cell(name), isEscaped, pattern.matches) {
                    isKnown = true
                    guard holds(schema, member) else { return passOn(name, isEscaped) }
                }
                if !isKnown, let rest, !holds(rest, member) { return passOn(name, isEscaped) }
            case .names(let schema):
                // The name with its quotes is a string of JSON.
                guard holds(schema, name.lowerBound - 1..<name.upperBound + 1) else { return passOn(name, isEscaped) }
            case .present(let names, let trigger):
                for (place, one) in names.enumerated() where JSONString.isName(one, base, name, isEscaped: isEscaped) {
                    seen |= 1 << UInt64(place)
                }
                if let trigger, JSONString.isName(trigger, base, name, isEscaped: isEscaped) { isAsked = true }
            case .dependent(let trigger, _):
                if JSONString.isName(trigger, base, name, isEscaped: isEscaped) { isAsked = true }
            default: break
            }
            isOpen = cursor.next(inObject: true) == true
        }
        switch assertion {
        case .members(let range): return range.contains(count) || fail(JSONSchemaCheck.off("key", count, range), value)
        case .present(let names, _):
            guard isAsked, let lacking = names.indices.first(where: { seen >> UInt64($0) & 1 == 0 }) else {
                return true
            }
            return fail("lacks '\(String(decoding: names[lacking], as: UTF8.self))'", value)
        case .dependent(_, let schema): return !isAsked || holds(schema, value)
        default: return true
        }
    }

    private func has(_ types: JSONTypes, _ value: Range<Int>) -> Bool {
        switch base[value.lowerBound] {
        case UInt8(ascii: "{"): return types.contains(.object)
        case UInt8(ascii: "["): return types.contains(.array)
        case UInt8(ascii: "\""): return types.contains(.string)
        case UInt8(ascii: "n"): return types.contains(.null)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return types.contains(.boolean)
        default:
            if types.contains(.number) { return true }
            guard types.contains(.integer) else { return false }
            let number = number(value)
            if !number.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) { return true }
            return JSONNumber(number).isWhole
        }
    }

    // MARK: - Parts of the text

    private func cell(_ range: Range<Int>) -> Cell { Cell(start: base + range.lowerBound, count: range.count) }

    /// The end of the scalar at the beginning of a range, which may be followed by blanks.
    private func close(_ value: Range<Int>) -> Int {
        var cursor = JSONCursor(base, from: value.lowerBound, to: end)
        return cursor.skipValue() ? cursor.position : value.upperBound
    }

    private func number(_ value: Range<Int>) -> Cell { cell(value.lowerBound..<close(value)) }

    /// Calls `body` with the text of a string without its escapes.
    private static func text<Result>(_ cell: Cell, _ isEscaped: Bool, _ body: (Cell) -> Result) -> Result {
        guard isEscaped, let base = cell.baseAddress else { return body(cell) }
        return JSONString.name(base, 0..<cell.count, isEscaped: true).withUnsafeBufferPointer(body)
    }

    /// The same bytes for equal values: keys in order, numbers as decimals, strings without escapes behind their lengths.
    static func canonical(_ cell: Cell) -> [UInt8] {
        guard let base = cell.baseAddress else { return [] }
        var cursor = JSONCursor(base, to: cell.count)
        return canonical(&cursor)
    }

    private static func canonical(_ cursor: inout JSONCursor) -> [UInt8] {
        cursor.skipSpace()
        let start = cursor.position
        switch cursor.byte {
        case UInt8(ascii: "{"):
            var members: [(name: [UInt8], value: [UInt8])] = []
            guard cursor.open() else { return [] }
            var isOpen = !cursor.closesAtOnce(UInt8(ascii: "}"))
            while isOpen {
                guard let (name, isEscaped) = cursor.key() else { return [] }
                members.append((JSONString.name(cursor.base, name, isEscaped: isEscaped), canonical(&cursor)))
                isOpen = cursor.next(inObject: true) == true
            }
            members.sort { $0.name.lexicographicallyPrecedes($1.name) }
            return [UInt8(ascii: "{")] + members.flatMap { counted($0.name) + $0.value } + [UInt8(ascii: "}")]
        case UInt8(ascii: "["):
            var elements: [UInt8] = [UInt8(ascii: "[")]
            guard cursor.open() else { return [] }
            var isOpen = !cursor.closesAtOnce(UInt8(ascii: "]"))
            while isOpen {
                elements += canonical(&cursor)
                isOpen = cursor.next(inObject: false) == true
            }
            return elements + [UInt8(ascii: "]")]
        case UInt8(ascii: "\""):
            guard let isEscaped = cursor.string() else { return [] }
            return [UInt8(ascii: "\"")]
                + counted(JSONString.name(cursor.base, start + 1..<cursor.position - 1, isEscaped: isEscaped))
        default:
            guard cursor.skipValue() else { return [] }
            let cell = cursor.cell(start..<cursor.position)
            return cell.first?.isJSONNumber == true ? JSONNumber(cell).canonical : Array(cell)
        }
    }

    private static func counted(_ bytes: [UInt8]) -> [UInt8] { bytes.count.littleEndianBytes + bytes }

    // MARK: - Faults

    /// `has 2 elements, and at least 3 are asked for`.
    private static func off(_ unit: String, _ count: Int, _ range: ClosedRange<Int>) -> String {
        let bound =
            count < range.lowerBound
            ? "at least \(range.lowerBound.displayText)" : "at most \(range.upperBound.displayText)"
        return
            "has \(DisplayText.count(count, unit)), and \(bound) \(count < range.lowerBound ? "have to be there" : "are allowed")"
    }

    private mutating func fail(_ words: @autoclosure () -> String, _ value: Range<Int>) -> Bool {
        guard explains else { return false }
        let isNested = [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(base[value.lowerBound])
        let shown = isNested ? nil : String(decoding: cell(value.lowerBound..<close(value)), as: UTF8.self)
        fault = Fault(pointer: "", value: shown, words: words())
        return false
    }

    /// Puts the way to a part before the pointer of its fault.
    private mutating func passOn(_ step: @autoclosure () -> String) -> Bool {
        guard explains else { return false }
        let rest = fault?.pointer ?? ""
        fault?.pointer = "/" + JSONPointer.escaped(step()) + rest
        return false
    }

    private mutating func passOn(_ name: Range<Int>, _ isEscaped: Bool) -> Bool {
        let base = base
        return passOn(String(decoding: JSONString.name(base, name, isEscaped: isEscaped), as: UTF8.self))
    }

    /// Forgets the faults of schemas that did not have to fit.
    private mutating func forgiven() -> Bool {
        fault = nil
        return true
    }
}

extension JSONSchemaFormat {
    func holds(_ cell: Cell) -> Bool {
        switch self {
        case .date: CellReading.day(cell) != nil
        case .instant: ReadInstant(iso: cell) != nil
        case .email: WrittenFormat.isEmail(cell)
        case .uuid: WrittenFormat.isUUID(cell)
        case .ipv4: WrittenFormat.isIPv4(cell)
        case .uri: WrittenFormat.isURL(cell)
        }
    }
}
