import Foundation

/// The lock of one output: whoever puts a file there holds it from a last look at the old file until the new one is in place.
///
/// The commits of one state directory exclude one another already. This lock also holds between jobs that have a state directory each. It
/// is a file beside the real path of the output, which is there only as long as somebody commits.
final class TargetLock {
    private let path: String
    private let file: Descriptor

    /// Waits for the lock; nil where the file system knows no locks.
    ///
    /// - Parameter onWait: told once, when another run holds it.
    init?(
        of target: String,
        unless isCancelled: () -> Bool,
        onWait: () -> Void
    ) throws(SystemFailure) {
        path = TargetLock.path(of: target)
        while true {
            let file = try TargetLock.open(path)
            do throws(SystemFailure) {
                if try !file.lock() {
                    onWait()
                    try file.lock(unless: isCancelled)
                }
            } catch {
                guard [ENOLCK, ENOTSUP, EINVAL, EBADF].contains(error.number) else { throw error }
                unlink(path)
                return nil
            }
            // The one before has taken the file away, and somebody may have made the next.
            if let now = try FileStatus.of(path, followingLinks: false), try file.status().isSameFile(as: now) {
                self.file = file
                return
            }
        }
    }

    deinit {
        unlink(path)
        file.shut()
    }

    /// Short, however long the name of the output is.
    private static func path(of target: String) -> String {
        let digest = SHA256Digest.of(FilePath.name(of: target)).prefix(16)
        return FilePath.join(FilePath.directory(of: target), ".daybook-lock-\(digest)")
    }

    private static func open(_ path: String) throws(SystemFailure) -> Descriptor {
        while true {
            // Reading is enough to lock it, and the file may be another user's.
            do throws(SystemFailure) { return try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) } catch
            {
                guard error.number == ENOENT else { throw error }
            }
            do throws(SystemFailure) {
                return try Descriptor(opening: path, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
            } catch { guard error.number == EEXIST else { throw error } }
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
