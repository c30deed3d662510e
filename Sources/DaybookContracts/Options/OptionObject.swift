/// A value that a job writes as a map of options, each of which its initialiser names once.
///
/// The same initialiser reads a map of the job, or an empty one and so collects keys, kinds, defaults and help.
public protocol OptionObject: OptionValue {
    /// How errors name the map: `'late'`, `a sort key`.
    static var title: String { get }
    /// What is expected in the place of a value that is no map.
    static var shape: String { get }
    /// A hint at that value.
    static var example: String? { get }
    /// A hint at an unknown key that is like none of the options.
    static var unknownHint: String? { get }
    /// Reads all options before it checks any that may be missing.
    init(reading fields: inout OptionFields) throws(DaybookError)
}

extension OptionObject {
    public static var shape: String { "a map of options" }
    public static var example: String? { nil }
    public static var unknownHint: String? { nil }
    public static var kind: OptionKind { .object(specs) }

    public init(reading node: OptionNode) throws(DaybookError) { try self.init(map: node) }

    /// Reads a map, after a check of its keys.
    public init(map node: OptionNode) throws(DaybookError) {
        guard let map = node.map else { throw node.expected(Self.shape, hint: Self.example) }
        let names = Self.specs.map(\.key)
        if let stranger = map.first(where: { !names.contains($0.key) }) {
            throw stranger.unknown(to: Self.title, among: names, Self.unknownHint)
        }
        var fields = OptionFields(node)
        try self.init(reading: &fields)
    }

    /// The options of the map.
    public static var specs: [OptionSpec] {
        var fields = OptionFields(OptionNode(.map([]), at: SourcePlace(file: "", line: 1, column: 1)))
        // Where an option must be there, the error comes after all were named.
        _ = try? Self(reading: &fields)
        return fields.specs
    }
}

/// The options of a map, of which the first that is wrong ends the reading.
public struct OptionFields: Sendable {
    /// The map.
    public let node: OptionNode
    fileprivate var specs: [OptionSpec] = []

    fileprivate init(_ node: OptionNode) { self.node = node }

    /// Reads an option that has a default.
    public mutating func read<Value: OptionValue>(
        _ key: String,
        default fallback: Value,
        help: String
    ) throws(DaybookError) -> Value {
        try written(key, Value.kind, default: fallback.written, help: help)?.read() ?? fallback
    }

    /// Reads an option that has no default; nil if it is not written.
    ///
    /// - Parameter isRequired: whether help says that it must be there; the caller sees to that.
    public mutating func optional<Value: OptionValue>(
        _ key: String,
        _ kind: OptionKind = Value.kind,
        isRequired: Bool = false,
        help: String
    ) throws(DaybookError) -> Value? {
        try written(key, kind, isRequired: isRequired, help: help)?.read()
    }

    /// The value of an option as it is written, for one that is read in a way of its own.
    public mutating func written(
        _ key: String,
        _ kind: OptionKind,
        default fallback: String? = nil,
        isRequired: Bool = false,
        help: String
    ) -> OptionNode? {
        specs.append(OptionSpec(key: key, kind: kind, help: help, fallback: fallback, isRequired: isRequired))
        return node.map?.first { $0.key == key }?.value
    }

    /// The error for an option that must be there.
    public func missing(_ key: String, hint: String? = nil) -> DaybookError {
        DaybookError("missing-option", "the option '\(key)' is missing", at: node.place, hint: hint)
    }
}

extension OptionNode {
    fileprivate func read<Value: OptionValue>() throws(DaybookError) -> Value {
        do { return try Value(reading: self) } catch { throw error.located(at: place) }
    }
}
