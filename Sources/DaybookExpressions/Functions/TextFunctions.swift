/// Functions of text. Characters are Unicode scalars; letters are compared as they are written, byte by byte.
enum TextFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction(
            .init("length", [.text], gives: .integer),
            "How many characters the text has.",
            examples: [("length('날짜 2026')", "7"), ("length('')", "0"), ("length(missing)", nil)]
        ) { call in
            let text = call.arguments[0].texts
            return call.integers { Int64(characters(text[$0])) }
        },
        ExpressionFunction(
            .init("lower", [.text], gives: .text),
            "The text in lower case.",
            examples: [("lower('Busan ÄÖ')", "busan äö")]
        ) { call in cased(call, from: 65, { $0.lowercased() }) },
        ExpressionFunction(
            .init("upper", [.text], gives: .text),
            "The text in upper case.",
            examples: [("upper('#ec007f')", "#EC007F"), ("upper('straße')", "STRASSE")]
        ) { call in cased(call, from: 97, { $0.uppercased() }) },
        ExpressionFunction(
            .init("trim", [.text], gives: .text),
            "The text without spaces, tabs and line ends around it.",
            examples: [("'[' || trim('  행복해\u{3000} ') || ']'", "[행복해]"), ("length(trim('  '))", "0")]
        ) { call in call.parts { _, cell in BlankText.trimmed(cell) } },
        ExpressionFunction(
            .init("substring", [.text, .integer("from"), .integer("length", isOptional: true)], gives: .text),
            "The characters from the one numbered 'from', the first being 1; as many as 'length' says, or all.",
            examples: [
                ("substring('2026년 11월', 7, 2)", "11"), ("substring('daybook', 4)", "book"),
                ("substring('daybook', 0, 3)", "da"), ("substring('daybook', 9)", ""),
            ],
            kernel: substring
        ),
        ExpressionFunction(
            .init("replace", [.text, .text("part"), .text("by")], gives: .text),
            "The text with every 'part' replaced.",
            examples: [("replace('1,234,567', ',', '')", "1234567"), ("replace('a.b', '', '-')", "a.b")],
            kernel: replace
        ),
        ExpressionFunction(
            .init("before", [.text, .text("part")], gives: .text),
            "What stands before the first 'part' of the text; all of it where there is none.",
            examples: [("before('kim@a.kr', '@')", "kim"), ("before('a', ':')", "a"), ("before(':a', ':')", "")]
        ) { call in
            let part = call.arguments[1].texts
            return call.parts { row, cell in 0..<(TextSearch.find(part[row], in: cell, from: 0) ?? cell.count) }
        },
        ExpressionFunction(
            .init("after", [.text, .text("part")], gives: .text),
            "What stands behind the first 'part' of the text; nothing where there is none.",
            examples: [
                ("after('kim@a.kr', '@')", "a.kr"), ("after('a', ':')", ""),
                ("after(after('[a] [b] c', '] '), '] ')", "c"),
            ]
        ) { call in
            let part = call.arguments[1].texts
            return call.parts { row, cell in
                let found = TextSearch.find(part[row], in: cell, from: 0)
                return (found.map { $0 + part[row].count } ?? cell.count)..<cell.count
            }
        },
        ExpressionFunction(
            .init("split", [.text, .text("by")], gives: .json),
            "The parts of the text between each 'by', without blanks around them, as an array of JSON; explode_rows makes a row of each.",
            examples: [
                ("split('running | reading', '|')", "[\"running\",\"reading\"]"), ("split('a', ';')", "[\"a\"]"),
                ("split('a,,b', ',')", "[\"a\",\"\",\"b\"]"), ("split('', ',')", "[]"),
            ],
            kernel: split
        ),
        ExpressionFunction(
            .init("starts_with", [.text, .text("part")], gives: .flag),
            "Whether the text begins with the part.",
            examples: [("starts_with('행복해요', '행복')", "true"), ("starts_with('a', 'ab')", "false")]
        ) { call in holds(call) { whole, count in whole[0..<count] } },
        ExpressionFunction(
            .init("ends_with", [.text, .text("part")], gives: .flag),
            "Whether the text ends with the part.",
            examples: [("ends_with('entries.csv', '.csv')", "true"), ("ends_with('csv', '.csv')", "false")]
        ) { call in holds(call) { whole, count in whole[(whole.count - count)...] } },
        ExpressionFunction(
            .init("contains", [.text, .text("part")], gives: .flag),
            "Whether the part stands in the text.",
            examples: [
                ("contains('오늘 행복해요', '행복')", "true"), ("contains('abc', 'ac')", "false"),
                ("contains('abc', '')", "true"),
            ]
        ) { call in
            let (text, part) = (call.arguments[0].texts, call.arguments[1].texts)
            return call.flags { TextSearch.find(part[$0], in: text[$0], from: 0) != nil }
        },
        ExpressionFunction(
            .init("matches", [.text, .init(name: "pattern", kinds: .pattern)], gives: .flag),
            "Whether a regular expression is found anywhere in the text: '^' and '$' bind it to its beginning and end.",
            examples: [
                ("matches('2026-11-21', '^[0-9]{4}-')", "true"), ("matches('오늘 바다에 갔다', '바다|산')", "true"),
                ("matches('v12b', '^[0-9]+$')", "false"),
            ]
        ) { call in
            guard let pattern = call.pattern else { preconditionFailure("a pattern is read when its call is checked") }
            let column = call.arguments[0].spread(call.count).textColumn
            let truth = TernaryMask(pattern.misses(in: column).inverted, missing: call.missing)
            return Operand(.flags(truth.flags), faults: call.faults)
        },
        ExpressionFunction(
            .init("is_hex_colour", [.text], gives: .flag),
            "Whether the text is # and six hex digits.",
            examples: [("is_hex_colour('#EC007F')", "true"), ("is_hex_colour('EC007F')", "false")]
        ) { call in
            let text = call.arguments[0].texts
            return call.flags { isHexColour(text[$0]) }
        },
        ExpressionFunction(
            .init("nfc", [.text], gives: .text),
            "The text with composed letters (Unicode form NFC): file systems and some apps write Hangul and accents decomposed.",
            examples: [("nfc('\u{1112}\u{1162}\u{11BC}') = '행'", "true"), ("length(nfc('e\u{301}'))", "1")]
        ) { call in formed(call, .nfc) },
        ExpressionFunction(
            .init("nfkc", [.text], gives: .text),
            "The same, and with plain letters, digits and spaces for full-width and other variants of them (Unicode form NFKC).",
            examples: [("nfkc('ＡＢ１２')", "AB12"), ("nfkc('a\u{A0}b') = 'a b'", "true")]
        ) { call in formed(call, .nfkc) },
    ]

    /// `||`: the concatenated texts of all arguments.
    static let joined: @Sendable (FunctionCall) -> Operand = { call in
        let texts = call.arguments.map(\.texts)
        let lanes = texts.span
        return call.texts { row, bytes in
            // Before anything is written: an expression may repeat a text of megabytes many times.
            var length = 0
            for lane in lanes.indices { length += lanes[lane][row].count }
            guard length <= TextLimit.least || length <= call.textLimit.limit(row) else { return false }
            for lane in lanes.indices { bytes.append(lanes[lane][row]) }
            return true
        }
    }

    /// Whether a stretch of the text, as long as the part, is the part.
    @inline(__always)
    private static func holds(_ call: FunctionCall, _ stretch: (Cell, _ count: Int) -> Slice<Cell>) -> Operand {
        let (text, part) = (call.arguments[0].texts, call.arguments[1].texts)
        return call.flags { row in
            let (whole, part) = (text[row], part[row])
            return part.count <= whole.count
                && part.hasBytes(of: Cell(rebasing: stretch(whole, part.count)))
        }
    }

    private static func characters(_ cell: Cell) -> Int {
        guard let start = cell.baseAddress else { return 0 }
        var count = 0
        for position in 0..<cell.count { count &+= start[position] & 0xC0 == 0x80 ? 0 : 1 }
        return count
    }

    /// The text in another case. `first` is the first of the 26 letters that change in ASCII.
    private static func cased(_ call: FunctionCall, from first: UInt8, _ change: (String) -> String) -> Operand {
        let text = call.arguments[0].texts
        return call.texts { row, bytes in
            let cell = text[row]
            let target = bytes.reserve(cell.count)
            var isASCII: UInt8 = 0
            for position in 0..<cell.count {
                let byte = cell[position]
                isASCII |= byte
                target[position] = byte &- first < 26 ? byte ^ 0x20 : byte
            }
            guard isASCII < 0x80 || hasNoCase(cell) else {
                bytes.append(change(String(decoding: cell, as: UTF8.self)))
                return true
            }
            bytes.count += cell.count
            return true
        }
    }

    /// Whether all characters outside ASCII are in U+3000 to U+9FFF or U+AC00 to U+D7FF, as Hangul, kana and Han are,
    /// which have no cases.
    private static func hasNoCase(_ cell: Cell) -> Bool {
        for position in 0..<cell.count where cell[position] >= 0xC0 {
            let byte = cell[position]
            guard byte >= 0xE3, byte <= 0xED else { return false }
            if byte == 0xEA, position + 1 >= cell.count || cell[position + 1] < 0xB0 { return false }
        }
        return true
    }

    private static let substring: @Sendable (FunctionCall) -> Operand = { call in
        let from = call.arguments[1].integers
        let length = call.arguments.count > 2 ? call.arguments[2].integers : nil
        return call.parts { row, cell in
            let first = from[row]
            var end = Int64.max
            if let length {
                let (sum, overflows) = first.addingReportingOverflow(max(0, length[row]))
                end = overflows ? .max : sum
            }
            var number: Int64 = 0
            var start = cell.count
            var stop = cell.count
            for position in 0..<cell.count where cell[position] & 0xC0 != 0x80 {
                number += 1
                if number >= first, start == cell.count { start = position }
                if number >= end {
                    stop = position
                    break
                }
            }
            return min(start, stop)..<stop
        }
    }

    private static let replace: @Sendable (FunctionCall) -> Operand = { call in
        let (text, part, by) = (call.arguments[0].texts, call.arguments[1].texts, call.arguments[2].texts)
        return call.texts { row, bytes in
            let (whole, part, by) = (text[row], part[row], by[row])
            let limit = max(whole.count, by.count > part.count ? call.textLimit.limit(row) : 0)
            let start = bytes.count
            var position = 0
            while !part.isEmpty, let found = TextSearch.find(part, in: whole, from: position) {
                bytes.append(Cell(rebasing: whole[position..<found]))
                bytes.append(by)
                position = found + part.count
                guard bytes.count - start <= limit else { return false }
            }
            bytes.append(Cell(rebasing: whole[position...]))
            return bytes.count - start <= limit
        }
    }

    private static let split: @Sendable (FunctionCall) -> Operand = { call in
        let (text, by) = (call.arguments[0].texts, call.arguments[1].texts)
        let column = TextColumn(rows: call.count, missing: call.missing, capacity: call.count * 32) { row, bytes in
            let (whole, by) = (text[row], by[row])
            bytes.append(UInt8(ascii: "["))
            var start = 0
            while !whole.isEmpty {
                let found = by.isEmpty ? nil : TextSearch.find(by, in: whole, from: start)
                let part = Cell(rebasing: whole[start..<(found ?? whole.count)])
                if start > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.append(jsonString: Cell(rebasing: part[BlankText.trimmed(part)]))
                guard let found else { break }
                start = found + by.count
            }
            bytes.append(UInt8(ascii: "]"))
        }
        return Operand(.json(column), faults: call.faults)
    }

    @inline(__always)
    private static func formed(_ call: FunctionCall, _ form: NormalForm) -> Operand {
        let text = call.arguments[0].texts
        return call.texts { row, bytes in
            form.append(text[row], to: bytes)
            return true
        }
    }

    @inline(__always)
    private static func isHexColour(_ cell: Cell) -> Bool {
        guard cell.count == 7, cell[0] == UInt8(ascii: "#") else { return false }
        for position in 1..<7 {
            let byte = cell[position]
            guard byte &- 48 < 10 || (byte | 0x20) &- 97 < 6 else { return false }
        }
        return true
    }
}

