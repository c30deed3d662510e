import DaybookTestSupport
import Foundation

/// Runs the command over a file system in which one call fails, or before which the process is killed.
struct FaultTrial {
    /// What a call is made to do.
    enum Fault {
        case error(Int32)
        case kill
    }

    /// The library that stands between cannot be made.
    struct NotCompiled: Error {
        var source: String
    }

    /// One call as it was seen.
    struct Call: CustomStringConvertible {
        /// From 1; nil for one that only looks.
        var number: Int?
        var name: String
        /// For a rename: what gets the name.
        var path: String
        var description: String { "\(number.map(String.init) ?? "-") \(name) \(path)" }
    }

    /// The library that stands between, compiled once.
    static let library: Result<URL, any Error> = Result {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("faults.c")
        let library = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-faults-\(UUID()).so")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["clang", "-shared", "-fPIC", "-O1", "-o", library.path, source.path, "-ldl"]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else {
            throw NotCompiled(source: source.path)
        }
        return library
    }

    let directory: URL

    /// The calls that a command makes which nothing disturbs.
    func calls(_ arguments: [String]) throws -> [Call] {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-calls-\(UUID())")
        defer { try? FileManager.default.removeItem(at: log) }
        var command = try command(at: 0, .kill)
        command.environment["FAULTS_LOG"] = log.path
        _ = try command.run(arguments)
        return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map { line in
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            return Call(number: Int(parts[0]), name: String(parts[1]), path: String(parts[2]))
        }
    }

    /// Runs a command whose call number `number` meets a fault.
    func run(_ arguments: [String], at number: Int, _ fault: Fault) throws -> CommandTrial.Outcome {
        try command(at: number, fault).run(arguments)
    }

    private func command(at number: Int, _ fault: Fault) throws -> CommandTrial {
        var command = CommandTrial(in: directory)
        command.environment["LD_PRELOAD"] = try FaultTrial.library.get().path
        command.environment["FAULTS_UNDER"] = directory.path
        command.environment["FAULTS_AT"] = String(number)
        if case .error(let error) = fault { command.environment["FAULTS_ERRNO"] = String(error) }
        return command
    }
}
