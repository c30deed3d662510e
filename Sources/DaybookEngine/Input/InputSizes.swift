/// How much a plan has to read.
public enum InputSizes {
    /// The bytes of all inputs, or nil when some are streams, compressed or not there: then nobody can tell.
    public static func total(of plan: Plan, in directory: String) -> Int? {
        var total = 0
        for stage in plan.stages {
            guard case .source(let source) = stage.role else { continue }
            for path in source.paths {
                guard let files = try? PathPattern(path.text, from: directory).expand() else { return nil }
                for file in files {
                    let isPacked = file.name.hasSuffix(".gz") || file.name.hasSuffix(".zst")
                    guard !file.isStandardInput, !isPacked, let status = try? FileStatus.of(file.path),
                        status.isRegularFile
                    else { return nil }
                    total += status.size
                }
            }
        }
        return total
    }
}
