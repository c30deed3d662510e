/// Tries formats on single texts and says what each makes of them: for looking at texts whose form is not known yet.
public struct FormatProbe: Sendable {
    /// What a text says, before any zone is asked.
    public struct Reading: Sendable, Hashable, BitwiseCopyable {
        /// The day as written; that of an instant in UTC.
        public var day: Int32
        /// Microseconds since the start of that day.
        public var micros: Int64
        /// Whether the text names an instant, by an offset or as a number of seconds.
        public var isInstant: Bool

        public init(day: Int32 = 0, micros: Int64 = 0, isInstant: Bool = false) {
            self.day = day
            self.micros = micros
            self.isInstant = isInstant
        }
    }

    public let formats: [DateFormat]
    private let readers: [FormatReader]

    public init(_ formats: [DateFormat]) {
        self.formats = formats
        readers = formats.map(\.reader)
    }

    /// Hands a text over as dates are read: with plain spaces in place of no-break ones.
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
