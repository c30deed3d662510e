import DaybookCore
import Foundation

/// The file whose other keys an output keeps.
enum DefaultsBase: Sendable {
    /// A property list, and the format in which it is written again.
    case propertyList([KeptEntry], DefaultsFormat)
    case dump(DefaultsDump)

    /// The most bytes of a file, of rows under a key, or of a property list made of both.
    static let limit = 1 << 27

    /// The format in which the output is written when the job names none.
    var format: DefaultsFormat {
        switch self {
        case .propertyList(_, let format): format
        case .dump: .json
        }
    }

    /// Reads a whole file, told apart by what it begins with.
    ///
    /// - Parameter name: what messages call it.
    init(_ bytes: Bytes, name: String) throws(DaybookError) {
        guard bytes.count <= DefaultsBase.limit else {
            throw DefaultsBase.error(
                "too-large",
                "'\(name)' is larger than \(DefaultsBase.limit >> 20) MiB, which is more than user defaults can be"
            )
        }
        if DefaultsDump.isMeant(bytes) {
            self = .dump(try DefaultsDump(bytes, name: name))
            return
        }
        let (value, format) = try DefaultsBase.propertyList(bytes, name: name)
        guard case .map(let entries) = value else {
            throw DefaultsBase.error(
                "not-a-dictionary",
                "'\(name)' has no keys: it is a property list with something else than a dictionary at its top"
            )
        }
        self = .propertyList(entries, format)
    }

    /// The one place where property lists are read.
    static func propertyList(_ bytes: Bytes, name: String) throws(DaybookError) -> (KeptValue, DefaultsFormat) {
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object: Any
        do {
            object = try PropertyListSerialization.propertyList(from: bytes.content, options: [], format: &format)
        } catch {
            throw DefaultsBase.error("not-a-property-list", "'\(name)' is no property list and no JSON dump")
        }
        do {
            return (try KeptValue(foundation: object, at: ""), format == .binary ? .binary : .xml)
        } catch {
            throw DefaultsBase.error(
                "cannot-keep",
                "'\(error.path)' in '\(name)' is \(error.reason), which cannot be kept"
            )
        }
    }

    static func error(_ code: DaybookError.Code, _ message: String, hint: String? = nil) -> DaybookError {
        DaybookError(code, message, hint: hint, blame: .data)
    }
}

extension Bytes {
    /// The bytes for Foundation, without a copy; nobody writes to the buffer any more.
    var content: Data {
        Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutableBase),
            count: count,
            deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} }
        )
    }
}
