import CScan

/// Finds line and column of places in a text, fastest in ascending order: each search resumes at the last place.
public struct LineCursor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let firstLine: Int
    private let charactersBefore: Int
    private let returnsEnd: Bool
    private var position = 0
    /// Where the line of the position begins, so that a step back within it costs no more than the line.
    private var lineStart = 0
    private var line: Int
    /// Characters since the last line end.
    private var characters: Int

    /// `bytes` begin at that line and column, from 1, and outlive the cursor.
    public init(_ bytes: UnsafeBufferPointer<UInt8>, firstLine: Int, firstColumn: Int = 1, lineEnd: LineEnd = .feed) {
        returnsEnd = lineEnd == .carriageReturn
        self.bytes = bytes
        self.firstLine = firstLine
        charactersBefore = firstColumn - 1
        line = firstLine
        characters = firstColumn - 1
    }

    /// The line and the column, both from 1, of the byte at `target`. Columns count characters (Unicode scalars).
    public mutating func place(of target: Int) -> (line: Int, column: Int) {
        let target = min(target, bytes.count)
        if target < position {
            if target < lineStart {
                lineStart = 0
                line = firstLine
            }
            position = lineStart
            characters = lineStart == 0 ? charactersBefore : 0
        }
        if position < target, let base = bytes.baseAddress {
            var place = scan_place(line_ends: 0, line_start: lineStart, characters: characters)
            place = scan_walk(base, bytes.count, position, target, returnsEnd, place)
            line += place.line_ends
            lineStart = place.line_start
            characters = place.characters
            position = target
        }
        return (line, characters + 1)
    }
}

/// The line ends of a text, as editors, git and grep count them: LF, and CR LF as one. Lone CR counts only if all lines
/// of the text end in it, as on old Macs.
public enum LineEnd: Sendable, Hashable, BitwiseCopyable {
    /// LF and CR LF.
    case feed
    /// CR as well.
    case carriageReturn

    /// How much of a text is examined to detect its line ends.
    private static let sample = 64 << 10

    /// How the lines of a text end, by its beginning: in CR where there is one and no LF.
    ///
    /// - Parameter quote: quote within which line ends do not end a line of the text.
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
            // The byte after the last one is unknown, and may be LF.
            case 13: returns += index + 1 < head.count && head[index + 1] != 10 ? 1 : 0
            default: break
            }
        }
        // If the only line end of a text is at its very end, that one decides.
        if feeds == 0, returns == 0, head.last == 13, head.count < LineEnd.sample { returns = 1 }
        if returns > feeds { self = .carriageReturn }
    }

    /// The number of line ends in some bytes. `next` is the byte after them, or 0.
    public func count(in bytes: UnsafeBufferPointer<UInt8>, next: UInt8 = 0) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        return Int(scan_count_line_ends(base, bytes.count, next, self == .carriageReturn))
    }
}
