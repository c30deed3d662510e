import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookValues

/// Partial results made of fields come back as they were, whatever their texts say.
@Suite struct FieldCodingTests {
    private struct Fields: Codable, Equatable {
        enum Kind: String, Codable { case one, other }
        enum Choice: Codable, Equatable {
            case none
            case some(Int, name: String?)
        }

        var texts: [String]
        var optional: [String?]
        var byName: [String: [String: Int]]
        var byNumber: [Int: String]
        var numbers: [Int64] = [.min, -1, 0, .max]
        var naturals: [UInt64] = [0, .max]
        var small: UInt8 = 255
        var decimals: [UInt64]
        var data: Data
        var nothing: String?
        var kind = Kind.other
        var choices: [Choice] = [.none, .some(.min, name: nil), .some(1, name: "$null")]
        var set: Set<String>
        var nested: [[[String?]]] = [[], [[]], [[nil, ""]]]
        var flag = false
    }

    private static let header = PartialCoding.Header(plan: 1, seed: 2)

    private func copy<Value: Codable>(_ value: Value) throws -> Value {
        let bytes = Bytes()
        try PartialCoding.write(value, for: Self.header, to: bytes)
        defer { withExtendedLifetime(bytes) {} }
        var reader = ByteReader(bytes.filled)
        return try PartialCoding.read(for: Self.header, from: &reader)
    }

    private static var fields: Fields {
        let words = RandomRows.reservedWords + ["행복해", "e\u{301}", "\u{0}", "😀"]
        return Fields(
            texts: words,
            optional: words.map { $0 } + [nil],
            byName: Dictionary(words.map { ($0, [$0: $0.count]) }) { first, _ in first },
            byNumber: [0: "$null", .max: "null"],
            decimals: [Double.nan.bitPattern, (-0.0).bitPattern],
            data: Data("$null".utf8),
            nothing: nil,
            set: Set(words)
        )
    }

    @Test func `what was written is read back`() throws {
        #expect(try copy(Self.fields) == Self.fields)
        for word in RandomRows.reservedWords {
            #expect(try copy(word) == word)
            #expect(try copy([word: word]) == [word: word])
            #expect(try copy(String?.some(word)) == word)
        }
        for value in [Double.nan, -.nan, .infinity, -0.0, .leastNonzeroMagnitude, 0.1] {
            #expect(try copy(value).bitPattern == value.bitPattern)
        }
        #expect(try copy([Float](repeating: 0.1, count: 2)) == [0.1, 0.1])
        #expect(try copy(String?.none) == nil && copy([true, false]) == [true, false])
        #expect(throws: DaybookError.self) { _ = try Self.read([Int8].self, of: try Self.bytes([300])) }
        #expect(throws: DaybookError.self) { _ = try Self.read(Int.self, of: try Self.bytes("1")) }
        #expect(throws: DaybookError.self) { _ = try Self.read(Int.self, of: try Self.bytes(true)) }
    }

    private static func bytes(_ value: some Codable) throws -> [UInt8] {
        let bytes = Bytes()
        try PartialCoding.write(value, for: header, to: bytes)
        return bytes.array
    }

    private static func read<Value: Codable>(_: Value.Type, of array: [UInt8]) throws -> Value {
        let bytes = Bytes()
        bytes.append(array)
        defer { withExtendedLifetime(bytes) {} }
        var reader = ByteReader(bytes.filled)
        return try PartialCoding.read(Value.self, for: header, from: &reader)
    }

    @Test func `whatever is damaged is read as something or refused`() throws {
        let whole = try Self.bytes(Self.fields)
        var random = SeededGenerator(seed: 4)
        for _ in 0..<2_000 {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: 22..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 1...whole.count / 2, using: &random)) }
            _ = try? Self.read(Fields.self, of: damaged)
        }
        // A nest deeper than any stack.
        var deep = Array(whole.prefix(22)) + [0]
        deep += (0..<1_000_000).flatMap { _ in [7, 1, 0, 0, 0, 0, 0, 0, 0] as [UInt8] }
        withUnsafeBytes(of: UInt64(deep.count - 31)) { deep.replaceSubrange(22..<30, with: $0) }
        #expect(throws: DaybookError.self) { _ = try Self.read([String].self, of: deep) }
    }
}
