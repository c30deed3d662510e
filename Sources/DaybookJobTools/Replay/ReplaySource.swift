import DaybookBytes
import DaybookEngine

/// The corrected records of a reject file in the place of the files of a stage.
///
/// Header, dialect and columns come from the first files of the records, which are opened as in any run, but without reading
/// their rows.
struct ReplaySource: SuppliedSource {
    let file: RejectFile
    let source: any TextSource
    /// The files of the stage, as rejects name them.
    let inputs: [InputPath]
    /// Rejects name files without the secrets of the job.
    let mask: SecretMask
    /// Whether each row goes on by itself, since outputs look at its record.
    let isOneByOne: Bool
    /// Whether this stage reads a line.
    let takes: @Sendable (RejectRecord) -> Bool

    /// The inputs of the run, which must not be written to.
    var paths: [PathText] { [PathText(file.name)] }
    var declaredSchema: Schema { source.declaredSchemaWithFile }
    var unlearntCodes: Set<String> { type(of: source).unlearntCodes }

    func open(_ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) -> any OpenedInputs {
        try ReplayInput(self, registry, settings)
    }
}

private final class ReplayInput: OpenedInputs, @unchecked Sendable {
    private let replay: ReplaySource
    private let opened: OpenedSource
    /// The first texts of records, with the numbers by which findings find their readers.
    private var texts: [(input: OpenInput, name: SourceName)] = []
    private var readers: [any RecordReader] = []
    private let digest: FileDigester
    private var byteCount = 0

    var schema: Schema { opened.schema }
    var missing: [DaybookError] { opened.missing }
    var header: SourcePlace? { texts.first?.input.header(opened.formats[0]) }

    init(_ replay: ReplaySource, _ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) {
        self.replay = replay
        digest = FileDigester(settings.sha256)
        var inputs: [OpenInput] = []
        let source = replay.source
        for (place, path) in replay.inputs.enumerated() {
            inputs += try OpenFile(path, of: source, at: place, isCancelled: settings.isCancelled) { _ in place }.inputs
        }
        let whole =
            settings.learnsAll ? try WholeTexts(replay.inputs, of: source, isCancelled: settings.isCancelled) : nil
        opened = try source.open(inputs.count, learningFrom: whole) { [inputs] file throws(DaybookError) in
            try inputs[file].head(OpenInput.headSize(of: inputs.count))
        }
        texts = inputs.map { ($0, SourceName(index: registry.add(entry), path: replay.file.name)) }
    }

    /// An entry by which findings name the reject file, and a record by its line there.
    private var entry: SourceRegistry.Entry {
        let file = replay.file
        var entry = SourceRegistry.Entry(path: file.name)
        entry.again = .records { origin in
            guard let (record, offset) = ReplayInput.record(origin, in: file) else { return nil }
            let start = Int(origin.offset) - offset
            guard start >= 0, start + Int(origin.length) <= record.original.count else { return nil }
            return Bytes(record.original[start..<start + Int(origin.length)])
        }
        entry.holderOfRecord = { origin in ReplayInput.record(origin, in: file)?.record.holder }
        return entry
    }

    private static func record(_ origin: RowOrigin, in file: RejectFile) -> (record: RejectRecord, offset: Int)? {
        guard let line = file.line(around: Int(origin.offset), number: Int(origin.line)) else { return nil }
        defer { withExtendedLifetime(line.bytes) {} }
        return (try? RejectRecord(line.bytes.filled, number: line.number, offset: line.offset)).map {
            ($0, line.offset)
        }
    }

    func feed(_ schema: Schema, morselSize: Int, _ registry: SourceRegistry) -> any SourceItemFeed {
        for (index, text) in texts.enumerated() {
            let reader = ReplayReader(reader: opened.reader(index, schema))
            readers.append(reader)
            registry.setReader(reader, opened.formats[index].lineEnd, of: text.name.index)
        }
        return Feed(self)
    }

    var files: [RunInputs.File] {
        let file = replay.file
        return [
            RunInputs.File(path: InputPath(name: file.name, path: file.path)) { [self] () throws(DaybookError) in
                try file.checkUnchanged()
                return RunOutcome.Input(path: file.name, bytes: byteCount, digest: digest.finish())
            }
        ]
    }

    /// The text of a record: its file, or in a container the text that its pointer names.
    private func text(of record: RejectRecord) -> Int? {
        var best: (index: Int, length: Int)?
        for (index, text) in texts.enumerated() where stands(record, in: text.input) {
            let pointer = text.input.holder?.pointer ?? ""
            guard record.pointer?.hasPrefix(pointer) ?? true || pointer.isEmpty else { continue }
            if pointer.utf8.count >= best?.length ?? 0 { best = (index, pointer.utf8.count) }
        }
        return best?.index ?? texts.firstIndex { stands(record, in: $0.input) }
    }

    private func stands(_ record: RejectRecord, in input: OpenInput) -> Bool {
        replay.mask.masking(input.path.name) == record.source
    }

