import CISAL

/// The bytes inside a gzip file, which may have several members one after the other.
package final class GzipSource: Decompressor {
    package static let format = "gzip"
    package static func isFormat(of head: ArraySlice<UInt8>) -> Bool { head.starts(with: [0x1f, 0x8b, 8]) }

    private let source: any ByteSource
    private let name: String
    private var chunk = SourceChunk(capacity: 256 << 10)
    private let state = isal_open_inflate()
    private var header = isal_gzip_header()
    private var part = Part.header
    private var isOver = false
    /// Zeros follow the last member, and nothing else may follow them.
    private var isPadded = false
    /// The number of consecutive calls without input or output.
    private var idleCalls = 0

    /// Where in a member the reading is.
    private enum Part { case header, data, end }

    /// A file with one of these flags must not be read (RFC 1952, section 2.3.1.2).
    private static let reservedFlags: UInt32 = 0xE0

    package var usedByteCount: Int { chunk.offset }

    package init(_ source: any ByteSource, name: String) {
        self.source = source
        self.name = name
        precondition(state != nil, "out of memory")
        enterMember()
    }

    deinit { isal_close_inflate(state) }

    /// The header is read separately: `isal_inflate` forgets what it has seen of a header that comes in pieces.
    private func enterMember() {
        isal_begin_member(state, &header)
        part = .header
    }

    package func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        while !isOver {
            if chunk.rest.isEmpty { try chunk.refill(from: source) }
            if part == .end {
                try beginMember()
                continue
            }
            let isAtEnd = chunk.isAtEnd && chunk.rest.isEmpty
            let filled = try inflate(count, into: bytes)
            if filled > 0 { return filled }
            // Consumed input may still produce output, so only now is an end inside a member certain.
            if isAtEnd, part != .end { throw .truncated(name, GzipSource.format, at: chunk.offset) }
        }
        return 0
    }

    private func inflate(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        let input = chunk.bytes.cell(chunk.rest)
        var step = isal_step(reading: input, appendingTo: bytes, upTo: count)
        let capacity = step.out_count
        step = part == .header ? isal_step_inflate(state, step, &header) : isal_step_inflate(state, step, nil)
        chunk.use(input.count - Int(step.in_count))
        let result = step.result
        guard result >= ISAL_DECOMP_OK, result != ISAL_NEED_DICT else {
            throw .damaged(name, GzipSource.format, GzipSource.displayText(result), at: chunk.offset)
        }
        let filled = Int(capacity - step.out_count)
        bytes.count += filled
        idleCalls = filled == 0 && Int(step.in_count) == input.count ? idleCalls + 1 : 0
        // No file may block the run for ever, whatever it makes the library do.
        guard idleCalls < 8 || input.isEmpty else {
            throw .damaged(name, GzipSource.format, "it makes no headway", at: chunk.offset)
        }
        if part == .header {
            guard header.flags & GzipSource.reservedFlags == 0 else {
                throw .damaged(name, GzipSource.format, GzipSource.displayText(ISAL_INVALID_WRAPPER), at: chunk.offset)
            }
            if result == ISAL_DECOMP_OK { part = .data }
        } else if step.is_over {
            part = .end
        }
        return filled
    }

    private static func displayText(_ result: Int32) -> String {
        switch result {
        case ISAL_INVALID_BLOCK: "a block is invalid"
        case ISAL_INVALID_SYMBOL: "a symbol is invalid"
        case ISAL_INVALID_LOOKBACK: "it looks back too far"
        case ISAL_INVALID_WRAPPER: "the header is invalid"
        case ISAL_UNSUPPORTED_METHOD: "it is packed in another way"
        case ISAL_INCORRECT_CHECKSUM: "the checksum is wrong"
        case ISAL_NEED_DICT: "it asks for a dictionary"
        default: "code \(result)"
        }
    }

    /// After a member: the end, another member, or the zeros that pad tape and block devices.
    private func beginMember() throws(DaybookError) {
        while chunk.rest.count < 2, !chunk.isAtEnd { try chunk.refill(from: source) }
        if !isPadded, chunk.bytes.cell(chunk.rest).starts(with: [0x1f, 0x8b]) {
            enterMember()
        } else if let other = chunk.bytes.cell(chunk.rest).firstIndex(where: { $0 != 0 }) {
            throw .trailing(name, GzipSource.format, at: chunk.offset + other)
        } else {
            isPadded = !chunk.rest.isEmpty || isPadded
            chunk.use(chunk.rest.count)
            isOver = chunk.isAtEnd
        }
    }
}

