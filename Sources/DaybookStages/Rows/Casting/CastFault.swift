/// Why a value does not fit, as far as its text can tell.
enum CastFault {
    case other
    /// There is a mark between its digits that groups thousands, or begins decimals; and what it tells of that.
    case grouped(NumberEvidence?)
    /// A decimal comma would make a number of it.
    case comma
    /// A whole number of more than 64 bits.
    case tooLarge
    /// A number that no decimal holds.
    case decimal(CellReading.DecimalFault)
    /// It is no number of the format that the job names.
    case unreadable(NumberReader.Fault, NumberFormat)

    /// Looks into a value that failed.
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

    /// - Parameter hasComma: whether decimals are read that have a comma.
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

    /// Whether a text is digits in groups of three with one mark between them, and perhaps decimals behind another mark:
    /// `1,234`, `1.234,50`, `1 234`.
    static func looksGrouped(_ cell: Cell) -> Bool {
        var place = cell.first == UInt8(ascii: "-") || cell.first == UInt8(ascii: "+") ? 1 : 0
        let first = digits(cell, from: place)
        guard (1...3).contains(first) else { return false }
        place += first
        let mark = markLength(cell, at: place)
        guard mark > 0 else { return false }
        let start = place
        while markLength(cell, at: place) == mark, isSame(cell, start, place, mark) {
            guard digits(cell, from: place + mark) == 3 else { return false }
            place += mark + 3
        }
        if place == cell.count { return true }
        let decimals = markLength(cell, at: place)
        guard decimals > 0 else { return false }
        return place + decimals + digits(cell, from: place + decimals) == cell.count
    }

    /// How many digits stand at a place.
    private static func digits(_ cell: Cell, from start: Int) -> Int {
        var end = start
        while end < cell.count, cell[end] >= 48, cell[end] <= 57 { end += 1 }
        return end - start
    }

    /// How many bytes the mark at a place has, or 0: comma, point, apostrophe, underscore or space, also one that does not break
    /// or is thin.
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

    private static func isSame(_ cell: Cell, _ first: Int, _ second: Int, _ length: Int) -> Bool {
        for offset in 0..<length where cell[first + offset] != cell[second + offset] { return false }
        return true
    }
}
