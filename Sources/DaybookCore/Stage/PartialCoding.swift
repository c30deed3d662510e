import Foundation

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
