/// The files that earlier runs of a job have read to their end and held, as the history knows them.
public struct TakenFiles: Sendable {
    /// A file by what can be known of it without reading it.
    private struct Key: Hashable {
        var path: String
        var bytes: Int
    }

    /// The XXH128 of all contents that were taken of a file of that size.
    private var contents: [Key: Set<String>] = [:]
    private let mask: SecretMask
    /// Where the paths of the job begin.
    private let directory: String

    /// - Parameters:
    ///   - mask: by which the history hides secrets in the names of files.
    ///   - jobFile: the file of the job; `-` for one from standard input.
    public init(mask: SecretMask, ofJob jobFile: String) {
        self.mask = mask
        directory = mask.masking(FilePath.canonical(jobFile == "-" ? "." : JobFile.directory(of: jobFile)))
    }

    public mutating func add(path: String, bytes: Int, xxh128: String) {
        contents[key(path, bytes), default: []].insert(xxh128)
    }

    /// However a path is spelled: `in/a.csv`, `./in//a.csv`, and as a whole.
    private func key(_ path: String, _ bytes: Int) -> Key {
        Key(path: FilePath.tidied(FilePath.join(directory, path)), bytes: bytes)
    }

    /// Whether a service was read at that state of its data.
    func holds(_ version: InputVersion, of address: String) -> Bool {
        contents[key(mask.masking(address), 0)]?.contains(version.digest.xxh128) ?? false
    }

    /// Whether a file, with those beside it that belong to it, was taken as it is now.
    func holds(_ input: InputPath, with companions: [String]) throws(DaybookError) -> Bool {
        guard !input.isReadOnce, try holds(input.name, at: input.path, input) else { return false }
        let place = FilePath.canonical(input.path)
        for ending in companions {
            let status: FileStatus?
            do { status = try FileStatus.of(place + ending) } catch { throw .cannotRead(input, error) }
            guard let status, status.size > 0 else { continue }
            if try !holds(input.name + ending, at: place + ending, input) { return false }
        }
        return true
    }

    private func holds(_ name: String, at path: String, _ input: InputPath) throws(DaybookError) -> Bool {
        do throws(SystemFailure) {
            guard let status = try FileStatus.of(path), status.isRegularFile,
                let known = contents[key(mask.masking(name), status.size)]
            else { return false }
            return known.contains(
                try FileDigest.of(try Descriptor(opening: path, O_RDONLY | O_NONBLOCK), .never).xxh128
            )
        } catch { throw .cannotRead(input, error) }
    }
}
