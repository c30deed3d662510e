/// How much there is to read.
package enum InputSizes {
    /// The bytes of all files as they lie on the disk, or nil when some are streams or not there: then nobody can tell.
    package static func total(of files: [InputPath]) -> Int? {
        var total = 0
        for file in files {
            guard let size = size(of: file) else { return nil }
            total += size
        }
        return total
    }

    /// The bytes of a file, which is not opened: the writer of a pipe would take that for its reader.
    package static func size(of file: InputPath) -> Int? {
        guard !file.isStandardInput, let status = try? FileStatus.of(file.path), status.isRegularFile else {
            return nil
        }
        return status.size
    }
}
