/// One input as UTF-8 text: opened at the first read, decompressed and decoded according to its first bytes.
///
/// Magic numbers identify gzip and Zstandard, byte-order marks identify Unicode encodings. Memory holds only a few
/// buffers, however large the input is. UTF-8 without compression and mark passes unchanged; the importer checks
/// whether it is valid.
public final class InputText {
    public let input: InputPath
    /// Encoding from the job, or from a byte-order mark after the first read.
    public private(set) var encoding: TextEncoding
    /// Name of the file's compression after the first read; nil for none.
    public private(set) var compression: String?

    /// Digest of the file's raw bytes.
    ///
    /// When `callerHashes` is false, reading the text feeds the digest. When it is true, the text is the file itself,
    /// and the caller feeds the digest all bytes of `read`, in order and on any thread.
    public let digest: FileDigester
    /// Whether the caller feeds `digest`; known after the first read.
    public private(set) var callerHashes = false
    /// Number of raw bytes read from the file.
    public var rawByteCount: Int { file.byteCount }
    /// Number of raw bytes that produced the text so far; less than `rawByteCount` while a decompressor buffers some.
    package var usedByteCount: Int { decompressor?.usedByteCount ?? file.byteCount }
    /// Length of the byte-order mark in the text before decoding, after decompression.
    public private(set) var markLength = 0

    private let isRaw: Bool
    private let file: FileSource
    private var text: (any ByteSource)?
    private var decompressor: (any Decompressor)?
    private var decoded: DecodedSource?
    private var lastFaults: [TextDecoder.Fault] = []
    private var isOver = false

    /// - Parameters:
    ///   - isRaw: whether to decompress the input and otherwise leave it unchanged, whatever its content.
    ///   - sha256: when to compute its SHA-256.
    ///   - isCancelled: called before every read and while waiting for a pipe; true ends the read.
    public init(
        _ input: InputPath,
        encoding: TextEncoding = .utf8,
        isRaw: Bool = false,
        sha256: SHA256Policy = .auto,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.input = input
        self.encoding = encoding
        self.isRaw = isRaw
        digest = FileDigester(sha256)
        file = FileSource(input, isCancelled: isCancelled)
    }

    /// Appends at most `count` bytes of text and returns their number; 0 at the end.
    ///
    /// Fewer than `count` bytes do not mean the end. The last character may be incomplete.
    public func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        precondition(count >= TextDecoder.leastCapacity, "text is read into some room")
        guard !isOver else { return 0 }
        let text = if let text { text } else { try begin() }
        self.text = text
        let got = try text.read(count, into: bytes)
        if got == 0 {
            // Releases the buffers: a run keeps ten thousand inputs to the end, for their digests.
            isOver = true
            lastFaults = decoded?.takeFaults() ?? []
            (decompressor, decoded, self.text) = (nil, nil, nil)
        }
        return got
    }

    /// Undecodable bytes in the text since the last call; always empty for UTF-8.
    ///
    /// Offsets refer to the bytes before decoding, after decompression, and to the text from `read`.
    public func takeFaults() -> [TextDecoder.Fault] {
        defer { lastFaults = [] }
        return decoded?.takeFaults() ?? lastFaults
    }

    /// Limits reading to a part of the file, unchanged: UTF-8 without compression. Call it before the first read.
    package func begin(_ part: TextPart) {
        file.begin(part)
        text = file
        callerHashes = true
    }

    private func begin() throws(DaybookError) -> any ByteSource {
        let raw = PeekedSource(file)
        let head = try raw.peek(Magic.length)
        if let size = file.size { digest.expect(byteCount: size) }
        decompressor = Compression.find(head)?.init(raw, name: input.shown)
        compression = decompressor.map { type(of: $0).format }
        if compression == nil, !isRaw { try Magic.refuse(head, name: input.shown) }
        let text = decompressor.map(PeekedSource.init) ?? raw
        if compression != nil || isRaw { hashFromHere(head) }
        if isRaw { return text }
        if let compression { try Magic.refuse(try text.peek(Magic.length), name: input.shown, within: compression) }
        (encoding, markLength) = encoding.resolved(by: try text.peek(4))
        if encoding.isUTF8 {
            if compression == nil {
                callerHashes = true
                digest.update(head.prefix(markLength))
            }
            text.skip(markLength)
            return text
        }
        if compression == nil { hashFromHere(head) }
        text.skip(markLength)
        let decoded = try DecodedSource(text, encoding, startingAt: markLength)
        self.decoded = decoded
        return decoded
    }

    private func hashFromHere(_ head: ArraySlice<UInt8>) {
        digest.update(head)
        file.digest = digest
    }
}

/// File types by their first bytes.
package enum Magic {
    package static let length = ForeignContent.length

    /// Refuses known file types that are not text.
    ///
    /// - Parameter compression: name of the compression that contained the file.
    package static func refuse(
        _ head: ArraySlice<UInt8>,
        name: String,
        within compression: String? = nil
    ) throws(DaybookError) {
        guard let found = ForeignContent(head) else { return }
        let read = DisplayText.list(Compression.all.map { $0.format })
        let hint =
            !found.isCompressed
            ? found.hint
            : compression == nil
                ? "decompress it; \(read) are read as they are" : "decompress it once; what is inside is read then"
        let around = compression.map { ", inside of \($0)" } ?? ""
        throw .machine("unreadable-input", "cannot read '\(name)': it is \(found.kind)\(around)", hint: hint)
    }
}
