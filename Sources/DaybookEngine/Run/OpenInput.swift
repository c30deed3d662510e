import DaybookBytes

/// One text of a run: a file, opened once to look at its head and once more to be read, a pipe that is opened only once,
/// or what a container holds.
///
/// Used by one thread at a time, but for `digest`, which only the committing thread feeds.
package final class OpenInput: @unchecked Sendable {
    package let name: SourceName
    package let path: InputPath
    private let encoding: TextEncoding
    private let sha256: SHA256Policy
    private let isCancelled: @Sendable () -> Bool
    package private(set) var text: InputText
    /// Whether it can be read only once, as a pipe.
    private let isReadOnce: Bool
    /// What was read of a pipe for its head, and is still to be read as text.
    private var waiting: Bytes?
    private var waitingFrom = 0
    private var faults: [TextDecoder.Fault] = []
    /// Where the text stands in its file, when it is only a part of it.
    package private(set) var holder: TextHolder?
    private var facts = ContainerFacts()
    /// What the container of the text says of it.
    package private(set) var warnings: [Finding.Kind] = []

    package init(
        _ path: InputPath,
        index: Int,
        encoding: TextEncoding,
        sha256: SHA256Policy,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        name = SourceName(index: index, path: path.name)
        self.path = path
        self.encoding = encoding
        self.sha256 = sha256
        self.isCancelled = isCancelled
        isReadOnce = path.isReadOnce
        text = InputText(path, encoding: encoding, sha256: sha256, isCancelled: isCancelled)
    }

    /// A text that was taken out of a file, which has been read and hashed.
    ///
    /// - Parameter share: how many bytes of the file the text stands for.
    package init(_ contained: ContainedText, of file: InputPath, _ text: InputText, share: Int, index: Int) {
        name = SourceName(index: index, path: file.name)
        path = file
        encoding = .utf8
        sha256 = .auto
        isCancelled = { false }
        isReadOnce = true
        self.text = text
        waiting = contained.bytes
        self.contained = contained.bytes
        self.share = share
        holder = contained.holder
        facts = contained.facts
        warnings = contained.warnings
    }

    /// A text that is at hand as a whole: it stands for a file of that name, or for what such a file contains.
    package init(held text: Bytes, _ contained: ContainedText? = nil, named name: String, index: Int) {
        self.name = SourceName(index: index, path: name)
        path = InputPath(name: name, path: "/dev/null")
        encoding = .utf8
        sha256 = .auto
        isCancelled = { false }
        isReadOnce = true
        self.text = InputText(path)
        waiting = text
        self.contained = text
        holder = contained?.holder
        facts = contained?.facts ?? ContainerFacts()
        warnings = contained?.warnings ?? []
    }

    /// How much of a text is looked at to learn its columns, in bytes; less when there are very many.
    package static func headSize(of texts: Int) -> Int { min(1 << 20, max(64 << 10, (64 << 20) / max(1, texts))) }

    /// The first `size` bytes of the text, or all of it.
    package func head(_ size: Int) throws(DaybookError) -> SourceHead {
        do throws(DaybookError) { return try readHead(size) } catch { throw error.about(path.shown) }
    }

    private func readHead(_ size: Int) throws(DaybookError) -> SourceHead {
        if contained != nil { return headOfContained(size) }
        let bytes = Bytes(capacity: size)
        var isWhole = false
        while bytes.count < size {
            // A decoder wants some room for its longest character.
            if size - bytes.count < 64 { break }
            if try text.read(size - bytes.count, into: bytes) == 0 {
                isWhole = true
                break
            }
        }
        isPlain = text.callerHashes
        let followsMark = text.markLength > 0
        if isReadOnce {
            waiting = bytes
            faults += text.takeFaults()
        } else {
            // Ten thousand files must not hold ten thousand descriptors until their turn comes.
            text = InputText(path, encoding: encoding, sha256: sha256, isCancelled: isCancelled)
        }
        // Formats use the name for errors about the whole file only.
        let shown = SourceName(index: name.index, path: path.shown)
        return SourceHead(source: shown, bytes: bytes, isWhole: isWhole, followsMark: followsMark)
    }

    private func headOfContained(_ size: Int) -> SourceHead {
        let whole = waiting ?? Bytes()
        let head = Bytes(capacity: min(size, whole.count))
        head.append(..<min(size, whole.count), of: whole)
        return SourceHead(
            source: SourceName(index: name.index, path: path.shown),
            bytes: head,
            isWhole: head.count == whole.count,
            holder: holder,
            facts: facts
        )
    }

    /// Where the columns are named, as a person where the command was started would write it.
    package func header(_ format: any SourceFormat) -> SourcePlace {
        SourcePlace(file: path.shown, line: holder?.line ?? format.headerLine, column: 1)
    }

    /// Appends at most `count` bytes of the text and says how many; 0 at the end.
    package func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        if let waiting, waitingFrom < waiting.count {
            let count = min(count, waiting.count - waitingFrom)
            bytes.append(waiting, waitingFrom..<waitingFrom + count)
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

    /// How many bytes of the file became what was read of the text.
    var fileByteCount: Int {
        guard let contained else { return text.usedByteCount }
        return contained.count == 0 ? share : Int(Double(share) * (Double(waitingFrom) / Double(contained.count)))
    }

    /// Whether reading may begin at any record, since the text is the bytes of a file.
    var canBeginAnywhere: Bool { isPlain && !isReadOnce }

    /// Reads a part of the file from now on.
    func begin(_ part: TextPart) {
        precondition(canBeginAnywhere, "only what is the bytes of a file is read from the middle")
        text = InputText(path, sha256: sha256, isCancelled: isCancelled)
        text.begin(part)
    }

    /// The bytes of a byte-order mark, which offsets count; none in what was decoded, whose offsets are those of the decoded text.
    var markLength: Int { isConverted || contained != nil ? 0 : text.markLength }

    /// Whether the text is not the bytes of the file, nor what they decompress to.
    var isConverted: Bool { !text.encoding.isUTF8 }

    /// The faults between `start` and `end` of the text, counted from `start`.
    func takeFaults(upTo end: Int, from start: Int) -> [DecodingFault] {
        guard !faults.isEmpty else { return [] }
        let taken = faults.prefix { $0.decodedOffset < end }
        faults.removeFirst(taken.count)
        return taken.map { DecodingFault(at: $0.decodedOffset - start, rawOffset: $0.rawOffset) }
    }

    /// Feeds the digest with bytes of the file, where reading does not feed it itself.
    package func hash(_ bytes: Cell) {
        if text.callerHashes { text.digest.update(bytes) }
    }

    /// What reads records again at their offsets, where that can be done.
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

/// One file of a source stage, opened: the text that it is, or those that it holds.
package struct OpenFile {
    package let inputs: [OpenInput]
    /// What the file and its parts were found to be, where that had to be found out.
    package let recognised: [String]
    /// The file as it was read to be taken apart.
    private let whole: InputText?

    /// - Parameters:
    ///   - place: the place of the file among those of the run.
    ///   - index: gives a text its place among the texts of the run; it is told where the text stands in its file.
    package init(
        _ path: InputPath,
        of source: any TextSource,
        at place: Int,
        sha256: SHA256Policy = .auto,
        isCancelled: @escaping @Sendable () -> Bool,
        index: (TextHolder?) -> Int
    ) throws(DaybookError) {
        guard type(of: source).readsContainers else {
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
            let bytes = try OpenFile.read(file, limit: type(of: source).containerLimit)
            contents = try source.contents(of: bytes, SourceName(index: place, path: path.shown))
        } catch { throw error.about(path.shown) }
        let shares = OpenFile.shares(of: file.rawByteCount, among: contents.texts)
        inputs = zip(contents.texts, shares).map { text, share in
            OpenInput(text, of: path, file, share: share, index: index(text.holder))
        }
        recognised = contents.recognised
        whole = file
    }

    /// What was read of the file so far.
    package var text: InputText { whole ?? inputs[0].text }

    /// How many bytes of a file each of its texts stands for, by their lengths; all of them together.
    private static func shares(of size: Int, among texts: [ContainedText]) -> [Int] {
        // One more each, so that texts without a byte have a share as well.
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

/// Reads records once more, for findings about rows whose morsels are gone.
///
/// A finding that cannot show its record still tells its line, so what cannot be read is no error.
package enum RecordRefetch: Sendable {
    /// By any stretch of the bytes of the source, once it is open, so that neighbours are read together.
    case stretches(open: @Sendable () -> (Range<Int>) -> Bytes?)
    /// One by one.
    case records(@Sendable (RowOrigin) -> Bytes?)

    static func ofText(_ text: Bytes) -> RecordRefetch {
        .stretches {
            { stretch in
                guard stretch.lowerBound >= 0, stretch.upperBound <= text.count else { return nil }
                let bytes = Bytes(capacity: stretch.count)
                bytes.append(stretch, of: text)
                return bytes
            }
        }
    }
}
