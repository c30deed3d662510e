/// The names that one language has for months, weekdays and the halves of the day.
public struct LocaleNames: Sendable, Hashable {
    /// January first.
    public var wideMonths: [String]
    public var shortMonths: [String]
    /// Monday first.
    public var wideWeekdays: [String]
    public var shortWeekdays: [String]
    /// Before noon, after noon.
    public var dayPeriods: [String]
    /// Other forms that are read and never written, such as the nominative of a month.
    public var furtherMonths: [[String]]
    /// The same for the halves of the day.
    public var furtherDayPeriods: [[String]] = []
    /// By which calendar years are counted.
    public var calendar = YearCalendar.gregorian
    /// Whether the first day of a month may be written as an ordinal, as in `1er mars`.
    var marksFirstDay = false
    /// The locale whose eras are looked up where a pattern has some.
    var identifier: String?

    public init(
        wideMonths: [String],
        shortMonths: [String],
        wideWeekdays: [String],
        shortWeekdays: [String],
        dayPeriods: [String],
        furtherMonths: [[String]] = []
    ) {
        precondition([wideMonths, shortMonths].allSatisfy { $0.count == 12 }, "a year has twelve months")
        precondition([wideWeekdays, shortWeekdays].allSatisfy { $0.count == 7 }, "a week has seven days")
        precondition(dayPeriods.count == 2, "a day has two halves")
        self.wideMonths = wideMonths
        self.shortMonths = shortMonths
        self.wideWeekdays = wideWeekdays
        self.shortWeekdays = shortWeekdays
        self.dayPeriods = dayPeriods
        self.furtherMonths = furtherMonths
    }

    /// The lists of names that may stand for a field; a name's place in its list is its value.
    func lists(for field: DateField) -> [[String]] {
        switch field {
        case .month: [wideMonths, shortMonths] + furtherMonths
        case .weekday: [wideWeekdays, shortWeekdays]
        case .dayPeriod: [dayPeriods] + furtherDayPeriods
        case .era: eras
        default: []
        }
    }
}

/// Finds which of some names a text starts with; the longest one wins.
///
/// Names are grouped by their first byte, so that a search looks at the few that can match. Names are taken as they
/// stand, in capitals, in small letters, and without a full stop at their end; other mixtures of case are not. Texts are
/// looked up with plain spaces, so names have these too.
final class NameTable: @unchecked Sendable {
    /// One name: where its bytes stand, and what it means.
    struct Entry: BitwiseCopyable {
        var offset: UInt32
        var length: UInt16
        var value: UInt16
    }

    // Written by the initialiser alone, which is what makes sharing safe.
    private let starts: UnsafeMutablePointer<UInt16>
    private let entries: UnsafeMutablePointer<Entry>
    private let bytes: UnsafeMutablePointer<UInt8>
    /// Every spelling with its value.
    let spellings: [(text: [UInt8], value: UInt16)]

    /// A table of the names for `field`. A spelling that would mean two things is left out.
    init(_ field: DateField, of languages: [LocaleNames]) {
        var values: [[UInt8]: UInt16] = [:]
        var contradictory: Set<[UInt8]> = []
        for list in languages.flatMap({ $0.lists(for: field) }) {
            for (index, name) in list.enumerated() {
                for spelling in NameTable.spellings(of: name) where !spelling.isEmpty {
                    let value = UInt16(index + 1)
                    if values.updateValue(value, forKey: spelling) ?? value != value { contradictory.insert(spelling) }
                }
            }
        }
        for spelling in contradictory { values[spelling] = nil }
        spellings = values.map { ($0.key, $0.value) }.sorted { first, second in
            first.text[0] != second.text[0]
                ? first.text[0] < second.text[0]
                : (second.text.count, first.text.lexicographicKey) < (first.text.count, second.text.lexicographicKey)
        }
        starts = .allocate(capacity: 257)
        entries = .allocate(capacity: max(1, spellings.count))
        bytes = .allocate(capacity: max(1, spellings.reduce(0) { $0 + $1.text.count }))
        var offset = 0
        for (index, spelling) in spellings.enumerated() {
            let entry = Entry(offset: UInt32(offset), length: UInt16(spelling.text.count), value: spelling.value)
            (entries + index).initialize(to: entry)
            for byte in spelling.text {
                (bytes + offset).initialize(to: byte)
                offset += 1
            }
        }
        for byte in 0...256 {
            let start = spellings.firstIndex { Int($0.text[0]) >= byte } ?? spellings.count
            (starts + byte).initialize(to: UInt16(start))
        }
    }

    deinit {
        starts.deallocate()
        entries.deallocate()
        bytes.deallocate()
    }

    var index: NameIndex { NameIndex(starts: starts, entries: entries, bytes: bytes) }

    private static func spellings(of name: String) -> Set<[UInt8]> {
        let plain = name.hasSuffix(".") ? [name, String(name.dropLast())] : [name]
        let cased = plain.flatMap { [$0, $0.uppercased(), $0.lowercased()] }
        return Set(cased.map { NoBreakSpace.folding(Array($0.utf8)) })
    }
}

/// A name table as row loops see it: pointers without an owner.
struct NameIndex: BitwiseCopyable {
    let starts: UnsafePointer<UInt16>
    let entries: UnsafePointer<NameTable.Entry>
    let bytes: UnsafePointer<UInt8>

    init(
        starts: UnsafeMutablePointer<UInt16>,
        entries: UnsafeMutablePointer<NameTable.Entry>,
        bytes: UnsafeMutablePointer<UInt8>
    ) {
        self.starts = UnsafePointer(starts)
        self.entries = UnsafePointer(entries)
        self.bytes = UnsafePointer(bytes)
    }

    /// The value of the longest name at `position` and its length, or nil.
    @inline(__always)
    func match(_ position: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> (value: Int32, length: Int)? {
        guard position < end else { return nil }
        let first = Int(position.pointee)
        var index = Int(starts[first])
        let last = Int(starts[first &+ 1])
        while index < last {
            let entry = entries[index]
            let length = Int(entry.length)
            if length <= end - position, equals(bytes + Int(entry.offset), position, length) {
                return (Int32(entry.value), length)
            }
            index &+= 1
        }
        return nil
    }

    @inline(__always)
    private func equals(_ name: UnsafePointer<UInt8>, _ text: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        var place = 1
        while place < length {
            if name[place] != text[place] { return false }
            place &+= 1
        }
        return true
    }
}

extension [UInt8] {
    /// A key that orders as the bytes do, so that the order of a table does not depend on hashing.
    fileprivate var lexicographicKey: String { String(decoding: self, as: UTF8.self) }
}
