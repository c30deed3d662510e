import CISAL

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
