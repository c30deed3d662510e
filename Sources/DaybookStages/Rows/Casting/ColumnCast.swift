/// Converts a column to another kind, and collects the rows whose values do not fit.
struct ColumnCast {
    let flags: FlagSpellings
    let numbers: NumberReader?
    let decimalComma: Bool
    /// The rows whose values do not fit, in order.
    private(set) var failures: [Int32] = []

    mutating func cast(_ column: Column, to target: CastTarget) -> Column {
        switch (column, target) {
        case (.text, .text), (.integers, .integer), (.decimals, .decimal), (.flags, .flag), (.days, .day): return column
        case (.json(let text), _):
            let text = Self.contents(of: text)
            guard target == .text else { return read(text, target) }
            noteNULs(text)
            return .text(text)
        case (.text(let text), _): return read(text, target)
        case (_, .text): return .text(Self.written(column))
        case (.integers(let values), .decimal):
            return .decimals(
                each(values, 0) { value in
                    let decimal = Double(value)
                    return Int64(exactly: decimal) == value ? decimal : nil
                }
            )
        case (.integers, .flag): return read(Self.written(column), target)
        case (.decimals(let values), .integer): return .integers(each(values, 0) { Int64(exactly: $0) })
        case (.flags(let values), .integer): return .integers(values.mapValues { $0 ? 1 : 0 })
        default: preconditionFailure("the schema check lets only kinds be cast that go together")
        }
    }

    /// A JSON escape may encode a NUL, which text columns do not allow.
    private mutating func noteNULs(_ text: TextColumn) {
        guard text.bytes.filled.contains(0) else { return }
        text.forEachValue { row, cell in if cell.contains(0) { failures.append(Int32(truncatingIfNeeded: row)) } }
    }

    private mutating func read(_ text: TextColumn, _ target: CastTarget) -> Column {
        switch target {
        case .text: return .text(text)
        case .integer:
            if let numbers { return .integers(each(text, 0) { numbers.integer($0) }) }
            return .integers(each(text, 0) { CellReading.integer(buffered: $0) })
        case .decimal:
            if let numbers { return .decimals(each(text, 0) { numbers.decimal($0) }) }
            if decimalComma { return .decimals(each(text, 0) { Self.decimal(withComma: $0) }) }
            return .decimals(each(text, 0) { CellReading.keptDecimal($0) })
        case .flag:
            let flags = flags
            return .flags(
                each(text, false) { cell in
                    let found = flags.find(cell)
                    return found < 0 ? nil : found == 1
                }
            )
        case .day: return .days(each(text, 0) { CellReading.day($0) })
        }
    }

    @inline(__always)
    private mutating func each<Element>(
        _ text: TextColumn,
        _ filler: Element,
        _ read: (Cell) -> Element?
    ) -> Values<Element> {
        text.mapValues(filler: filler) { row, cell in
            if let value = read(cell) { return value }
            failures.append(Int32(truncatingIfNeeded: row))
            return filler
        }
    }

    @inline(__always)
    private mutating func each<Old, Element>(
        _ values: Values<Old>,
        _ filler: Element,
        _ make: (Old) -> Element?
    ) -> Values<Element> {
        var result = Values([Element](repeating: filler, count: values.count), missing: values.missing)
        for row in 0..<values.count where !values.missing.isMissing(row) {
            if let value = make(values.elements[row]) {
                result.elements[row] = value
            } else {
                failures.append(Int32(truncatingIfNeeded: row))
            }
        }
        return result
    }

    /// A number with a decimal comma and no point.
    static func decimal(withComma cell: Cell) -> Double? {
        cell.count <= 1_024 ? CellReading.keptDecimal(cell, point: UInt8(ascii: ",")) : nil
    }

    private static func written(_ column: Column) -> TextColumn {
        TextColumn(rows: column.count, missing: column.missing, capacity: column.count * 8) { row, bytes in
            column.appendValue(row, to: bytes)
        }
    }

    /// JSON strings without quotes and escapes; other values as written.
    private static func contents(of json: TextColumn) -> TextColumn {
        let quote = UInt8(ascii: "\"")
        return TextColumn(rows: json.count, missing: json.missing, capacity: json.count * 8) { row, bytes in
            json.withCell(row) { cell in
                if let base = cell.baseAddress, cell.count >= 2, cell[0] == quote, cell[cell.count - 1] == quote {
                    JSONString.decode(base, 1..<cell.count - 1, into: bytes)
                } else {
                    bytes.append(cell)
                }
            }
        }
    }
}

/// The target kinds of `cast_columns`.
enum CastTarget: String, ReadableKind {
    case text, integer, decimal, flag, day

    static func hint(insteadOf other: ColumnKind) -> String? {
        other == .instant ? "normalise_dates makes instants: 'to: instant'" : nil
    }
}

/// The spellings of true and of false.
struct FlagSpellings: OptionValue {
    let yes: [String]
    let no: [String]
    private let lookup: TextLookup

    static let plain = FlagSpellings(yes: ["true"], no: ["false"])
    static var kind: OptionKind {
        .object([
            OptionSpec(key: "true", kind: .list(of: .text), help: "What is written for true.", isRequired: true),
            OptionSpec(key: "false", kind: .list(of: .text), help: "What is written for false.", isRequired: true),
        ])
    }
    static var placeholder: FlagSpellings { plain }
    var written: String { "{ true: \(yes.written), false: \(no.written) }" }

    private init(yes: [String], no: [String]) {
        self.yes = yes
        self.no = no
        lookup = TextLookup(yes + no, values: yes.map { _ in 1 } + no.map { _ in 0 })
    }

