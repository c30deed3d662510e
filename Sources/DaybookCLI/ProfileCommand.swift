import ArgumentParser
import DaybookBytes
import DaybookDates
import DaybookDiscover
import DaybookEngine
import DaybookReports
import Foundation

extension ProfileReport.Format: ExpressibleByArgument {}

/// `daybook profile FILE…`.
struct ProfileCommand: Subcommand {
    static let outline = CommandOutline("profile", "Read files and tell what their columns hold.") { name in
        """
        For each column: of which kinds its values are, how many are missing, how
        many differ, the least and the most, the most frequent ones, how dates are
        written, and what is odd, with its line. The whole of each file is read, in
        bounded memory; a figure that is an estimate is marked by ≈ or ≥. The files
        of a pattern in quotes are one table, and those that differ are named.

        With --rules, a job is printed instead whose check_rows the files pass
        today: a first gate, to be read and made stricter.

        With --compare, the files are held against a profile that was kept as
        JSON: columns that came and went, and what each holds before and now.
        Where a column or a table is gone, the command ends with 1.

        Examples:
          \(name) profile diary.csv
          \(name) profile diary.csv --format html -o diary.html
          \(name) profile diary.csv --compare last-month.json
          \(name) profile exports/*.csv store.sqlite --format json
          \(name) profile diary.csv --rules -o gate.yaml && \(name) run gate.yaml
        """
    }

    @Argument(help: "The files to read.", completion: .file())
    var files: [String]

    @Option(help: "How to tell it.") var format = ProfileReport.Format.text

    @Flag(help: "Print a job with rules that the files pass today.") var rules = false

    @Option(
        help: .value("old.json", "Tell what has changed since a profile that '--format json' wrote."),
        completion: .file()
    )
    var compare: String?

    @Option(
        name: [.customShort("o"), .long],
        help: .value("file", "Write to that file: a profile in the place of an older one, rules only to a new file."),
        completion: .file()
    )
    var output: String?

    @Option(help: .value("n", "How many threads work; the result is the same for any number."))
    var threads: Int?

    @Flag(help: "Show no progress bar on a terminal.")
    var noProgress = false

    mutating func validate() throws {
        if output == "-" { output = nil }
        if let threads, !(1...1024).contains(threads) {
            throw ValidationError("'--threads' is between 1 and 1024, found '\(threads)'")
        }
        if rules, compare != nil { throw ValidationError("'--rules' prints a job, which is compared with nothing") }
        if rules, format != .text { throw ValidationError("'--rules' prints a job, which has no '--format'") }
    }

    mutating func run() throws {
        Interruption.listen()
        let name = CommandContext.current.name
        if let output {
            let read = files + [compare].compactMap(\.self)
            try rules ? NewFile.check(output) : ReportFile.check(output, against: read)
        }
        let old = try compare.map { path throws(DaybookError) in try StoredProfile(readingFile: path) }
        let bar = !noProgress && Terminal.canDraw ? ProgressBar() : nil
        let profile = Profile(
            table: CommandContext.current.table,
            names: ["ko_KR", "en_US"].compactMap { LocaleNames(locale: $0) },
            directory: rules ? output.map(FilePath.directory) ?? "." : ".",
            threads: threads ?? ProcessInfo.processInfo.activeProcessorCount,
            isCancelled: { Interruption.isRequested },
            onProgress: bar?.show
        )
        defer { bar?.remove() }
        let (report, text, lost) = try told(by: profile, old)
        bar?.remove()
        var notes = report.leftOut
        if let output {
            if rules {
                try NewFile.write(text, to: output)
            } else {
                try ReportFile.write(Bytes(text), to: output) { Interruption.isRequested }
            }
            notes.append("wrote \(output)" + (rules ? "; next: \(name) run \(output)" : ""))
        } else {
            Terminal.print(text, as: rules ? nil : .of(format))
            if rules { notes.append("next: save it with '-o FILE.yaml', read it, and run it") }
        }
        if let lost { notes.append(lost) }
        Terminal.remark(notes.joined(separator: "\n"))
        if lost != nil { throw ExitCode(1) }
    }

    private func told(
        by profile: Profile,
        _ old: StoredProfile?
    ) throws(DaybookErrors) -> (ProfileReport, String, lost: String?) {
        let report = try profile.report(on: files)
        guard rules else {
            let style = output == nil ? Terminal.outputStyle : .plain
            let compared = old.map { report.compared(with: $0, as: format, style: style) }
            return (report, compared?.text ?? report.told(as: format, style: style), compared?.lost)
        }
        let command = ([CommandContext.current.name, "profile", "--rules"] + files).joined(separator: " ")
        return (report, try report.rules(command: command), nil)
    }
}
