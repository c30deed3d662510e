/// The file that an output starts from: found, and known by its digest, before the run begins.
struct BaseInput {
    let file: BaseFile
    let input: RunOutcome.Input
    private let path: String
    private let status: FileStatus

    /// What may be taken into memory of a base, in bytes.
    private static let limit = 1 << 30

    /// Nil when there is no such file and need not be.
    static func find(_ base: SinkBase, in directory: String, _ sha256: SHA256Policy) throws(DaybookError) -> BaseInput?
    {
        do throws(DaybookError) {
            if let found = try find(base.path.text, in: directory, sha256) { return found }
            if base.mustExist { throw InputNotFound(base.path.text, from: directory, isPattern: false).error }
            return nil
        } catch { throw error.located(at: base.path.place) }
    }

    private static func find(_ name: String, in directory: String, _ sha256: SHA256Policy) throws(DaybookError)
        -> BaseInput?
    {
        let path = FilePath.join(directory, name)
        do throws(SystemFailure) {
            guard let status = try FileStatus.of(path) else { return nil }
            guard status.isRegularFile else { throw SystemFailure(EINVAL) }
            let opened = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
            let input = RunOutcome.Input(path: name, bytes: status.size, digest: try FileDigest.of(opened, sha256))
            let file = BaseFile(path: path) { () throws(DaybookError) in try whole(path, name) }
            return BaseInput(file: file, input: input, path: path, status: status)
        } catch { throw .cannotRead(name, error) }
    }

    /// Refuses to write over what another program has put there since the run began.
    func checkUnchanged() throws(DaybookError) {
        let now: FileStatus?
        do { now = try FileStatus.of(path) } catch { throw .cannotRead(input.path, error) }
        guard now != status else { return }
        throw .machine(
            "input-changed",
            "'\(input.path)' changed while the run went on, and what changed would be lost",
            hint: "run again when nothing writes to it any more"
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
