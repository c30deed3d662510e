/// A sequential source of bytes.
package protocol ByteSource: AnyObject {
    /// Appends at most `count` bytes and returns how many; 0 only at the end, and again at every call after it.
    func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int
}

/// Bytes that can be examined before they are read.
package final class PeekedSource: ByteSource {
    private let source: any ByteSource
    private let ahead = Bytes()
    private var position = 0
    private static let step = 16 << 10

    package init(_ source: any ByteSource) { self.source = source }

    /// At least the next `count` bytes, or fewer where the source ends; they are still read afterwards.
    package func peek(_ count: Int) throws(DaybookError) -> ArraySlice<UInt8> {
        precondition(count <= PeekedSource.step, "only a little is looked at ahead")
        while ahead.count - position < count, try source.read(PeekedSource.step, into: ahead) > 0 {}
        return ahead.array[position...]
    }

    /// Skips bytes that were examined.
    package func skip(_ count: Int) {
        precondition(count <= ahead.count - position, "only what was looked at is passed over")
        position += count
    }

    package func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        guard position < ahead.count else { return try source.read(count, into: bytes) }
        let count = min(count, ahead.count - position)
        bytes.append(position..<position + count, of: ahead)
        position += count
        return count
    }
}

/// A piece of a source that a decompressor or decoder works through.
struct SourceChunk: ~Copyable {
    let bytes: Bytes
    /// How many of the bytes were used.
    private var used = 0
    private let capacity: Int
    /// Bytes read from the source so far.
    private(set) var readCount = 0
    private(set) var isAtEnd = false

    init(capacity: Int) {
        self.capacity = capacity
        bytes = Bytes(capacity: capacity)
    }

    /// The bytes that are read but not yet used.
    var rest: Range<Int> { used..<bytes.count }

    /// Where the rest begins, in bytes of the source.
    var offset: Int { readCount - rest.count }

    mutating func use(_ count: Int) { used += count }

    /// Reads more after the unused bytes.
    mutating func refill(from source: any ByteSource) throws(DaybookError) {
        bytes.removeFirst(used)
        used = 0
        let got = try source.read(capacity - bytes.count, into: bytes)
        isAtEnd = got == 0
        readCount += got
    }
}

/// UTF-8 text out of bytes of another encoding.
package final class DecodedSource: ByteSource {
    private let source: any ByteSource
    private var chunk = SourceChunk(capacity: 256 << 10)
    private let decoder: TextDecoder

    /// - Parameter offset: how many bytes of the text, such as its byte-order mark, were skipped before.
    package init(_ source: any ByteSource, _ encoding: TextEncoding, startingAt offset: Int) throws(DaybookError) {
        self.source = source
        decoder = try TextDecoder(encoding, startingAt: offset)
    }

    package func takeFaults() -> [TextDecoder.Fault] { decoder.takeFaults() }

    package func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        while true {
            if !chunk.rest.isEmpty {
                let (used, filled) =
                    decoder.decode(chunk.bytes, chunk.rest, into: bytes, upTo: count, isLast: chunk.isAtEnd)
                chunk.use(used)
                if filled > 0 { return filled }
            } else if chunk.isAtEnd {
                return 0
            }
            try chunk.refill(from: source)
        }
    }
}

/// A compression format of inputs: a source of the decompressed bytes.
///
/// Adding one takes a file with its type and a line in `Compression.all`.
package protocol Decompressor: ByteSource {
    /// The name of the format in messages.
    static var format: String { get }

    /// Whether a file with this beginning is in the format. `head` has `Magic.length` bytes, or all of a shorter file.
    static func isFormat(of head: ArraySlice<UInt8>) -> Bool

    /// How many bytes of its source have been decompressed.
    var usedByteCount: Int { get }

    /// - Parameter name: the name of the file in messages.
    init(_ source: any ByteSource, name: String)
}

/// The compressions that every import reads.
package enum Compression {
    package static var all: [any Decompressor.Type] {
        [GzipSource.self, ZstdSource.self]
    }

    /// How a file is compressed that begins so; nil where it is not.
    package static func find(_ head: ArraySlice<UInt8>) -> (any Decompressor.Type)? {
        all.first { $0.isFormat(of: head) }
    }
}
