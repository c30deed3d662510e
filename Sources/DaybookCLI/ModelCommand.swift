import ArgumentParser
import DaybookBytes
import DaybookDates
import DaybookEngine
import DaybookJSON

extension CodableDates: ExpressibleByArgument {}

/// `daybook model FILE`.
struct ModelCommand: Subcommand {
    static let outline = CommandOutline("model", "Print a Swift model as the fields of importers and exporters.") {
        name in
        """
        Reads the structs, classes and enums of a Swift file that are Codable, and
        prints the one that no other holds as options to paste into a job: the
        columns of an import, the fields of an export, and 'model', by which the
        export proves that the app can read what was written. What the reader does
        not know, such as a custom init(from:), is refused with its line.

        Examples:
          \(name) model App.swift
          \(name) model App.swift --type Todo --dates iso
        """
    }

    @Argument(help: "The Swift file.", completion: .file(extensions: ["swift"]))
    var file: String

    @Option(help: "The type to print, if several stand alone.")
    var type: String?

    @Option(help: "How the app writes dates: apple_seconds, as JSONEncoder does, epoch_seconds, epoch_millis, or iso.")
    var dates = CodableDates.appleSeconds

    mutating func run() throws {
        let source = try SwiftSource.read(file, name: FilePath.name(of: file))
        Terminal.print(try ModelText(type ?? source.only(), of: source, dates: dates).yaml)
    }
}

/// Holds the columns that a job's exports write against the types of a Swift file.
struct ModelCheck {
    /// What came of it for one job.
    struct Result {
        var errors: [DaybookError] = []
        var notes: [String] = []
    }

    private let source: SwiftSource
    private let type: String?

    init(_ source: SwiftSource, type: String?) { (self.source, self.type) = (source, type) }

    /// The result for the columns that the job declares.
    func declared(_ plan: Plan) -> Result {
        var plan = plan
        do throws(DaybookErrors) { try plan.resolve(plan.declaredSchemas) } catch {
            return Result(errors: error.errors)
        }
        return result(plan, from: nil)
    }

    /// The result for a plan whose columns are known.
    ///
    /// - Parameter sources: the columns of all imports; nil where the inputs were not looked at.
    func result(_ plan: Plan, from sources: [Schema]?) -> Result {
        var sinks: [(stage: PlannedStage, sink: any CodableSink)] = []
        for stage in plan.stages {
            if case .sink(let sink) = stage.role, let sink = sink as? any CodableSink { sinks.append((stage, sink)) }
        }
        let read = sinks.filter { $0.sink.encoding.model != nil }
        if !read.isEmpty { sinks = read }
        guard !sinks.isEmpty, !read.isEmpty || sinks.count == 1 else {
            let found =
                sinks.isEmpty ? "no export_user_defaults or export_json" : "\(sinks.count) exports without 'model'"
            let hint = "write 'model: { file: App.swift, type: \"[Todo]\" }' in the export that the app reads"
            return Result(errors: [
                DaybookError("model-differs", "the job has \(found), so nothing to hold against it", hint: hint)
            ])
        }
        var result = Result()
        for (stage, sink) in sinks {
            guard let schema = stage.binding?.schema else { continue }
            do throws(DaybookError) {
                let columns = try ModelColumns(sink, schema, from: sources, at: stage.place, source, type: type)
                result.errors += columns.errors
                if !columns.unread.isEmpty {
                    let names = DisplayText.first(20, of: columns.unread.map { "'\($0)'" })
                    result.notes.append("no field reads \(names) of \(stage.id)")
                }
                if columns.isOpen {
                    result.notes.append(
                        "not all columns of \(stage.id) are told by the job; '--data' looks at the inputs"
                    )
                }
            } catch { result.errors.append(error) }
        }
        return result
    }
}
