/// Functions of JSON. A value that a pointer does not find is missing, and so is `null`.
enum JSONFunctions {
    private static let pointer = ExpressionFunction.Parameter(name: "pointer", kinds: .pointer)
    private static let optional = ExpressionFunction.Parameter(name: "pointer", kinds: .pointer, isOptional: true)

    static let all: [ExpressionFunction] = [
        ExpressionFunction(
            .init("json_get", [.json, pointer], gives: .json),
            "The value to which a JSON pointer leads, as JSON; elements count from 0.",
            examples: [
                ("json_get('{\"items\": [{\"price\": 2.50}]}', '/items/0/price')", "2.50"),
                ("json_get('[1, [2, 3]]', '/1')", "[2, 3]"), ("json_get('{\"a/b\": \"c\"}', '/a~1b')", "\"c\""),
                ("json_get('[1, null]', '/1')", nil), ("json_get('[1]', '/7')", nil),
            ]
        ) { call in .json(call.parts { $1 }, call.faults) },
        ExpressionFunction(
            .init("json_text", [.json, optional], gives: .text),
            "The text of a JSON string without its quotes and escapes; of a number, true or false as it is written; of nothing else.",
            examples: [
                ("json_text('{\"city\": \"\\uc11c\\uc6b8\"}', '/city')", "서울"), ("json_text('\"a\"')", "a"),
                ("json_text('{\"n\": 7}', '/n')", "7"), ("json_text('[1]')", nil),
            ],
            kernel: text
        ),
        ExpressionFunction(
            .init("json_number", [.json, optional], gives: .decimal),
            """
            The number that the JSON is, as the nearest decimal; of nothing else. One too large is missing, and one too small is 0. \
            to_integer(json_get(…)) gives a whole one.
            """,
            examples: [
                ("json_number('{\"price\": 2.5}', '/price') * 2", "5"), ("json_number('\"2.5\"')", nil),
                ("json_number('1e3')", "1000"), ("json_number('1e400')", nil), ("json_number('1e-400')", "0"),
            ]
        ) { call in
            let cells = call.parts { cell, range in cell[range.lowerBound].isJSONNumber ? range : nil }
            let base = cells.bytes.base
            let elements = cells.views.map { view in
                CellReading.decimal(Cell(start: base + Int(view.offset), count: Int(view.length)))
            }
            var missing = cells.missing
            for row in elements.indices where elements[row] == nil { missing.insert(row, of: call.count) }
            return Operand(.decimals(Values(elements.map { $0 ?? 0 }, missing: missing)), faults: call.faults)
        },
        ExpressionFunction(
            .init("json_length", [.json, optional], gives: .integer),
            "How many elements an array has, or keys an object; of nothing else.",
            examples: [
                ("json_length('[1, [2, 3]]')", "2"), ("json_length('{\"a\": {\"b\": 1, \"c\": 2}}', '/a')", "2"),
                ("json_length('[]')", "0"), ("json_length('\"abc\"')", nil),
            ]
        ) { call in Operand(.integers(call.counted()), faults: call.faults) },
        ExpressionFunction(
            .init("json_keys", [.json, optional], gives: .json),
            "The keys of an object as an array of JSON, in their order; of nothing else.",
            examples: [
                ("json_keys('{\"a\": 1, \"b\": {\"c\": 2}}')", "[\"a\",\"b\"]"), ("json_keys('{}')", "[]"),
                ("json_keys('[1]')", nil),
            ]
        ) { call in
            members(call) { key, _, bytes in
                bytes.append(UInt8(ascii: "\""))
                bytes.append(key)
                bytes.append(UInt8(ascii: "\""))
            }
        },
        ExpressionFunction(
            .init("json_entries", [.json, optional], gives: .json),
            "The keys of an object with their values, as an array of objects with 'key' and 'value'; explode_rows makes a row of each.",
            examples: [
                (
                    "json_entries('{\"2026-11-20\": {\"KRW\": 1391.5}, \"n\": 2}')",
                    "[{\"key\":\"2026-11-20\",\"value\":{\"KRW\": 1391.5}},{\"key\":\"n\",\"value\":2}]"
                ),
                ("json_entries('{}')", "[]"), ("json_entries('[1]')", nil),
            ]
        ) { call in
            members(call) { key, value, bytes in
                bytes.append("{\"key\":\"")
                bytes.append(key)
                bytes.append("\",\"value\":")
                bytes.append(value)
                bytes.append(UInt8(ascii: "}"))
            }
        },
        ExpressionFunction(
            .init("parse_json", [.text], gives: .json),
            "The JSON that a text holds; a text that is no JSON is missing.",
            examples: [
                ("json_get(parse_json('[1, 2]'), '/0')", "1"), ("parse_json('[1,')", nil), ("parse_json('null')", nil),
            ]
        ) { call in .json(call.parts { cell, range in cell.isJSON ? range : nil }, call.faults) },
        ExpressionFunction(
            .init("to_json", [.init(name: "value", kinds: .any)], gives: .json),
            "The value as JSON: a text in quotes, a number, true or false, a day as text; JSON stays as it is.",
            examples: [
                ("to_json('say \"hi\"')", "\"say \\\"hi\\\"\""), ("to_json(2.5)", "2.5"),
                ("to_json(date '2026-11-21')", "\"2026-11-21\""), ("to_json(1 = 1)", "true"),
            ],
            kernel: json
        ),
    ]

