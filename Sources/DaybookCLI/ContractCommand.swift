import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookJobTools
import DaybookReports

/// `daybook contract`.
struct ContractCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let context = CommandContext.current
        return CommandConfiguration(
            commandName: "contract",
            abstract: "Make a gate of a data contract, and hold data against it.",
            discussion: context.tellsHelp
                ? """
                A contract is a data package or table schema of Frictionless, ODCS 3, the
                schema.yml of dbt, a JSON Schema of records, or a suite of GX. The form is
                told by what the file holds.

                Examples:
                  \(context.name) contract check datapackage.json
                  \(context.name) contract import schema.json --data orders.csv > gate.yaml
                """ : "",
            subcommands: [ContractImportCommand.self, ContractCheckCommand.self]
        )
    }
}

/// Which tables of a contract are meant.
struct ContractOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only that table of the contract.", valueName: "name"))
    var table: String?

    /// The job that holds the data against the contract.
    func job(of file: String, data: [String]) throws -> String {
        let name = CommandContext.current.name
        let command = ([name, "contract import", file] + data.flatMap { ["--data", $0] }).joined(separator: " ")
        let contract = try ContractReader.read(file, data: data, table: table)
        return try ContractJob(contract, command: command, CommandContext.current.table).text()
    }
}

/// `daybook contract import FILE`.
struct ContractImportCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        .of("import", "Print a job that holds data against a contract.") { name in
            """
            The job has an import for each table and a rule for each clause. What a job
            cannot say, or says in part, is a comment in its place. Paths start from
            here.

            Examples:
              \(name) contract import datapackage.json > gate.yaml
              \(name) contract import schema.json --data orders.csv > gate.yaml
            """
        }
    }

    @Argument(help: "The contract.", completion: .file())
    var file: String

    @Option(
        name: .customLong("data"),
        parsing: .singleValue,
        help: ArgumentHelp("The data, else those that the contract names; may be repeated.", valueName: "path"),
        completion: .file()
    )
    var data: [String] = []

    @OptionGroup var options: ContractOptions

    mutating func run() throws { Terminal.print(try options.job(of: file, data: data), as: nil) }
}

/// `daybook contract check CONTRACT [DATA…]`.
struct ContractCheckCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        .of("check", "Hold data against a contract.") { name in
            """
            Runs the job that 'contract import' prints, and ends as 'run' does. Messages
            name it as the file that it would be.

            Examples:
              \(name) contract check datapackage.json
              \(name) contract check schema.json orders.csv --report github
            """
        }
    }

    @Argument(help: "The contract.", completion: .file())
    var contract: String

    @Argument(help: "The data, else those that the contract names.", completion: .file())
    var data: [String] = []

    @OptionGroup var options: ContractOptions
    @OptionGroup var limit: FindingLimit
    @OptionGroup var sessionOptions: SessionOptions

    mutating func run() throws {
        Interruption.listen()
        let text = try options.job(of: contract, data: data)
        let file = JobFile.name(of: FilePath.name(of: contract)) + ".contract.yaml"
        var session = try sessionOptions.session(of: file, JobOptions.none, maxFindings: limit.maxFindings)
        session.text = text
        throw ExitCode(session.run())
    }
}
