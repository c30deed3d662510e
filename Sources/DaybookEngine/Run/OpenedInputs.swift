import DaybookBytes

/// Opened inputs of one source stage: their columns are known, and none of their rows is read yet.
package protocol OpenedInputs: AnyObject, Sendable {
    var schema: Schema { get }
    /// Missing columns: the options name them and no input has them.
    var missing: [DaybookError] { get }
    /// Place of the column names in the first input; nil if no text contains them.
    var header: SourcePlace? { get }
    /// Files for the manifest.
    var files: [RunInputs.File] { get }
    /// Whether an input is longer than its head.
    var isLong: Bool { get }
    /// Result of a request for new rows; nil if all rows are read.
    var since: SinceReading? { get }
    /// Warnings about the inputs as a whole.
    func warnings(of stage: PlannedStage) -> [RenderedFinding]
    /// Feed of the rows with the columns of `schema`, which later stages need. Findings fetch their records again
    /// through `registry`.
    func feed(_ schema: Schema, morselSize: Int, _ registry: SourceRegistry) throws(DaybookError) -> any SourceItemFeed
    /// Reads all inputs once and returns their parts, each at least `size` bytes long except the last of an input.
    func parts(of size: Int, _ registry: SourceRegistry) throws(DaybookError) -> [InputPart]
}

/// Part of the inputs of one source stage, which can be read independently.
package struct InputPart: Sendable, Hashable {
    /// Index of the text among the texts of the stage; 0 if all inputs form one part.
    package var text: Int
    /// Part of the text; nil for all of it.
    package var part: TextPart?
    /// Approximate number of bytes to read.
    package var bytes: Int
}

extension OpenedInputs {
    package var missing: [DaybookError] { [] }
    package var header: SourcePlace? { nil }
    package var files: [RunInputs.File] { [] }
    package var isLong: Bool { false }
    package var since: SinceReading? { nil }
    package func warnings(of stage: PlannedStage) -> [RenderedFinding] { [] }

    package func parts(of size: Int, _ registry: SourceRegistry) throws(DaybookError) -> [InputPart] {
        [InputPart(text: 0, bytes: files.reduce(0) { $0 + ($1.version == nil ? $1.path.size ?? 0 : 0) })]
    }
}

/// Texts of one source stage: its files, the texts in them, or texts from a test.
package final class TextInputs: OpenedInputs, @unchecked Sendable {
    private let texts: [OpenInput]
    private let opened: OpenedSource
    package let files: [RunInputs.File]
    package let isLong: Bool

    package var schema: Schema { opened.schema }
    package var missing: [DaybookError] { opened.missing }
    package var header: SourcePlace? { texts.first?.header(opened.formats[0]) }

    package init(
        _ texts: [OpenInput],
        of source: any TextSource,
        files: [RunInputs.File] = [],
        learningFrom whole: WholeTexts? = nil
    ) throws(DaybookError) {
        (self.texts, self.files) = (texts, files)
        var isLong = false
        opened = try source.open(texts.count, learningFrom: whole) { text throws(DaybookError) in
            let head = try texts[text].head(OpenInput.headSize(of: texts.count))
            if !head.isWhole { isLong = true }
            return head
        }
        self.isLong = isLong
    }

    package func feed(_ schema: Schema, morselSize: Int, _ registry: SourceRegistry) -> any SourceItemFeed {
        SourceFeed(readable(schema, registry), morselSize: morselSize)
    }

    /// Feed of some parts of the inputs, as `parts` returned them.
    func feed(
        _ schema: Schema,
        of parts: [InputPart],
        morselSize: Int,
        _ registry: SourceRegistry
    ) -> any SourceItemFeed {
        let readable = readable(schema, registry)
        let chosen = parts.filter { readable.indices.contains($0.text) }.map { part in
            var text = readable[part.text]
            text.part = part.part
            return text
        }
        return SourceFeed(chosen, morselSize: morselSize)
    }

    private func readable(_ schema: Schema, _ registry: SourceRegistry) -> [ReadableText] {
        texts.enumerated().map { index, text in
            let format = opened.formats[index]
            let reader = opened.reader(index, schema)
            registry.setReader(reader, format.lineEnd, again: text.recordAgain, of: text.name.index)
            return ReadableText(input: text, format: format, reader: reader)
        }
    }

    package func parts(of size: Int, _ registry: SourceRegistry) throws(DaybookError) -> [InputPart] {
        var parts: [InputPart] = []
        for (index, text) in readable(schema, registry).enumerated() {
            let feed = SourceFeed([text], morselSize: min(1 << 20, max(256, size / 2)))
            var cuts: [TextPart] = []
            var bytes = 0
            while let item = try feed.next() {
                item.hash()
                guard let morsel = item.records, morsel.length > 0 else { continue }
                bytes += morsel.length
                if let last = cuts.last, last.length < size {
                    cuts[cuts.count - 1].length += morsel.length
                } else {
                    cuts.append(
                        TextPart(
                            offset: morsel.offset,
                            length: morsel.length,
                            line: morsel.firstLine,
                            column: morsel.firstColumn,
                            record: morsel.firstRecord,
                            isLast: false
                        )
                    )
                }
            }
            if cuts.count > 1, text.input.canBeginAnywhere, text.format.makeCutter(of: cuts[0]) != nil {
                cuts[cuts.count - 1].isLast = true
                parts += cuts.map { InputPart(text: index, part: $0, bytes: $0.length) }
            } else {
                parts.append(InputPart(text: index, bytes: bytes))
            }
        }
        return parts
    }

    /// Warnings about each text as a whole, from its container and its format.
    package func warnings(of stage: PlannedStage) -> [RenderedFinding] {
        let together = opened.warnings.map { TextInputs.finding($0.warning, texts[$0.text], stage) }
        return together
            + zip(texts, opened.formats).flatMap { text, format in
                let ofContainer = text.warnings.map { SourceWarning($0, at: 0, of: Cell(start: nil, count: 0)) }
                return (ofContainer + format.warnings).map { TextInputs.finding($0, text, stage) }
            }
    }

    private static func finding(_ warning: SourceWarning, _ input: OpenInput, _ stage: PlannedStage) -> RenderedFinding
    {
        RenderedFinding(
            severity: warning.kind.severity,
            code: warning.kind.code,
            message: warning.kind.message,
            stage: stage.id,
            jobPlace: stage.place,
            source: input.path.name,
            line: input.holder.map(\.line) ?? warning.line,
            column: input.holder.map(\.column) ?? warning.column,
            byte: input.holder.map { $0.byte.map { $0 + warning.at } } ?? warning.at,
            pointer: input.holder?.pointer,
            field: warning.field
        )
    }
}

