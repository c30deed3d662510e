import DaybookBytes
import DaybookEngine

/// Finds the stage of a table that imports a file, and the options for it.
package struct FormatDetector {
    package var table: StageTable
    /// Who looks at the file, for messages: `a guess`.
    package var what: String
    /// How many bytes of a file are looked at for its encoding.
    package var limit: Int
    package var isCancelled: @Sendable () -> Bool

    package struct Detected {
        package var stage: String
        var detection: FormatDetection
        /// The end of a sentence about the form of the file: `, in UTF-8`.
        package var displayText: String
        /// The options that the stage has.
        package var options: [OptionSpec]

        package var form: String { detection.form + displayText }
        package var firstImport: SuggestedImport? { detection.imports.first }
        var takesDates: Bool { options.contains(where: \.namesDates) }
        var namesFiles: Bool { options.contains { $0.key == "file_column" } }
    }

    package init(table: StageTable, what: String, limit: Int, isCancelled: @escaping @Sendable () -> Bool) {
        (self.table, self.what, self.limit, self.isCancelled) = (table, what, limit, isCancelled)
    }

    /// The files that one argument of a command stands for.
    package struct Group {
        /// As the command line writes it.
        var text: String
        package var inputs: [InputPath]
        /// Whether it is a pattern, which also finds the files of other days.
        var isPattern: Bool
    }

    /// The files of names, patterns and directories, each once.
    package func groups(_ files: [String]) throws(DaybookErrors) -> [Group] {
        var groups: [Group] = []
        var seen: Set<String> = []
        do throws(DaybookError) {
            for file in files {
                let status = try? FileStatus.of(file)
                let isDirectory = status?.isDirectory == true
                let pattern = isDirectory ? file == "." ? "**" : FilePath.join(file, "**") : file
                let inputs = try PathPattern(pattern, from: "").expand().filter {
                    seen.insert(FilePath.canonical($0.path)).inserted
                }
                let isPattern = status == nil && file.contains { "*?[{".contains($0) }
                groups.append(Group(text: file, inputs: inputs, isPattern: isPattern))
            }
        } catch { throw DaybookErrors(error) }
        return groups
    }

    package func detect(_ input: InputPath) throws(DaybookErrors) -> Detected {
        do throws(DaybookError) {
            return try surest(SniffedFile(input, for: what, limit: limit, isCancelled: isCancelled))
        } catch { throw DaybookErrors(error) }
    }

    private func surest(_ file: SniffedFile) throws(DaybookError) -> Detected {
        var best: (stage: any Stage.Type, detection: FormatDetection)?
        var failure: DaybookError?
        for stage in table.stages {
            guard let type = stage as? any FormatDetecting.Type else { continue }
            do throws(DaybookError) {
                guard let found = try type.detect(file) else { continue }
                if best == nil || found.confidence > best!.detection.confidence { best = (stage, found) }
            } catch { failure = failure ?? error }
        }
        // An error in a clear format tells more than a vague table.
        if let failure, best?.detection.confidence ?? .possible == .possible { throw failure }
        // Nearly every text is a table of one column, documents too.
        let foreign = ForeignContent(Array(file.head.filled.prefix(ForeignContent.length)))
        guard let best, foreign == nil || best.detection.confidence > .possible else { throw unknown(file, foreign) }
        let options = OptionReader.specs(of: best.stage)
        let text = options.contains { $0.key == "encoding" } ? file.text.map { ", in \($0.displayText)" } : nil
        let name = best.stage.description.name
        return Detected(stage: name, detection: best.detection, displayText: text ?? "", options: options)
    }

    private func unknown(_ file: SniffedFile, _ foreign: ForeignContent?) -> DaybookError {
        let known = file.text == nil ? "its bytes are those of no text" : "its lines do not make a table"
        return .data(
            "unknown-file",
            "'\(file.name)' is nothing that can be imported: \(foreign.map { "it is \($0.kind)" } ?? known)",
            hint: foreign?.hint ?? "name a CSV or JSON file, or another one that a stage of 'daybook stages' imports"
        )
    }
}

extension SniffedFile {
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// How much of a file the stages see that may recognise it.
    private static let headSize = 1 << 20

