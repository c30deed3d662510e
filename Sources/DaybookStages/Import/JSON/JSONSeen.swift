import DaybookCore

/// What kinds of values have been seen under one key.
struct JSONSeen: OptionSet, Sendable {
    let rawValue: UInt16

    static let text = JSONSeen(rawValue: 1)
    /// Whole numbers that a double holds with every digit: up to 2^53.
    static let whole = JSONSeen(rawValue: 2)
    /// Other whole numbers of 64 bits.
    static let longWhole = JSONSeen(rawValue: 4)
    static let decimal = JSONSeen(rawValue: 8)
    /// Numbers that neither an integer nor a decimal column can hold with every digit.
    static let hugeNumber = JSONSeen(rawValue: 16)
    static let flag = JSONSeen(rawValue: 32)
    static let array = JSONSeen(rawValue: 64)
    /// Objects with at least one key.
    static let object = JSONSeen(rawValue: 128)
    static let emptyObject = JSONSeen(rawValue: 256)
    /// Instants in ISO 8601, where the container of the text says that they are.
    static let instant = JSONSeen(rawValue: 512)

    /// The kind of column that holds all of it without changing any.
    var kind: ColumnKind {
        switch self {
        case [], .text: .text
        case .whole, .longWhole, [.whole, .longWhole]: .integer
        case .decimal, [.decimal, .whole]: .decimal
        case .flag: .flag
        case .instant: .instant
        default: .json
        }
    }

    /// Whether it is numbers and nothing else.
    var isNumber: Bool { !isEmpty && isSubset(of: [.whole, .longWhole, .decimal, .hugeNumber]) }

    /// Whether its keys become columns of their own.
    var isObject: Bool { contains(.object) && isSubset(of: [.object, .emptyObject]) }
}