/// A text with the format from its head, and its record reader.
struct ReadableText {
    var input: OpenInput
    var format: any SourceFormat
    var reader: any RecordReader
    /// Part of the text to read; nil for all.
    var part: TextPart?
}

/// Result of opening all texts of a source.
package struct OpenedSource: Sendable {
    package var schema: Schema
    /// Missing columns: the options name them and no text has them.
    package var missing: [DaybookError]
    package var formats: [any SourceFormat]
    /// Warnings from the comparison of the texts.
    package var warnings: [(text: Int, warning: SourceWarning)] = []
    /// Makes the reader for the text with that index and the needed columns.
    package var reader: @Sendable (_ text: Int, _ schema: Schema) -> any RecordReader
}

extension TextSource {
    /// Opens all texts one after another and reads their heads, or all records if `whole` is present.
    package func open(
        _ count: Int,
        learningFrom whole: WholeTexts? = nil,
        head: (Int) throws(DaybookError) -> SourceHead
    ) throws(DaybookError) -> OpenedSource {
        var sources: [SourceName] = []
        let formats = try (0..<count).map { text throws(DaybookError) in
            let head = try head(text)
            sources.append(head.source)
            do throws(DaybookError) {
                var format = try format(of: head)
                if !Format.unlearntCodes.isEmpty, !head.isWhole, let whole {
                    try whole.read(text, as: format) { format.learn(from: $0) }
                }
                return format
            } catch { throw error.about(head.source.path) }
        }
        let schema: Schema
        do throws(DaybookError) { schema = try schemaWithFile(of: formats) } catch {
            // Of several texts, only the stage knows which one the error is about.
            throw sources.count == 1 ? error.about(sources[0].path) : error
        }
        return OpenedSource(
            schema: schema,
            missing: missing(from: formats),
            // The array as a whole would be cast with a search for the conformance, which costs a start 0.4 %.
            formats: formats.map { $0 },
            warnings: warnings(of: formats)
        ) { [self, formats, sources] text, schema in
            readerWithFile(of: formats[text], from: sources[text], schema: schema)
        }
    }
}

/// Source with columns but no rows: no files, or no new ones.
final class UnreadInputs: OpenedInputs, Sendable {
    let schema: Schema
    let missing: [DaybookError]
    let header: SourcePlace?
    /// Whether there is no file, so that only the options give the columns.
    let isAbsent: Bool

    /// Columns that the options of the source declare, without a file.
    init(declaredBy source: SourceKind) {
        schema = Schema(source.declaredSchema.fields)
        (missing, header, isAbsent) = ([], nil, true)
    }

    /// Columns of a file that is not read.
    init(columnsOf opened: any OpenedInputs) {
        (schema, missing, header, isAbsent) = (opened.schema, opened.missing, opened.header, false)
    }

    func feed(_ schema: Schema, morselSize: Int, _ registry: SourceRegistry) -> any SourceItemFeed {
        StoreFeed([], batchSize: morselSize)
    }

    func parts(of size: Int, _ registry: SourceRegistry) throws(DaybookError) -> [InputPart] { [] }
}
