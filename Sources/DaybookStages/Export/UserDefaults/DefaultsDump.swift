import CScan
import DaybookCore

/// User defaults dumped as one JSON object. What is kept of it is kept byte for byte.
struct DefaultsDump: Sendable {
    private struct Member {
        var key: [UInt8]
        /// From the quote that opens the key to the end of the value.
        var range: Range<Int>
        var value: Range<Int>
    }

    private let bytes: Bytes
    private let members: [Member]
    /// Behind the brace that opens the object.
    private let inside: Int

    /// Whether bytes begin as a JSON object or array does. A property list in the old text form also begins with a brace,
    /// but no key of it stands in quotes with a colon behind.
    static func isMeant(_ bytes: Bytes) -> Bool {
        defer { withExtendedLifetime(bytes) {} }
        var cursor = JSONCursor(bytes.base, from: start(of: bytes), to: bytes.count)
        cursor.skipSpace()
        switch cursor.byte {
        case UInt8(ascii: "["): return true
        case UInt8(ascii: "{"):
            cursor.position += 1
            cursor.skipSpace()
            return cursor.byte == UInt8(ascii: "}") || cursor.key() != nil
        default: return false
        }
    }

    init(_ bytes: Bytes, name: String) throws(DaybookError) {
        defer { withExtendedLifetime(bytes) {} }
        self.bytes = bytes
        let base = bytes.base
        var cursor = JSONCursor(base, from: DefaultsDump.start(of: bytes), to: bytes.count)
        let valid = scan_utf8_valid(base, bytes.count)
        guard valid == bytes.count else { throw DefaultsDump.error("not-utf-8", "is not UTF-8", name, bytes, valid) }
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "{"), cursor.open() else {
            throw DefaultsDump.error(
                "not-a-dictionary",
                "has no keys: it is no JSON object",
                name,
                bytes,
                cursor.position
            )
        }
        inside = cursor.position
        var members: [Member] = []
        var more = true
        cursor.skipSpace()
        if cursor.byte == UInt8(ascii: "}") {
            cursor.position += 1
            more = false
        }
        while more {
            cursor.skipSpace()
            let start = cursor.position
            guard let key = cursor.key() else { break }
            let value = cursor.position
            guard cursor.skipValue() else { break }
            members.append(
                Member(
                    key: JSONString.name(base, key.bytes, isEscaped: key.isEscaped),
                    range: start..<cursor.position,
                    value: value..<cursor.position
                )
            )
            guard let next = cursor.next(inObject: true) else { break }
            more = next
        }
        if cursor.fault == nil { _ = cursor.finish() }
        if let fault = cursor.fault {
            throw DefaultsDump.error("not-json", "is not JSON: \(fault.message)", name, bytes, cursor.faultAt)
        }
        self.members = members
    }

    /// What stands before and behind the value of a key. A new key goes behind the last, laid out as that one is.
    func surroundings(of key: String, name: String) throws(DaybookError) -> (before: Bytes, after: Bytes) {
        let before = Bytes(capacity: bytes.count)
        let after = Bytes()
        defer { withExtendedLifetime(bytes) {} }
        func copy(_ range: Range<Int>, to target: Bytes) {
            target.append(UnsafeBufferPointer(rebasing: bytes.filled[range]))
        }
        let matches = members.filter { $0.key.elementsEqual(key.utf8) }
        guard matches.count < 2 else {
            throw DefaultsBase.error(
                "duplicate-key",
                "the key '\(key)' stands \(matches.count) times in '\(name)'",
                hint: "take out those that the app does not read"
            )
        }
        if let member = matches.first {
            copy(0..<member.value.lowerBound, to: before)
            copy(member.value.upperBound..<bytes.count, to: after)
        } else if let last = members.last {
            copy(0..<last.range.upperBound, to: before)
            before.append(UInt8(ascii: ","))
            copy(
                (members.count > 1 ? comma(behind: members[members.count - 2]) : inside)..<last.range.lowerBound,
                to: before
            )
            before.append(jsonString: key)
            copy(colon(of: last)..<last.value.lowerBound, to: before)
            copy(last.range.upperBound..<bytes.count, to: after)
        } else {
            copy(0..<inside, to: before)
            before.append(jsonString: key)
            before.append(UInt8(ascii: ":"))
            copy(inside..<bytes.count, to: after)
        }
        return (before, after)
    }

    /// Behind the comma that follows a member.
    private func comma(behind member: Member) -> Int {
        var cursor = JSONCursor(bytes.base, from: member.range.upperBound, to: bytes.count)
        cursor.skipSpace()
        return cursor.position + 1
    }

    /// Behind the quote that closes the key of a member: where its colon and the space around it begin.
    private func colon(of member: Member) -> Int {
        var place = member.value.lowerBound - 1
        while place > member.range.lowerBound, bytes.base[place] != UInt8(ascii: "\"") { place -= 1 }
        return place + 1
    }

    /// Behind the byte-order mark, if there is one.
    private static func start(of bytes: Bytes) -> Int {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return bytes.count >= 3 && (0..<3).allSatisfy { bytes.base[$0] == mark[$0] } ? 3 : 0
    }

    private static func error(
        _ code: DaybookError.Code,
        _ message: String,
        _ name: String,
        _ bytes: Bytes,
        _ at: Int
    ) -> DaybookError {
        var cursor = LineCursor(bytes.filled, firstLine: 1)
        let (line, column) = cursor.place(of: at)
        return DefaultsBase.error(code, "'\(name)' \(message), at line \(line), column \(column)")
    }
}
