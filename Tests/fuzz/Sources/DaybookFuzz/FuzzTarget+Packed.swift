@testable import DaybookBytes
@testable import DaybookContracts

/// Packed files: what comes out depends neither on how the bytes arrive nor on how much is asked for at once.
extension FuzzTarget {
    static let packed = [
        FuzzTarget("gzip") { bytes in try unpack(bytes) { GzipSource($0, name: "input") } },
        FuzzTarget("zstd") { bytes in try unpack(bytes) { ZstdSource($0, name: "input") } },
        FuzzTarget("encoding") { bytes in
            let names = ["cp949", "shift_jis", "gb18030", "utf-16le", "utf-8", "euc-jp"]
            let encoding = try TextEncoding(named: names[bytes.count % names.count])
            try unpack(bytes) { try DecodedSource($0, encoding, startingAt: 0) }
        },
    ]

    /// Gives bytes in pieces.
    private final class Pieces: ByteSource {
        private var rest: ArraySlice<UInt8>
        private let size: Int

        init(_ bytes: [UInt8], of size: Int) {
            rest = bytes[...]
            self.size = size
        }

        func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
            let piece = rest.prefix(min(size, count))
            bytes.append(piece)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }

    /// How much of what a file unpacks to is looked at: a few bytes can stand for any number.
    private static let limit = 1 << 20

    private static func unpack(_ bytes: [UInt8], _ make: (any ByteSource) throws -> any ByteSource) throws {
        let whole = try outcome(of: try make(Pieces(bytes, of: .max)), room: 64 << 10)
        let parts = try outcome(of: try make(Pieces(bytes, of: 7)), room: 1_000)
        try promise(
            whole.code == parts.code,
            "'\(whole.code?.rawValue ?? "read")' at once, '\(parts.code?.rawValue ?? "read")' in pieces"
        )
        // What came before an error is not used.
        if whole.code != nil { return }
        try promise(whole.bytes == parts.bytes, "\(whole.bytes.count) bytes at once, \(parts.bytes.count) in pieces")
    }

    private static func outcome(
        of source: any ByteSource,
        room size: Int
    ) throws -> (bytes: [UInt8], code: DaybookError.Code?) {
        let bytes = Bytes()
        do throws(DaybookError) {
            while bytes.count < limit, try source.read(size, into: bytes) > 0 {}
            return (Array(bytes.array.prefix(limit)), nil)
        } catch {
            return ([], error.code)
        }
    }
}
