import CISAL

/// Raw deflate data in memory (RFC 1951), without the header of a file around it.
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
        let state = UnsafeMutablePointer<inflate_state>.allocate(capacity: 1)
        defer { state.deallocate() }
        isal_inflate_init(state)
        state.pointee.next_in = UnsafeMutablePointer(mutating: data.baseAddress)
        state.pointee.avail_in = UInt32(clamping: data.count)
        let bytes = Bytes()
        while bytes.count <= limit {
            // One byte beyond the limit tells data that is too large.
            let room = min(step, limit + 1 - bytes.count)
            state.pointee.next_out = bytes.reserve(room)
            state.pointee.avail_out = UInt32(room)
            let result = isal_inflate(state)
            guard result >= ISAL_DECOMP_OK, result != ISAL_NEED_DICT else { throw .damaged }
            let filled = room - Int(state.pointee.avail_out)
            bytes.count += filled
            if state.pointee.block_state == ISAL_BLOCK_FINISH, bytes.count <= limit { return bytes }
            // Without output, the data has ended inside the stream.
            guard filled > 0 else { throw .damaged }
        }
        throw .tooLarge
    }
}
