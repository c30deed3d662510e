import Foundation

/// A partial result that can go to disk and to other processes. `Codable` is all it needs: arrays, dictionaries, batches and the other
/// containers of this module know their bytes.
public protocol PartialResult: Sendable, Codable {
    /// How many rows came to an end in it; 0 where rows go on as they are.
    var endedRows: Int { get }
    /// Bytes in memory that could be on disk; 0 for a few numbers.
    var footprint: Int { get }
    /// Brings those bytes to disk.
    mutating func spill(to scratch: any Scratch) throws(DaybookError)
}

extension PartialResult {
    public var footprint: Int { 0 }
    public mutating func spill(to scratch: any Scratch) throws(DaybookError) {}
}

/// Space on disk for partial results that outgrow their memory. Files vanish with the run.
public protocol Scratch: Sendable {
    /// About how many bytes a partial result keeps in memory before it goes to disk, unless its options say otherwise.
    var memoryLimit: Int { get }
    /// How many threads may work at the end, when all rows have come.
    var threads: Int { get }

    func makeFile() throws(DaybookError) -> any ScratchFile
    /// Calls `body` with every number below `count`, on as many threads as the run has, and returns when all calls have. Throws the
    /// error of the lowest number that failed.
    func concurrently(
        _ count: Int,
        _ body: @escaping @Sendable (Int) throws(DaybookError) -> Void
    ) throws(DaybookError)
}

extension Scratch {
    public var threads: Int { 1 }

    /// What is left of a limit for what a stage holds itself, after what is on its way there: a small part, and 32 MiB for each thread
    /// beyond the first, but never more than half.
    package func share(of limit: Int) -> Int { max(limit / 2, limit - limit / 32 - (threads - 1) * (32 << 20)) }

    public func concurrently(
        _ count: Int,
        _ body: @escaping @Sendable (Int) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        for number in 0..<count { try body(number) }
    }

    /// What `body` makes of every number below `count`, in their order; see `concurrently`.
    public func map<Result: Sendable>(
        _ count: Int,
        _ body: @escaping @Sendable (Int) throws(DaybookError) -> Result
    ) throws(DaybookError) -> [Result] {
        var results = [Result?](repeating: nil, count: count)
        try concurrently(on: &results) { (number, result) throws(DaybookError) in result = try body(number) }
        return results.compactMap(\.self)
    }

    /// Calls `body` with every element and its place; see `concurrently`.
    public func concurrently<Element: Sendable>(
        on elements: inout [Element],
        _ body: @escaping @Sendable (Int, inout Element) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        try elements.withUnsafeMutableBufferPointer { (elements) throws(DaybookError) in
            // Each element is touched by one thread, and by none once the calls have returned.
            nonisolated(unsafe) let elements = elements
            try concurrently(elements.count) { (place) throws(DaybookError) in try body(place, &elements[place]) }
        }
    }
}

/// A file that is written from its start to its end and then read from anywhere.
public protocol ScratchFile: AnyObject, Sendable {
    func append(_ bytes: Bytes) throws(DaybookError)
    /// Reads up to `length` bytes from `offset` on, behind what `bytes` holds.
    func read(_ length: Int, at offset: Int, into bytes: Bytes) throws(DaybookError)
    var length: Int { get }
}

extension PartialResult {
    public var endedRows: Int { 0 }
}

/// A partial result from which the keys can be taken out.
public protocol KeyedPartial: PartialResult {
    associatedtype Keys: PartialKeys

    /// Takes its keys out, in partitions by their hashes.
    mutating func takeKeys(partitions: Int) -> [Keys]
    /// Puts a partition back that was settled, when the partial results of all rows have been merged.
    mutating func putBack(_ keys: Keys, scratch: any Scratch) throws(DaybookError)
}

/// A partition of the keys of some rows.
public protocol PartialKeys: PartialResult {
    /// Adds those of later rows.
    mutating func append(_ later: Self, scratch: any Scratch) throws(DaybookError)
    /// Leaves what the end of the fold needs, once the keys of all rows are there.
    mutating func settle(scratch: any Scratch) throws(DaybookError)
}

extension KeyedPartial {
    /// The same for keys whose type is no longer named.
    public mutating func putBack(erased keys: any PartialKeys, scratch: any Scratch) throws(DaybookError) {
        guard let keys = keys as? Keys else { preconditionFailure("\(Self.self) was handed the keys of another") }
        try putBack(keys, scratch: scratch)
    }
}

