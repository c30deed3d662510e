/// How much a plan has to read.
public enum InputSizes {
    /// The bytes of all inputs, or nil when some are streams, compressed or not there: then nobody can tell.
    public static func total(of plan: Plan, in directory: String) -> Int? {
        var total = 0
        for stage in plan.stages {
            guard case .source(let source) = stage.role else { continue }
            for path in source.paths {
                guard let files = try? PathPattern(path.text, from: directory).expand() else {
                    if source.intake.isOptional { continue }
                    return nil
                }
                for file in files {
                    guard !file.isStandardInput, let size = size(of: file) else { return nil }
                    total += size
                }
            }
        }
        return total
    }

    /// The bytes of a file that is read as it stands. What is no file is not opened: the writer of a pipe would take that for its reader.
    private static func size(of file: InputPath) -> Int? {
        guard let status = try? FileStatus.of(file.path), status.isRegularFile,
            let opened = try? Descriptor(opening: file.path, O_RDONLY | O_NONBLOCK),
            Compression.find(opened.bytes(count: Magic.length)) == nil
        else { return nil }
        return status.size
    }
}
