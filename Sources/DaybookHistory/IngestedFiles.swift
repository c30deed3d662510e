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
    /// The content that was read last, by path.
    private var last: [String: IngestedFile] = [:]
    /// The files that were read with each content, by size and XXH128, the last one last.
    private var byContent: [Int: [String: [IngestedFile]]] = [:]
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
    ///
    /// - Parameters:
    ///   - run: the run that read it; nil where it is not known any more.
    ///   - days: the days of its rows, where the import asked for them.
    ///   - isCopy: whether the run left it out, since it has the bytes of another file.
    package mutating func add(
        path: String,
        bytes: Int,
        xxh128: String,
        run: String?,
        days: DaysOfFile? = nil,
        isCopy: Bool = false
    ) {
        let key = key(path, bytes)
        contents[key, default: []].insert(xxh128)
        let file = IngestedFile(
            path: path,
            place: key.path,
            bytes: bytes,
            xxh128: xxh128,
            run: run,
            days: days,
            isCopy: isCopy
        )
        last[key.path] = file
        byContent[bytes, default: [:]][xxh128, default: []].append(file)
    }

    /// Key of a path in any spelling: `in/a.csv`, `./in//a.csv`, and absolute.
    private func key(_ path: String, _ bytes: Int) -> Key {
        Key(path: FilePath.tidied(FilePath.join(directory, path)), bytes: bytes)
    }

    /// The files that are not among those of a run, in order.
    package func gone(besides names: some Sequence<String>) -> [String] {
        let there = Set(names.map { key(mask.masking($0), 0).path })
        return last.filter { !there.contains($0.key) && !$0.value.isCopy }.map(\.value.path).sorted()
    }

    package func gone(
        _ day: FileDay,
        besides found: [InputPath],
        _ patterns: [PathPattern],
        areCopiesOne: Bool
    ) -> [IngestedFile] {
        let there = Set(found.map { key(mask.masking($0.name), 0).path })
        let missing = last.filter { !there.contains($0.key) && !$0.value.isCopy }
        return missing.sorted { $0.key < $1.key }.compactMap { path, file in
            let days = day.isOfRows ? file.daysOfRows(in: day.column.text) : day.day(ofPath: path).map { [$0] }
            guard let days, file.isFound(by: patterns) else { return nil }
            if areCopiesOne, isRenamed(file, day, there) { return nil }
            return file.of(days)
        }
    }

    /// Whether its bytes came again under another name, which is there, whatever that file has by now.
    private func isRenamed(_ file: IngestedFile, _ day: FileDay, _ there: Set<String>) -> Bool {
        var (open, seen) = ([file], Set<String>())
        while let next = open.popLast() {
            guard seen.insert(next.place).inserted else { continue }
            let same = byContent[next.bytes]?[next.xxh128] ?? []
            // A file that was renamed is left out as a copy, or read anew with its day.
            let own = same.lastIndex { $0.place == next.place } ?? same.count
            for (place, other) in same.enumerated() where other.isCopy || place > own {
                guard day.day(ofPath: other.path) == day.day(ofPath: file.path) else { continue }
                if there.contains(other.place) { return true }
                if let last = last[other.place] { open.append(last) }
            }
        }
        return false
    }

    package func days(of input: InputPath, in column: String) -> Set<CalendarDay>? {
        last[key(mask.masking(input.name), 0).path]?.daysOfRows(in: column)
    }

    package func holds(_ version: InputVersion, of address: String) -> Bool {
        contents[key(mask.masking(address), 0)]?.contains(version.digest.xxh128) ?? false
    }

    package func delivery(
        _ input: InputPath,
        with companions: [String],
        asLast: Bool
    ) throws(DaybookError) -> Delivery {
        guard !input.isReadOnce else { return .new }
        let delivery = try delivery(input, asLast: asLast)
        if case .sameBytes(let others) = delivery, !companions.isEmpty {
            // Rows may stand in a companion alone, so such a file is nobody's copy.
            if try input.hasCompanion(companions) { return .new }
            let alone = others.filter { other in !companions.contains { last[other.place + $0] != nil } }
            return alone.isEmpty ? .new : .sameBytes(alone)
        }
        guard case .taken = delivery else { return delivery }
        for ending in companions {
            let companion = input.companion(ending)
            let found: InputIdentity?
            do { found = try companion.identity() } catch { throw .cannotRead(input, error) }
            guard let found, found.size > 0 else { continue }
            if case .taken = try self.delivery(companion, asLast: asLast) { continue }
            return last[key(mask.masking(input.name), 0).path].map(Delivery.otherBytes) ?? .new
        }
        return .taken
    }

    private func delivery(_ input: InputPath, asLast: Bool) throws(DaybookError) -> Delivery {
        do throws(SystemFailure) {
            guard let found = try input.identity(), found.kind == .file else { return .new }
            let key = key(mask.masking(input.name), found.size)
            let earlier = last[key.path]
            guard earlier != nil || byContent[found.size] != nil else { return .new }
            let content = try input.digest().xxh128
            if let earlier {
                let isKnown = asLast ? earlier.xxh128 == content : contents[key]?.contains(content) == true
                return isKnown ? .taken : .otherBytes(earlier)
            }
            // A file that has other bytes by now has these no more.
            let others = (byContent[found.size]?[content] ?? []).filter {
                !asLast || last[$0.place]?.xxh128 == content
            }
            return others.isEmpty ? .new : .sameBytes(others)
        } catch { throw .cannotRead(input, error) }
    }
}
