import CZlib
import DaybookCore

/// The bytes inside a gzip file, which may have several members one after the other.
final class GzipSource: ByteSource {
    private let source: any ByteSource
    private let name: String
    private var chunk = SourceChunk(capacity: 256 << 10)
    // At one address for its whole life: zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isInMember = true
    private var isOver = false

    /// - Parameter name: what messages call the file.
    init(_ source: any ByteSource, name: String) {
        self.source = source
        self.name = name
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 asks for the gzip frame with its checksum, 15 is the largest window.
        let result = inflateInit2_(stream, 16 + 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(result == Z_OK, "zlib is the one that was compiled against, and has memory")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func read(into room: UnsafeMutableRawBufferPointer) throws(DaybookError) -> Int {
        while !isOver {
            if chunk.rest.isEmpty { try chunk.refill(from: source) }
            if !isInMember {
                try beginMember()
                continue
            }
            guard !chunk.isAtEnd || !chunk.rest.isEmpty else { throw .truncated(name, "gzip", at: chunk.offset) }
            let filled = try inflate(into: room)
            if filled > 0 { return filled }
        }
        return 0
    }

    private func inflate(into room: UnsafeMutableRawBufferPointer) throws(DaybookError) -> Int {
        let input = chunk.rest
        stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress!).assumingMemoryBound(
            to: UInt8.self
        )
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = room.baseAddress!.assumingMemoryBound(to: UInt8.self)
        let capacity = UInt32(clamping: room.count)
        stream.pointee.avail_out = capacity
        let result = CZlib.inflate(stream, Z_NO_FLUSH)
        chunk.use(input.count - Int(stream.pointee.avail_in))
        switch result {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isInMember = false
        default:
            let detail = stream.pointee.msg.map { String(cString: $0) } ?? "it asks for a dictionary"
            throw .damaged(name, "gzip", detail, at: chunk.offset)
        }
        return Int(capacity - stream.pointee.avail_out)
    }

    /// After a member: the end, another member, or the zeros with which tape and block devices fill up.
    private func beginMember() throws(DaybookError) {
        while chunk.rest.count < 2, !chunk.isAtEnd { try chunk.refill(from: source) }
        if chunk.rest.starts(with: [0x1f, 0x8b]) {
            inflateReset(stream)
            isInMember = true
        } else if let other = chunk.rest.firstIndex(where: { $0 != 0 }) {
            throw .trailing(name, "gzip", at: chunk.offset + other)
        } else {
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