extension DaybookError {
    static func truncated(_ name: String, _ format: String, at offset: Int) -> DaybookError {
        .machine(
            "truncated-input",
            "'\(name)' is cut off: its \(format) data ends in the middle, after \(offset) bytes",
            hint: "fetch or compress the file again"
        )
    }

    static func damaged(_ name: String, _ format: String, _ detail: String, at offset: Int) -> DaybookError {
        .machine(
            "damaged-input",
            "'\(name)' is damaged: its \(format) data is wrong near byte \(offset) (\(detail))",
            hint: "fetch or compress the file again"
        )
    }

    static func trailing(_ name: String, _ format: String, at offset: Int) -> DaybookError {
        .machine(
            "damaged-input",
            "'\(name)' has something that is not \(format) behind its \(format) data, at byte \(offset)",
            hint: "cut the file there, or fetch or compress it again"
        )
    }
}

/// Raw deflate data (RFC 1951), without the header of a file around it.
package enum Deflate {
    package enum Fault: Error {
        /// The data is no deflate stream, or ends inside it.
        case damaged
        /// The data inflates to more bytes than the limit.
        case tooLarge
    }

    private static let step = 64 << 10

    /// The inflated bytes. Memory is bounded by `limit`, however far the data would inflate.
    package static func inflate(_ data: Cell, limit: Int) throws(Fault) -> Bytes {
        let stream = InflateStream()
        let bytes = Bytes()
        var rest = data[...]
        while bytes.count <= limit {
            // One byte beyond the limit tells data that is too large.
            let before = bytes.count
            let used = try stream.inflate(Cell(rebasing: rest), into: bytes, upTo: min(step, limit + 1 - bytes.count))
            rest = rest.dropFirst(used)
            if stream.isAtEnd, bytes.count <= limit { return bytes }
            // Without output, the data has ended inside the stream.
            guard bytes.count > before else { throw .damaged }
        }
        throw .tooLarge
    }

    /// The checksum of bytes as zip and gzip have it, continued from that of the bytes before; 0 at the beginning.
    package static func checksum(_ bytes: Bytes, after checksum: UInt32) -> UInt32 {
        crc32_gzip_refl(checksum, bytes.base, UInt64(bytes.count))
    }
}

/// Inflates raw deflate data that comes in pieces.
package final class InflateStream {
    private let state = isal_open_inflate()
    package private(set) var isAtEnd = false

    package init() { precondition(state != nil, "out of memory") }

    deinit { isal_close_inflate(state) }

    /// Appends at most `count` bytes, and returns how many bytes of `piece` were used. Without output, it needs more.
    package func inflate(_ piece: Cell, into bytes: Bytes, upTo count: Int) throws(Deflate.Fault) -> Int {
        var step = isal_step(reading: piece, appendingTo: bytes, upTo: count)
        step = isal_step_inflate(state, step, nil)
        guard step.result >= ISAL_DECOMP_OK, step.result != ISAL_NEED_DICT else { throw .damaged }
        bytes.count += count - Int(step.out_count)
        isAtEnd = step.is_over
        return min(piece.count, Int(UInt32.max)) - Int(step.in_count)
    }
}

extension isal_step {
    init(reading piece: Cell, appendingTo bytes: Bytes, upTo count: Int) {
        self.init()
        (self.in, in_count) = (piece.baseAddress, UInt32(clamping: piece.count))
        (out, out_count) = (bytes.reserve(count), UInt32(clamping: count))
    }
}

/// Deflates bytes that come in pieces.
package final class DeflateStream {
    private let state = isal_open_deflate()

    package init() { precondition(state != nil, "out of memory") }

    deinit { isal_close_deflate(state) }

    /// Appends the deflated bytes of a piece, as far as they are known by then; of the last piece all.
    package func deflate(_ piece: Cell, isLast: Bool, into bytes: Bytes) {
        let count = 64 << 10
        var step = isal_step(reading: piece, appendingTo: bytes, upTo: count)
        repeat {
            (step.out, step.out_count) = (bytes.reserve(count), UInt32(count))
            step = isal_step_deflate(state, step, isLast)
            bytes.count += count - Int(step.out_count)
        } while step.out_count == 0
    }
}
