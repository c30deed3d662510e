/// Something that gives bytes in order until they end.
package protocol ByteSource: AnyObject {
    /// Fills the beginning of `room` and says how much; 0 only at the end, and again at every call after it.
    func read(into room: UnsafeMutableRawBufferPointer) throws(DaybookError) -> Int
}

/// Bytes that can be looked at before they are read.
package final class PeekedSource: ByteSource {
    private let source: any ByteSource
    private var ahead: [UInt8] = []
    private var position = 0
    private static let step = 16 << 10

    package init(_ source: any ByteSource) { self.source = source }

    /// At least the next `count` bytes, or fewer where the source ends; they are still read afterwards.
    package func peek(_ count: Int) throws(DaybookError) -> ArraySlice<UInt8> {
        precondition(count <= PeekedSource.step, "only a little is looked at ahead")
        while ahead.count - position < count {
            var got = 0
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: PeekedSource.step, alignment: 64)
            defer { room.deallocate() }
            got = try source.read(into: room)
            if got == 0 { break }
            ahead += room[..<got]
        }
        return ahead[position...]
    }

    /// Passes over bytes that were looked at.
    func skip(_ count: Int) {
        precondition(count <= ahead.count - position, "only what was looked at is passed over")
        position += count
    }

    package func read(into room: UnsafeMutableRawBufferPointer) throws(DaybookError) -> Int {
        guard position < ahead.count else {
            ahead = []
            position = 0
            return try source.read(into: room)
        }
        let count = min(room.count, ahead.count - position)
        room.copyBytes(from: ahead[position..<position + count])
        position += count
        return count
    }
}

/// A piece of a source that a decompressor or decoder works through.
struct SourceChunk: ~Copyable {
    private let room: UnsafeMutableRawBufferPointer
    private(set) var rest: UnsafeRawBufferPointer
    /// Bytes read from the source so far.
    private(set) var readCount = 0
    private(set) var isAtEnd = false

    init(capacity: Int) {
        room = .allocate(byteCount: capacity, alignment: 64)
        rest = UnsafeRawBufferPointer(rebasing: room[..<0])
    }

    deinit { room.deallocate() }

    /// Where the rest begins, in bytes of the source.
    var offset: Int { readCount - rest.count }

    mutating func use(_ count: Int) { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }

    /// Reads more behind what is left.
    mutating func refill(from source: any ByteSource) throws(DaybookError) {
        let left = rest.count
        if left > 0 { room.copyMemory(from: rest) }
        let got = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: room[left...]))
        isAtEnd = got == 0
        readCount += got
        rest = UnsafeRawBufferPointer(rebasing: room[..<(left + got)])
    }
}

/// UTF-8 text out of bytes of another encoding.
final class DecodedSource: ByteSource {
    private let source: any ByteSource
    private var chunk = SourceChunk(capacity: 256 << 10)
    private let decoder: TextDecoder

    /// - Parameter offset: how many bytes of the text, such as its byte-order mark, were passed over before.
    init(_ source: any ByteSource, _ encoding: TextEncoding, startingAt offset: Int) throws(DaybookError) {
        self.source = source
        decoder = try TextDecoder(encoding, startingAt: offset)
    }

    func takeFaults() -> [TextDecoder.Fault] { decoder.takeFaults() }

    func read(into room: UnsafeMutableRawBufferPointer) throws(DaybookError) -> Int {
        while true {
            if !chunk.rest.isEmpty {
                let (used, filled) = decoder.decode(chunk.rest, into: room, isLast: chunk.isAtEnd)
                chunk.use(used)
                if filled > 0 { return filled }
            } else if chunk.isAtEnd {
                return 0
            }
            try chunk.refill(from: source)
        }
    }
}
