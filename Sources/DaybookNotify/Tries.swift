/// How often and how long something is tried that may work a moment later.
struct Tries: Sendable {
    /// How often at most.
    var most: Int
    /// How long all of them and the pauses between them may take.
    var limit: Duration
    /// The pause behind the first try; each later one is twice as long.
    var firstPause = Duration.milliseconds(500)

    static let standard = Tries(most: 4, limit: .seconds(30))

    /// What one try came to.
    enum Result {
        case done
        case failed(DaybookError)
        /// It may work a moment later.
        case failedForNow(DaybookError)
    }

    /// Tries until it is done, fails for good, or there is no try or no time left. The try is told how long it may take.
    func run(_ attempt: (Duration) -> Result) throws(DaybookError) {
        let clock = ContinuousClock()
        let end = clock.now + limit
        for number in 1...most {
            switch attempt(end - clock.now) {
            case .done: return
            case .failed(let error): throw error
            case .failedForNow(var error):
                let pause = pause(after: number)
                guard number < most, clock.now + pause < end else {
                    if number > 1 { error.message += ", also at the last of \(number) tries" }
                    throw error
                }
                sleep(pause)
            }
        }
    }

    /// Between half and all of the pause, so that many who were turned away together do not come back together.
    private func pause(after number: Int) -> Duration {
        firstPause * (1 << (number - 1)) * Double.random(in: 0.5...1)
    }

    private func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // A signal ends the pause early, which hurts nobody.
        nanosleep(&time, nil)
    }
}
