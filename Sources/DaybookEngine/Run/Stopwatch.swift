import Dispatch

/// Measures how long something took.
struct Stopwatch {
    private let start = DispatchTime.now().uptimeNanoseconds

    /// Nanoseconds since it was made.
    var elapsed: UInt64 { DispatchTime.now().uptimeNanoseconds - start }
}

/// Points in time as reports and file names write them.
package enum Instant {
    /// `2026-11-21T03:00:00Z`, from microseconds since 1970-01-01T00:00:00Z.
    package static func text(_ microseconds: Int64) -> String {
        let bytes = Bytes(capacity: ISOText.maximumLength)
        bytes.count = ISOText.write(instant: microseconds, to: bytes.mutableBase)
        return bytes.text(0..<bytes.count)
    }

    /// The current second.
    static var now: String { text(Int64(time(nil)) * 1_000_000) }
}
