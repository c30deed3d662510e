import Foundation

/// The byte form of a partial result made of fields: the fields of Swift's `Codable`, as tagged values in a row.
///
/// Every value has a tag, so no text means anything but itself. A property list, used before, reads the text `$null` as
/// nothing and takes dictionaries with the key `CF$UID` for references.
enum FieldCoding {
    static func write(_ value: some Encodable, to bytes: Bytes) throws {
        let root = FieldBox()
        try root.set(value)
        root.write(to: bytes)
    }

    static func read<Value: Decodable>(_: Value.Type, from reader: inout ByteReader) throws -> Value {
        let field = try StoredField(reading: &reader, depth: 0)
        guard reader.isAtEnd else { throw ByteReader.damaged }
        return try FieldDecoder(field).value()
    }

    fileprivate enum Tag: UInt8 {
        case nothing, flag, integer, natural, decimal, text, data, list, map
    }

    /// No partial result is nested so deep; deeper input is damaged.
    fileprivate static let deepest = 200
}

/// The name of a key, or the place in a list.
private struct FieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { self.stringValue = "\(intValue)" }
}

// MARK: - Writing

/// A value that is being encoded.
private final class FieldBox {
    private enum Content {
        case nothing
        case flag(Bool)
        case integer(Int64)
        case natural(UInt64)
        case decimal(Double)
        case text(String)
        case data(Data)
        case list([FieldBox])
        case map([(key: String, value: FieldBox)])
    }

    private var content = Content.nothing

    func setNothing() { content = .nothing }

    func set<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let value as Bool: content = .flag(value)
        case let value as String: content = .text(value)
        case let value as Double: content = .decimal(value)
        // A float is a double without loss, and no field of a partial result is one.
        case let value as Float: content = .decimal(Double(value))
        case let value as Data: content = .data(value)
        case let value as any FixedWidthInteger:
            content = Int64(exactly: value).map(Content.integer) ?? .natural(UInt64(truncatingIfNeeded: value))
        default: try value.encode(to: FieldEncoder(box: self))
        }
    }

    func beginList() { if case .list = content {} else { content = .list([]) } }
    func beginMap() { if case .map = content {} else { content = .map([]) } }

    var count: Int { if case .list(let boxes) = content { boxes.count } else { 0 } }

    func appended() -> FieldBox {
        guard case .list(var boxes) = content else { preconditionFailure("a list was begun") }
        content = .nothing
        let box = FieldBox()
        boxes.append(box)
        content = .list(boxes)
        return box
    }

    func value(of key: String) -> FieldBox {
        guard case .map(var pairs) = content else { preconditionFailure("a map was begun") }
        content = .nothing
        let box = FieldBox()
        pairs.append((key, box))
        content = .map(pairs)
        return box
    }

    func write(to bytes: Bytes) {
        func tag(_ tag: FieldCoding.Tag) { bytes.append(tag.rawValue) }
        switch content {
        case .nothing: tag(.nothing)
        case .flag(let value):
            tag(.flag)
            bytes.append(flag: value)
        case .integer(let value):
            tag(.integer)
            bytes.append(raw: value)
        case .natural(let value):
            tag(.natural)
            bytes.append(raw: value)
        case .decimal(let value):
            tag(.decimal)
            bytes.append(raw: value.bitPattern)
        case .text(let value):
            tag(.text)
            bytes.append(counted: value)
        case .data(let value):
            tag(.data)
            bytes.append(raw: UInt64(value.count))
            bytes.append(value.span)
        case .list(let boxes):
            tag(.list)
            bytes.append(raw: UInt64(boxes.count))
            for box in boxes { box.write(to: bytes) }
        case .map(let pairs):
            tag(.map)
            bytes.append(raw: UInt64(pairs.count))
            for pair in pairs {
                bytes.append(counted: pair.key)
                pair.value.write(to: bytes)
            }
        }
    }
}

private struct FieldEncoder: Encoder, SingleValueEncodingContainer {
    let box: FieldBox
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        box.beginMap()
        return KeyedEncodingContainer(Keyed(box: box))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        box.beginList()
        return Unkeyed(box: box)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func encodeNil() { box.setNothing() }
    func encode<Value: Encodable>(_ value: Value) throws { try box.set(value) }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let box: FieldBox
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { box.value(of: key.stringValue).setNothing() }
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try box.value(of: key.stringValue).set(value)
        }
        func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Inner> {
            FieldEncoder(box: box.value(of: key.stringValue)).container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            FieldEncoder(box: box.value(of: key.stringValue)).unkeyedContainer()
        }
        func superEncoder() -> any Encoder { FieldEncoder(box: box.value(of: "super")) }
        func superEncoder(forKey key: Key) -> any Encoder { FieldEncoder(box: box.value(of: key.stringValue)) }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let box: FieldBox
        var codingPath: [any CodingKey] { [] }
        var count: Int { box.count }

        func encodeNil() { box.appended().setNothing() }
        func encode<Value: Encodable>(_ value: Value) throws { try box.appended().set(value) }
        func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
            FieldEncoder(box: box.appended()).container(keyedBy: type)
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            FieldEncoder(box: box.appended()).unkeyedContainer()
        }
        func superEncoder() -> any Encoder { FieldEncoder(box: box.appended()) }
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

    init(_ field: StoredField) { self.field = field }

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

        private func decoder(_ key: some CodingKey) throws -> FieldDecoder {
            guard let field = fields[key.stringValue] else { throw ByteReader.damaged }
            return FieldDecoder(field)
        }

        func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).field.isNothing }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder(key).value(type)
        }
        func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Inner> { try decoder(key).container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder(key).unkeyedContainer()
        }
        func superDecoder() throws -> any Decoder { try decoder(FieldKey(stringValue: "super")) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
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
            return FieldDecoder(fields[currentIndex])
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
