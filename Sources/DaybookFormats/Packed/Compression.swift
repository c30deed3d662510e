/// A way in which inputs are compressed: a source of the bytes inside.
///
/// Adding one takes a file with its type and a line in `Compression.all`.
package protocol Decompressor: ByteSource {
    /// The name of the format, as messages say it.
    static var format: String { get }

    /// Whether a file that begins so is compressed in this way. `head` has `Magic.length` bytes, or all of a shorter file.
    static func isFormat(of head: ArraySlice<UInt8>) -> Bool

    /// How many bytes of its source have been decompressed.
    var usedByteCount: Int { get }

    /// - Parameter name: what messages call the file.
    init(_ source: any ByteSource, name: String)
}

/// The compressions that every import reads.
package enum Compression {
    package static var all: [any Decompressor.Type] {
        [
            GzipSource.self,
            ZstdSource.self,
        ]
    }

    /// How a file is compressed that begins so; nil where it is not.
    package static func find(_ head: ArraySlice<UInt8>) -> (any Decompressor.Type)? {
        all.first { $0.isFormat(of: head) }
    }
}
