import Foundation

/// A file that an output starts from and keeps parts of.
public struct SinkBase: Sendable {
    public var path: PathText
    /// Whether the run is refused when there is no such file.
    public var mustExist: Bool

    public init(_ path: PathText, mustExist: Bool) {
        self.path = path
        self.mustExist = mustExist
    }
}

/// The base of an output as the run found it.
public struct BaseFile: Sendable {
    /// The absolute path, for a library that opens files itself and only reads this one.
    public let path: String
    private let content: @Sendable () throws(DaybookError) -> Bytes

    public init(path: String, content: @escaping @Sendable () throws(DaybookError) -> Bytes) {
        self.path = path
        self.content = content
    }

    /// Whether it has a line that is not blank behind so many others. Looks at its first MiB; what is longer has rows.
    public func hasLine(behind lines: Int) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        let size = 1 << 20
        let head = (try? file.read(upToCount: size)) ?? Data()
        let blanks: Set<UInt8> = [0x00, 0x09, 0x0D, 0x20, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF]
        let count = head.split(separator: 0x0A).count { !$0.allSatisfy(blanks.contains) }
        return head.count == size || count > lines
    }

    /// The whole file.
    public func read() throws(DaybookError) -> Bytes { try content() }
}

/// What a writer may ask of the run beside its output.
///
/// A library that writes files itself does so at a scratch path; when the file is complete, the writer copies its bytes to
/// the output, so that hashing and all-or-nothing are the same for every output.
public struct SinkContext: Sendable {
    /// What the output reads.
    public let inputs: [StageInput]
    /// The base that the target names; nil when it names none, or one that need not exist and does not.
    public let base: BaseFile?
    /// The writer of the other stage with which this one shares its output; nil for the first of them.
    public let shared: (any SinkWriter)?
    private let makePath: @Sendable () throws(DaybookError) -> String
    private let takePart: @Sendable (any CommitParticipant) throws(DaybookError) -> Void

    public init(
        _ inputs: [StageInput],
        base: BaseFile? = nil,
        shared: (any SinkWriter)? = nil,
        scratchPath: @escaping @Sendable () throws(DaybookError) -> String,
        join: @escaping @Sendable (any CommitParticipant) throws(DaybookError) -> Void = { _ in }
    ) {
        (self.inputs, self.base, self.shared) = (inputs, base, shared)
        (makePath, takePart) = (scratchPath, join)
    }

    /// The columns of the first stage that the output reads.
    public var schema: Schema { inputs.first?.schema ?? Schema() }

    /// The path of a file that does not exist yet. It vanishes with the run, as do files beside it whose names begin with
    /// its own.
    public func scratchPath() throws(DaybookError) -> String { try makePath() }

    /// Lets a service take part in the commit of the run. To be called before it keeps anything of the run, so that another command can take
    /// that back after a kill.
    public func join(_ participant: any CommitParticipant) throws(DaybookError) { try takePart(participant) }
}