    /// Reads the beginning of a file, and up to `limit` bytes for its encoding.
    ///
    /// - Parameter what: who looks at the file, for messages: `a guess`.
    package init(
        _ input: InputPath,
        for what: String,
        limit: Int,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookError) {
        try SniffedFile.checkFile(input, what)
        let (source, isCompressed) = try SniffedFile.open(input, isCancelled)
        let head = Bytes(capacity: SniffedFile.headSize)
        var search = EncodingSearch()
        let block = Bytes(capacity: 256 << 10)
        var isWhole = false
        while search.byteCount < limit {
            block.removeAll()
            let got = try source.read(256 << 10, into: block)
            guard got > 0 else {
                isWhole = true
                break
            }
            head.append(..<min(got, SniffedFile.headSize - head.count), of: block)
            search.add(block)
        }
        let isHeadWhole = isWhole && search.byteCount == head.count
        self.init(
            name: input.shown,
            head: head,
            isWhole: isHeadWhole,
            isCompressed: isCompressed,
            text: try FoundText(head, isWhole: isHeadWhole, search.evidence(isWhole: isWhole)),
            reading: { limit throws(DaybookError) in try SniffedFile.read(input, limit: limit, isCancelled) },
            opening: { companions throws(DaybookError) in
                try InputContext(input, index: 0, companions: companions, isCancelled: isCancelled).file()
            }
        )
        if search.byteCount == 0 || isHeadWhole && text?.bytes.filled.allSatisfy(SniffedFile.isBlank) == true {
            let message = "'\(input.shown)' is empty, so there is nothing to look at"
            throw .data("empty-file", message, hint: "name a file that holds at least one row")
        }
    }

    /// The bytes of the file, decompressed.
    private static func open(
        _ input: InputPath,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookError) -> (source: any ByteSource, isCompressed: Bool) {
        let raw = PeekedSource(FileSource(input, isCancelled: isCancelled))
        guard let decompressor = Compression.find(try raw.peek(Magic.length)) else { return (raw, false) }
        return (decompressor.init(raw, name: input.shown), true)
    }

    /// The whole file; nil for more than `limit` bytes.
    private static func read(
        _ input: InputPath,
        limit: Int,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookError) -> Bytes? {
        let source = try open(input, isCancelled).source
        let bytes = Bytes(capacity: 1 << 20)
        while true {
            if try source.read(256 << 10, into: bytes) == 0 { return bytes }
            if bytes.count > limit { return nil }
        }
    }

    /// Refuses a pipe, since a file is read several times.
    private static func checkFile(_ input: InputPath, _ what: String) throws(DaybookError) {
        let hint = "write it to a file first, and name that"
        if input.isStandardInput {
            let message = "standard input can be read only once, and \(what) looks twice"
            throw DaybookError("not-a-file", message, hint: hint)
        }
        do { guard try input.identity()?.kind == .stream else { return } } catch { throw .cannotRead(input, error) }
        throw DaybookError("not-a-file", "'\(input.shown)' is a pipe or a device, and \(what) looks twice", hint: hint)
    }
}

extension FoundText {
    /// The beginning of a file in the encoding of the evidence; nil for no text.
    package init?(_ head: Bytes, isWhole: Bool, _ evidence: EncodingSearch.Evidence) throws(DaybookError) {
        let encoding: TextEncoding
        var displayText = "UTF-8"
        var option: SuggestedOption?
        switch evidence {
        case .none: return nil
        case .ascii: encoding = .utf8
        case .utf8(let isWhole):
            encoding = .utf8
            if !isWhole { displayText = "UTF-8 with some bytes that are not" }
        case .mark(let marked):
            encoding = marked
            displayText = "\(marked.name.uppercased()) as its byte-order mark says"
        case .zeros(let found):
            encoding = found
            displayText = found.name.uppercased()
            option = SuggestedOption("encoding", .text(found.name), because: "every other byte is zero")
        case .weighed(let candidates):
            guard let best = candidates.first else { return nil }
            encoding = best.encoding
            displayText = best.encoding.name
            option = FoundText.option(candidates)
        }
        let bytes = try FoundText.decoded(head, encoding, isWhole: isWhole)
        self.init(bytes: bytes, isWhole: isWhole, encoding: option, displayText: displayText)
    }

    /// The likeliest encoding, and the next likely ones.
    private static func option(_ candidates: [EncodingSearch.Candidate]) -> SuggestedOption {
        let choices = candidates.prefix(4).map {
            SuggestedChoice(.text($0.encoding.name), because: "reads '\($0.sample)'")
        }
        let reason = "it is not UTF-8; this \(choices[0].reason)"
        return SuggestedOption("encoding", choices[0].value, because: reason, others: Array(choices.dropFirst()))
    }

    private static func decoded(_ head: Bytes, _ encoding: TextEncoding, isWhole: Bool) throws(DaybookError) -> Bytes {
        let (found, mark) = encoding.resolved(by: head.filled)
        let text = Bytes(capacity: (head.count - mark) * 3 / 2)
        if found.isUTF8 {
            text.append(mark..., of: head)
        } else {
            try TextDecoder(found).decode(head, from: mark, into: text, isLast: isWhole)
        }
        return text
    }
}

extension OptionSpec {
    /// Whether the option names the formats of dates by column.
    package var namesDates: Bool {
        guard key == "dates", case .either(let kinds) = kind else { return false }
        return kinds.contains { if case .map = $0 { true } else { false } }
    }
}
