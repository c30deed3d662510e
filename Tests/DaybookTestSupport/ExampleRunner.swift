import DaybookContracts

/// Runs the examples of a stage, each in many disguises under which the answer must stay the same.
///
/// Works on the protocols alone, without the engine, so a failure is the stage's own. A package with stages of its own
/// calls it from a test, as `StageExampleTests` does.
public enum ExampleRunner {
    /// What `as_of` and `timezone` are while examples run.
    public static let context = OptionReader.Context(
        asOf: CalendarDay(year: 2026, month: 11, day: 21)!,
        timezone: "Asia/Seoul"
    )

    /// Everything that is wrong with one example of a stage; empty when the example is true.
    public static func failures(of stage: any Stage.Type, in example: StageExample) -> [ExampleFailure] {
        var log = FailureLog(stage: stage, example: example)
        do {
            if let refused = example.refused {
                try expectRefusal(refused, of: stage, &log)
            } else {
                try run(try make(stage, example.options), &log)
            }
        } catch {
            log.add("throws \(messages(of: error))", as: "as it stands")
        }
        return log.failures
    }

    /// Everything that is wrong with any example of a stage.
    public static func failures(of stage: any Stage.Type) -> [ExampleFailure] {
        stage.description.examples.flatMap { failures(of: stage, in: $0) }
    }

    /// The stage with the options of an example, or all the problems that they have.
    public static func make<S: Stage>(
        _ stage: S.Type,
        _ options: String,
        in context: OptionReader.Context = ExampleRunner.context
    ) throws -> S {
        try read(stage, options, in: context).stage
    }

    /// What a stage with those options warns of in the job.
    public static func warnings(of stage: (some Stage).Type, _ options: String) throws -> [JobWarning] {
        try read(stage, options, in: context).warnings
    }

    private static func read<S: Stage>(
        _ stage: S.Type,
        _ options: String,
        in context: OptionReader.Context
    ) throws -> (stage: S, warnings: [JobWarning]) {
        var reader = OptionReader(
            try ExampleOptions.entries(options),
            at: SourcePlace(file: ExampleOptions.file, line: 1, column: 1),
            context: context
        )
        let made = S(reading: &reader)
        reader.finish(stage: S.description.name)
        if !reader.problems.isEmpty { throw DaybookErrors(reader.problems) }
        return (made, reader.warnings)
    }

    private static func run(_ stage: any Stage, _ log: inout FailureLog) throws {
        switch stage {
        case let stage as any Transform & Stage: try TransformTrial(stage, log.example).run(&log)
        case let stage as any Fold & Stage: try fold(stage, &log)
        case let stage as any TextSource: try source(stage, &log)
        case let stage as any StoreSource: try store(stage, &log)
        // Shown and not run, for nobody here has the service; the tests of the stage do.
        case is any ServiceSource: break
        case let stage as any SinkStage: try sink(stage, &log)
        default: log.add("the stage has none of the four roles", as: "as it stands")
        }
    }

    // Existentials are opened here and nowhere else.
    private static func source(_ stage: some TextSource, _ log: inout FailureLog) throws {
        try SourceTrial(stage, log.example).run(&log)
    }
    private static func open(_ stage: some TextSource, _ example: StageExample) throws {
        try SourceTrial.open(stage, example)
    }
    private static func store(_ stage: some StoreSource, _ log: inout FailureLog) throws {
        try StoreTrial(stage, log.example).run(&log)
    }
    private static func open(_ stage: some StoreSource, _ example: StageExample) throws {
        try StoreTrial.open(stage, example)
    }
    private static func sink(_ stage: any SinkStage, _ log: inout FailureLog) throws {
        try SinkTrial(stage, log.example).run(&log)
    }

    /// A refusal comes before the first row: from the options, or from the check of the columns.
    private static func expectRefusal(_ message: String, of stage: any Stage.Type, _ log: inout FailureLog) throws {
        do {
            switch try make(stage, log.example.options) {
            case let stage as any TextSource: try open(stage, log.example)
            case let stage as any StoreSource: try open(stage, log.example)
            case is any ServiceSource: break
            case let stage:
                let beside = try log.example.beside.map(BatchText.read)?.schema
                _ = try BoundStage.bind(stage, to: try BatchText.read(log.example.input).schema, beside)
            }
        } catch {
            let found = messages(of: error)
            if found != message { log.add("is refused with '\(found)', not '\(message)'", as: "as it stands") }
            return
        }
        log.add("is not refused; expected '\(message)'", as: "as it stands")
    }

    static func messages(of error: any Error) -> String {
        switch error {
        case let error as DaybookError: error.message
        case let errors as DaybookErrors: errors.errors.map(\.message).joined(separator: "; ")
        default: "\(error)"
        }
    }
}
