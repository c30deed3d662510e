/// How much there is to read.
package enum InputSizes {
    /// The bytes of all files, or nil when some are streams, compressed or not there: then nobody can tell.
    package static func total(of files: [InputPath]) -> Int? {
        var total = 0
        for file in files {
            guard let size = size(of: file) else { return nil }
            total += size
        }
        return total
    }

    /// The bytes of a file that is read as it stands. What is no file is not opened: the writer of a pipe would take that for its reader.
    package static func size(of file: InputPath) -> Int? {
        guard !file.isStandardInput, let status = try? FileStatus.of(file.path), status.isRegularFile,
            let opened = try? Descriptor(opening: file.path, O_RDONLY | O_NONBLOCK),
            Compression.find(opened.bytes(count: Magic.length)) == nil
        else { return nil }
        return status.size
    }
}