    /// Reads the records one by one, and passes records without findings on together.
    private final class Feed: SourceItemFeed {
        private let input: ReplayInput
        private var lines: RejectFile.Lines?
        /// The buffered rows, and the bytes of their lines.
        private var rows: [Batch] = []
        private var waitingByteCount = 0
        /// The item after the buffered rows.
        private var following: SourceItem?
        private var isOver = false

        init(_ input: ReplayInput) { self.input = input }

        var byteCount: Int { lines?.byteCount ?? 0 }

        /// The limit of buffered rows; the limit of bytes is that of a morsel.
        private static let mostRows = 512

        func next() throws(DaybookError) -> SourceItem? {
            if let item = following.take() { return item }
            if input.replay.isOneByOne { return try record()?.read() }
            while !isOver, rows.count < Feed.mostRows, waitingByteCount < 256 << 10 {
                guard let record = try record() else {
                    isOver = true
                    break
                }
                let item = record.read()
                var findings = Findings()
                let batch = item.read(reporting: &findings)
                guard findings.isEmpty else {
                    following = item
                    break
                }
                rows.append(batch)
                waitingByteCount += item.byteCount
            }
            return takeRows() ?? following.take()
        }

        private func takeRows() -> SourceItem? {
            guard !rows.isEmpty else { return nil }
            defer {
                rows = []
                waitingByteCount = 0
            }
            let picks = rows.indices.map { RowPick(batch: $0, row: 0) }
            var findings = Findings()
            findings.saw(records: rows.count)
            return SourceItem(Batch.take(picks, from: rows), findings, byteCount: waitingByteCount)
        }

        /// The next line for this stage.
        private func record() throws(DaybookError) -> ReplayRecord? {
            let file = input.replay.file
            if lines == nil { lines = try RejectFile.Lines(file, digest: input.digest) }
            while let line = try lines?.next() {
                defer { withExtendedLifetime(line.bytes) {} }
                if line.isBlank { continue }
                let record: RejectRecord
                do { record = try RejectRecord(line.bytes.filled, number: line.number, offset: line.offset) } catch {
                    throw file.error(error, line: line.number)
                }
                guard !record.isRepeated, input.replay.takes(record) else { continue }
                guard let text = input.text(of: record) else {
                    throw DaybookError(
                        "cannot-replay",
                        "\(record.source.quotedForMessage) holds nothing any more of what the record stood in",
                        at: SourcePlace(file: file.path, line: line.number, column: 1),
                        blame: .data
                    )
                }
                return ReplayRecord(record, line, input.texts[text].name, input.readers[text])
            }
            input.byteCount = lines?.byteCount ?? 0
            return nil
        }
    }
}

/// One corrected record and its reader.
private struct ReplayRecord {
    private static let notOneRecord = Finding.Kind("not-one-record", "'original' is to hold one record")

    private let morsel: Morsel
    private let reader: any RecordReader
    private let byteCount: Int

    init(_ record: RejectRecord, _ line: RejectFile.Line, _ source: SourceName, _ reader: any RecordReader) {
        morsel = Morsel(
            source: source,
            bytes: Bytes(record.original),
            offset: line.offset,
            firstLine: line.number,
            firstRecord: line.number - 1,
            holder: record.holder
        )
        self.reader = reader
        byteCount = line.bytes.count + 1
    }

    /// Reads the one record of a line; a line with none, several or more text is rejected as a whole.
    func read() -> SourceItem {
        var found = Findings()
        let batch = morsel.length == 0 ? Batch(empty: reader.schema) : reader.read(morsel, reporting: &found)
        if found.recordsSeen == 1, isRead(batch, found) {
            return SourceItem(batch, found, of: morsel, byteCount: byteCount)
        }
        var refusal = Findings()
        refusal.saw(records: 1)
        refusal.reject(
            record: 0,
            RecordSpan(start: 0, end: morsel.length),
            at: 0,
            refusal.token(ReplayRecord.notOneRecord),
            saying: found.recordsSeen == 0
                ? "'original' holds no record"
                : found.recordsSeen > 1
                    ? "'original' holds \(found.recordsSeen) records, and a line stands for one"
                    : found.droppedRecords.isEmpty
                        ? "something stands in 'original' behind the record"
                        : "'original' is the header, and no record"
        )
        return SourceItem(Batch(empty: reader.schema), refusal, of: morsel, byteCount: byteCount)
    }

    /// Whether nothing follows the record.
    private func isRead(_ batch: Batch, _ findings: Findings) -> Bool {
        var end = findings.rejectedRecords.map { Int($0.span.end) }.max() ?? 0
        if case .morsel(_, let spans, _) = batch.provenance { end = max(end, spans.map { Int($0.end) }.max() ?? 0) }
        guard end < morsel.length else { return true }
        return morsel.cell[end...].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}

/// Reads as the reader of the first source, without pointers, which would count absent records.
private struct ReplayReader: WrappingReader {
    let reader: any RecordReader

    func pointers(to field: String?) -> RecordPointers? { nil }
}
