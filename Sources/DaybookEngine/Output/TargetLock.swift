import Foundation

/// The locks of the directories in which a commit puts outputs in place, held from a last look at the old files until the new ones are there.
///
/// The commits of one state directory exclude one another already. These locks also hold between jobs that have a state directory each.
/// A directory is locked itself, so that nothing is left behind, also by a kill.
struct TargetLock {
    private var directories: [Descriptor] = []

    init() {}

    /// Waits for the locks, in an order that is the same for every process, so that no two commits wait for each other. A file system that
    /// knows no locks has none, and neither has a directory that may not be read.
    ///
    /// - Parameter onWait: told when another run holds one, with the output for which it is wanted.
    init(
        of outputs: [(path: String, shown: String)],
        unless isCancelled: () -> Bool,
        onWait: (_ shown: String) -> Void
    ) throws(SystemFailure) {
        var wanted: [(status: FileStatus, directory: Descriptor, shown: String)] = []
        for output in outputs {
            guard let directory = try? Descriptor(opening: FilePath.directory(of: output.path), O_RDONLY | O_DIRECTORY),
                let status = try? directory.status(), !wanted.contains(where: { $0.status.isSameFile(as: status) })
            else { continue }
            wanted.append((status, directory, output.shown))
        }
        wanted.sort { ($0.status.device, $0.status.inode) < ($1.status.device, $1.status.inode) }
        for (_, directory, shown) in wanted {
            do throws(SystemFailure) {
                if try !directory.lock() {
                    onWait(shown)
                    try directory.lock(unless: isCancelled)
                }
                directories.append(directory)
            } catch { guard [ENOLCK, ENOTSUP, EINVAL, EBADF].contains(error.number) else { throw error } }
        }
    }
}

extension StateDirectory {
    /// The job that has written the file at `path` as it is now, by the last manifests: `job 'orders'`; nil where none of them tells.
    func lastWriter(of path: String) -> String? {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK),
            let digest = try? FileDigest.of(file, .never).xxh128
        else { return nil }
        let directory = FilePath.join(self.path, "manifests")
        for name in (try? DirectoryListing.names(in: directory)) ?? [] where name.hasSuffix(".json") {
            guard let bytes = try? WholeFile.read(FilePath.join(directory, name), limit: WholeFile.noLimit),
                let kept = try? JSONDecoder().decode(WrittenFiles.self, from: Data(bytes.filled)),
                kept.outputs.contains(where: { $0.xxh128 == digest })
            else { continue }
            return "job '\(kept.job.name)'"
        }
        return nil
    }
}

/// What a manifest tells of who wrote what.
private struct WrittenFiles: Decodable {
    struct Job: Decodable { var name: String }
    struct Output: Decodable { var xxh128: String? }

    var job: Job
    var outputs: [Output]
}
