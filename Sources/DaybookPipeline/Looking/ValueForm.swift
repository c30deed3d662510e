/// What one value is, as far as it tells by itself.
struct ValueForm: BitwiseCopyable {
    /// The kinds that values are counted by; each value is of one.
    enum Kind: UInt8, CaseIterable, BitwiseCopyable {
        /// A word that often means that there is no value, such as `N/A`.
        case gap
        case empty
        case integer
        case decimal
        /// Digits that a number would lose, such as `007`.
        case code
        case flag
        /// A hash and six hex digits.
        case colour
        case day
        /// A day with a time, or a moment.
        case instant
        case text
        /// A value of JSON that holds others, or that is of several kinds.
        case json
    }

    var kind: Kind
    /// The number that it is; of a date the days since 1970-01-01.
    var number: Double

    init(_ kind: Kind, number: Double = 0) {
        self.kind = kind
        self.number = number
    }
}
