import Foundation

/// Runs `wordbook`, which the tests find beside themselves, in a folder as a user would.
struct Wordbook {
    struct Answer {
        var code: Int32
        var output: String
        var errors: String
    }

    private let folder: URL

    init(in folder: URL) { self.folder = folder }

    func callAsFunction(_ arguments: String...) throws -> Answer {
        let process = Process()
        let tests = URL(filePath: CommandLine.arguments[0])
        process.executableURL = tests.deletingLastPathComponent().appending(path: "wordbook")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // Files, because a pipe that nobody empties can fill up and stop the command.
        let (output, errors) = (folder.appending(path: "output.txt"), folder.appending(path: "errors.txt"))
        for file in [output, errors] { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Answer(
            code: process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8)
        )
    }

    func write(_ text: String, to name: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    func read(_ name: String) -> String? {
        try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
}
