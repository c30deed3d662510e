import Foundation
import Testing

/// A repository of git in a directory of a test.
public struct GitRepository {
    let url: URL

    public init(at url: URL) { self.url = url }

    /// Runs git to its end.
    ///
    /// - Parameter directory: where to run it, from the repository.
    public func git(_ arguments: String..., in directory: String = ".") throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["git", "-C", url.appendingPathComponent(directory).path, "-c", "user.name=A", "-c", "user.email=a@b"]
            + arguments
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(arguments)")
    }

    /// Makes the repository, with all that stands in its directory as the first commit of main.
    public func begin() throws {
        try git("init", "-q", "-b", "main")
        try commit("first")
    }

    public func commit(_ message: String) throws {
        try git("add", ".")
        try git("commit", "-q", "--allow-empty", "-m", message)
    }
}
