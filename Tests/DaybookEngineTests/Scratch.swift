import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A directory for one test, removed with everything in it at the end.
final class Scratch {
    let path: String

    init() {
        // In memory where that is possible: these tests make many files and flush them. Without links, so that paths
        // compare as texts.
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(place)/daybook-test-XXXXXX".utf8CString)
        path = FilePath.canonical(String(cString: mkdtemp(&template)))
    }

    deinit { Scratch.remove(path) }

    subscript(_ name: String) -> String { FilePath.join(path, name) }

    @discardableResult
    func write(_ name: String, _ content: String) -> String { write(name, Array(content.utf8)) }

    @discardableResult
    func write(_ name: String, _ content: [UInt8]) -> String {
        makeDirectories(for: name)
        let file = fopen(self[name].systemPath, "w")!
        fwrite(content, 1, content.count, file)
        fclose(file)
        return self[name]
    }

    func makeDirectories(for name: String) {
        for missing in OutputTarget.missingDirectories(above: self[name]) { mkdir(missing, 0o777) }
    }

    func read(_ name: String) -> String? {
        guard let bytes = try? WholeFile.read(self[name], limit: 1 << 30) else { return nil }
        return bytes.text(0..<bytes.count)
    }

    /// All files and directories below, with their paths from here, sorted.
    func everything(under directory: String = "") -> [String] {
        let names = (try? DirectoryListing.names(in: FilePath.join(path, directory))) ?? []
        return names.sorted().flatMap { name in
            let inner = directory.isEmpty ? name : directory + "/" + name
            return [inner] + everything(under: inner)
        }
    }

    /// Removes one file, if it is there.
    func remove(_ name: String) { unlink(self[name]) }

    private static func remove(_ path: String) {
        for name in (try? DirectoryListing.names(in: path)) ?? [] {
            let inner = FilePath.join(path, name)
            if unlink(inner) != 0 { remove(inner) }
        }
        rmdir(path)
    }
}

/// The error that `work` throws; a test failure when it throws none.
func refusal(
    _ location: SourceLocation = #_sourceLocation,
    _ work: () throws(DaybookError) -> Void
) -> DaybookError {
    do {
        try work()
    } catch { return error }
    Issue.record("nothing was refused", sourceLocation: location)
    return DaybookError("none", "nothing was refused")
}

/// A thread for tests in which something has to happen while a call is blocked.
final class Thread {
    private var number = pthread_t()

    init(_ work: @escaping () -> Void) {
        let box = Unmanaged.passRetained(Work(work))
        pthread_create(
            &number,
            nil,
            {
                Thread.run($0)
                return nil
            },
            box.toOpaque()
        )
    }

    private final class Work {
        let work: () -> Void
        init(_ work: @escaping () -> Void) { self.work = work }
    }

    private static func run(_ box: UnsafeMutableRawPointer?) {
        Unmanaged<Work>.fromOpaque(box!).takeRetainedValue().work()
    }

    func join() { pthread_join(number, nil) }
}
