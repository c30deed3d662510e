/// A value of a store by which rows are known to be new, as the store holds it.
public enum StoreMark: Sendable, Hashable {
    case integer(Int64)
    /// Always finite.
    case decimal(Double)
    case text(String)

    /// As a person would write it.
    public var spoken: String {
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
    public var spoken: String { isInclusive ? "from \(mark.spoken) on" : "after \(mark.spoken)" }
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
