import DaybookEngine

/// Texts that a test gives to a stage which imports files, each read as a file of that name would be.
struct GivenText: GivenSource {
    /// One text and what it is called where the name of a file is asked for.
    struct File: Sendable {
        var name: String
        var text: WrittenText
    }

    let files: [File]
    let source: any TextSource

    var declaredSchema: Schema { source.declaredSchemaWithFile }

    func open(_ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) -> any OpenedInputs {
        do throws(DaybookError) {
            return try TextInputs(try texts(registry), of: source)
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

    private func texts(_ registry: SourceRegistry) throws(DaybookError) -> [OpenInput] {
        var texts: [OpenInput] = []
        for file in files {
            let bytes = Bytes(capacity: file.text.text.count)
            bytes.append(file.text.text)
            guard type(of: source).readsContainers else {
                let index = registry.add(SourceRegistry.Entry(path: file.name))
                texts.append(OpenInput(held: bytes, named: file.name, index: index))
                continue
            }
            let contents = try source.contents(of: bytes, SourceName(index: 0, path: file.name))
            for text in contents.texts {
                let index = registry.add(SourceRegistry.Entry(path: file.name, holder: text.holder))
                texts.append(OpenInput(held: text.bytes, text, named: file.name, index: index))
            }
        }
        return texts
    }
}
