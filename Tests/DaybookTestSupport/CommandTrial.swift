import Foundation
import Synchronization
import Testing

/// Runs the built `daybook` as a process, as a user would.
public struct CommandTrial {
    /// How a command ended and what it said.
    public struct Outcome: Sendable {
        public var status: Int32
        public var output: String
        public var errors: String
    }

    /// The command cannot be tried at all.
    public struct Missing: Error, CustomStringConvertible {
        public let description: String
    }

    /// Where the command is started.
    public var directory: URL
    /// What standard input holds.
    public var input: Data?
    /// Variables beside those of the test; an empty value takes one away.
    public var environment: [String: String] = [:]

    public init(in directory: URL) { self.directory = directory }

    /// The command that the package has built, beside the tests; `DAYBOOK_COMMAND` names another.
    public static func executable() throws -> URL {
        if let named = ProcessInfo.processInfo.environment["DAYBOOK_COMMAND"] { return URL(fileURLWithPath: named) }
        var places = [Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0])]
        places += Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map(\.bundleURL)
        for place in places {
            for directory in [place, place.deletingLastPathComponent()] {
                let command = directory.appendingPathComponent("daybook")
                if FileManager.default.isExecutableFile(atPath: command.path), !isDirectory(command) { return command }
            }
        }
        throw Missing(description: "no 'daybook' beside the tests; run 'swift build' first")
    }

    private static func isDirectory(_ url: URL) -> Bool {
        (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
    }

    /// Runs `daybook` to its end.
    public func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

    /// Runs `daybook` to its end.
    public func run(_ arguments: [String]) throws -> Outcome {
        try run(try CommandTrial.executable(), arguments)
    }

    /// Runs `daybook` to its end, which is to have the exit code `code`.
    public func run(
        _ arguments: [String],
        ending code: Int32,
        at location: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try run(arguments)
        #expect(
            outcome.status == code,
            "\(arguments.joined(separator: " ")): \(outcome.errors)",
            sourceLocation: location
        )
        return outcome
    }

    /// Runs a line of bash in which `$DAYBOOK` is the command.
    public func shell(_ line: String) throws -> Outcome {
        var trial = self
        trial.environment["DAYBOOK"] = try CommandTrial.executable().path
        return try trial.run(URL(fileURLWithPath: "/bin/bash"), ["-c", line])
    }

    /// Starts `daybook` and gives the process; its streams go to the returned files.
    public func start(_ arguments: [String], input: Any? = nil) throws -> (Process, output: URL, errors: URL) {
        try start(try CommandTrial.executable(), arguments, input: input)
    }

    private func run(_ command: URL, _ arguments: [String]) throws -> Outcome {
        var source: Any = FileHandle.nullDevice
        var scratch: TemporaryDirectory?
        if let input {
            let made = try TemporaryDirectory()
            let file = try made.write(input, to: "input")
            source = try FileHandle(forReadingFrom: file)
            scratch = made
        }
        defer { withExtendedLifetime(scratch) {} }
        let (process, output, errors) = try start(command, arguments, input: source)
        process.waitUntilExit()
        defer { for file in [output, errors] { try? FileManager.default.removeItem(at: file) } }
        // A signal that ended the process is told as shells tell it.
        let isSignal = process.terminationReason == .uncaughtSignal
        return Outcome(
            status: process.terminationStatus + (isSignal ? 128 : 0),
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        )
    }

    private func start(_ command: URL, _ arguments: [String], input: Any?) throws -> (Process, URL, URL) {
        let process = Process()
        process.executableURL = command
        process.arguments = arguments
        process.currentDirectoryURL = directory
        var variables = ProcessInfo.processInfo.environment
        for name in ["NO_COLOR", "DAYBOOK_RECORD"] { variables[name] = nil }
        if let kept = variables["LLVM_PROFILE_FILE"] {
            variables["LLVM_PROFILE_FILE"] = CoverageFile.ofNextCommand(beside: kept)
        }
        for (name, value) in environment { variables[name] = value.isEmpty ? nil : value }
        process.environment = variables
        process.standardInput = input ?? FileHandle.nullDevice
        let files = try ["output", "errors"].map { name in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-\(name)-\(UUID())")
            guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
                throw Missing(description: "cannot make '\(file.path)'")
            }
            return file
        }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        return (process, files[0], files[1])
    }
}

/// A directory for one test, gone when the test is over.
public final class TemporaryDirectory: Sendable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-test-\(UUID())")
            .resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file, and the directories on the way to it.
    @discardableResult
    public func write(_ text: String, to path: String) throws -> URL { try write(Data(text.utf8), to: path) }

    @discardableResult
    public func write(_ bytes: Data, to path: String) throws -> URL {
        let file = url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try bytes.write(to: file)
        return file
    }

    /// The text of a file, or nil when there is none.
    public func text(_ path: String) -> String? {
        (try? Data(contentsOf: url.appendingPathComponent(path))).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Where a command leaves what it ran, when coverage is kept.
private enum CoverageFile {
    private static let count = Atomic(0)

    /// A file has 2 MB, and the tests start thousands of commands: one of sixteen keeps its own. What many add to one file was lost when
    /// one of them was killed.
    static func ofNextCommand(beside kept: String) -> String {
        guard count.wrappingAdd(1, ordering: .relaxed).newValue % 16 == 0 else { return "/dev/null" }
        return URL(fileURLWithPath: kept).deletingLastPathComponent().appendingPathComponent("command-%p.profraw").path
    }
}
