import Foundation

/// The byte form of a partial result made of fields: the fields of Swift's `Codable`, as tagged values in a row.
///
/// Every value has a tag, so no text means anything but itself. A property list, used before, reads the text `$null` as
/// nothing and takes dictionaries with the key `CF$UID` for references.
enum FieldCoding {
    static func write(_ value: some Encodable, to bytes: Bytes) throws {
        try FieldEncoder(bytes: bytes).encode(value)
    }

    static func read<Value: Decodable>(_: Value.Type, from reader: inout ByteReader) throws -> Value {
        let field = try StoredField(reading: &reader, depth: 0)
        guard reader.isAtEnd else { throw ByteReader.damaged }
        return try FieldDecoder(field: field).value()
    }

    fileprivate enum Tag: UInt8 {
        case nothing, flag, integer, natural, decimal, text, data, list, map
    }

    /// No partial result is nested so deep; deeper input is damaged.
    fileprivate static let deepest = 200
}

// MARK: - Writing

/// Writes each value where it comes; a list or a map counts its fields in front of them.
private struct FieldEncoder: Encoder, SingleValueEncodingContainer {
    let bytes: Bytes
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        put(.map, UInt64(0))
        return KeyedEncodingContainer(Keyed(encoder: self, place: bytes.count - 8))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        put(.list, UInt64(0))
        return Unkeyed(encoder: self, place: bytes.count - 8)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func encodeNil() { bytes.append(FieldCoding.Tag.nothing.rawValue) }

    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let value as Bool: put(.flag, UInt8(value ? 1 : 0))
        case let value as String:
            bytes.append(FieldCoding.Tag.text.rawValue)
            bytes.append(counted: value)
        case let value as Double: put(.decimal, value.bitPattern)
        // A float is a double without loss, and no field of a partial result is one.
        case let value as Float: put(.decimal, Double(value).bitPattern)
        case let value as Data:
            put(.data, UInt64(value.count))
            bytes.append(value.span)
        case let value as any FixedWidthInteger:
            if let value = Int64(exactly: value) {
                put(.integer, value)
            } else {
                put(.natural, UInt64(truncatingIfNeeded: value))
            }
        default:
            let start = bytes.count
            try value.encode(to: self)
            if bytes.count == start { encodeNil() }
        }
    }

    private func put(_ tag: FieldCoding.Tag, _ value: some BitwiseCopyable) {
        bytes.append(tag.rawValue)
        bytes.append(raw: value)
    }

    /// The number of fields that stands at a place.
    private func count(at place: Int) -> UInt64 { bytes.cell(place...).number() }

    /// Counts one more field at a place, which is then to be written.
    private func next(at place: Int) -> FieldEncoder {
        bytes.replace(at: place, raw: count(at: place) + 1)
        return self
    }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: FieldEncoder
        let place: Int
        var codingPath: [any CodingKey] { [] }

        private func field(_ key: String) -> FieldEncoder {
            encoder.bytes.append(counted: key)
            return encoder.next(at: place)
        }

        func encodeNil(forKey key: Key) { field(key.stringValue).encodeNil() }
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try field(key.stringValue).encode(value)
        }
        func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Inner> { field(key.stringValue).container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            field(key.stringValue).unkeyedContainer()
        }
        func superEncoder() -> any Encoder { field("super") }
        func superEncoder(forKey key: Key) -> any Encoder { field(key.stringValue) }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let encoder: FieldEncoder
        let place: Int
        var codingPath: [any CodingKey] { [] }
        var count: Int { Int(encoder.count(at: place)) }

        func encodeNil() { encoder.next(at: place).encodeNil() }
        func encode<Value: Encodable>(_ value: Value) throws { try encoder.next(at: place).encode(value) }
        func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
            encoder.next(at: place).container(keyedBy: type)
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.next(at: place).unkeyedContainer() }
        func superEncoder() -> any Encoder { encoder.next(at: place) }
    }
}

// MARK: - Reading

