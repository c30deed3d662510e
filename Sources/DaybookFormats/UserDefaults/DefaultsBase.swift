import Foundation

/// The file whose other keys an output keeps.
enum DefaultsBase: Sendable {
    /// A property list, and the format in which it is written again.
    case propertyList([KeptEntry], DefaultsFormat)
    case dump(DefaultsDump)

    /// The most bytes of a file, of the rows under a key, or of what values that are referred to from several places come to.
    static let limit = 1 << 27

    /// The format in which the output is written when the job names none.
    var format: DefaultsFormat {
        switch self {
        case .propertyList(_, let format): format
        case .dump: .json
        }
    }

    private var keys: [String] {
        switch self {
        case .propertyList(let entries, _): entries.map(\.key)
        case .dump(let dump): dump.keys
        }
    }

    /// Refuses a key that is not there and looks like a slip for one that is: the app would read the old rows for ever.
    func check(adding key: String, name: String) throws(DaybookError) {
        let keys = keys
        guard !keys.contains(where: { $0.utf8.elementsEqual(key.utf8) }),
            // In a hostile file, keys are many and long.
            let near = NearestName.slip(key, among: keys.prefix(1_000).filter { $0.utf8.count <= 200 })
        else { return }
        throw DefaultsBase.error(
            "unknown-key",
            "'\(name)' has no key '\(key)'",
            hint: "did you mean '\(near)'? If not, say so: 'new_key: true'"
        )
    }

    /// Reads a whole file, told apart by its content.
    ///
    /// - Parameter name: what messages call it.
    init(_ bytes: Bytes, name: String) throws(DaybookError) {
        guard bytes.count <= DefaultsBase.limit else {
            throw DefaultsBase.error(
                "too-large",
                "'\(name)' is larger than \(DefaultsBase.limit >> 20) MiB, which is more than user defaults can be"
            )
        }
        switch try PropertyListFile.read(bytes, SourceName(index: 0, path: name)) {
        case .json(let dump): self = .dump(try DefaultsDump(dump, name: name))
        case .list(let list):
            guard case .dictionary = list[list.root] else {
                throw DefaultsBase.error(
                    "not-a-dictionary",
                    "'\(name)' has no keys: it is a property list with \(list[list.root].spoken) at its top"
                )
            }
            // Nobody writes the old text form any more, and XML says all that it can.
            self = .propertyList(
                try DefaultsBase.entries(list, name, limit: DefaultsBase.limit),
                list.format == .binary ? .binary : .xml
            )
        }
    }

    /// The keys and values of a property list that was just written.
    static func entries(ofWritten bytes: Bytes) throws(DaybookError) -> [KeptEntry] {
        let file = try PropertyListFile.read(bytes, SourceName(index: 0, path: "the output"))
        guard case .list(let list) = file else { return [] }
        return try entries(list, "the output", limit: .max)
    }

    private static func entries(_ list: PropertyList, _ name: String, limit: Int) throws(DaybookError) -> [KeptEntry] {
        do {
            guard case .map(let entries) = try KeptReading.read(list, limit: limit) else { return [] }
            return entries
        } catch {
            let subject = error.path.isEmpty ? "'\(name)'" : "'\(error.path.joined(separator: "/"))' in '\(name)'"
            throw DefaultsBase.error("cannot-keep", "\(subject) is \(error.reason), and so cannot be kept")
        }
    }

    static func error(_ code: DaybookError.Code, _ message: String, hint: String? = nil) -> DaybookError {
        DaybookError(code, message, hint: hint, blame: .data)
    }
}

extension Bytes {
    /// The bytes for Foundation, without a copy; nobody writes to the buffer any more.
    package var content: Data {
        Data(
            bytesNoCopy: mutableBase,
            count: count,
            deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} }
        )
    }
}
