import CScan

/// Tells line and column of places in a text, best asked in ascending order: it goes on from the last place.
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
    public init(
        _ bytes: UnsafeBufferPointer<UInt8>,
        firstLine: Int,
        firstColumn: Int = 1,
        lineEnd: LineEnd = .feed
    ) {
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