extension PartialKeys {
    /// The same for keys whose type is no longer named.
    public mutating func append(erased later: any PartialKeys, scratch: any Scratch) throws(DaybookError) {
        guard let later = later as? Self else { preconditionFailure("\(Self.self) was handed the keys of another") }
        try append(later, scratch: scratch)
    }
}

/// Partial results as bytes, for disk and for other processes.
///
/// A header says whose they are: `DBPR`, the version of the form, the digest of the plan and the seed of the hashes, all little-endian; they
/// have to be those of the reader. Behind it stand how long the rest is, and whether it is the bytes of a container that knows them itself
/// (`BinaryForm`) or its fields (`FieldCoding`). There such a container is one piece of data, so that a million numbers are no
/// million fields.
public enum PartialCoding {
    private static let magic: UInt32 = 0x5250_4244
    private static let version: UInt16 = 3

    /// What a partial result has to share with whoever reads it.
    public struct Header: Sendable {
        /// The digest of the plan that the rows were read by.
        public var plan: UInt64
        /// What the hashes of keys were made with.
        public var seed: UInt64

        public init(plan: UInt64, seed: UInt64) { (self.plan, self.seed) = (plan, seed) }
    }

    public static func write(_ partial: some Encodable, for header: Header, to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: magic)
        bytes.append(raw: version)
        bytes.append(raw: header.plan)
        bytes.append(raw: header.seed)
        let place = bytes.count
        bytes.append(raw: UInt64(0))
        bytes.append(flag: partial is any BinaryForm)
        let start = bytes.count
        if let partial = partial as? any BinaryForm {
            try partial.write(to: bytes)
        } else {
            do { try FieldCoding.write(partial, to: bytes) } catch {
                throw (error as? DaybookError) ?? ByteReader.damaged
            }
        }
        bytes.replace(at: place, raw: UInt64(bytes.count - start))
    }

    /// Throws where the bytes are no partial result, or that of another plan, seed or version.
    public static func read<Partial: Decodable>(
        _: Partial.Type = Partial.self,
        for header: Header,
        from reader: inout ByteReader
    ) throws(DaybookError) -> Partial {
        guard try reader.raw(UInt32.self) == magic else { throw ByteReader.damaged }
        guard try reader.raw(UInt16.self) == version else { throw foreign("was written by another version of daybook") }
        guard try reader.raw(UInt64.self) == header.plan else { throw foreign("belongs to another plan") }
        guard try reader.raw(UInt64.self) == header.seed else { throw foreign("has hashes of another seed") }
        let count = Int(clamping: try reader.raw(UInt64.self))
        let hasOwnBytes = try reader.flag()
        var content = ByteReader(try reader.take(count))
        if let type = Partial.self as? any BinaryForm.Type {
            guard hasOwnBytes, let partial = try type.init(reading: &content) as? Partial, content.isAtEnd
            else { throw ByteReader.damaged }
            return partial
        }
        guard !hasOwnBytes else { throw ByteReader.damaged }
        do { return try FieldCoding.read(Partial.self, from: &content) } catch {
            throw (error as? DaybookError) ?? ByteReader.damaged
        }
    }

    private static func foreign(_ message: String) -> DaybookError {
        .machine(
            "foreign-partial",
            "a stored partial result \(message)",
            hint: "run all parts with one plan and one version"
        )
    }
}

/// A container that writes its bytes itself.
public protocol BinaryForm: Codable {
    func write(to bytes: Bytes) throws(DaybookError)
    init(reading reader: inout ByteReader) throws(DaybookError)
}

extension BinaryForm {
    public func encode(to encoder: any Encoder) throws {
        let bytes = Bytes()
        try write(to: bytes)
        var container = encoder.singleValueContainer()
        try container.encode(Data(bytes.filled))
        withExtendedLifetime(bytes) {}
    }

    public init(from decoder: any Decoder) throws {
        let data = try decoder.singleValueContainer().decode(Data.self)
        let bytes = Bytes(capacity: data.count)
        bytes.append(data.span)
        var reader = ByteReader(bytes.filled)
        self = try Self(reading: &reader)
        withExtendedLifetime(bytes) {}
        guard reader.isAtEnd else { throw ByteReader.damaged }
    }
}

extension Bytes: BinaryForm {
    public func write(to bytes: Bytes) { bytes.append(self) }

    public convenience init(reading reader: inout ByteReader) throws(DaybookError) {
        let rest = try reader.rest()
        self.init(capacity: rest.count)
        append(rest)
    }
}
