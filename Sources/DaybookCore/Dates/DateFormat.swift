/// One way in which dates are written, ready to read.
public struct DateFormat: Sendable {
    /// What a job may name as a format.
    public enum Kind: Sendable, Hashable {
        /// The extended form of ISO 8601.
        case iso
        case epoch(EpochUnit)
        case pattern(DatePattern)
    }

    public let kind: Kind
    let reader: FormatReader
    /// Owns what `reader` points into.
    private let program: PatternProgram?

    public static let iso = DateFormat(kind: .iso, reader: FormatReader(shape: .iso, tenByte: ISOReading.day), nil)

    public static func epoch(_ unit: EpochUnit) -> DateFormat {
        DateFormat(kind: .epoch(unit), reader: FormatReader(shape: .epoch, unit: unit), nil)
    }

    private init(kind: Kind, reader: FormatReader, _ program: PatternProgram?) {
        self.kind = kind
        self.reader = reader
        self.program = program
    }

    /// Compiles a pattern. Names are read in all of `names`; two-digit years mean the hundred years that start with
    /// `pivotYear`. A pattern with such years and no pivot, or one that cannot be read without guessing, is a problem.
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
        let program = PatternProgram(pattern.pieces, names: names)
        var reader = FormatReader(shape: .program)
        if let shape = TenByteDay(pattern.pieces) {
            reader = FormatReader(shape: .tenByteDay, tenByte: shape)
        } else if let shape = YearMonthDay(pattern.pieces) {
            reader = FormatReader(shape: .yearMonthDay, yearMonthDay: shape)
        }
        reader.steps = UnsafeBufferPointer(program.steps)
        reader.names = UnsafePointer(program.names.baseAddress)
        if pattern.needsPivotYear { reader.pivotYear = pivotYear }
        for case .hour(let clock, _) in pattern.pieces { reader.clock = clock }
        self.init(kind: .pattern(pattern), reader: reader, program)
    }

    /// The format as a job writes it.
    public var text: String {
        switch kind {
        case .iso: "iso"
        case .epoch(let unit): unit.rawValue
        case .pattern(let pattern): pattern.text
        }
    }

    /// Whether every text of this format is an instant, whose day depends on a zone.
    public var readsInstants: Bool {
        switch kind {
        case .iso: false
        case .epoch: true
        case .pattern(let pattern): pattern.contains(.offset)
        }
    }
}

/// A format as row loops see it: plain memory, no owner. Nobody writes to what it points to, so it may be shared.
struct FormatReader: BitwiseCopyable, @unchecked Sendable {
    enum Shape: UInt8 { case iso, tenByteDay, yearMonthDay, program, epoch }

    var shape: Shape
    var clock = HourClock.zeroTo23
    var unit = EpochUnit.epochSeconds
    var tenByte = ISOReading.day
    var yearMonthDay = YearMonthDay.none
    var pivotYear: Int32?
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
        guard match(cell, into: &fields) else { return .unreadable }
        return fields.resolve(clock, into: &reading)
    }

    /// Reads a whole text that names a day which its month does not have as the last day of that month, and no other.
    @inline(never)
    func readClamping(_ cell: Cell, into reading: inout DateReading) -> DateOutcome {
        var fields = DateFields()
        guard shape != .epoch, match(cell, into: &fields), fields.clampDay() else { return .unreadable }
        return fields.resolve(clock, into: &reading)
    }

    /// What it reads ten bytes as, when it takes those for a day without asking anything else.
    var tenByteDay: TenByteDay? { shape == .iso || shape == .tenByteDay ? tenByte : nil }

    /// The only byte that can stand behind the four digits of the year, when that is certain.
    var separator: UInt8? {
        switch shape {
        case .iso, .tenByteDay: tenByte.separator
        case .yearMonthDay: yearMonthDay.separator
        case .program, .epoch: nil
        }
    }

    /// Reads the fields of a text. Numbers that count time have none.
    private func match(_ cell: Cell, into fields: inout DateFields) -> Bool {
        var date = CivilDate(year: 0, month: 0, day: 0)
        switch shape {
        case .tenByteDay:
            guard cell.count == 10, tenByte.read(cell.baseAddress.unsafelyUnwrapped, into: &date) else { return false }
        case .iso: return ISOReading.read(cell, tenByte, into: &fields)
        case .yearMonthDay:
            guard yearMonthDay.read(cell, into: &date) else { return false }
        case .program:
            guard PatternProgram.Step.run(steps, names: names, over: cell, into: &fields) else { return false }
            if let pivotYear { fields.year = FormatReader.fullYear(fields.year, pivotYear) }
            return true
        case .epoch: return false
        }
        fields.set(date)
        return true
    }

    /// The year of the hundred from `pivot` on that ends in `short`.
    @inline(__always)
    private static func fullYear(_ short: Int32, _ pivot: Int32) -> Int32 {
        let inCentury = pivot &- pivot % 100 &+ short
        return inCentury < pivot ? inCentury &+ 100 : inCentury
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
        case .iso, .program, .epoch: return pointee.readFields(cell, into: &reading)
        }
        return date.resolve(into: &reading)
    }
}
