/// A pattern as a flat list of steps over bytes, with the memory that the steps point into.
final class PatternProgram: @unchecked Sendable {
    /// One step. Literals of up to eight bytes are compared as one word.
    struct Step: BitwiseCopyable {
        enum Action: UInt8 {
            case literal, longLiteral, oneOrTwoDigits, twoDigits, digits, shortYear, elasticYear, eraYear, firstDay,
                fraction, name, offset
        }

        var action: Action
        var field: UInt8 = DateFields.nothingIndex
        var minimum: UInt8 = 0
        var maximum: UInt8 = 0
        var length: Int32 = 0
        var word: UInt64 = 0
        var mask: UInt64 = 0
        var bytes: UnsafePointer<UInt8>?
        /// Index into `names`.
        var table: Int32 = 0
    }

    // Written by the initialiser alone, which is what makes sharing safe.
    let steps: UnsafeMutableBufferPointer<Step>
    let names: UnsafeMutableBufferPointer<NameIndex>
    private let tables: [NameTable]
    private var literals: [UnsafeMutablePointer<UInt8>] = []

    init(_ pieces: [PatternPiece], names languages: [LocaleNames]) {
        var steps: [Step] = []
        var tables: [NameTable] = []
        let hasEra = pieces.contains { $0.field == .era }
        let marksFirstDay = languages.contains(where: \.marksFirstDay)
        for piece in pieces {
            if piece.isName, let field = piece.field {
                steps.append(Step(action: .name, field: field.rawValue, table: Int32(tables.count)))
                tables.append(NameTable(field, of: languages))
            } else if case .literal(let bytes) = piece {
                let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
                memory.initialize(from: bytes, count: bytes.count)
                literals.append(memory)
                var step = PatternProgram.literal(bytes)
                step.bytes = UnsafePointer(memory)
                steps.append(step)
            } else {
                var step = PatternProgram.step(for: piece)
                // In an era years have as many digits as they have.
                if hasEra, step.action == .elasticYear { step.action = .eraYear }
                if hasEra, step.action == .shortYear { step.action = .twoDigits }
                if marksFirstDay, piece == .number(.day, minimum: 1, maximum: 2) { step.action = .firstDay }
                steps.append(step)
            }
        }
        self.tables = tables
        self.steps = .allocate(capacity: steps.count)
        _ = self.steps.initialize(from: steps)
        names = .allocate(capacity: tables.count)
        _ = names.initialize(from: tables.map(\.index))
    }

    deinit {
        steps.deallocate()
        names.deallocate()
        for literal in literals { literal.deallocate() }
    }

    private static func literal(_ bytes: [UInt8]) -> Step {
        let length = Int32(bytes.count)
        guard bytes.count <= 8 else { return Step(action: .longLiteral, length: length) }
        let word = LiteralWord(bytes)
        return Step(action: .literal, length: length, word: word.word, mask: word.mask)
    }

    private static func step(for piece: PatternPiece) -> Step {
        let field = piece.field?.rawValue ?? 0
        switch piece {
        case .shortYear: return Step(action: .shortYear, field: field)
        case .number(.year, minimum: 1, maximum: 4): return Step(action: .elasticYear, field: field)
        case .number(_, minimum: 2, maximum: 2), .hour(_, minimum: 2):
            return Step(action: .twoDigits, field: field)
        case .number(_, minimum: 1, maximum: 2), .hour:
            return Step(action: .oneOrTwoDigits, field: field)
        case .number(_, let minimum, let maximum):
            return Step(action: .digits, field: field, minimum: UInt8(minimum), maximum: UInt8(maximum))
        case .fraction(let digits):
            return Step(action: .fraction, field: field, minimum: UInt8(digits))
        case .offset(let style):
            return Step(action: .offset, field: field, minimum: style == .named ? 1 : 0)
        case .literal, .monthName, .weekdayName, .dayPeriodName, .eraName:
            preconditionFailure("literals and names are compiled where their memory is made")
        }
    }
}

/// Up to eight bytes as one little-endian word.
struct LiteralWord: BitwiseCopyable {
    var word: UInt64 = 0
    var mask: UInt64 = 0
    var length: Int32 = 0

    init(_ bytes: [UInt8]) {
        for (index, byte) in bytes.prefix(8).enumerated() {
            word |= UInt64(byte) << UInt64(8 * index)
            mask |= 0xFF << UInt64(8 * index)
        }
        length = Int32(bytes.count)
    }
}