    init(reading node: OptionNode) throws(DaybookError) {
        let shape = "write { true: [yes, 1], false: [no, 0] }"
        guard let map = node.map else { throw node.expected("a map of true and false", hint: shape) }
        var words: [String: [String]] = [:]
        for entry in map {
            guard entry.key == "true" || entry.key == "false" else {
                let message = "a flag is true or false, not '\(entry.key)'"
                throw DaybookError("unknown-option", message, at: entry.keyPlace, hint: shape)
            }
            words[entry.key] = try [String](reading: entry.value)
        }
        guard let yes = words["true"], let no = words["false"], !yes.isEmpty, !no.isEmpty else {
            throw DaybookError("missing-option", "both true and false have to be spelt", at: node.place, hint: shape)
        }
        var seen: Set<String> = []
        for word in yes + no where !seen.insert(word).inserted {
            throw DaybookError("bad-option", "'\(word)' stands there twice", at: node.place)
        }
        self.init(yes: yes, no: no)
    }

    /// 1 for true, 0 for false, -1 for neither. The cell must lie in a `Bytes`.
    func find(_ cell: Cell) -> Int { lookup.find(cell) }
}

/// Why a value does not fit, as far as its text shows.
enum CastFault {
    case other
    /// A mark between digits that groups thousands or begins decimals, with the evidence for either.
    case grouped(NumberEvidence?)
    /// A decimal comma would make the value a number.
    case comma
    /// A whole number of more than 64 bits.
    case tooLarge
    /// A number that a decimal cannot hold.
    case decimal(CellReading.DecimalFault)
    /// Not a number in the format that the job names.
    case unreadable(NumberReader.Fault, NumberFormat)

    /// Examines a value that failed.
    init(_ cast: ColumnCast, _ row: Int, _ old: Column, _ kind: ColumnKind) {
        self = .other
        guard kind == .integer || kind == .decimal else { return }
        switch old {
        case .text(let text), .json(let text):
            self = text.withCell(row) { cell in
                // A JSON string still has its quotes.
                let isQuoted = old.kind == .json && cell.first == UInt8(ascii: "\"") && cell.count > 1
                let inside = isQuoted ? Cell(rebasing: cell[1..<cell.count - 1]) : cell
                if let reader = cast.numbers { return .unreadable(reader.fault(of: inside, as: kind), reader.format) }
                return CastFault(inside, kind, hasComma: cast.decimalComma)
            }
        case .decimals(let values) where kind == .integer:
            let value = values.elements[row]
            if value.isFinite, value == value.rounded() { self = .tooLarge }
        default: return
        }
    }

    /// - Parameter hasComma: whether decimals have a comma.
    private init(_ cell: Cell, _ kind: ColumnKind, hasComma: Bool) {
        let point = hasComma ? UInt8(ascii: ",") : UInt8(ascii: ".")
        let fault = kind == .decimal ? CellReading.fault(ofDecimal: cell, point: point) : .other
        if kind == .integer, CellReading.isTooLargeInteger(cell) {
            self = .tooLarge
        } else if fault != .other {
            self = .decimal(fault)
        } else if Self.looksGrouped(cell) {
            self = .grouped(NumberEvidence(cell))
        } else if kind == .decimal, !hasComma, ColumnCast.decimal(withComma: cell) != nil {
            self = .comma
        } else {
            self = .other
        }
    }

    func kind(_ kind: ColumnKind, from old: ColumnKind) -> Finding.Kind {
        switch (self, kind) {
        case (.grouped(let evidence), _): return .groupedNumber(evidence)
        case (.unreadable(let fault, let format), _): return .unreadable(fault, as: kind, by: format)
        case (.comma, _): return .decimalCommaFound
        case (.decimal(let fault), _): return .notADecimal(fault)
        case (.tooLarge, _): return .integerTooLarge
        case (_, .integer): return .notAnInteger
        case (_, .decimal): return old == .integer ? .inexactDecimal : .notADecimal
        case (_, .day): return .notADay
        case (_, .text): return .nulCharacter
        default: return .notAFlagSpelling
        }
    }

    /// Whether a text is digits in groups of three with one mark between them, and perhaps decimals behind another
    /// mark: `1,234`, `1.234,50`, `1 234`.
    static func looksGrouped(_ cell: Cell) -> Bool {
        var place = cell.first == UInt8(ascii: "-") || cell.first == UInt8(ascii: "+") ? 1 : 0
        let first = digits(cell, from: place)
        guard (1...3).contains(first) else { return false }
        place += first
        let mark = markLength(cell, at: place)
        guard mark > 0 else { return false }
        let start = place
        while markLength(cell, at: place) == mark, cell[place..<place + mark].elementsEqual(cell[start..<start + mark])
        {
            guard digits(cell, from: place + mark) == 3 else { return false }
            place += mark + 3
        }
        if place == cell.count { return true }
        let decimals = markLength(cell, at: place)
        guard decimals > 0 else { return false }
        return place + decimals + digits(cell, from: place + decimals) == cell.count
    }

    /// The number of digits from `start` on.
    private static func digits(_ cell: Cell, from start: Int) -> Int {
        cell[start...].prefix { (48...57).contains($0) }.count
    }

    /// The length in bytes of the mark at a position, or 0. Marks are comma, point, apostrophe, underscore and space,
    /// including no-break and thin spaces.
    private static func markLength(_ cell: Cell, at place: Int) -> Int {
        guard place < cell.count else { return 0 }
        switch cell[place] {
        case UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "'"), UInt8(ascii: "_"), UInt8(ascii: " "): return 1
        case 0xC2: return place + 1 < cell.count && cell[place + 1] == 0xA0 ? 2 : 0
        case 0xE2:
            guard place + 2 < cell.count, cell[place + 1] == 0x80 else { return 0 }
            return [0x89, 0x99, 0xAF].contains(cell[place + 2]) ? 3 : 0
        default: return 0
        }
    }
}
