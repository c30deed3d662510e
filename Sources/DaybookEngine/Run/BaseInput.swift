/// The file that an output starts from: found, and known by its digest, before the run begins.
struct BaseInput {
    /// Nil where there is none yet.
    let file: BaseFile?
    let input: RunOutcome.Input?
    private let name: String
    private let path: String
    private let status: FileStatus?

    /// What may be taken into memory of a base, in bytes.
    private static let limit = 1 << 30

    /// Without a file when there is none and need not be.
    static func find(_ base: SinkBase, in directory: String, _ sha256: SHA256Policy) throws(DaybookError) -> BaseInput {
        do throws(DaybookError) {
            let found = try find(base.path.text, in: directory, sha256)
            guard found.file == nil, base.mustExist else { return found }
            throw InputNotFound(base.path.text, from: directory, isPattern: false).error
        } catch { throw error.located(at: base.path.place) }
    }

    private static func find(_ name: String, in directory: String, _ sha256: SHA256Policy) throws(DaybookError)
        -> BaseInput
    {
        let path = FilePath.join(directory, name)
        do throws(SystemFailure) {
            guard let status = try FileStatus.of(path) else {
                return BaseInput(file: nil, input: nil, name: name, path: path, status: nil)
            }
            guard status.isRegularFile else { throw SystemFailure(EINVAL) }
            let opened = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
            let input = RunOutcome.Input(path: name, bytes: status.size, digest: try FileDigest.of(opened, sha256))
            let file = BaseFile(path: path) { () throws(DaybookError) in try whole(path, name) }
            return BaseInput(file: file, input: input, name: name, path: path, status: status)
        } catch { throw .cannotRead(name, error) }
    }

    /// Refuses to write over what another run or program has put there since the run began.
    func checkUnchanged(_ state: StateDirectory) throws(DaybookError) {
        let now: FileStatus?
        do { now = try FileStatus.of(path) } catch { throw .cannotRead(name, error) }
        guard now != status else { return }
        let writer = now.flatMap { _ in state.lastWriter(of: path) }
        throw .machine(
            "input-changed",
            "'\(name)' \(now == nil ? "was removed" : status == nil ? "was made" : "changed") while the run went on, "
                + (writer.map { "by \($0), " } ?? "") + "and what changed would be lost",
            hint: "nothing was written; run again"
                + (writer == nil ? " when nothing writes to it any more" : ", which adds to what is there now")
        )
    }

    private static func whole(_ path: String, _ name: String) throws(DaybookError) -> Bytes {
        let bytes: Bytes?
        do { bytes = try WholeFile.read(FilePath.canonical(path), limit: limit) } catch {
            throw .cannotRead(name, error)
        }
        guard let bytes else { throw .cannotRead(name, SystemFailure(ENOENT)) }
        return bytes
    }
}
