/// Writes a zip archive: entries of another as they are, and new files (PKWARE, APPNOTE.TXT 6.3.10).
///
/// An archive has the same bytes whenever it is written: a new file has the time of the entry that it replaces.
package struct ZipWriter {
    private let output: Descriptor
    private let bytes = Bytes()
    private var written = 0
    private let central = Bytes()
    private var count = 0

    package init(_ output: Descriptor) { self.output = output }

    /// Copies an entry with its packed bytes.
    package mutating func copy(
        _ entry: ZipArchive.Entry,
        of archive: ZipArchive,
        _ file: Descriptor
    ) throws(SystemFailure) {
        // What unlocks it may depend on how it was written.
        guard entry.flags & 1 == 0 else { throw SystemFailure(EBADMSG, "'\(entry.name)' in it is encrypted") }
        var place = try archive.dataStart(of: entry, in: file)
        let end = place + entry.packedSize
        let record = try record(of: entry)
        try begin(record)
        while place < end {
            let got = bytes.append(upTo: min(1 << 20, end - place), from: file.number, at: place)
            guard got > 0 else { throw got < 0 ? .last : .damagedZip }
            place += got
            try flush()
        }
        note(record)
    }

    /// Adds a file in the place of an entry, stored or deflated as that is.
    package mutating func add(_ file: Descriptor, as entry: ZipArchive.Entry) throws(SystemFailure) {
        var entry = entry
        (entry.method, entry.size, entry.packedSize, entry.checksum) = (entry.method == 0 ? 0 : 8, 0, 0, 0)
        let header = written
        try begin(try record(of: entry))
        let start = written
        let stream = entry.method == 8 ? DeflateStream() : nil
        let block = Bytes()
        while try file.readBlock(into: block) {
            entry.size += block.count
            entry.checksum = Deflate.checksum(block, after: entry.checksum)
            if let stream { stream.deflate(block.filled, isLast: false, into: bytes) } else { bytes.append(block) }
            try flush()
        }
        stream?.deflate(Bytes().filled, isLast: true, into: bytes)
        try flush()
        entry.packedSize = written - start
        let record = try record(of: entry, at: header)
        // The checksum and the sizes are known only now.
        guard record.send(16..<28, to: output.number, at: header + 14) == 12 else { throw .last }
        note(record)
    }

    /// Adds a file under a new name.
    package mutating func add(_ file: Descriptor, named name: String) throws(SystemFailure) {
        let name = Array(name.utf8)
        let record = Bytes()
        record.append(raw: UInt32(0x0201_4B50))
        // Made on Unix by version 2.0; names are UTF-8; deflated; the first day that such a time can have.
        for value in [0x0314, 20, 0x0800, 8, 0, 0x21] { record.append(raw: UInt16(value)) }
        record.append([UInt8](repeating: 0, count: 12))
        record.append(raw: UInt16(name.count))
        record.append([UInt8](repeating: 0, count: 8))
        record.append(raw: UInt32(S_IFREG | 0o644) << 16)
        record.append(raw: UInt32(0))
        record.append(name)
        try add(file, as: ZipArchive.Entry(name: "", record: record.array[...], method: 8))
    }

    /// Writes the central directory, after which the archive is complete.
    package mutating func finish() throws(SystemFailure) {
        guard count < 0xFFFF, written <= ZipWriter.largest else { throw .tooLargeForZip }
        let start = written
        bytes.append(central)
        bytes.append(raw: UInt32(0x0605_4B50))
        bytes.append(raw: UInt32(0))
        for _ in 0..<2 { bytes.append(raw: UInt16(count)) }
        bytes.append(raw: UInt32(central.count))
        bytes.append(raw: UInt32(start))
        bytes.append(raw: UInt16(0))
        try flush()
    }

    private static let largest = 0xFFFF_FFF0

    /// The record of an entry whose header stands at `place`, or is written next.
    private func record(of entry: ZipArchive.Entry, at place: Int? = nil) throws(SystemFailure) -> Bytes {
        let place = place ?? written
        guard max(entry.packedSize, entry.size, place) <= ZipWriter.largest else { throw .tooLargeForZip }
        let record = Bytes()
        record.append(entry.record)
        // Nothing is encrypted, and the sizes stand in front of the data and not behind it.
        record.replace(at: 8, raw: UInt16(entry.record.number(8, 2) & ~0b100_1001))
        record.replace(at: 10, raw: UInt16(entry.method))
        record.replace(at: 16, raw: entry.checksum)
        record.replace(at: 20, raw: UInt32(entry.packedSize))
        record.replace(at: 24, raw: UInt32(entry.size))
        record.replace(at: 42, raw: UInt32(place))
        return record
    }

    /// Writes the header of a file, whose fields are those of its record.
    private mutating func begin(_ record: Bytes) throws(SystemFailure) {
        let (name, extra) = (record.array[...].number(28, 2), record.array[...].number(30, 2))
        bytes.append(raw: UInt32(0x0403_4B50))
        bytes.append(6..<30, of: record)
        bytes.append(raw: UInt16(extra))
        bytes.append(46..<46 + name + extra, of: record)
        try flush()
    }

    private mutating func note(_ record: Bytes) {
        central.append(record)
        count += 1
    }

    private mutating func flush() throws(SystemFailure) {
        try output.writeAll(bytes)
        written += bytes.count
        bytes.removeAll()
    }
}

extension ZipArchive {
    /// Writes the archive at `path` anew, with files in the places of its entries or behind them, and reads it again.
    ///
    /// - Returns: how many files were copied, and their bytes.
    package static func copy(
        _ path: String,
        to target: String,
        with files: [(name: String, file: Descriptor)],
        isCancelled: () -> Bool
    ) throws(SystemFailure) -> (files: Int, bytes: Int) {
        let changed = SystemFailure(ESTALE, "it changed while it was copied")
        guard let archive = try ZipArchive(path) else { throw changed }
        var new = Dictionary(uniqueKeysWithValues: files)
        for file in files where lseek(file.file.number, 0, SEEK_SET) != 0 { throw .last }
        let old = try Descriptor(opening: path, O_RDONLY)
        let output = try Descriptor(opening: target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        output.takeOver(archive.status)
        var writer = ZipWriter(output)
        var copied = (files: 0, bytes: 0)
        for entry in archive.entries {
            if isCancelled() { throw .cancelled }
            if let file = new.removeValue(forKey: entry.path) {
                try writer.add(file, as: entry)
            } else {
                try writer.copy(entry, of: archive, old)
                if !entry.isDirectory { copied.files += 1 }
                copied.bytes += entry.size
            }
        }
        for (name, file) in new.sorted(by: { $0.key < $1.key }) { try writer.add(file, named: name) }
        try writer.finish()
        try output.flush()
        // An output may have the name of a directory, or of what lies above a file.
        guard try ZipArchive(target)?.entries.count == archive.entries.count + new.count else { throw .damagedZip }
        guard try FileStatus.of(path) == archive.status else { throw changed }
        return copied
    }
}

extension SystemFailure {
    fileprivate static var tooLargeForZip: SystemFailure {
        SystemFailure(EFBIG, "a zip archive has at most 65,534 files and 4 GiB")
    }
}
