import DaybookBytes
import DaybookEngine

/// Files that successful runs of a job have read to the end, according to the history.
package struct IngestedFiles: IngestedInputs {
    /// A file by properties that need no read of its content.
    private struct Key: Hashable {
        var path: String
        var bytes: Int
    }

    /// XXH128 of all imported contents of a file of that size.
    private var contents: [Key: Set<String>] = [:]
    /// XXH128 of the content that was read last, by path.
    private var last: [String: String] = [:]
    private let mask: SecretMask
    /// Base directory of the job's paths.
    private let directory: String

    /// - Parameters:
    ///   - mask: mask by which the history hides secrets in file names.
    ///   - jobFile: the job file; `-` for standard input.
    package init(mask: SecretMask, ofJob jobFile: String) {
        self.mask = mask
        directory = mask.masking(FilePath.canonical(jobFile == "-" ? "." : JobFile.directory(of: jobFile)))
    }

    /// Adds a content of a file; those of one path in the order in which they were read.
    package mutating func add(path: String, bytes: Int, xxh128: String) {
        let key = key(path, bytes)
        contents[key, default: []].insert(xxh128)
        last[key.path] = xxh128
    }

    /// Key of a path in any spelling: `in/a.csv`, `./in//a.csv`, and absolute.
    private func key(_ path: String, _ bytes: Int) -> Key {
        Key(path: FilePath.tidied(FilePath.join(directory, path)), bytes: bytes)
    }

    package func gone(
        _ day: FileDay,
        besides found: [InputPath],
        _ patterns: [PathPattern]
    ) -> [(path: String, day: CalendarDay)] {
        let there = Set(found.map { key(mask.masking($0.name), 0).path })
        let missing = Set(last.keys).subtracting(there)
        return missing.sorted().compactMap { path in
            guard let date = day.day(ofPath: path) else { return nil }
            let place = FilePath.canonical(path)
            return patterns.contains { $0.wouldFind(place) } ? (path, date) : nil
        }
    }

    package func holds(_ version: InputVersion, of address: String) -> Bool {
        contents[key(mask.masking(address), 0)]?.contains(version.digest.xxh128) ?? false
    }

    package func holds(_ input: InputPath, with companions: [String], asLast: Bool) throws(DaybookError) -> Bool {
        guard !input.isReadOnce, try holds(input, asLast: asLast) else { return false }
        for ending in companions {
            let companion = input.companion(ending)
            let found: InputIdentity?
            do { found = try companion.identity() } catch { throw .cannotRead(input, error) }
            if let found, found.size > 0, try !holds(companion, asLast: asLast) { return false }
        }
        return true
    }

    private func holds(_ input: InputPath, asLast: Bool) throws(DaybookError) -> Bool {
        do throws(SystemFailure) {
            guard let found = try input.identity(), found.kind == .file else { return false }
            let key = key(mask.masking(input.name), found.size)
            guard let known = contents[key] else { return false }
            let content = try input.digest().xxh128
            return asLast ? last[key.path] == content : known.contains(content)
        } catch { throw .cannotRead(input, error) }
    }
}
