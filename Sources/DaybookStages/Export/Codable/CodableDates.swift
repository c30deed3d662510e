import DaybookCore

/// How an app's model encodes its dates. Each but `iso` is a number.
enum CodableDates: String, OptionChoice {
    case iso
    case appleSeconds = "apple_seconds"
    case epochSeconds = "epoch_seconds"
    case epochMillis = "epoch_millis"

    /// The names of the strategies of Swift's `JSONEncoder`, and what other tools call them.
    static let otherWords = [
        "deferredtodate": "apple_seconds", "default": "apple_seconds", "reference_date": "apple_seconds",
        "secondssince1970": "epoch_seconds", "unix": "epoch_seconds", "epoch": "epoch_seconds",
        "millisecondssince1970": "epoch_millis", "millis": "epoch_millis", "iso8601": "iso",
    ]

    /// What the numbers count; nil where dates are text.
    var unit: EpochUnit? {
        switch self {
        case .iso: nil
        case .appleSeconds: .appleSeconds
        case .epochSeconds: .epochSeconds
        case .epochMillis: .epochMillis
        }
    }
}
