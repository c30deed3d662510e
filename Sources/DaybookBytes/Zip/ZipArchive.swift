import Synchronization

/// The files in a zip archive, by its central directory (PKWARE, APPNOTE.TXT 6.3.10).
///
/// Files are stored or deflated, of any size. Encrypted ones, other ways of packing and archives in several parts are
/// refused, and so is what two readers could understand differently: overlapping data, and two files of one name.
package struct ZipArchive: Sendable {
    /// A file or directory in the archive.
    package struct Entry: Sendable {
        /// As the archive has it; a directory ends in a slash.
        package var name: String
        /// The record in the central directory.
        package var record: ArraySlice<UInt8>
        /// 0 for stored bytes, 8 for deflated ones.
        package var method: Int
        package var flags = 0
        package var checksum: UInt32 = 0
        package var packedSize = 0
        package var size = 0
        /// Where its local header begins.
        package var offset = 0
        /// Seconds since 1970 of the last change.
        package var changed = 0
        /// The permissions on Unix; nil where the archive has none.
        package var permissions: mode_t?

        package var isDirectory: Bool { name.hasSuffix("/") }
        /// Its path in the archive; some programs write `./` in front.
        package var path: String { name.hasPrefix("./") ? String(name.dropFirst(2)) : name }
    }

    package let path: String
    package let status: FileStatus
    package let entries: [Entry]
    /// Bytes of the central directory.
    package let directorySize: Int
    /// The entries of files, by name.
    private let files: [String: Int]
    /// What lies in each directory, by its name without a slash at the end; empty for the archive itself.
    private let directories: [String: [DirectoryListing.Entry]]

    private static let endSize = 22
    private static let longestComment = 0xFFFF
    /// Limit of the central directory, in bytes.
    private static let longestDirectory = 64 << 20
    /// Limit of a file that is unpacked, in bytes.
    private static let longestFile = 4 << 30

    /// Reads the central directory; nil for a file that does not begin like a zip archive.
    package init?(_ path: String) throws(SystemFailure) {
        let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
        guard ZipArchive.begins(like: file.bytes(count: 4)) else { return nil }
        self.path = path
        status = try file.status()
        let central = try ZipArchive.central(of: file, size: status.size)
        directorySize = central.records.count
        entries = try ZipArchive.entries(central.records, shift: central.shift, end: central.start)
        (files, directories) = try ZipArchive.tree(entries)
    }

    /// Whether a file that begins with these four bytes is an archive: with a file in it, or empty.
    static func begins(like head: ArraySlice<UInt8>) -> Bool {
        head.elementsEqual([0x50, 0x4B, 3, 4]) || head.elementsEqual([0x50, 0x4B, 5, 6])
    }

    // MARK: - What it holds

    /// The file at `name`; nil if there is none.
    package func file(_ name: String) -> Entry? { files[name].map { entries[$0] } }

    /// The entries of the directory at `name`, which is empty for the archive itself; nil if there is none.
    package func list(_ name: String) -> [DirectoryListing.Entry]? { directories[name] }

    /// The bytes of a file, in a file without a name.
    package func open(_ entry: Entry) throws(SystemFailure) -> Int32 {
        guard entry.flags & 1 == 0 else { throw SystemFailure(EBADMSG, "it is encrypted in its zip archive") }
        guard entry.method == 0 || entry.method == 8 else {
            throw SystemFailure(EBADMSG, "it is packed in a way that is not read: method \(entry.method)")
        }
        guard entry.size <= ZipArchive.longestFile else {
            throw SystemFailure(EFBIG, "it has more than 4 GiB in its zip archive")
        }
        let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
        let output = try UnnamedFile.make()
        var isWhole = false
        defer { if !isWhole { close(output) } }
        var unpacked = (count: 0, checksum: UInt32(0))
        let target = Descriptor(borrowing: output)
        try unpack(entry, from: file) { bytes throws(SystemFailure) in
            unpacked.count += bytes.count
            guard unpacked.count <= entry.size else { throw .damagedZip }
            unpacked.checksum = Deflate.checksum(bytes, after: unpacked.checksum)
            try target.writeAll(bytes)
        }
        guard unpacked == (entry.size, entry.checksum) else { throw .damagedZip }
        let time = timespec(tv_sec: entry.changed, tv_nsec: 0)
        guard lseek(output, 0, SEEK_SET) == 0, futimens(output, [time, time]) == 0 else { throw .last }
        isWhole = true
        return output
    }

    private func unpack(
        _ entry: Entry,
        from file: Descriptor,
        _ body: (Bytes) throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        let stream = entry.method == 8 ? InflateStream() : nil
        let (piece, bytes) = (Bytes(), Bytes())
        var place = try dataStart(of: entry, in: file)
        let end = place + entry.packedSize
        while place < end {
            piece.removeAll()
            let got = piece.append(upTo: min(1 << 20, end - place), from: file.number, at: place)
            guard got > 0 else { throw got < 0 ? .last : .damagedZip }
            place += got
            guard let stream else {
                try body(piece)
                continue
            }
            var used = 0
            while !stream.isAtEnd {
                bytes.removeAll()
                do throws(Deflate.Fault) {
                    used += try stream.inflate(piece.cell(used...), into: bytes, upTo: 1 << 20)
                } catch { throw .damagedZip }
                if bytes.count == 0 { break }
                try body(bytes)
            }
        }
        guard stream?.isAtEnd ?? true else { throw .damagedZip }
    }

    /// Where the packed bytes of an entry begin.
    package func dataStart(of entry: Entry, in file: Descriptor) throws(SystemFailure) -> Int {
        let header = file.bytes(at: entry.offset, count: 30)
        guard header.count == 30, header.starts(with: [0x50, 0x4B, 3, 4]) else { throw .damagedZip }
        let start = entry.offset + 30 + header.number(26, 2) + header.number(28, 2)
        guard start + entry.packedSize <= status.size else { throw .damagedZip }
        return start
    }

    // MARK: - Reading

    /// The records of the central directory, where they start, and how far all offsets are shifted by bytes in front.
    private static func central(
        of file: Descriptor,
        size: Int
    ) throws(SystemFailure) -> (records: ArraySlice<UInt8>, start: Int, shift: Int) {
        let tailStart = max(0, size - endSize - longestComment)
        let tail = file.bytes(at: tailStart, count: size - tailStart)
        let places = stride(from: tail.count - endSize, through: 0, by: -1)
        guard
            let place = places.first(where: { place in
                tail.number(place, 4) == 0x0605_4B50 && place + endSize + tail.number(place + 20, 2) == tail.count
            })
        else { throw .damagedZip }
        var (length, start) = (tail.number(place + 12, 4), tail.number(place + 16, 4))
        var end = tailStart + place
        guard tail.number(place + 4, 2) == 0 || tail.number(place + 4, 2) == 0xFFFF else {
            throw SystemFailure(EBADMSG, "its zip archive is one part of several")
        }
        if place >= 20, tail.number(place - 20, 4) == 0x0706_4B50 {
            let large = file.bytes(at: tail.number(place - 12, 8), count: 56)
            guard large.count == 56, large.number(0, 4) == 0x0606_4B50 else { throw .damagedZip }
            (length, start) = (large.number(40, 8), large.number(48, 8))
            end = tail.number(place - 12, 8)
        }
        guard [length, start, end].allSatisfy((0...size).contains) else { throw .damagedZip }
        guard length <= longestDirectory else { throw SystemFailure(EFBIG, "its zip archive has too many files") }
        let shift = end - length - start
        guard shift >= 0 else { throw .damagedZip }
        let records = file.bytes(at: start + shift, count: length)
        guard records.count == length else { throw .damagedZip }
        return (records, start + shift, shift)
    }

    private static func entries(_ records: ArraySlice<UInt8>, shift: Int, end: Int) throws(SystemFailure) -> [Entry] {
        var entries: [Entry] = []
        var rest = records
        while !rest.isEmpty {
            guard rest.count >= 46, rest.number(0, 4) == 0x0201_4B50 else { throw .damagedZip }
            let (name, extra, comment) = (rest.number(28, 2), rest.number(30, 2), rest.number(32, 2))
            guard rest.count >= 46 + name + extra + comment else { throw .damagedZip }
            let record = rest.prefix(46 + name + extra + comment)
            rest = rest.dropFirst(record.count)
            entries.append(try entry(record, name: name, extra: extra, shift: shift))
        }
        // Data that several files share would let a small archive unpack to a huge one.
        var last = 0
        for entry in entries.sorted(by: { $0.offset < $1.offset }) {
            guard entry.offset >= last else { throw .damagedZip }
            last = entry.offset + 30 + entry.packedSize
            guard last <= end else { throw .damagedZip }
        }
        return entries
    }

    private static func entry(
        _ record: ArraySlice<UInt8>,
        name: Int,
        extra: Int,
        shift: Int
    ) throws(SystemFailure) -> Entry {
        let nameStart = record.startIndex + 46
        var entry = Entry(
            name: SystemPath.text(Array(record[nameStart..<nameStart + name])),
            record: record,
            method: record.number(10, 2),
            flags: record.number(8, 2),
            checksum: UInt32(record.number(16, 4)),
            packedSize: record.number(20, 4),
            size: record.number(24, 4),
            offset: record.number(42, 4),
            changed: seconds(time: record.number(12, 2), date: record.number(14, 2)),
            permissions: record.number(5, 1) == 3 ? mode_t(record.number(40, 2) & 0o777) : nil
        )
        var fields = record[(nameStart + name)..<(nameStart + name + extra)]
        while fields.count >= 4 {
            let (kind, length) = (fields.number(0, 2), fields.number(2, 2))
            guard fields.count >= 4 + length else { break }
            let field = fields.dropFirst(4).prefix(length)
            fields = fields.dropFirst(4 + length)
            if kind == 0x5455, length >= 5, field.number(0, 1) & 1 == 1 {
                entry.changed = Int(Int32(truncatingIfNeeded: field.number(1, 4)))
            } else if kind == 1 {
                var place = 0
                for path in [\Entry.size, \.packedSize, \.offset] where entry[keyPath: path] == 0xFFFF_FFFF {
                    guard place + 8 <= length else { throw .damagedZip }
                    entry[keyPath: path] = field.number(place, 8)
                    place += 8
                }
            }
        }
        for number in [entry.size, entry.packedSize, entry.offset] where !(0..<1 << 50).contains(number) {
            throw .damagedZip
        }
        entry.offset += shift
        return entry
    }

    /// The time of an entry, which is local time as DOS has it.
    private static func seconds(time: Int, date: Int) -> Int {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
            Int32(date >> 9) + 80, Int32(date >> 5 & 15) - 1, Int32(date & 31)
        )
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(time >> 11), Int32(time >> 5 & 63), Int32(time & 31) * 2)
        parts.tm_isdst = -1
        return mktime(&parts)
    }

    /// Files and directories by name. Names that would lead out of the archive belong to no directory.
    private static func tree(
        _ entries: [Entry]
    ) throws(SystemFailure) -> (files: [String: Int], directories: [String: [DirectoryListing.Entry]]) {
        var files: [String: Int] = [:]
        var directories: [String: [DirectoryListing.Entry]] = ["": []]
        for (index, entry) in entries.enumerated() {
            let parts = entry.path.split(separator: "/", omittingEmptySubsequences: false)
            let names = entry.isDirectory ? parts.dropLast() : parts[...]
            guard !names.isEmpty, names.count < 200, names.allSatisfy({ !["", ".", ".."].contains($0) }) else {
                continue
            }
            var path = names.joined(separator: "/")
            if entry.isDirectory, directories[path] != nil { continue }
            guard files[path] == nil, directories[path] == nil else { throw .twiceInZip(path) }
            if entry.isDirectory { directories[path] = [] } else { files[path] = index }
            var kind: DirectoryListing.Kind = entry.isDirectory ? .directory : .file
            for name in names.reversed() {
                let above = String(path.dropLast(name.count + 1))
                let name = String(name)
                let isKnown = directories[above] != nil
                directories[above, default: []].append(
                    DirectoryListing.Entry(name: name, kind: kind, isText: !SystemPath.isEscaped(name))
                )
                if isKnown { break }
                guard files[above] == nil else { throw .twiceInZip(above) }
                (path, kind) = (above, .directory)
            }
        }
        return (files, directories)
    }
}

