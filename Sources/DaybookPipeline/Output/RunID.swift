import DaybookCore

/// The name of one run: when it started, in UTC, and a random part, such as `20261121T054700Z-8f3a91c2`.
///
/// Sorting by name sorts by time. File names are made of it, so what is read back from a disk must pass `init?`.
public struct RunID: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// A name that no other run has.
    init() {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let day = digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
        let clock = digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2)
        let random = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
        description = "\(day)T\(clock)Z-\(random)"
    }

    /// The run that `text` names; nil when it is not the name of a run.
    init?(_ text: some StringProtocol) {
        let shape = Array("00000000T000000Z-00000000".utf8)
        let written = Array(text.utf8)
        guard written.count == shape.count else { return nil }
        for (index, (byte, expected)) in zip(written, shape).enumerated() {
            let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            let isLetter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
            guard expected == UInt8(ascii: "0") ? isDigit || (isLetter && index > 16) : byte == expected else {
                return nil
            }
        }
        description = String(text)
    }

    /// The temporary file for output number `index` of this run, in the directory of its target.
    func temporaryName(_ index: Int) -> String { "\(temporaryPrefix)\(index)" }

    /// Whether `name` is a temporary file of this run, and so may be renamed or removed on its behalf.
    func owns(_ name: String) -> Bool {
        guard name.hasPrefix(temporaryPrefix) else { return false }
        let index = name.utf8.dropFirst(temporaryPrefix.utf8.count)
        return !index.isEmpty && index.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }

    /// Whether `path` lies in a directory that this run made to be published, and so may be removed on its behalf.
    func publishes(_ path: String) -> Bool { publishedDirectory(of: path) != nil }

    /// The directory on the way to `path` that this run made to be published.
    func publishedDirectory(of path: String) -> String? {
        var directory = FilePath.directory(of: path)
        while directory != "/", directory != "." {
            let name = FilePath.name(of: directory)
            if name.hasPrefix("."), name.hasSuffix(".\(self)"), name.utf8.count > description.utf8.count + 2 {
                return directory
            }
            directory = FilePath.directory(of: directory)
        }
        return nil
    }

    private var temporaryPrefix: String { ".daybook-\(description)-" }
}
