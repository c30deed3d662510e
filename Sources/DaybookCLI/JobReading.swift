import DaybookCore
import DaybookPipeline
import DaybookStages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A job file with everything that can be said of it before any input is opened.
struct JobReading {
    /// The file as the command line names it.
    let file: String
    private(set) var bytes: [UInt8] = []
    private(set) var source: SourceText?
    /// With problems it may be there and must not run.
    private(set) var job: Job?
    /// The plan with the columns that the options alone make certain; nil when something is wrong.
    private(set) var plan: Plan?
    private(set) var problems: [DaybookError] = []

    /// Reads and checks the file at `path`, which may be `-`.
    init(_ path: String, _ options: JobOptions) {
        file = path
        do throws(DaybookError) {
            let settings = try options.params()
            let asOf = try options.day()
            bytes = try JobFile.read(path)
            check(settings, asOf)
        } catch {
            problems = [error]
        }
    }

    private mutating func check(_ settings: [ParamSetting], _ asOf: Job.AsOf?) {
        let table = CommandContext.current.table
        let parser = JobParser(settings: settings, stageNames: table.names) { name in
            getenv(name).map { String(cString: $0) }
        }
        var reading = parser.read(bytes, file: file)
        source = reading.source
        job = reading.job
        if let job {
            do throws(DaybookErrors) {
                let plan = try Plan(job, table: table, asOf: (asOf ?? job.asOf).day(in: job.timezone))
                var resolved = plan
                try resolved.resolve(plan.declaredSchemas)
                self.plan = plan
            } catch {
                reading.add(error.errors)
            }
        }
        problems = reading.problems
        if !problems.isEmpty { plan = nil }
    }

    /// The directory that the job's paths start from.
    var directory: String { FilePath.directory(of: file) }

    var mask: SecretMask { SecretMask(job?.secrets ?? []) }

    /// What is wrong, with excerpts.
    func rendered(hasColour: Bool) -> String {
        ErrorRenderer(source: source, hasColour: hasColour, mask: mask).render(problems)
    }

    /// 2 for a job that is wrong, 3 when it could not be read.
    var exitCode: Int32 {
        if problems.contains(where: { $0.blame == .machine }) { return 3 }
        return problems.isEmpty ? 0 : 2
    }
}
