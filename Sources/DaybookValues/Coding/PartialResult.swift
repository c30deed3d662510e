import Foundation

/// A partial result that can go to disk and to other processes. `Codable` is enough: arrays, dictionaries, batches and
/// the other containers of this module encode their own bytes.
public protocol PartialResult: Sendable, Codable {
    /// The number of rows that the fold consumed; 0 if rows pass through.
    var endedRows: Int { get }
    /// Bytes in memory that could be on disk; 0 for a few numbers.
    var footprint: Int { get }
    /// Moves those bytes to disk.
    mutating func spill(to scratch: any Scratch) throws(DaybookError)
}

extension PartialResult {
    public var endedRows: Int { 0 }
    public var footprint: Int { 0 }
    public mutating func spill(to scratch: any Scratch) throws(DaybookError) {}
}

/// Space on disk for partial results that outgrow their memory. Files vanish with the run.
public protocol Scratch: Sendable {
    /// About how many bytes a partial result keeps in memory before it spills, unless its options override that.
    var memoryLimit: Int { get }
    /// How many threads may work after the last row.
    var threads: Int { get }

    func makeFile() throws(DaybookError) -> any ScratchFile
    /// Calls `body` with every number below `count`, on all threads of the run, and returns after the last call. Throws
    /// the error of the lowest number that failed.
    func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) throws(DaybookError) -> Void) throws(DaybookError)
}

extension Scratch {
    public var threads: Int { 1 }

    /// The share of a limit for a stage's own memory; the rest is for rows on their way to it: a small part, and 32 MiB
    /// for each thread beyond the first, but never more than half.
    package func share(of limit: Int) -> Int { max(limit / 2, limit - limit / 32 - (threads - 1) * (32 << 20)) }

    public func concurrently(
        _ count: Int,
        _ body: @escaping @Sendable (Int) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        for number in 0..<count { try body(number) }
    }

    /// The results of `body` for every number below `count`, in order; see `concurrently`.
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

/// A file that is written sequentially and then read at random.
public protocol ScratchFile: AnyObject, Sendable {
    func append(_ bytes: Bytes) throws(DaybookError)
    /// Appends up to `length` bytes from `offset` on to `bytes`.
    func read(_ length: Int, at offset: Int, into bytes: Bytes) throws(DaybookError)
    var length: Int { get }
}

/// A partial result whose keys can be extracted.
public protocol KeyedPartial: PartialResult {
    associatedtype Keys: PartialKeys

    /// Removes its keys, in partitions by their hashes.
    mutating func takeKeys(partitions: Int) -> [Keys]
    /// Restores a settled partition, after the partial results of all rows have been merged.
    mutating func putBack(_ keys: Keys, scratch: any Scratch) throws(DaybookError)
}

/// A partition of the keys of some rows.
public protocol PartialKeys: PartialResult {
    /// Appends the keys of later rows.
    mutating func append(_ later: Self, scratch: any Scratch) throws(DaybookError)
    /// Reduces the keys to what the end of the fold needs, once the keys of all rows are there.
    mutating func settle(scratch: any Scratch) throws(DaybookError)
}

extension KeyedPartial {
    /// Restores a partition whose key type is erased.
    public mutating func putBack(erased keys: any PartialKeys, scratch: any Scratch) throws(DaybookError) {
        guard let keys = keys as? Keys else { preconditionFailure("\(Self.self) was handed the keys of another") }
        try putBack(keys, scratch: scratch)
    }
}

extension PartialKeys {
    /// Appends keys whose type is erased.
    public mutating func append(erased later: any PartialKeys, scratch: any Scratch) throws(DaybookError) {
        guard let later = later as? Self else { preconditionFailure("\(Self.self) was handed the keys of another") }
        try append(later, scratch: scratch)
    }
}

/// Partial results as bytes, for disk and for other processes.
///
/// The header names the owner: `DBPR`, the version of the form, the digest of the plan and the seed of the hashes, all
/// little-endian; each must match the reader's. Then follow the length of the rest, and whether it is the bytes of a
/// container that encodes itself (`BinaryForm`) or its fields (`FieldCoding`). In fields, such a container is one piece
/// of data, so that a million numbers are not a million fields.
public enum PartialCoding {
    private static let magic: UInt32 = 0x5250_4244
    private static let version: UInt16 = 3

    /// The facts that a partial result and its reader must share.
    public struct Header: Sendable {
        /// The digest of the plan that the rows were read by.
        public var plan: UInt64
        /// The seed of the hashes of keys.
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

    /// Throws if the bytes are no partial result, or one of another plan, seed or version.
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
        let bytes = Bytes(try decoder.singleValueContainer().decode(Data.self))
        var reader = ByteReader(bytes.filled)
        self = try Self(reading: &reader)
        withExtendedLifetime(bytes) {}
        guard reader.isAtEnd else { throw ByteReader.damaged }
    }
}

extension Bytes: BinaryForm {
    public func write(to bytes: Bytes) { bytes.append(self) }

    public convenience init(reading reader: inout ByteReader) throws(DaybookError) {
        self.init(try reader.rest())
    }
}
