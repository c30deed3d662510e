/// The name of one run: when it started, in UTC, and a random part, such as `20261121T054700Z-8f3a91c2`.
///
/// Sorting by name sorts by the second in which runs started; those of one second come in no order. File names are made of it, so what is read back from a disk must pass `init?`.
public struct RunID: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// A name that no other run has.
    package init() {
        let now = Instant.now.prefix(19).filter { $0 != "-" && $0 != ":" }
        let random = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
        description = "\(now)Z-\(random)"
    }

    /// The run that `text` names; nil when it is not the name of a run.
    package init?(_ text: some StringProtocol) {
        guard String(text).wholeMatch(of: /[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}/) != nil else { return nil }
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
