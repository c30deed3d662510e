import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How much a run has to read is told where anybody can know it.
@Suite struct InputSizesTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private func total() throws -> Int? {
        try PathPattern("in*.csv", from: place.url.path).expand().totalSize
    }

    @Test func `files are as long as they are`() throws {
        try place.write("a\n1\n", to: "in-1.csv")
        try place.write("a\n22\n", to: "in-2.csv")
        #expect(try total() == 9)
    }

    @Test(arguments: [Compressing.gzip("a\n1\n"), Compressing.zstd("a\n1\n")])
    func `of what is compressed the bytes on the disk count`(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: place.url.appendingPathComponent("in.csv"))
        #expect(try total() == bytes.count)
    }

    @Test func `a pipe is not opened, for its writer would write to nobody`() throws {
        let path = place.url.appendingPathComponent("in.csv").path
        #expect(mkfifo(path, 0o600) == 0)
        // Waits until somebody reads, and ends when that one has gone.
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = ["-c", "exec 3> '\(path)'; sleep 0.1; echo a >&3"]
        try writer.run()
        let end = Date(timeIntervalSinceNow: 0.5)
        while Date() < end { #expect(try total() == nil) }
        try #require(writer.isRunning)
        let read = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).readToEnd()
        writer.waitUntilExit()
        #expect(read == Data("a\n".utf8) && writer.terminationStatus == 0)
    }
}
