import DaybookContracts

/// Runs one example of a source in its disguises. The input is the bytes of a file.
///
/// A byte-order mark is not among them: the engine takes it off, and decodes the file, before a stage sees a byte.
struct SourceTrial<S: TextSource> {
    private let stage: S
    private let example: StageExample
    private var output = ""
    private var findings: [FindingLine] = []

    init(_ stage: S, _ example: StageExample) throws {
        self.stage = stage
        self.example = example
        output = example.output ?? ""
        findings = try example.findingLines()
    }

    /// Reads any bytes at once and then cut at some places: whatever they are, both ways tell the same. A source may
    /// refuse them, but not only when they are cut.
    static func survive(_ bytes: [UInt8], cutAt places: [Int], _ stage: S, _ log: inout FailureLog) {
        let trial = SourceTrial(stage, anything: log.example)
        let text = TableText.visible(String(decoding: bytes, as: UTF8.self))
        let whole = Result { try trial.outcome(of: bytes, cutAt: []) }
        for broken in (try? whole.get())?.broken ?? [] { log.add(broken, as: "the bytes \(text)") }
        for place in places {
            let disguise = "the bytes \(text), cut at \(place)"
            switch whole {
            case .success(let whole):
                log.expect(whole.output, findings: whole.findings, as: disguise) {
                    try trial.outcome(of: bytes, cutAt: [place])
                }
            case .failure(let error):
                if (try? trial.outcome(of: bytes, cutAt: [place])) != nil {
                    log.add("is not refused; at once it is, with '\(ExampleRunner.messages(of: error))'", as: disguise)
                }
            }
        }
    }

    private init(_ stage: S, anything example: StageExample) {
        self.stage = stage
        self.example = example
    }

    /// Does what the engine does before it reads the first record.
    static func open(_ stage: S, _ example: StageExample) throws {
        _ = try OpenedSource(stage, Array(example.input.utf8))
    }

    func run(_ log: inout FailureLog) throws {
        let whole = Array(example.input.utf8)
        func expect(_ disguise: String, _ bytes: [UInt8], cutAt ends: [Int] = []) {
            log.expect(output, findings: findings, as: disguise) { try outcome(of: bytes, cutAt: ends) }
        }
        expect("the whole file at once", whole)
        if let bytes = InputDisguise.withCRLF(whole) {
            log.expect(
                InputDisguise.withoutCR(output),
                findings: findings,
                as: "lines that end in CR LF"
            ) {
                var outcome = try outcome(of: bytes, cutAt: [])
                outcome.output = InputDisguise.withoutCR(outcome.output)
                return outcome
            }
        }
        if let bytes = InputDisguise.withoutLastLineEnd(whole) { expect("no line end at the end", bytes) }
        if let bytes = InputDisguise.withLastLineEnd(whole) { expect("a line end at the end", bytes) }
        if S.description.name.contains("csv"), let bytes = InputDisguise.allQuoted(example) {
            expect("all fields quoted", bytes)
        }
        for size in 1...7 {
            expect("read \(size) bytes at a time", whole, cutAt: Array(stride(from: size, to: whole.count, by: size)))
        }
        for place in 1..<max(whole.count, 2) {
            expect("read in two parts, cut at byte \(place)", whole, cutAt: [place])
        }
        try runProjected(whole, &log)
    }

    private func outcome(of bytes: [UInt8], cutAt ends: [Int]) throws -> Outcome {
        let opened = try OpenedSource(stage, bytes)
        var outcome = Outcome(output: "")
        let results = try opened.read(opened.schema, cutAt: ends, &outcome)
        outcome.output = BatchText.write(outcome.broken.isEmpty ? results : [], schema: opened.schema)
        return outcome
    }

