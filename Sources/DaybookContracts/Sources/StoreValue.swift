/// A value of a store that marks rows as new, in the type of the store.
public enum StoreValue: Sendable, Hashable {
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

extension StoreValue: Codable {
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

/// The column by which an import recognises new rows, and its start before any run has passed.
public struct SinceColumn: Sendable, Hashable {
    public var column: String
    public var start: StoreValue
    /// How far before the highest value that was read rows are read again; nil where none are.
    public var overlap: SinceOverlap?
    /// The table or the query that has the column.
    public var subject = ""

    public init(column: String, start: StoreValue, overlap: SinceOverlap? = nil) {
        (self.column, self.start, self.overlap) = (column, start, overlap)
    }
}

/// Which rows of a store are requested: those after a value, or from that value on.
public struct SinceBound: Sendable, Hashable {
    public var mark: StoreValue
    /// Whether rows with exactly that value are read: true from `start` on, false after the mark of an earlier run.
    public var isInclusive: Bool
    /// The number of rows up to that value after the last run had read; nil if it was not counted.
    public var known: Int?
    public var overlap: SinceOverlap?
    /// The rows of the overlap, as the last run read them; nil if they were not stored.
    public var kept: [OverlapRow]?
    /// For a run done again, the rows up to the mark that it read; nil if this run finds out.
    public var reread: [StoreValue]?

    public init(_ mark: StoreValue, isInclusive: Bool) { (self.mark, self.isInclusive) = (mark, isInclusive) }

    /// `from 2026-01-01 on`, `after 2026-03-01`.
    public var displayText: String { isInclusive ? "from \(mark.displayText) on" : "after \(mark.displayText)" }
}

/// What a store returned for a request of new rows.
public struct SinceReading: Sendable, Hashable {
    public var column: String
    public var bound: SinceBound
    /// The highest value of the rows read; nil if there are none.
    public var highest: StoreValue?
    /// How many rows before the bound were not read; nil if counting would take too long.
    public var before: Int?
    /// How many rows are read.
    public var new = 0
    /// How many rows before the bound came after the earlier runs, so that no run has read them; nil if unknown.
    public var unread: Int?
    /// How many rows were not read because they have no value; nil if counting would take too long.
    public var missing: Int?
    /// Whether all values are below the value up to which earlier runs have read.
    public var isPastAll = false
    /// The result of reading again from before the mark; nil without an overlap.
    public var overlap: OverlapReading?
    /// What the import reads, as the job names it.
    public var origin: String?

    /// How many rows are up to the highest value after this reading; nil if counting would take too long.
    public var upToHighest: Int? { before.map { $0 + new } }

    public init(column: String, bound: SinceBound) { (self.column, self.bound) = (column, bound) }
}

/// How far before a mark rows are read again, and the column that identifies each row.
public struct SinceOverlap: Sendable, Hashable {
    /// The width of the overlap in values of the column.
    public enum Width: Sendable, Hashable {
        /// For times that are texts.
        case seconds(Int64)
        case whole(Int64)
        case decimal(Double)
    }

    public var width: Width
    public var key: String

    public init(_ width: Width, key: String) { (self.width, self.key) = (width, key) }

    /// The value at that distance before a mark; nil if the mark has another form.
    public func start(before mark: StoreValue) -> StoreValue? {
        switch (mark, width) {
        case (.text(let text), .seconds(let seconds)): SinceOverlap.time(text, earlierBy: seconds).map(StoreValue.text)
        case (.text, _), (_, .seconds): nil
        case (.integer(let number), .whole(let width)):
            .integer(number.subtractingReportingOverflow(width).overflow ? .min : number - width)
        case (.integer(let number), .decimal(let width)): .decimal(Double(number) - width)
        case (.decimal(let number), .whole(let width)): .decimal(number - Double(width))
        case (.decimal(let number), .decimal(let width)): .decimal(number - width)
        }
    }

    /// A day, or a day and time, so many seconds earlier in the same form: text behind the seconds or minutes stays.
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
        // Without seconds, the width is rounded away from the mark, because its seconds would be cut off.
        let numbers = [newTime / 3_600, newTime / 60 % 60] + (hasSeconds ? [newTime % 60] : [])
        let time = numbers.map { $0.padded(to: 2) }.joined(separator: ":")
        return "\(start)" + String(decoding: [bytes[10]], as: UTF8.self) + time
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
    public var key: StoreValue
    /// Of all its values, in hexadecimal digits.
    public var digest: String

    public init(key: StoreValue, digest: String) { (self.key, self.digest) = (key, digest) }
}

extension OverlapRow: Codable {
    public init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        self.init(key: try values.decode(StoreValue.self), digest: try values.decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(key)
        try values.encode(digest)
    }
}

/// The result of reading again from before a mark.
public struct OverlapReading: Sendable, Hashable {
    /// How many rows came again unchanged, and are left out.
    public var again = 0
    /// How many rows were read before and are others now, which are read once more.
    public var changed = 0
    /// How many rows up to the mark no run had read, which are read now.
    public var late = 0
    /// Which rows up to the mark are read, since they are late or changed.
    public var wanted: [StoreValue] = []
    /// The rows that the next run may read again.
    public var rows: [OverlapRow] = []

    public init() {}
}
