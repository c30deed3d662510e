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
    private let state: UnsafeMutablePointer<inflate_state>
    package private(set) var isAtEnd = false

    package init() {
        state = .allocate(capacity: 1)
        isal_inflate_init(state)
    }

    deinit { state.deallocate() }

    /// Appends at most `count` bytes, and returns how many bytes of `piece` were used. Without output, it needs more.
    package func inflate(_ piece: Cell, into bytes: Bytes, upTo count: Int) throws(Deflate.Fault) -> Int {
        state.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
        state.pointee.avail_in = UInt32(clamping: piece.count)
        state.pointee.next_out = bytes.reserve(count)
        state.pointee.avail_out = UInt32(count)
        let given = state.pointee.avail_in
        let result = isal_inflate(state)
        guard result >= ISAL_DECOMP_OK, result != ISAL_NEED_DICT else { throw .damaged }
        bytes.count += count - Int(state.pointee.avail_out)
        isAtEnd = state.pointee.block_state == ISAL_BLOCK_FINISH
        return Int(given - state.pointee.avail_in)
    }
}

/// Deflates bytes that come in pieces.
package final class DeflateStream {
    private let state: UnsafeMutablePointer<isal_zstream>
    private let room: UnsafeMutablePointer<UInt8>
    /// More than the library asks for at its level 1.
    private static let roomSize = 1 << 20

    package init() {
        state = .allocate(capacity: 1)
        room = .allocate(capacity: DeflateStream.roomSize)
        isal_deflate_init(state)
        state.pointee.level = 1
        state.pointee.level_buf = room
        state.pointee.level_buf_size = UInt32(DeflateStream.roomSize)
    }

    deinit {
        state.deallocate()
        room.deallocate()
    }

    /// Appends the deflated bytes of a piece, as far as they are known by then; of the last piece all.
    package func deflate(_ piece: Cell, isLast: Bool, into bytes: Bytes) {
        state.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
        state.pointee.avail_in = UInt32(piece.count)
        state.pointee.end_of_stream = isLast ? 1 : 0
        repeat {
            let count = 64 << 10
            state.pointee.next_out = bytes.reserve(count)
            state.pointee.avail_out = UInt32(count)
            isal_deflate(state)
            bytes.count += count - Int(state.pointee.avail_out)
        } while state.pointee.avail_out == 0
    }
}