    @Sendable
    private static func text(_ call: FunctionCall) -> Operand {
        let cells = call.parts { cell, range in
            let first = cell[range.lowerBound]
            return first == UInt8(ascii: "[") || first == UInt8(ascii: "{") ? nil : range
        }
        let text = TextColumn(rows: call.count, missing: cells.missing, capacity: call.count * 16) { row, bytes in
            cells.withCell(row) { cell in
                guard cell.first == UInt8(ascii: "\""), let base = cell.baseAddress else { return bytes.append(cell) }
                JSONString.decode(base, 1..<cell.count - 1, into: bytes)
            }
        }
        // Like bytes that are no text, a NUL has no value rather than another one.
        let nul = Mask(count: call.count) { row in
            !text.missing.isMissing(row) && text.withCell(row) { $0.contains(0) }
        }
        guard nul.setCount > 0 else { return Operand(.text(text), faults: call.faults) }
        return Operand(Column.text(text).with(missing: text.missing.union(nul)), faults: call.faults.union(nul))
    }

    /// An array with an element for each key of the objects; `write` receives the key as written, and its value.
    private static func members(_ call: FunctionCall, _ write: (_ key: Cell, _ value: Cell, Bytes) -> Void) -> Operand {
        let bytes = Bytes(capacity: call.count * 32)
        var views: [TextView] = []
        var start = 0
        let counts = call.counted(
            onlyObjects: true,
            begin: {
                start = bytes.count
                bytes.append(UInt8(ascii: "["))
            },
            end: {
                bytes.append(UInt8(ascii: "]"))
                views.append(TextView(offset: start, length: bytes.count - start))
            },
            member: { number, key, value in
                if number > 0 { bytes.append(UInt8(ascii: ",")) }
                write(key, value, bytes)
            }
        )
        return .json(TextColumn(bytes, views: views, missing: counts.missing), call.faults)
    }

    @Sendable
    private static func json(_ call: FunctionCall) -> Operand {
        let values = call.arguments[0].spread(call.count).column
        if case .json(let column) = values { return .json(column, call.faults) }
        let isText = values.kind == .text
        let isQuoted = values.kind == .day || values.kind == .instant
        var missing = call.missing
        if case .decimals(let numbers) = values {
            for row in 0..<numbers.count where !numbers.elements[row].isFinite { missing.insert(row, of: call.count) }
        }
        let column = TextColumn(rows: call.count, missing: missing, capacity: call.count * 16) { row, bytes in
            if isText, case .text(let texts) = values { return texts.withCell(row) { bytes.append(jsonString: $0) } }
            if isQuoted { bytes.append(UInt8(ascii: "\"")) }
            values.appendValue(row, to: bytes)
            if isQuoted { bytes.append(UInt8(ascii: "\"")) }
        }
        return .json(column, call.faults)
    }
}

