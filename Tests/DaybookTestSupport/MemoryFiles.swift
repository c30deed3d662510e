import DaybookContracts
import Foundation

/// Scratch files in memory, for folds under test.
public final class MemoryScratch: Scratch {
    public let memoryLimit: Int

    public init(memoryLimit: Int = 1 << 24) { self.memoryLimit = memoryLimit }

    public func makeFile() throws(DaybookError) -> any ScratchFile { MemoryScratchFile() }
}

/// A scratch file in memory. As on disk, it is written by one thread and only read afterwards.
public final class MemoryScratchFile: ScratchFile, @unchecked Sendable {
    private let content = Bytes()

    public init() {}

    public var length: Int { content.count }

    public func append(_ bytes: Bytes) throws(DaybookError) { content.append(bytes) }

    public func read(_ length: Int, at offset: Int, into bytes: Bytes) throws(DaybookError) {
        precondition(offset >= 0 && length >= 0, "a scratch file is read at \(offset) for \(length) bytes")
        let start = min(offset, content.count)
        let end = min(start + length, content.count)
        bytes.append(start..<end, of: content)
    }
}

/// A directory of its own for the files of a sink under test; it vanishes with the value.
public final class SinkFiles: Sendable {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-\(UUID())")

    private let base: Data?

    /// - Parameter base: what the file holds that the output starts from; nil when there is none.
    public init(base: Data? = nil) { self.base = base }

    deinit { try? FileManager.default.removeItem(at: directory) }

    public func context(_ schema: Schema) -> SinkContext {
        let file = base.map { base in
            let url = directory.appendingPathComponent("base")
            try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try? base.write(to: url)
            return BaseFile(path: url.path) { () throws(DaybookError) in
                let bytes = Bytes(capacity: base.count)
                base.withUnsafeBytes { bytes.append($0.bindMemory(to: UInt8.self)) }
                return bytes
            }
        }
        return SinkContext([StageInput(id: "example", schema: schema)], base: file) {
            [directory] () throws(DaybookError) in
            try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            return directory.appendingPathComponent("\(UUID())").path
        }
    }
}

extension StageInputs {
    /// One stage with these columns.
    public init(_ schema: Schema) { self.init([StageInput(id: "rows", schema: schema)]) }
}

extension SinkContext {
    /// That of an output that needs no files.
    public init(_ inputs: [StageInput]) {
        self.init(inputs) { () throws(DaybookError) in throw .machine("no-scratch", "there are no files here") }
    }

    public init(_ schema: Schema) { self.init([StageInput(id: "rows", schema: schema)]) }
}

/// Keeps what a sink writes.
public final class MemoryOutput: ByteOutput {
    public let written = Bytes()

    public init() {}

    public func write(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError) { written.append(part, of: bytes) }

    public var text: String { written.text(0..<written.count) }
}
