/// One step of a job, declared: its options, read once, and nothing that changes.
///
/// Four roles refine it, and a stage has exactly one: a `Source` gives batches, a `Transform` a batch into a batch, a `Fold`
/// all batches into others, a `Sink` batches into bytes. A declaration is bound to what it reads (`Binding`), and what runs is an operator.
public protocol Stage: Sendable {
    static var description: StageDescription { get }

    /// Reads the options, and refuses values that are wrong for any columns. Checks that depend on the columns belong
    /// in the schema check.
    init(reading options: inout OptionReader)

    /// The stage in its role, as the protocol of the role declares it.
    var inRole: StageInRole { get }
}

/// A stage in its role. Casting its type to a protocol at run time would search all conformances of the program.
public enum StageInRole {
    /// A source of texts, one that a library opens, and one that a service is.
    case source(any TextSource)
    case store(any StoreSource)
    case service(any ServiceSource)
    case transform(any Transform)
    case fold(any Fold)
    case sink(any Sink)
}

extension TextSource { public var inRole: StageInRole { .source(self) } }
extension StoreSource { public var inRole: StageInRole { .store(self) } }
extension ServiceSource { public var inRole: StageInRole { .service(self) } }
extension Transform where Self: Stage { public var inRole: StageInRole { .transform(self) } }
extension Fold where Self: Stage { public var inRole: StageInRole { .fold(self) } }
extension Sink where Self: Stage { public var inRole: StageInRole { .sink(self) } }

/// The facts of a stage that the table knows before any job is read.
public struct StageDescription: Sendable {
    /// The name in job files: a verb and an object in snake case.
    public let name: String
    /// One sentence, in the imperative, with its full stop.
    public let summary: String
    /// The result of the stage and what surprises, in a few plain sentences; nil if the summary is enough.
    public let details: String?
    private let makeExamples: @Sendable () -> [StageExample]

    /// Documentation, tests and specification at once. Made when asked for, since no run needs them.
    public var examples: [StageExample] { makeExamples() }

    public init(
        name: String,
        summary: String,
        details: String? = nil,
        examples: @autoclosure @escaping @Sendable () -> [StageExample]
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        makeExamples = examples
    }
}

/// One example of a stage: printed by `daybook stages NAME`, and run by the tests.
///
/// Rows are written as CSV with a typed header, `date:day,count:integer`; an empty cell is missing, and `""` is an
/// empty text. If a stage reads or writes bytes, the input or output is those bytes instead; if a library opens the
/// file, the input is the SQL that builds it.
public struct StageExample: Sendable {
    /// The claim of the example, as a sentence without its full stop.
    public let claim: String
    /// The options as a job would write them. The input of a source has the name in `path`, which is no pattern here.
    public let options: String
    /// The content of the file that the output starts from, or nil without one.
    public let base: String?
    /// Rows; for a source of files, the text of a file. The rows of a service are only shown.
    public let input: String
    /// The rows of the second stage under `from`, for a stage that reads two.
    public let beside: String?
    /// The output, or nil if the example only shows a refusal.
    public let output: String?
    /// Parts of an output that is too long to show whole, in the order of the output.
    public let excerpts: [String]
    /// The findings, each as `row column code` with rows counted from 1 and `-` for no column. Row 0 means all rows
    /// together; a dropped row is written `7 - dropped as NAME`.
    public let findings: [String]
    /// The message of the error with which the stage refuses the job.
    public let refused: String?
    public let file: String
    public let line: Int

    public init(
        _ claim: String,
        options: String = "",
        base: String? = nil,
        input: String,
        beside: String? = nil,
        output: String? = nil,
        excerpts: [String] = [],
        findings: [String] = [],
        refused: String? = nil,
        file: String = #fileID,
        line: Int = #line
    ) {
        (self.claim, self.options, self.base, self.input, self.beside) = (claim, options, base, input, beside)
        (self.output, self.excerpts, self.findings, self.refused) = (output, excerpts, findings, refused)
        (self.file, self.line) = (file, line)
    }
}

/// The stages of a command, by name. Everything about stages is derived from this table.
public struct StageTable: Sendable {
    /// In the order in which they were listed.
    public let stages: [any Stage.Type]

    public init(_ stages: [any Stage.Type]) { self.stages = stages }

    public var names: [String] { stages.map { $0.description.name } }

    /// Whether a stage reads no other stage.
    public func isSource(_ name: String) -> Bool {
        guard let type = self[name] else { return false }
        var reader = OptionReader.listening()
        switch type.init(reading: &reader).inRole {
        case .source, .store, .service: return true
        case .transform, .fold, .sink: return false
        }
    }

    /// The services that can answer for commits they took part in.
    public var services: [any CommitService] { stages.compactMap { ($0 as? any Sink.Type)?.service } }

    public subscript(name: String) -> (any Stage.Type)? { stages.first { $0.description.name == name } }
}