extension ArraySlice<UInt8> {
    /// The number in `count` bytes from `place` on, the lowest byte first.
    package func number(_ place: Int, _ count: Int) -> Int {
        let start = startIndex + place
        return self[start..<start + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

extension SystemFailure {
    fileprivate static func twiceInZip(_ name: String) -> SystemFailure {
        SystemFailure(EBADMSG, "its zip archive has '\(name)' twice")
    }

    static var damagedZip: SystemFailure { SystemFailure(EBADMSG, "its zip archive is damaged") }
}

/// A temporary file that is unlinked as soon as it is open, so that none can remain.
package enum UnnamedFile {
    /// The descriptor, which the caller closes.
    package static func make() throws(SystemFailure) -> Int32 {
        let directory = getenv("TMPDIR").map { SystemPath.text([UInt8]($0)) } ?? ""
        var path = Array(FilePath.join(directory.isEmpty ? "/tmp" : directory, "daybook-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw .last }
        unlink(path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}

/// Paths that lead into zip archives: to the system, a part of such a path is a file and not a directory.
///
/// So `dumps/anna.zip/Library/app.plist` is read like a file in a directory, and the archive itself listed like one.
package enum ZipPath {
    private static let archives = Mutex<[String: ZipArchive]>([:])
    /// Limit of the archives that stay known, and of their directories in bytes.
    private static let most = (count: 64, bytes: 64 << 20)

    /// Whether a file that can be read begins like a zip archive.
    package static func isArchive(_ path: String) -> Bool {
        Descriptor.plainFile(at: path).map { ZipArchive.begins(like: $0.bytes(count: 4)) } ?? false
    }

    /// The archive on the way of `path`, and the name in it; nil where there is none.
    private static func find(_ path: String) throws(SystemFailure) -> (archive: ZipArchive, name: String)? {
        let names = path.split(separator: "/")
        guard !names.contains("..") else { return nil }
        for count in stride(from: names.count, to: 0, by: -1) {
            let head = (path.hasPrefix("/") ? "/" : "") + names.prefix(count).joined(separator: "/")
            guard let found = try? FileStatus.ofSystem(head, followingLinks: true) else { continue }
            guard found.isRegularFile, let archive = try archive(head) else { return nil }
            return (archive, names.dropFirst(count).filter { $0 != "." }.joined(separator: "/"))
        }
        return nil
    }

    private static func archive(_ path: String) throws(SystemFailure) -> ZipArchive? {
        guard let status = try FileStatus.ofSystem(path, followingLinks: true), status.isRegularFile else { return nil }
        let place = FilePath.canonical(path)
        if let known = archives.withLock({ $0[place] }), known.status == status { return known }
        guard let archive = try ZipArchive(place) else { return nil }
        archives.withLock {
            let bytes = $0.values.reduce(archive.directorySize) { $0 + $1.directorySize }
            if $0.count >= most.count || bytes > most.bytes { $0.removeAll() }
            $0[place] = archive
        }
        return archive
    }

    /// The status of a file or directory in an archive; nil if it is not there. Throws ENOTDIR for any other path.
    static func status(_ path: String) throws(SystemFailure) -> FileStatus? {
        guard let (archive, name) = try find(path) else { throw SystemFailure(ENOTDIR) }
        var status = archive.status
        status.isPacked = true
        if archive.list(name) != nil {
            status.mode = S_IFDIR | 0o755
            return status
        }
        guard let entry = archive.file(name) else { return nil }
        status.mode = S_IFREG | (entry.permissions ?? 0o644)
        (status.size, status.changed) = (entry.size, [entry.changed, 0])
        // Files of an archive are told apart, and from one of the same name in an archive in its place.
        status.inode ^= UInt64(entry.offset) << 32 | UInt64(entry.checksum)
        return status
    }

    /// A new descriptor of a file in an archive.
    static func open(_ path: String) throws(SystemFailure) -> Int32 {
        guard let (archive, name) = try find(path) else { throw SystemFailure(ENOTDIR) }
        guard let entry = archive.file(name) else {
            throw SystemFailure(archive.list(name) == nil ? ENOENT : EISDIR)
        }
        return try archive.open(entry)
    }

    /// The entries of a directory in an archive.
    static func entries(_ path: String) throws(SystemFailure) -> [DirectoryListing.Entry] {
        guard let (archive, name) = try find(path) else { throw SystemFailure(ENOTDIR) }
        guard let entries = archive.list(name) else {
            throw SystemFailure(archive.file(name) == nil ? ENOENT : ENOTDIR)
        }
        return entries
    }
}
