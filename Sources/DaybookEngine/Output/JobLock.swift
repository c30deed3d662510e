import DaybookBytes
import Foundation

/// Lock of a job in a state directory: one run of a job at a time.
///
/// The kernel holds the lock for the open file, so it ends with its process in every case. The text of the file only
/// names the holder.
public final class JobLock {
    private let file: Descriptor

    fileprivate init(_ file: Descriptor) {
        self.file = file
        // A failure to name the holder does not weaken the lock.
        guard ftruncate(file.number, 0) == 0 else { return }
        try? file.writeAll(Bytes(Holder.current.text))
    }

    deinit { release() }

    /// Releases the lock for the next run.
    public func release() {
        guard file.number >= 0 else { return }
        _ = ftruncate(file.number, 0)
        file.shut()
    }

    /// Process that holds a lock.
    struct Holder: Equatable {
        var process: Int32
        var host: String
        var since: String

        static var current: Holder { Holder(process: getpid(), host: hostName, since: Instant.now) }

        var text: String { "\(process)\t\(since)\t\(PathField.written(host))\n" }

        private static var hostName: String {
            var name = [CChar](repeating: 0, count: 256)
            guard gethostname(&name, name.count - 1) == 0 else { return "" }
            return SystemPath.text([UInt8](name))
        }

        /// `process 4711, since 2026-11-22T02:30:01Z`.
        var displayText: String {
            let place = host == Holder.current.host || host.isEmpty ? "" : " on '\(host)'"
            return "process \(process)\(place), since \(since)"
        }
    }
}

extension JobLock.Holder {
    /// Parses `text`; nil for any other text, such as a partly written file.
    init?(_ text: String) {
        let fields = text.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 3, text.hasSuffix("\n"), let process = Int32(fields[0]), process > 0,
            let host = PathField.read(fields[2].dropLast())
        else { return nil }
        self.init(process: process, host: host, since: String(fields[1].prefix(40)))
    }
}

extension StateDirectory {
    /// Takes the lock of a job, or throws an error that names the holder.
    ///
    /// - Parameters:
    ///   - job: The name of the job, which also names its manifest.
    ///   - use: Kind of the run, such as `+replay`; the job itself may run at the same time.
    ///   - waits: Whether to wait for the other run to end, until `isCancelled`.
    ///   - onWait: Called once, if there is a wait.
    public func lock(
        job: String,
        for use: String = "",
        waits: Bool,
        isCancelled: () -> Bool = { false },
        onWait: (String) -> Void = { _ in }
    ) throws(DaybookError) -> JobLock {
        try create()
        let directory = FilePath.join(path, "locks")
        try makeDirectory(directory)
        let path = FilePath.join(directory, StateDirectory.fileName(ofJob: job, for: use))
        let file: Descriptor
        do {
            file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW)
            if try file.lock() { return JobLock(file) }
        } catch { throw .cannotKeepState(path, error) }
        let holder = holder(of: file)
        guard waits else {
            throw .machine(
                "already-running",
                "another run of '\(job)' is going on: \(holder)",
                hint:
                    "wait for its end with '--wait'; runs that may go on side by side need a state directory each ('--state DIR')"
            )
        }
        onWait("waiting for another run of '\(job)': \(holder)")
        do { try file.lock(unless: isCancelled) } catch { throw .cannotKeepState(path, error) }
        return JobLock(file)
    }

    /// Holder of the lock on `file`, in words. A new holder needs a moment to write its name.
    private func holder(of file: Descriptor) -> String {
        for _ in 0..<20 {
            let text = String(decoding: file.bytes(count: 1024), as: UTF8.self)
            if let holder = JobLock.Holder(text) { return holder.displayText }
            usleep(10_000)
        }
        return "a process that does not say which"
    }
}

/// Locks of the directories in which a commit replaces outputs, from the last check of the old files until the new ones
/// are in place.
///
/// The commits of one state directory already exclude each other. These locks also work between jobs with different
/// state directories. The directory itself is locked, so that no lock file remains, even after a kill.
struct TargetLock {
    private var directories: [Descriptor] = []

    init() {}

    /// Waits for the locks, in the same order in every process, so that commits cannot deadlock. File systems without
    /// locks, and unreadable directories, are not locked.
    ///
    /// - Parameter onWait: called with the output when another run holds its lock.
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
    /// Job that wrote the current file at `path`, according to the last manifests: `job 'orders'`; nil if no manifest
    /// lists it.
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

/// Job and outputs of a manifest.
private struct WrittenFiles: Decodable {
    struct Job: Decodable { var name: String }
    struct Output: Decodable { var xxh128: String? }

    var job: Job
    var outputs: [Output]
}
