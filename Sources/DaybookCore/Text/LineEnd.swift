import CScan

/// What ends the physical lines of a text, as editors, git and grep count them: LF, and CR LF as one; and lone CR only where
/// the lines of the text end so, as those of old Macs do.
public enum LineEnd: Sendable, Hashable, BitwiseCopyable {
    /// LF and CR LF.
    case feed
    /// CR as well.
    case carriageReturn

    /// How much of a text is looked at to learn how its lines end.
    private static let sample = 64 << 10

    /// How the lines of a text end, by its beginning: in CR where there is one and no LF.
    ///
    /// - Parameter quote: what line ends may stand between that end no line of the text itself.
    public init(of head: UnsafeBufferPointer<UInt8>, quote: UInt8? = nil) {
        self = .feed
        let head = UnsafeBufferPointer(rebasing: head.prefix(LineEnd.sample))
        guard let base = head.baseAddress, scan_count(base, head.count, 0xFF).carriage_returns > 0 else { return }
        var (feeds, returns, isInside) = (0, 0, false)
        for index in head.indices {
            switch head[index] {
            case quote: isInside.toggle()
            case _ where isInside: break
            case 10: feeds += 1
            // The byte behind the last one is not known, and may be LF.
            case 13: returns += index + 1 < head.count && head[index + 1] != 10 ? 1 : 0
            default: break
            }
        }
        // A text without any line end but one at its end has to say so by that one.
        if feeds == 0, returns == 0, head.last == 13, head.count < LineEnd.sample { returns = 1 }
        if returns > feeds { self = .carriageReturn }
    }

    /// How many lines end in some bytes. `next` is the byte behind them, or 0.
    public func count(in bytes: UnsafeBufferPointer<UInt8>, next: UInt8 = 0) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        return Int(scan_count_line_ends(base, bytes.count, next, self == .carriageReturn))
    }
}