    /// An importer that is asked for some columns gives the same values in them. Its findings may be fewer: it does not
    /// look at what nobody reads, so only examples without findings are run like this.
    private func runProjected(_ bytes: [UInt8], _ log: inout FailureLog) throws {
        guard findings.isEmpty else { return }
        let opened = try OpenedSource(stage, bytes)
        for wanted in opened.schema.names.map({ ColumnSet.some([$0]) }) + [.none] {
            let schema = opened.schema.selecting(wanted)
            let whole = try BatchText.read(output).selecting(wanted)
            log.expect(
                BatchText.write([whole], schema: schema),
                findings: [],
                as: "asked only for \(ExampleRunner.names(of: wanted))"
            ) {
                var outcome = Outcome(output: "")
                let results = try opened.read(schema, cutAt: [], &outcome)
                outcome.output = BatchText.write(outcome.broken.isEmpty ? results : [], schema: schema)
                return outcome
            }
        }
    }
}

/// A file that a source has looked into: the text that it is, or the texts that a container holds.
private struct OpenedSource<S: TextSource> {
    let stage: S
    let bytes: [UInt8]
    let texts: [[UInt8]]
    let source: SourceName
    let formats: [S.Format]
    let schema: Schema

    init(_ stage: S, _ bytes: [UInt8]) throws {
        self.stage = stage
        self.bytes = bytes
        source = SourceName(index: 0, path: stage.paths.first?.text ?? "example")
        let heads = try Self.heads(stage, bytes, source)
        texts = heads.map(\.bytes.array)
        formats = try heads.map { try stage.format(of: $0) }
        schema = try stage.schemaWithFile(of: formats)
        // What a run tells of the data beside all else is all that an example can show.
        if let missing = stage.missing(from: formats).first { throw missing }
    }

    private static func heads(_ stage: S, _ bytes: [UInt8], _ source: SourceName) throws -> [SourceHead] {
        guard let container = stage.container else {
            return [SourceHead(source: source, bytes: copy(bytes[...]), isWhole: true)]
        }
        return try container.contents(of: copy(bytes[...]), source).texts.map { text in
            SourceHead(
                source: source,
                bytes: copy(text.bytes.array[...]),
                isWhole: true,
                holder: text.holder,
                facts: text.facts
            )
        }
    }

    /// Reads all records, in morsels that the cutter cuts while the input arrives: up to the first end, to the second,
    /// and so on to the last byte. Every text of a container arrives so by itself.
    func read(_ schema: Schema, cutAt ends: [Int], _ outcome: inout Outcome) throws -> [Batch] {
        var results: [Batch] = []
        var before = 0
        for (format, text) in zip(formats, texts) {
            let (batches, records) = try read(format, text, schema, cutAt: ends, after: before, &outcome)
            results += batches
            before += records
        }
        return results
    }

    private func read(
        _ format: S.Format,
        _ bytes: [UInt8],
        _ schema: Schema,
        cutAt ends: [Int],
        after before: Int,
        _ outcome: inout Outcome
    ) throws -> (batches: [Batch], records: Int) {
        var cutter = format.makeCutter()
        let reader = stage.readerWithFile(of: format, from: source, schema: schema)
        var progress = Progress(
            start: format.dataStart,
            line: 1 + Self.lines(in: bytes[..<format.dataStart]),
            before: before
        )
        var results: [Batch] = []
        func step(to end: Int, isLast: Bool) throws {
            guard end > progress.start else { return }
            let part = bytes[progress.start..<end]
            let buffer = Self.copy(part)
            let cut = try withExtendedLifetime(buffer) { try cutter.cut(buffer.filled, isLast: isLast) }
            guard cut.length >= 0, cut.length <= part.count, !isLast || cut.length == part.count else {
                throw BatchText.mistake("the cutter cut off \(cut.length) of \(part.count) bytes, last: \(isLast)")
            }
            guard cut.length > 0 else { return }
            let column = Self.column(behind: bytes[..<(progress.start + cut.length)])
            if !isLast, !bytes.contains(UInt8(ascii: "\r")), cut.nextColumn != column {
                outcome.broken.append("the cutter says that column \(cut.nextColumn) follows, and it is \(column)")
            }
            let own = part.prefix(cut.length)
            if !bytes.contains(UInt8(ascii: "\r")), cut.lines != Self.lines(in: own) {
                outcome.broken.append("the cutter counted \(cut.lines) line ends, there are \(Self.lines(in: own))")
            }
            results.append(record(own, cut, reader, format.lineEnd, schema, &progress, &outcome))
        }
        for end in ends where end < bytes.count { try step(to: end, isLast: false) }
        try step(to: bytes.count, isLast: false)
        try step(to: bytes.count, isLast: true)
        return (results, progress.records)
    }