/// The white space of Unicode in UTF-8.
enum BlankText {
    /// The cell without white space around it.
    static func trimmed(_ cell: Cell) -> Range<Int> {
        var start = 0
        while start < cell.count {
            let length = length(in: cell, at: start)
            guard length > 0 else { break }
            start += length
        }
        var end = cell.count
        scan: while end > start {
            for back in 1...3 where end - back >= start && length(in: cell, at: end - back) == back {
                end -= back
                continue scan
            }
            break
        }
        return start..<end
    }

    /// The length in bytes of the white space at `position`; 0 without any.
    private static func length(in cell: Cell, at position: Int) -> Int {
        let first = cell[position]
        if first == 0x20 || (first >= 9 && first <= 13) { return 1 }
        guard first >= 0xC2, position + 1 < cell.count else { return 0 }
        let second = cell[position + 1]
        if first == 0xC2 { return second == 0x85 || second == 0xA0 ? 2 : 0 }
        guard position + 2 < cell.count else { return 0 }
        let third = cell[position + 2]
        switch (first, second) {
        case (0xE1, 0x9A): return third == 0x80 ? 3 : 0
        case (0xE2, 0x80): return third <= 0x8A || third == 0xA8 || third == 0xA9 || third == 0xAF ? 3 : 0
        case (0xE2, 0x81): return third == 0x9F ? 3 : 0
        case (0xE3, 0x80): return third == 0x80 ? 3 : 0
        default: return 0
        }
    }
}
