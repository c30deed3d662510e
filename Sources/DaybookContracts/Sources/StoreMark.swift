/// A value of a store by which rows are known to be new, as the store holds it.
public enum StoreMark: Sendable, Hashable {
    case integer(Int64)
    /// Always finite.
    case decimal(Double)
    case text(String)

    /// As a person would write it.
    public var displayText: String {
        switch self {
        case .integer(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .text(let text): text
        }
    }
}

extension StoreMark: Codable {
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Double.self) {
            self = .decimal(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .integer(let number): try value.encode(number)
        case .decimal(let number): try value.encode(number)
        case .text(let text): try value.encode(text)
        }
    }
}

/// The column by which an import knows rows that are new, and where it begins before any run has passed.
public struct SinceColumn: Sendable, Hashable {
    public var column: String
    public var start: StoreMark
    /// How far before the highest value that was read rows are read again; nil where none are.
    public var overlap: SinceOverlap?

    public init(column: String, start: StoreMark, overlap: SinceOverlap? = nil) {
        (self.column, self.start, self.overlap) = (column, start, overlap)
    }
}

/// Which rows of a store are asked for: those behind a value, or from it on.
public struct SinceBound: Sendable, Hashable {
    public var mark: StoreMark
    /// Whether rows with that very value are read: from `start` on, but behind what an earlier run has read.
    public var isInclusive: Bool
    /// How many rows lay up to that value when the last run had read; nil where nobody counted.
    public var known: Int?
    public var overlap: SinceOverlap?
    /// The rows of the overlap, as the last run read them; nil where nobody kept them.
    public var kept: [OverlapRow]?
    /// Which rows up to the mark a run read that is done again; nil where this run finds out.
    public var reread: [StoreMark]?

    public init(_ mark: StoreMark, isInclusive: Bool) { (self.mark, self.isInclusive) = (mark, isInclusive) }

    /// `from 2026-01-01 on`, `after 2026-03-01`.
    public var displayText: String { isInclusive ? "from \(mark.displayText) on" : "after \(mark.displayText)" }
}

/// What a store that was asked for new rows had.
public struct SinceReading: Sendable, Hashable {
    public var column: String
    public var bound: SinceBound
    /// The highest value of the rows that are read; nil where there are none.
    public var highest: StoreMark?
    /// How many rows are not read for they lie before; nil where it would take too long to count them.
    public var before: Int?
    /// How many rows are read.
    public var new = 0
    /// How many of the rows before came after the runs that read so far, so that none has read them; nil where it is not known.
    public var unread: Int?
    /// How many rows are not read for they have no value; nil where it would take too long to count them.
    public var missing: Int?
    /// Whether no row has a value as high as that up to which earlier runs have read.
    public var isPastAll = false
    /// What came of reading again from before the mark; nil where that is not asked.
    public var overlap: OverlapReading?

    /// How many rows lie up to the highest value once these are read; nil where it would take too long to count them.
    public var upToHighest: Int? { before.map { $0 + new } }

    public init(column: String, bound: SinceBound) { (self.column, self.bound) = (column, bound) }
}

/// How far before a mark rows are read again, and the column by which each of them is known.
public struct SinceOverlap: Sendable, Hashable {
    /// How far that is in the values of the column.
    public enum Width: Sendable, Hashable {
        /// Of times that are texts.
        case seconds(Int64)
        case whole(Int64)
        case decimal(Double)
    }

    public var width: Width
    public var key: String

    public init(_ width: Width, key: String) { (self.width, self.key) = (width, key) }

    /// The value that lies so far before a mark; nil where the mark is no such value.
    public func start(before mark: StoreMark) -> StoreMark? {
        switch (mark, width) {
        case (.text(let text), .seconds(let seconds)): SinceOverlap.time(text, earlierBy: seconds).map(StoreMark.text)
        case (.text, _), (_, .seconds): nil
        case (.integer(let number), .whole(let width)):
            .integer(number.subtractingReportingOverflow(width).overflow ? .min : number - width)
        case (.integer(let number), .decimal(let width)): .decimal(Double(number) - width)
        case (.decimal(let number), .whole(let width)): .decimal(number - Double(width))
        case (.decimal(let number), .decimal(let width)): .decimal(number - width)
        }
    }

    /// A day, or a day and a time of it, as they were so many seconds before, in the same form: what stands behind the seconds or minutes stays.
    private static func time(_ text: String, earlierBy seconds: Int64) -> String? {
        let bytes = Array(text.utf8)
        guard let day = CalendarDay(iso: String(decoding: bytes.prefix(10), as: UTF8.self)) else { return nil }
        if bytes.count == 10 {
            let days = (seconds + 86_399) / 86_400
            return shown(Int64(day.number) - days).map { "\($0)" }
        }
        func two(_ place: Int, below limit: Int64) -> Int64? {
            guard bytes.count >= place + 2,
                let number = Int64(String(decoding: bytes[place..<place + 2], as: UTF8.self)),
                (0..<limit).contains(number)
            else { return nil }
            return number
        }
        guard [0x54, 0x20].contains(bytes[10]), let hours = two(11, below: 24), bytes.count >= 16, bytes[13] == 0x3A,
            let minutes = two(14, below: 60)
        else { return nil }
        let hasSeconds = bytes.count > 16 && bytes[16] == 0x3A
        guard let rest = hasSeconds ? two(17, below: 60) : 0 else { return nil }
        let moment = Int64(day.number) * 86_400 + hours * 3_600 + minutes * 60 + rest - seconds
        let (newDay, newTime) = (Int64((Double(moment) / 86_400).rounded(.down)), (moment % 86_400 + 86_400) % 86_400)
        guard let start = shown(newDay) else { return nil }
        func displayText(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        // Without seconds, those of the width are rounded away from the mark, as they would be cut off.
        let time = [newTime / 3_600, newTime / 60 % 60] + (hasSeconds ? [newTime % 60] : [])
        return "\(start)" + String(decoding: [bytes[10]], as: UTF8.self) + time.map(displayText).joined(separator: ":")
            + String(decoding: bytes[(hasSeconds ? 19 : 16)...], as: UTF8.self)
    }

    /// The day of that number; the first of all where there is none so early.
    private static func shown(_ number: Int64) -> CalendarDay? {
        let first = CalendarDay(number: CalendarDay.number(year: 1, month: 1, day: 1))
        return number < Int64(first.number) ? first : Int32(exactly: number).map(CalendarDay.init(number:))
    }
}

/// A row that may be read again, as it was read last.
public struct OverlapRow: Sendable, Hashable {
    public var key: StoreMark
    /// Of all its values, in hexadecimal digits.
    public var digest: String

    public init(key: StoreMark, digest: String) { (self.key, self.digest) = (key, digest) }
}

extension OverlapRow: Codable {
    public init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        self.init(key: try values.decode(StoreMark.self), digest: try values.decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(key)
        try values.encode(digest)
    }
}

/// What came of reading again from before a mark.
public struct OverlapReading: Sendable, Hashable {
    /// How many rows came again as they were, and are left out.
    public var again = 0
    /// How many rows were read before and are others now, which are read once more.
    public var changed = 0
    /// How many rows up to the mark no run had read, which are read now.
    public var late = 0
    /// Which rows up to the mark are read, since they are late or changed.
    public var wanted: [StoreMark] = []
    /// The rows that the next run may read again.
    public var rows: [OverlapRow] = []

    public init() {}
}
