import DaybookEngine

/// How far a profile has come over all of its files, each of which may be read several times.
struct ProfileProgress {
    typealias Tell = @Sendable (RunSettings.Progress) -> Void

    private let tell: Tell?
    private var done = 0
    private var total: Int?

    /// - Parameter tell: is told; nil where nobody looks, and then no file is looked at for its size.
    init(of inputs: [InputPath], _ tell: Tell?) {
        self.tell = tell
        total = tell == nil ? nil : InputSizes.total(of: inputs)
    }

    /// One reading of files, of `readings` that are known to come.
    ///
    /// - Parameter isFurther: whether it was not known to come, so that there is more to read than was thought.
    mutating func begin(_ inputs: [InputPath], of readings: Int, isFurther: Bool) -> Reading {
        guard let tell else { return Reading(bytes: 0, tell: nil) }
        let size = InputSizes.total(of: inputs) ?? 0
        let shown = inputs[0].shown
        // Where all is known each reading counts as its share of the file.
        let bytes = size / max(1, readings)
        if isFurther, let known = total { total = known + bytes }
        let (done, total) = (done, total)
        return Reading(bytes: bytes) { progress in
            let read = total == nil ? progress.bytes : min(bytes, progress.bytes / max(1, readings))
            tell(RunSettings.Progress(stage: shown, bytes: done + read, total: total))
        }
    }

    mutating func end(_ reading: Reading) { done += reading.bytes }

    struct Reading {
        fileprivate var bytes: Int
        /// What the run is given that reads the file.
        var tell: Tell?
    }
}