/// A value that was read.
private indirect enum StoredField {
    case nothing
    case flag(Bool)
    case integer(Int64)
    case natural(UInt64)
    case decimal(Double)
    case text(String)
    case data(Data)
    case list([StoredField])
    case map([String: StoredField])

    init(reading reader: inout ByteReader, depth: Int) throws(DaybookError) {
        guard depth < FieldCoding.deepest, let tag = FieldCoding.Tag(rawValue: try reader.raw()) else {
            throw ByteReader.damaged
        }
        switch tag {
        case .nothing: self = .nothing
        case .flag: self = .flag(try reader.flag())
        case .integer: self = .integer(try reader.raw())
        case .natural: self = .natural(try reader.raw())
        case .decimal: self = .decimal(Double(bitPattern: try reader.raw()))
        case .text: self = .text(try reader.text())
        case .data:
            let count = Int(clamping: try reader.raw(UInt64.self))
            self = .data(Data(try reader.take(count)))
        case .list:
            let count = try StoredField.count(&reader)
            var fields: [StoredField] = []
            fields.reserveCapacity(count)
            for _ in 0..<count { fields.append(try StoredField(reading: &reader, depth: depth + 1)) }
            self = .list(fields)
        case .map:
            var fields: [String: StoredField] = [:]
            for _ in 0..<(try StoredField.count(&reader)) {
                let key = try reader.text()
                guard fields.updateValue(try StoredField(reading: &reader, depth: depth + 1), forKey: key) == nil else {
                    throw ByteReader.damaged
                }
            }
            self = .map(fields)
        }
    }

    /// The number of the following fields. Each takes at least a byte.
    private static func count(_ reader: inout ByteReader) throws(DaybookError) -> Int {
        let count = Int(clamping: try reader.raw(UInt64.self))
        guard count <= reader.left else { throw ByteReader.damaged }
        return count
    }

    var isNothing: Bool { if case .nothing = self { true } else { false } }
}

private struct FieldDecoder: Decoder, SingleValueDecodingContainer {
    let field: StoredField
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        if let integer = type as? any FixedWidthInteger.Type, let value = number(integer) as? Value { return value }
        switch field {
        case .flag(let value as Value): return value
        case .decimal(let value):
            if let value = value as? Value { return value }
            if type == Float.self, let value = Float(value) as? Value { return value }
        case .text(let value as Value): return value
        case .data(let value as Value): return value
        default: break
        }
        let isPlain =
            type == Bool.self || type == String.self || type == Double.self || type == Float.self || type == Data.self
            || type is any FixedWidthInteger.Type
        guard !isPlain else { throw ByteReader.damaged }
        return try Value(from: self)
    }

    private func number(_ type: any FixedWidthInteger.Type) -> (any FixedWidthInteger)? {
        switch field {
        case .integer(let value): FieldDecoder.exactly(value, type)
        case .natural(let value): FieldDecoder.exactly(value, type)
        default: nil
        }
    }

    private static func exactly<Whole: FixedWidthInteger>(
        _ value: some FixedWidthInteger,
        _: Whole.Type
    ) -> (any FixedWidthInteger)? { Whole(exactly: value) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .map(let fields) = field else { throw ByteReader.damaged }
        return KeyedDecodingContainer(Keyed(fields: fields))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let fields) = field else { throw ByteReader.damaged }
        return Unkeyed(fields: fields)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { field.isNothing }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let fields: [String: StoredField]
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { fields.keys.compactMap { Key(stringValue: $0) } }

        func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

        private func decoder(_ key: String) throws -> FieldDecoder {
            guard let field = fields[key] else { throw ByteReader.damaged }
            return FieldDecoder(field: field)
        }

        func decodeNil(forKey key: Key) throws -> Bool { try decoder(key.stringValue).field.isNothing }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder(key.stringValue).value(type)
        }
        func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Inner> { try decoder(key.stringValue).container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder(key.stringValue).unkeyedContainer()
        }
        func superDecoder() throws -> any Decoder { try decoder("super") }
        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key.stringValue) }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        let fields: [StoredField]
        var currentIndex = 0
        var codingPath: [any CodingKey] { [] }
        var count: Int? { fields.count }
        var isAtEnd: Bool { currentIndex == fields.count }

        private mutating func next() throws -> FieldDecoder {
            guard !isAtEnd else { throw ByteReader.damaged }
            defer { currentIndex += 1 }
            return FieldDecoder(field: fields[currentIndex])
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, fields[currentIndex].isNothing else { return false }
            currentIndex += 1
            return true
        }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().value(type) }
        mutating func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type
        ) throws -> KeyedDecodingContainer<Inner> { try next().container(keyedBy: type) }
        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try next().unkeyedContainer()
        }
        mutating func superDecoder() throws -> any Decoder { try next() }
    }
}
