/// Sizes as people write them: `256MiB`, `2GB`, `4096`.
enum ByteSize {
    private static let units: [(name: String, bytes: Int)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("kB", 1_000), ("KB", 1_000),
        ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000), ("B", 1),
    ]

    /// The bytes that `text` means; nil where it means none, or more than any file has.
    static func bytes(of text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.name) } ?? ("", 1)
        let number = text.dropLast(unit.name.count)
        guard !number.isEmpty, number.utf8.allSatisfy({ (48...57).contains($0) }), let count = Int(number) else {
            return nil
        }
        let (bytes, overflowed) = count.multipliedReportingOverflow(by: unit.bytes)
        return overflowed ? nil : bytes
    }
}
