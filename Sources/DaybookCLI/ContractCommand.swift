import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookJobTools
import DaybookReports

/// `daybook contract`.
struct ContractCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let abstract = "Make a gate of a data contract, and hold data against it."
        var configuration = CommandOutline("contract", abstract) { name in
            """
            A contract is a data package or table schema of Frictionless, ODCS 3, the
            schema.yml of dbt, a JSON Schema of records, or a suite of GX. The form is
            told by what the file holds.

            Examples:
              \(name) contract check datapackage.json
              \(name) contract import schema.json --data orders.csv > gate.yaml
              \(name) contract export gate.yaml --as odcs > contract.yaml
              \(name) contract diff old.json new.json --fail-on breaking
            """
        }.configuration
        configuration.subcommands = [
            ContractImportCommand.self, ContractCheckCommand.self, ContractExportCommand.self, ContractDiffCommand.self,
        ]
        return configuration
    }
}

/// Which tables of a contract are meant.
struct ContractOptions: ParsableArguments {
    @Option(help: .value("name", "Only that table of the contract."))
    var table: String?

    /// The job that holds the data against the contract, and what it does not say of it.
    func job(of file: String, data: [String]) throws -> (text: String, unsaid: [String]) {
        let name = CommandContext.current.name
        let command = ([name, "contract import", file] + data.flatMap { ["--data", $0] }).joined(separator: " ")
        let contract = try ContractReader.read(file, data: data, table: table)
        return try ContractJob(contract, command: command, CommandContext.current.table).written()
    }
}

/// `daybook contract import FILE`.
struct ContractImportCommand: Subcommand {
    static let outline = CommandOutline("import", "Print a job that holds data against a contract.") { name in
        """
        The job has an import for each table and a rule for each clause. What a job
        cannot say, or says in part, is a comment in its place. Paths start from
        here.

        Examples:
          \(name) contract import datapackage.json > gate.yaml
          \(name) contract import schema.json --data orders.csv > gate.yaml
        """
    }

    @Argument(help: "The contract.", completion: .file())
    var file: String

    @Option(
        parsing: .singleValue,
        help: .value("path", "The data, else those that the contract names; may be repeated."),
        completion: .file()
    )
    var data: [String] = []

    @OptionGroup var options: ContractOptions

    mutating func run() throws { Terminal.print(try options.job(of: file, data: data).text, as: nil) }
}

/// `daybook contract check CONTRACT [DATA…]`.
struct ContractCheckCommand: Subcommand {
    static let outline = CommandOutline("check", "Hold data against a contract.") { name in
        """
        Runs the job that 'contract import' prints, and ends as 'run' does. Messages
        name it as the file that it would be.

        Examples:
          \(name) contract check datapackage.json
          \(name) contract check schema.json orders.csv --report github
        """
    }

    @Argument(help: "The contract.", completion: .file())
    var contract: String

    @Argument(help: "The data, else those that the contract names.", completion: .file())
    var data: [String] = []

    @OptionGroup var options: ContractOptions
    @OptionGroup var limit: FindingLimit
    @OptionGroup var work: WorkOptions
    @OptionGroup var state: StateOption
    @OptionGroup var digest: DigestOption
    @OptionGroup var sessionOptions: SessionOptions

    mutating func run() throws {
        Interruption.listen()
        let (text, unsaid) = try options.job(of: contract, data: data)
        let file = JobFile.name(of: FilePath.name(of: contract)) + ".contract.yaml"
        var session = try sessionOptions.session(
            of: file,
            JobOptions.none,
            work,
            state,
            digest,
            maxFindings: limit.maxFindings
        )
        session.text = text
        session.reads = [(contract, "the contract")]
        if session.quiet == nil {
            for clause in unsaid.prefix(20) { Terminal.remark("not checked: \(clause)") }
            let more = unsaid.count - 20
            if more > 0 { Terminal.remark("not checked: \(DisplayText.count(more, "more clause"))") }
        }
        let scratch = ScratchPlace()
        defer { scratch.remove() }
        session.scratch = scratch.state
        throw ExitCode(session.run())
    }
}

extension ContractExport.Form: ExpressibleByArgument {}

/// `daybook contract export JOB`.
struct ContractExportCommand: Subcommand {
    static let outline = CommandOutline("export", "Write what the checks of a job ask as a contract.") { name in
        """
        Columns come from the imports of the job and from the rules of its check_rows.
        What the form cannot say stays in it as a rule of Daybook, and is told on
        standard error.

        Examples:
          \(name) contract export gate.yaml > schema.json
          \(name) contract export gate.yaml --as odcs > contract.yaml
        """
    }

    @Argument(help: "The job, or any other contract.", completion: .file())
    var job: String

    @Option(help: "In which form.") var `as` = ContractExport.Form.tableSchema
    @OptionGroup var options: ContractOptions

    mutating func run() throws {
        let export = ContractExport(try ContractReader.read(job, table: options.table), as: `as`)
        Terminal.print(export.text, as: nil)
        for text in export.unsaid { Terminal.remark("only said as a rule of Daybook, of \(text)") }
    }
}

/// `daybook contract diff OLD NEW`.
struct ContractDiffCommand: Subcommand {
    static let outline = CommandOutline("diff", "Say what a reader of an old contract finds otherwise in a new one.") {
        name in
        """
        Breaking is what a reader of the old one may no longer rely on: a column or a
        table that is gone, another kind, whatever is asked no longer or of more
        values, such as a wider range, columns that may come besides or be missing, and
        other ways of reading. What is asked besides is only new. Of words that no job
        can say, those that changed are told as not compared.

        Example:
          \(name) contract diff old.json new.json --fail-on breaking
        """
    }

    enum Limit: String, CaseIterable, ExpressibleByArgument { case breaking }

    @Argument(help: "The old contract.", completion: .file())
    var old: String

    @Argument(help: "The new contract.", completion: .file())
    var new: String

    @Option(help: "What makes the exit code 1.") var failOn: Limit?

    mutating func run() throws {
        let changes = ContractChanges(from: try ContractReader.read(old), to: try ContractReader.read(new))
        let lines =
            changes.breaking.map { "breaking: \($0)" } + changes.new.map { "new: \($0)" }
            + changes.uncompared.map { "not compared: \($0)" }
        Terminal.print(lines.isEmpty ? "nothing changed for readers" : lines.joined(separator: "\n"))
        if failOn == .breaking, !changes.breaking.isEmpty { throw ExitCode(1) }
    }
}
