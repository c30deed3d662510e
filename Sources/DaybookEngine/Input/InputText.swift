import DaybookBytes

/// One input as UTF-8 text: opened when it is first read, decompressed and decoded as its first bytes tell.
///
/// gzip and Zstandard are known by their magic numbers, Unicode encodings by their byte-order marks. Nothing is held
/// but a few buffers, however large the input is. UTF-8 that is neither compressed nor marked passes through as it
/// is: whether it is valid, the importer finds out.
public final class InputText {
    public let input: InputPath
    /// The encoding that the job names, or that a byte-order mark names, once something was read.
    public private(set) var encoding: TextEncoding
    /// The name of the compression that the file has, once something was read; nil for none.
    public private(set) var compression: String?

    /// The digest of the file as it lies on the disk.
    ///
    /// When `callerHashes` is false, it is fed while the text is read. When it is true, the text is the file itself,
    /// and whoever reads feeds it everything that `read` gave, in order and on any thread.
    public let digest: FileDigester
    /// Who feeds `digest`; known after the first read.
    public private(set) var callerHashes = false
    /// How many bytes of the file were read; those of the file as it lies on the disk.
    public var rawByteCount: Int { file.byteCount }
    /// How many bytes of the file became what was read; fewer than `rawByteCount` while a decompressor has some in hand.
    var usedByteCount: Int { decompressor?.usedByteCount ?? file.byteCount }
    /// How many bytes of the text before decoding, after decompression, the byte-order mark has.
    public private(set) var markLength = 0

    private let isRaw: Bool
    private let file: FileSource
    private var text: (any ByteSource)?
    private var decompressor: (any Decompressor)?
    private var decoded: DecodedSource?
    private var lastFaults: [TextDecoder.Fault] = []
    private var isOver = false

    /// - Parameters:
    ///   - isRaw: whether it is decompressed and otherwise left as it is, whatever it may be.
    ///   - sha256: when its SHA-256 is taken.
    ///   - isCancelled: asked before every read and while waiting for a pipe; true ends the read.
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

    /// Appends at most `count` bytes of text and says how many; 0 at the end.
    ///
    /// Less than `count` says nothing about the end. A character may be cut by the end of what is read.
    public func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        precondition(count >= TextDecoder.leastCapacity, "text is read into some room")
        guard !isOver else { return 0 }
        let text = if let text { text } else { try begin() }
        self.text = text
        let got = try text.read(count, into: bytes)
        if got == 0 { letGo() }
        return got
    }

    /// Bytes that were not of the encoding, among the text that was read since the last time; for UTF-8 always none.
    ///
    /// Offsets are those of the bytes before decoding, after decompression, and of the text that `read` gives.
    public func takeFaults() -> [TextDecoder.Fault] {
        defer { lastFaults = [] }
        return decoded?.takeFaults() ?? lastFaults
    }

    /// Frees the buffers: a run keeps ten thousand inputs to the end, for their digests.
    private func letGo() {
        isOver = true
        lastFaults = decoded?.takeFaults() ?? []
        decompressor = nil
        decoded = nil
        text = nil
    }

    /// Reads a part of the file as it is: UTF-8 that is not compressed. Nothing may have been read yet.
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

/// What the first bytes of a file say about it.
package enum Magic {
    package static let length = ForeignContent.length

    /// Refuses what is known to be no text.
    ///
    /// - Parameter compression: the name of the compression that it was found in.
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
