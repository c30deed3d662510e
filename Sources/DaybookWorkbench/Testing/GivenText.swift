import DaybookCore
import DaybookEngine

/// Texts that a test gives to a stage which imports files, each read as a file of that name would be.
struct GivenText: SourceAtHand {
    /// One text and what it is called where the name of a file is asked for.
    struct File: Sendable {
        var name: String
        var text: WrittenText
    }

    let files: [File]
    let source: any SourceNode

    var declaredSchema: Schema { source.declaredSchema }

    func open(_ archive: SourceArchive, _ settings: RunSettings) throws(DaybookError) -> any InputAtHand {
        do throws(DaybookError) {
            return try GivenTextInput(files, source, archive)
        } catch {
            throw placed(error)
        }
    }

    /// The error at the place in the job file where the text stands that it speaks of.
    func placed(_ error: DaybookError) -> DaybookError {
        guard let place = error.place, let file = files.first(where: { $0.name == place.file }) else { return error }
        var error = error
        error.place = file.text.place(line: place.line, column: place.column, length: place.length)
        return error
    }
}

private final class GivenTextInput: InputAtHand, @unchecked Sendable {
    private let inputs: [OpenInput]
    private let opened: OpenedSource

    var schema: Schema { opened.schema }
    var missing: [DaybookError] { opened.missing }
    var header: SourcePlace? { inputs.first?.header }

    init(_ files: [GivenText.File], _ source: any SourceNode, _ archive: SourceArchive) throws(DaybookError) {
        var inputs: [OpenInput] = []
        for file in files {
            let bytes = Bytes(capacity: file.text.text.count)
            file.text.text.withUnsafeBufferPointer { bytes.append($0) }
            guard source.readsContainers else {
                let index = archive.add(SourceArchive.Entry(path: file.name))
                inputs.append(OpenInput(held: bytes, named: file.name, index: index))
                continue
            }
            let contents = try source.contents(of: bytes, SourceName(index: 0, path: file.name))
            for text in contents.texts {
                let index = archive.add(SourceArchive.Entry(path: file.name, holder: text.holder))
                inputs.append(OpenInput(held: text.bytes, text, named: file.name, index: index))
            }
        }
        self.inputs = inputs
        opened = try source.open(inputs.count) { [inputs] file throws(DaybookError) in
            try inputs[file].head(1 << 20)
        }
        for (input, format) in zip(inputs, opened.formats) { input.format = format }
    }

    func makeReaders(for schema: Schema, _ archive: SourceArchive) {
        for (index, input) in inputs.enumerated() {
            input.reader = opened.reader(index, schema)
            archive.setReader(input.reader, input.format.lineEnd, of: input.name.index)
            if let again = input.recordAgain { archive.setAgain(again, of: input.name.index) }
        }
    }

    func warnings(of stage: PlannedStage) -> [RenderedFinding] {
        inputs.flatMap { input in RunInputs.warnings(of: input, stage) }
    }

    func feed(morselSize: Int) -> any SourceItemFeed { SourceFeed(inputs, morselSize: morselSize) }
}
