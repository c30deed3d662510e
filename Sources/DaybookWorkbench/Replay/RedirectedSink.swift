/// An output that is written to another place than the job says, and otherwise as it says.
struct RedirectedSink<Wrapped: SinkStage>: SinkStage {
    let wrapped: Wrapped
    let output: PathText
    let base: SinkBase?

    init(_ wrapped: Wrapped, to output: PathText, from base: SinkBase?) {
        (self.wrapped, self.output, self.base) = (wrapped, output, base)
    }

    init(reading options: inout OptionReader) { preconditionFailure("a redirected output is made of an output") }

    static var description: StageDescription { Wrapped.description }
    static var takesSeveral: Bool { Wrapped.takesSeveral }

    func shares(with other: any SinkStage) -> Bool {
        (other as? RedirectedSink<Wrapped>).map { wrapped.shares(with: $0.wrapped) } ?? false
    }

    func check(_ input: Schema) throws(DaybookError) { try wrapped.check(input) }

    func reading(_ inputs: [SinkInput]) throws(DaybookError) -> Self {
        RedirectedSink(try wrapped.limited(to: inputs.map(\.id)).reading(inputs), to: output, from: base)
    }

    var countedStages: [(id: String, place: SourcePlace?)] { wrapped.countedStages }
    var pastRequests: [String: PastRequest] { wrapped.pastRequests }

    func knowing(_ past: [String: FigurePast]) -> Self { RedirectedSink(wrapped.knowing(past), to: output, from: base) }

    func notes(on inputs: [SinkInput]) -> [JobWarning] { wrapped.notes(on: inputs) }

    func piece(of batch: Batch, reporting findings: inout Findings) -> Wrapped.Piece {
        wrapped.piece(of: batch, reporting: &findings)
    }

    func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> Wrapped.Piece {
        wrapped.piece(of: batch, from: input, reporting: &findings)
    }

    func writer(for inputs: [SinkInput]) -> Wrapped.Writer { wrapped.writer(for: inputs) }

    func writer(for inputs: [SinkInput], in room: SinkContext) throws(DaybookError) -> Wrapped.Writer {
        try wrapped.writer(for: inputs, in: room)
    }
}

extension SinkStage {
    /// The same output, written to another place, from its base or from nothing.
    func redirected(to output: PathText, startsAnew: Bool = false) -> any SinkStage {
        RedirectedSink(self, to: output, from: startsAnew ? nil : base)
    }
}

/// Where the outputs of a replay go: into one directory, with as many directories in it as tell them apart.
struct ReplayTargets {
    private var targets: [String: String] = [:]

    /// - Parameters:
    ///   - paths: of the outputs as the job writes them.
    ///   - job: whose directory may be published, and then is known by its link.
    ///   - directory: of the job.
    ///   - into: the directory for them, as the command line names it.
    init(_ paths: [PathText], of job: Job, from directory: String, into: String) {
        let files = paths.map(\.text).filter { $0 != "-" }
        let places = files.map { file in
            let place =
                Publication.visible(file, in: job.publish, from: directory)
                ?? FilePath.canonical(FilePath.join(directory, file))
            return place.split(separator: "/")
        }
        var shared = places.first.map { $0.count - 1 } ?? 0
        for place in places {
            shared = min(shared, zip(place.dropLast(), places[0].dropLast()).prefix { $0 == $1 }.count)
        }
        let target = FilePath.relative(into, from: directory)
        for (file, place) in zip(files, places) {
            targets[file] = FilePath.join(target, place[shared...].joined(separator: "/"))
        }
    }

    /// Where an output goes; `-` stays standard output.
    func target(of path: PathText) -> PathText { PathText(targets[path.text] ?? path.text, at: path.place) }

    /// Refuses to write where something stands: an output that is there may hold rows that are nowhere else.
    func check(_ path: PathText, from directory: String) throws(DaybookError) {
        guard path.text != "-" else { return }
        let place = FilePath.join(directory, path.text)
        let found: FileStatus?
        do { found = try FileStatus.of(place, followingLinks: false) } catch { throw .cannotWrite(place, error) }
        guard found != nil else { return }
        throw DaybookError(
            "output-exists",
            "there is a file '\(FilePath.shown(path.text, from: directory))' already, and a replay replaces none",
            hint: "name another directory with '--into'"
        )
    }
}