extension Operand {
    fileprivate static func json(_ column: TextColumn, _ faults: Mask?) -> Operand {
        Operand(.json(column), faults: faults)
    }
}

extension FunctionCall {
    /// The place of the value that the pointer leads to; nil if there is none, or null.
    @inline(__always)
    private func value(in cell: Cell) -> Range<Int>? {
        guard let base = cell.baseAddress else { return nil }
        var cursor = JSONCursor(base, to: cell.count)
        cursor.skipSpace()
        guard let range = cursor.range(of: path), base[range.lowerBound] != UInt8(ascii: "n") else { return nil }
        return range
    }

    /// A column of parts of the values that the pointer leads to. The views point into the input; nothing is copied.
    fileprivate func parts(_ part: (Cell, Range<Int>) -> Range<Int>?) -> TextColumn {
        let (source, lane) = (arguments[0].textColumn, arguments[0].texts)
        var missing = missing
        let views = [TextView](unsafeUninitializedCapacity: count) { new, filled in
            for row in 0..<count {
                var view = TextView(offset: 0, length: 0)
                let cell = lane[row]
                if !missing.isMissing(row), let found = value(in: cell), let range = part(cell, found) {
                    let start = cell.baseAddress.map { $0 - lane.base } ?? 0
                    view = TextView(offset: start + range.lowerBound, length: range.count)
                } else {
                    missing.insert(row, of: count)
                }
                new.initializeElement(at: row, to: view)
            }
            filled = count
        }
        withExtendedLifetime(arguments) {}
        return TextColumn(source.bytes, views: views, missing: missing)
    }

    /// The number of elements or keys of the values that the pointer leads to. `member` receives each number, and each
    /// key as written, with its value; `begin` and `end` are called around each row, even an empty one.
    fileprivate func counted(
        onlyObjects: Bool = false,
        begin: () -> Void = {},
        end: () -> Void = {},
        member: (Int, Cell, Cell) -> Void = { _, _, _ in }
    ) -> Values<Int64> {
        let lane = arguments[0].texts
        var missing = missing
        var counts: [Int64] = []
        counts.reserveCapacity(count)
        for row in 0..<count {
            begin()
            defer { end() }
            let cell = lane[row]
            guard !missing.isMissing(row), let base = cell.baseAddress, let range = value(in: cell),
                let found = FunctionCall.members(base, range, onlyObjects, member)
            else {
                missing.insert(row, of: count)
                counts.append(0)
                continue
            }
            counts.append(Int64(found))
        }
        withExtendedLifetime(arguments) {}
        return Values(counts, missing: missing)
    }

    private static func members(
        _ base: UnsafePointer<UInt8>,
        _ range: Range<Int>,
        _ onlyObjects: Bool,
        _ member: (Int, Cell, Cell) -> Void
    ) -> Int? {
        let isObject = base[range.lowerBound] == UInt8(ascii: "{")
        guard isObject || (!onlyObjects && base[range.lowerBound] == UInt8(ascii: "[")) else { return nil }
        var cursor = JSONCursor(base, from: range.lowerBound, to: range.upperBound)
        guard cursor.open() else { return nil }
        if cursor.closesAtOnce(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return 0 }
        var count = 0
        while true {
            var key: Range<Int>?
            if isObject {
                guard let found = cursor.key() else { return nil }
                key = found.bytes
                cursor.skipSpace()
            }
            let start = cursor.position
            guard cursor.skipValue() else { return nil }
            if let key { member(count, cursor.cell(key), cursor.cell(start..<cursor.position)) }
            guard let more = cursor.next(inObject: isObject) else { return nil }
            count += 1
            if !more { return count }
        }
    }
}
