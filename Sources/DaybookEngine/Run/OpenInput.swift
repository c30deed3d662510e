import DaybookBytes

/// One text of a run: a file that is opened once for its head and once for reading, a pipe that is opened only once, or
/// a text in a container.
///
/// Used by one thread at a time, except for `digest`, which only the committing thread feeds.
package final class OpenInput: @unchecked Sendable {
    package let name: SourceName
    package let path: InputPath
    private let encoding: TextEncoding
    private let sha256: SHA256Policy
    private let isCancelled: @Sendable () -> Bool
    package private(set) var text: InputText
    /// Whether the text can be read only once, as from a pipe.
    private let isReadOnce: Bool
    /// Head of a pipe that was read ahead and is still part of the text.
    private var waiting: Bytes?
    private var waitingFrom = 0
    private var faults: [TextDecoder.Fault] = []
    /// Place of the text in its file, if it is only a part of the file.
    package private(set) var holder: TextHolder?
    private var facts = ContainerFacts()
    /// Warnings of the container about the text.
    package private(set) var warnings: [Finding.Kind] = []

    package init(
        _ path: InputPath,
        index: Int,
        encoding: TextEncoding,
        sha256: SHA256Policy,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        (name, self.path) = (SourceName(index: index, path: path.name), path)
        (self.encoding, self.sha256, self.isCancelled) = (encoding, sha256, isCancelled)
        isReadOnce = path.isReadOnce
        text = InputText(path, encoding: encoding, sha256: sha256, isCancelled: isCancelled)
    }

    /// Text in memory: represents a file, or a text in a container file.
    ///
    /// - Parameters:
    ///   - file: the file as it was read and hashed.
    ///   - share: number of bytes of the file that the text represents.
    init(held bytes: Bytes, _ contained: ContainedText?, of path: InputPath, _ file: InputText, share: Int, index: Int)
    {
        (name, self.path) = (SourceName(index: index, path: path.name), path)
        (encoding, sha256, isCancelled, isReadOnce) = (.utf8, .auto, { false }, true)
        (text, waiting, self.contained, self.share) = (file, bytes, bytes, share)
        holder = contained?.holder
        facts = contained?.facts ?? ContainerFacts()
        warnings = contained?.warnings ?? []
    }

    /// Text in memory: represents a file of that name, or a text in such a file.
    package convenience init(held text: Bytes, _ contained: ContainedText? = nil, named name: String, index: Int) {
        let path = InputPath(name: name, path: "/dev/null")
        self.init(held: text, contained, of: path, InputText(path), share: 0, index: index)
    }

    /// Length of the head from which columns are learnt, in bytes; lower for very many texts.
    package static func headSize(of texts: Int) -> Int { min(1 << 20, max(64 << 10, (64 << 20) / max(1, texts))) }

    /// First `size` bytes of the text, or all of it.
    package func head(_ size: Int) throws(DaybookError) -> SourceHead {
        do throws(DaybookError) { return try readHead(size) } catch { throw error.about(path.shown) }
    }

    private func readHead(_ size: Int) throws(DaybookError) -> SourceHead {
        if contained != nil { return headOfContained(size) }
        let bytes = Bytes(capacity: size)
        var isWhole = false
        // A decoder needs space for its longest character.
        while !isWhole, size - bytes.count >= 64 {
            isWhole = try text.read(size - bytes.count, into: bytes) == 0
        }
        isPlain = text.callerHashes
        let followsMark = text.markLength > 0
        if isReadOnce {
            waiting = bytes
            faults += text.takeFaults()
        } else {
            // Ten thousand files must not keep ten thousand descriptors open until they are read.
            text = InputText(path, encoding: encoding, sha256: sha256, isCancelled: isCancelled)
        }
        // Formats use the name only for errors about the whole file.
        let shown = SourceName(index: name.index, path: path.shown)
        return SourceHead(source: shown, bytes: bytes, isWhole: isWhole, followsMark: followsMark)
    }

    private func headOfContained(_ size: Int) -> SourceHead {
        let whole = waiting ?? Bytes()
        let head = whole.copy(..<min(size, whole.count))
        return SourceHead(
            source: SourceName(index: name.index, path: path.shown),
            bytes: head,
            isWhole: head.count == whole.count,
            holder: holder,
            facts: facts
        )
    }

    /// Place of the column names, with the path from the directory where the command was started.
    package func header(_ format: any SourceFormat) -> SourcePlace {
        SourcePlace(file: path.shown, line: holder?.line ?? format.headerLine, column: 1)
    }

    /// Appends at most `count` bytes of the text and returns their number; 0 at the end.
    package func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        if let waiting, waitingFrom < waiting.count {
            let count = min(count, waiting.count - waitingFrom)
            bytes.append(waitingFrom..<waitingFrom + count, of: waiting)
            waitingFrom += count
            if waitingFrom == waiting.count { self.waiting = nil }
            return count
        }
        if isCancelled() { throw .interrupted }
        if contained != nil { return 0 }
        let got = try text.read(count, into: bytes)
        faults += text.takeFaults()
        return got
    }

    /// Number of bytes of the file that produced the text so far.
    var fileByteCount: Int {
        guard let contained else { return text.usedByteCount }
        return contained.count == 0 ? share : Int(Double(share) * (Double(waitingFrom) / Double(contained.count)))
    }

    /// Whether reading may begin at any record, since the text is the bytes of a file.
    var canBeginAnywhere: Bool { isPlain && !isReadOnce }

    /// Limits further reading to a part of the file.
    func begin(_ part: TextPart) {
        precondition(canBeginAnywhere, "only what is the bytes of a file is read from the middle")
        text = InputText(path, sha256: sha256, isCancelled: isCancelled)
        text.begin(part)
    }

    /// Length of the byte-order mark, to add to offsets; 0 for transcoded text.
    var markLength: Int { isConverted || contained != nil ? 0 : text.markLength }

    /// Whether the text is transcoded, so that it differs from the (decompressed) bytes of the file.
    var isConverted: Bool { !text.encoding.isUTF8 }

    /// Decoding faults between `start` and `end` of the text, relative to `start`.
    func takeFaults(upTo end: Int, from start: Int) -> [DecodingFault] {
        guard !faults.isEmpty else { return [] }
        let taken = faults.prefix { $0.decodedOffset < end }
        faults.removeFirst(taken.count)
        return taken.map { DecodingFault(at: $0.decodedOffset - start, rawOffset: $0.rawOffset) }
    }

    /// Feeds bytes of the file to the digest, unless reading does so itself.
    package func hash(_ bytes: Cell) {
        if text.callerHashes { text.digest.update(bytes) }
    }

    /// Fetches records again at their offsets; nil if that is impossible.
    package var recordAgain: RecordRefetch? {
        if let contained { return RecordRefetch.ofText(contained) }
        guard isPlain, !isReadOnce else { return nil }
        return .stretches { [path] in
            let file = try? path.open()
            return { file?.bytes($0) }
        }
    }
    private var isPlain = false
    private var contained: Bytes?
    private var share = 0
}

