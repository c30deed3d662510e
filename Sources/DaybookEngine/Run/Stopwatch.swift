import Dispatch

/// Measures how long something took.
struct Stopwatch {
    private let start = DispatchTime.now().uptimeNanoseconds

    /// Nanoseconds since it was made.
    var elapsed: UInt64 { DispatchTime.now().uptimeNanoseconds - start }
}
