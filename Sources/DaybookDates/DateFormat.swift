/// One date format, compiled for reading.
public struct DateFormat: Sendable {
    /// The kind of a format. The format `iso` of a job means both forms of ISO 8601: `allISO`.
    public enum Kind: Sendable, Hashable {
        /// The extended form of ISO 8601, with hyphens and colons.
        case iso
        /// The basic form, of digits alone.
        case isoBasic
        case epoch(EpochUnit)
        case pattern(DatePattern)
    }

    public let kind: Kind
    let reader: FormatReader
    /// Owns the memory that `reader` points into.
    private let program: PatternProgram?

    public static let iso = DateFormat(kind: .iso, reader: FormatReader(shape: .iso, tenByte: TenByteDay.iso), nil)

    public static let isoBasic = DateFormat(kind: .isoBasic, reader: FormatReader(shape: .isoBasic), nil)

    /// The formats that a job names `iso`. The two forms share no text. As separate formats, only the basic form can be
    /// confused with numbers, so days such as 2026-11-21 keep their fast path.
    public static let allISO = [iso, isoBasic]

    public static func epoch(_ unit: EpochUnit) -> DateFormat {
        DateFormat(kind: .epoch(unit), reader: FormatReader(shape: .epoch, unit: unit), nil)
    }

    private init(kind: Kind, reader: FormatReader, _ program: PatternProgram?) {
        (self.kind, self.reader, self.program) = (kind, reader, program)
    }

    /// Compiles a pattern. Names are read in all of `names`; two-digit years are in the hundred years that start with
    /// `pivotYear`. A pattern with `yy` and no pivot, or one that cannot be read without guessing, is a problem. Under
    /// a single `y` a year of two digits needs the pivot too, which is found only when such a text is read.
    public init(
        _ pattern: DatePattern,
        names: [LocaleNames] = [],
        pivotYear: Int32? = nil
    ) throws(DatePattern.Problem) {
        try pattern.checkReadable()
        if pattern.needsPivotYear, pivotYear == nil {
            throw DatePattern.Problem(
                message: "the two-digit year in the pattern '\(pattern.text)' needs a pivot_year",
                hint: "pivot_year: 1970 reads 70 as 1970 and 69 as 2069"
            )
        }
        let calendar = names.first?.calendar ?? .gregorian
        if calendar == .japanese, !pattern.contains(.era) {
            throw DatePattern.Problem(
                message: "the years of the Japanese calendar in the pattern '\(pattern.text)' need their era",
                hint: "Gy年M月d日 reads 令和8年11月21日"
            )
        }
        let pieces = pattern.pieces.map(\.withPlainSpaces)
        let program = PatternProgram(pieces, names: names)
        var reader = FormatReader(shape: .program)
        reader.calendar = calendar
        reader.countsOtherYears = calendar != .gregorian || pattern.contains(.era)
        if reader.countsOtherYears {
            // The shapes of plain days have one calendar.
        } else if let shape = TenByteDay(pieces) {
            reader = FormatReader(shape: .tenByteDay, tenByte: shape)
        } else if let shape = YearMonthDay(pieces) {
            reader = FormatReader(shape: .yearMonthDay, yearMonthDay: shape)
        }
        reader.steps = UnsafeBufferPointer(program.steps)
        reader.names = UnsafePointer(program.names.baseAddress)
        reader.pivotYear = pivotYear
        for case .hour(let clock, _) in pattern.pieces { reader.clock = clock }
        self.init(kind: .pattern(pattern), reader: reader, program)
    }

    /// The format as a job writes it.
    public var text: String { kind.text }
}

extension DateFormat.Kind {
    /// The format as a job writes it.
    public var text: String {
        switch self {
        case .iso, .isoBasic: "iso"
        case .epoch(let unit): unit.rawValue
        case .pattern(let pattern): pattern.text
        }
    }

    /// Whether every text of this format is an instant, whose day depends on a zone.
    public var readsInstants: Bool {
        switch self {
        case .iso, .isoBasic: false
        case .epoch: true
        case .pattern(let pattern): pattern.contains(.offset)
        }
    }
}

/// A format for row loops: plain memory, no owner. Its memory is never written to, so it may be shared.
struct FormatReader: BitwiseCopyable, @unchecked Sendable {
    enum Shape: UInt8 { case iso, isoBasic, tenByteDay, yearMonthDay, program, epoch }

    var shape: Shape
    var clock = HourClock.zeroTo23
    var unit = EpochUnit.epochSeconds
    var tenByte = TenByteDay.iso
    var yearMonthDay = YearMonthDay.none
    var pivotYear: Int32?
    var calendar = YearCalendar.gregorian
    /// Whether years must be converted to Gregorian ones.
    var countsOtherYears = false
    var steps = UnsafeBufferPointer<PatternProgram.Step>(start: nil, count: 0)
    var names: UnsafePointer<NameIndex>?

    /// Reads a whole text. Nothing of `reading` is meaningful unless the outcome is `read`.
    func read(_ cell: Cell, into reading: inout DateReading) -> DateOutcome {
        withUnsafePointer(to: self) { $0.read(cell, into: &reading) }
    }

    /// Reads every form but plain days.
    @inline(never)
    fileprivate func readFields(_ cell: Cell, into reading: inout DateReading) -> DateOutcome {
        if shape == .epoch { return unit.read(cell, into: &reading) }
        var fields = DateFields()
        let outcome = match(cell, into: &fields)
        return outcome == .read ? fields.resolve(clock, into: &reading) : outcome
    }