/// One opened file of a source stage: its text, or the texts that it contains.
package struct OpenFile {
    package let inputs: [OpenInput]
    /// Detected types of the file and its parts, if detection was necessary.
    package let recognised: [String]
    /// The container file as it was read.
    private let whole: InputText?

    /// - Parameters:
    ///   - place: index of the file among the files of the run.
    ///   - index: returns the index of a text among the texts of the run, for the place of the text in its file.
    package init(
        _ path: InputPath,
        of source: any TextSource,
        at place: Int,
        sha256: SHA256Policy = .auto,
        isCancelled: @escaping @Sendable () -> Bool,
        index: (TextHolder?) -> Int
    ) throws(DaybookError) {
        guard let container = source.container else {
            inputs = [
                OpenInput(path, index: index(nil), encoding: source.encoding, sha256: sha256, isCancelled: isCancelled)
            ]
            recognised = []
            whole = nil
            return
        }
        let file = InputText(path, isRaw: true, sha256: sha256, isCancelled: isCancelled)
        let contents: ContainerContents
        do throws(DaybookError) {
            let bytes = try OpenFile.read(file, limit: type(of: container).containerLimit)
            contents = try container.contents(of: bytes, SourceName(index: place, path: path.shown))
        } catch { throw error.about(path.shown) }
        let shares = OpenFile.shares(of: file.rawByteCount, among: contents.texts)
        inputs = zip(contents.texts, shares).map { text, share in
            OpenInput(held: text.bytes, text, of: path, file, share: share, index: index(text.holder))
        }
        recognised = contents.recognised
        whole = file
    }

    /// Text of the file, as far as it was read.
    package var text: InputText { whole ?? inputs[0].text }

    /// Number of bytes of a file that each of its texts represents, in proportion to their lengths; the sum is the
    /// size.
    private static func shares(of size: Int, among texts: [ContainedText]) -> [Int] {
        // One byte more per text, so that empty texts have a share as well.
        let all = texts.reduce(0) { $0 + $1.bytes.count + 1 }
        var (length, told) = (0, 0)
        return texts.map { text in
            length += text.bytes.count + 1
            let end = Int(Double(size) * (Double(length) / Double(all)))
            defer { told = end }
            return end - told
        }
    }

    private static func read(_ text: InputText, limit: Int) throws(DaybookError) -> Bytes {
        let bytes = Bytes(capacity: 64 << 10)
        while true {
            if try text.read(64 << 10, into: bytes) == 0 { return bytes }
            if bytes.count > limit {
                throw .machine(
                    "container-too-large",
                    "cannot read '\(text.input.shown)': it holds more than \(limit >> 20) MiB",
                    hint: "such a file is held in memory as a whole; take it apart first"
                )
            }
        }
    }
}

/// Reads records again, for findings about rows whose morsels are released.
///
/// A finding without its record still shows its line, so an unreadable record is not an error.
package enum RecordRefetch: Sendable {
    /// Reads any range of the source's bytes after opening it, so that neighbouring records are read together.
    case stretches(open: @Sendable () -> (Range<Int>) -> Bytes?)
    /// Reads records one by one.
    case records(@Sendable (RowOrigin) -> Bytes?)

    static func ofText(_ text: Bytes) -> RecordRefetch {
        .stretches {
            { stretch in
                guard stretch.lowerBound >= 0, stretch.upperBound <= text.count else { return nil }
                return text.copy(stretch)
            }
        }
    }
}
