import DaybookCore
import Foundation

extension KeptValue {
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
