import DaybookCore
import Foundation

/// Why a property list cannot be kept: where, and what stands there.
struct UnkeepableValue: Error {
    var path: String
    var reason: String
}

extension KeptValue {
    /// The value as Foundation reads it.
    init(foundation object: Any, at path: String) throws(UnkeepableValue) {
        switch object {
        case let text as String: self = .text(text)
        case let flag as Bool where type(of: object) == Bool.self: self = .flag(flag)
        case let number as NSNumber:
            let type = String(cString: number.objCType)
            if type == "d" || type == "f" {
                self = .real(number.doubleValue)
            } else if let value = Int64(number.stringValue) {
                self = .integer(value)
            } else if let value = UInt64(number.stringValue) {
                self = .large(value)
            } else {
                throw UnkeepableValue(path: path, reason: "a number of more than 64 bits")
            }
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let content as Data: self = .content(content)
        case let items as [Any]:
            var list: [KeptValue] = []
            for (index, item) in items.enumerated() {
                list.append(try KeptValue(foundation: item, at: "\(path)/\(index)"))
            }
            self = .list(list)
        case let map as [AnyHashable: Any]:
            var entries: [KeptEntry] = []
            for (key, value) in map {
                guard let key = key.base as? String else {
                    throw UnkeepableValue(path: path, reason: "a dictionary whose keys are not text")
                }
                let value = try KeptValue(foundation: value, at: path.isEmpty ? key : "\(path)/\(key)")
                entries.append(KeptEntry(key: key, value: value))
            }
            self = .map(entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        default: throw UnkeepableValue(path: path, reason: "a value that is no part of a plain property list")
        }
    }

    /// The value as Foundation writes it.
    var foundation: NSObject {
        switch self {
        case .text(let text): text as NSString
        case .integer(let value): NSNumber(value: value)
        case .large(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .flag(let value): NSNumber(value: value)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        case .content(let content): content as NSData
        case .list(let items): NSArray(array: items.map(\.foundation))
        case .map(let entries): OrderedDictionary(entries)
        }
    }
}

/// A dictionary that gives its keys in the order in which it was given them.
///
/// Foundation's own iterates by a hash that differs from process to process, and so would the bytes of a property list.
private final class OrderedDictionary: NSDictionary {
    private let keys: [NSString]
    private let values: [[UInt8]: NSObject]

    init(_ entries: [KeptEntry]) {
        keys = entries.map { $0.key as NSString }
        values = Dictionary(entries.map { ($0.unit, $0.value.foundation) }) { first, _ in first }
        super.init(objects: [], forKeys: [], count: 0)
    }

    required init(objects: UnsafePointer<AnyObject>!, forKeys keys: UnsafePointer<NSObject>!, count: Int) {
        preconditionFailure("an ordered dictionary is made of entries")
    }

    required init?(coder: NSCoder) { preconditionFailure("an ordered dictionary is made of entries") }

    override var count: Int { keys.count }

    override func object(forKey key: Any) -> Any? {
        ((key as? String) ?? (key as? NSString).map { $0 as String }).flatMap { values[Array($0.utf8)] }
    }

    override func keyEnumerator() -> NSEnumerator { KeyEnumerator(keys) }

    private final class KeyEnumerator: NSEnumerator {
        private var rest: ArraySlice<NSString>

        init(_ keys: [NSString]) { rest = keys[...] }

        override func nextObject() -> Any? { rest.popFirst() }
    }
}