    private struct Progress {
        var start: Int
        var line: Int
        /// Records of the texts before.
        var before: Int
        var records = 0
    }

    private func record(
        _ part: ArraySlice<UInt8>,
        _ cut: RecordCut,
        _ reader: any RecordReader,
        _ lineEnd: LineEnd,
        _ schema: Schema,
        _ progress: inout Progress,
        _ outcome: inout Outcome
    ) -> Batch {
        let morsel = Morsel(
            source: source,
            bytes: Self.copy(part),
            offset: progress.start,
            firstLine: progress.line,
            lineEnd: lineEnd,
            firstRecord: cut.records > 0 ? progress.records : 0,
            notes: cut.notes
        )
        var findings = Findings()
        let batch = reader.read(morsel, reporting: &findings)
        outcome.broken += ExampleRunner.difference(of: batch.schema, from: schema)
        outcome.broken += findings.misplaced(in: batch.count)
        outcome.broken += Self.misplacedRecords(findings, batch, part.count)
        let dropped = findings.droppedRecords.reduce(0) { $0 + $1.count }
        if findings.recordsSeen != batch.count + findings.rejectedRecords.count + dropped {
            outcome.broken.append(
                "\(findings.recordsSeen) records were seen; \(batch.count) became rows and "
                    + "\(findings.rejectedRecords.count) were rejected, \(dropped) dropped"
            )
        }
        if cut.records > 0, cut.records != findings.recordsSeen {
            outcome.broken.append("the cutter counted \(cut.records) records, the reader \(findings.recordsSeen)")
        }
        let before = progress.before + progress.records
        if case .morsel(_, _, let records) = batch.provenance {
            outcome.findings += findings.rowLines { before + Int(records[$0]) + 1 }
        } else {
            outcome.broken.append("the rows of an importer need the morsel for their origin")
        }
        outcome.findings += findings.recordLines { before + $0 + 1 }
        progress.start += part.count
        progress.line += cut.lines
        progress.records += findings.recordsSeen
        return findings.keptRows(of: batch.count).map(batch.keeping) ?? batch
    }

    /// Every record lies in its morsel, and every finding in its record.
    private static func misplacedRecords(_ findings: Findings, _ batch: Batch, _ length: Int) -> [String] {
        var broken: [String] = []
        func check(_ span: RecordSpan, _ what: String) {
            if span.start > span.end || span.end > length {
                broken.append("\(what) stands at \(span.start)..<\(span.end) of a morsel of \(length) bytes")
            }
        }
        if case .morsel(_, let spans, let records) = batch.provenance {
            if spans.count != batch.count || records.count != batch.count {
                broken.append("\(batch.count) rows have \(spans.count) spans and \(records.count) numbers")
            }
            for span in spans { check(span, "a row") }
        }
        for record in findings.rejectedRecords + findings.warnedRecords {
            check(record.span, "a record with a finding")
            if record.at < record.span.start || record.at > record.span.end {
                broken.append("a finding points at byte \(record.at), outside its record \(record.span)")
            }
        }
        return broken
    }

    /// The column in which a text goes on.
    private static func column(behind bytes: ArraySlice<UInt8>) -> Int {
        let line = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[($0 + 1)...] } ?? bytes
        return 1 + line.count { $0 & 0xC0 != 0x80 }
    }

    private static func lines(in bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
    }

    /// A buffer of its own with quotes behind the end, so that a scan that runs over shows.
    private static func copy(_ part: ArraySlice<UInt8>) -> Bytes {
        let bytes = Bytes(capacity: part.count)
        part.withUnsafeBufferPointer { bytes.append($0) }
        let behind = bytes.mutableBase + bytes.count
        behind.update(repeating: UInt8(ascii: "\""), count: bytes.capacity - bytes.count + Bytes.slack)
        return bytes
    }
}
