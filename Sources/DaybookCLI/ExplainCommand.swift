import ArgumentParser
import DaybookEngine
import DaybookJobTools
import DaybookReports

extension PlanExplanation.Format: ExpressibleByArgument {}

/// `daybook explain JOB`.
struct ExplainCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        .of("explain", "Show what a job would do, stage by stage.") { name in
            """
            The heads of the inputs are looked at where they are there, so that the
            columns are known. Nothing else is read, and nothing is written.

            As svg and html the way of the rows is drawn, in one file that needs no other.

            Examples:
              \(name) explain nightly.yaml
              \(name) explain nightly.yaml --format html > nightly.html
              \(name) explain nightly.yaml --format mermaid > nightly.mmd
              \(name) explain nightly.yaml --format json --set diary=other.csv
            """
        }
    }

    @Argument(help: "The job file; - is standard input.", completion: .job)
    var job: String

    @OptionGroup var options: JobOptions

    @OptionGroup var state: StateOption

    @Option(help: "How to print it.") var format = PlanExplanation.Format.text

    mutating func run() throws {
        let reading = state.recovered(JobReading(job, options))
        let plan = try reading.planOrExit()
        let told = try reading.orExit {
            let marks = try plan.positions(in: state.directory(of: reading), jobFile: job)
            return try PlanExplanation(plan, RunReport(reading, threads: 1), marks: marks)
        }
        Terminal.print(in: format) { told.told(as: format, style: $0) }
    }
}