    /// Reads a whole text that names a day which its month does not have as the last day of that month, and no other.
    @inline(never)
    func readClamping(_ cell: Cell, into reading: inout DateReading) -> DateOutcome {
        var fields = DateFields()
        guard shape != .epoch, match(cell, into: &fields) == .read, fields.clampDay() else { return .unreadable }
        return fields.resolve(clock, into: &reading)
    }

    /// How it reads ten bytes, if it takes them for a day with no further check.
    var tenByteDay: TenByteDay? { shape == .iso || shape == .tenByteDay ? tenByte : nil }

    /// The only byte that can follow the four digits of the year, if that is certain.
    var separator: UInt8? {
        switch shape {
        case .iso, .tenByteDay: tenByte.separator
        case .yearMonthDay: yearMonthDay.separator
        case .isoBasic, .program, .epoch: nil
        }
    }

    /// The pivot is a Gregorian year in every calendar.
    private func settle(_ fields: inout DateFields) -> DateOutcome {
        if fields.year < 0 {
            let pivot = pivotYear.map { $0 + (calendar.shift ?? 0) }
            guard let year = ShortYear.full(fields.year, pivot) else { return .shortYear }
            fields.year = year
        }
        return fields.settleYear(calendar)
    }

    /// Reads the fields of a text. Numbers that count time have none.
    private func match(_ cell: Cell, into fields: inout DateFields) -> DateOutcome {
        var date = CivilDate(year: 0, month: 0, day: 0)
        switch shape {
        case .tenByteDay:
            guard cell.count == 10, tenByte.read(cell.baseAddress.unsafelyUnwrapped, into: &date) else {
                return .unreadable
            }
        case .iso: return ISOReading.read(cell, tenByte, into: &fields) ? .read : .unreadable
        case .isoBasic: return ISOReading.readBasic(cell, into: &fields) ? .read : .unreadable
        case .yearMonthDay:
            guard yearMonthDay.read(cell, into: &date) else { return .unreadable }
        case .program:
            guard PatternProgram.Step.run(steps, names: names, over: cell, into: &fields) else { return .unreadable }
            if countsOtherYears { return settle(&fields) }
            guard fields.year < 0 else { return .read }
            guard let year = ShortYear.full(fields.year, pivotYear) else { return .shortYear }
            fields.year = year
            return .read
        case .epoch: return .unreadable
        }
        fields.set(date)
        return .read
    }
}

extension UnsafePointer<FormatReader> {
    /// The same where the reader lies, for row loops: of a reader of plain days, which is what nearly every column needs,
    /// only what reads those is touched.
    @inline(__always)
    func read(_ cell: Cell, into reading: inout DateReading) -> DateOutcome {
        var date = CivilDate(year: 0, month: 0, day: 0)
        switch pointee.shape {
        case .tenByteDay where cell.count == 10, .iso where cell.count == 10:
            guard pointee.tenByte.read(cell.baseAddress.unsafelyUnwrapped, into: &date) else { return .unreadable }
        case .yearMonthDay:
            guard pointee.yearMonthDay.read(cell, into: &date) else { return .unreadable }
        case .tenByteDay: return .unreadable
        case .iso, .isoBasic, .program, .epoch: return pointee.readFields(cell, into: &reading)
        }
        return date.resolve(into: &reading)
    }
}

/// Tries formats on single texts and returns the reading of each: for texts whose form is not known yet.
public struct FormatProbe: Sendable {
    /// The reading of a text, before any zone is applied.
    public struct Reading: Sendable, Hashable, BitwiseCopyable {
        /// The day as written; the day of an instant in UTC.
        public var day: Int32
        /// Microseconds since the start of that day.
        public var micros: Int64
        /// Whether the text names an instant, by an offset or as a number of seconds.
        public var isInstant: Bool

        public init(day: Int32 = 0, micros: Int64 = 0, isInstant: Bool = false) {
            (self.day, self.micros, self.isInstant) = (day, micros, isInstant)
        }
    }

    public let formats: [DateFormat]
    private let readers: [FormatReader]

    public init(_ formats: [DateFormat]) {
        self.formats = formats
        readers = formats.map(\.reader)
    }

    /// Passes a text on as dates are read: with plain spaces instead of no-break ones.
    public static func withPlainSpaces<Result>(_ text: Cell, _ body: (Cell) -> Result) -> Result {
        NoBreakSpace.occurs(in: text) ? NoBreakSpace.folding(text, body) : body(text)
    }

    /// Reads a whole text by the format with that index. `reading` is meaningful only when the outcome is `read`.
    public func read(_ cell: Cell, by format: Int, into reading: inout Reading) -> DateOutcome {
        var read = DateReading()
        // The readers point into memory that the formats own.
        let outcome = withExtendedLifetime(formats) { readers[format].read(cell, into: &read) }
        guard outcome == .read else { return outcome }
        switch read.form {
        case .day: reading = Reading(day: read.day, micros: 0, isInstant: false)
        case .local: reading = Reading(day: read.day, micros: read.micros, isInstant: false)
        case .instant:
            let (day, micros) = InstantParts.split(read.micros)
            reading = Reading(day: day, micros: micros, isInstant: true)
        }
        return .read
    }
}

extension EpochUnit {
    /// Seconds since 1970-01-01T00:00:00Z of a number in this unit.
    public func secondsSince1970(_ number: Double) -> Double {
        (number * Double(micros) + Double(reference)) / 1_000_000
    }
}
