import DaybookCore

/// A hash of 128 bits, from which an event without a key gets its UID: the same text gives the same on every run.
///
/// Source: FNV-1a of 128 bits, Eastlake and others, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923). Its prime is
/// 2⁸⁸ + 0x13B, so that a multiplication is one product of 64 bits and a shift.
struct EventID: Hashable, BitwiseCopyable {
    private(set) var high: UInt64 = 0x6C62_272E_07BB_0142
    private(set) var low: UInt64 = 0x62B8_2175_6295_C58D

    mutating func add(_ byte: UInt8) {
        low ^= UInt64(byte)
        let product = low.multipliedFullWidth(by: 0x13B)
        high = high &* 0x13B &+ product.high &+ low << 24
        low = product.low
    }

    mutating func add(_ cell: Cell) { for byte in cell { add(byte) } }

    mutating func add(_ text: String) { for byte in text.utf8 { add(byte) } }

    /// Appends it as a UUID of version 8, which RFC 9562 leaves to whoever makes it: `8c6f…-…-8…-…`.
    func append(to bytes: Bytes) {
        let versioned = high & ~0xF000 | 0x8000
        let marked = low & ~(0b11 << 62) | 0b10 << 62
        for (index, part) in [versioned >> 32, versioned >> 16 & 0xFFFF, versioned & 0xFFFF].enumerated() {
            EventID.append(part, digits: index == 0 ? 8 : 4, to: bytes)
            bytes.append(UInt8(ascii: "-"))
        }
        EventID.append(marked >> 48, digits: 4, to: bytes)
        bytes.append(UInt8(ascii: "-"))
        EventID.append(marked & 0xFFFF_FFFF_FFFF, digits: 12, to: bytes)
    }

    private static func append(_ value: UInt64, digits: Int, to bytes: Bytes) {
        for shift in stride(from: (digits - 1) * 4, through: 0, by: -4) {
            let digit = UInt8(value >> UInt64(shift) & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}

/// The UIDs that a calendar has given out, so that none stands twice: the second of its kind ends in `-2`.
struct EventIDs {
    /// Events beyond which a run ends, since the IDs are held in memory; no phone takes half as many.
    static let limit = 1_000_000

    /// How many events of each UID there are.
    private var seen: [EventID: Int] = [:]

    /// What to put behind a UID; empty for the first of its kind.
    mutating func suffix(of uid: Cell) throws(DaybookError) -> String {
        guard seen.count < EventIDs.limit else {
            throw DaybookError(
                "too-many-events",
                "a calendar takes \(EventIDs.limit.spoken) events at most",
                hint: "write several calendars, or only the days that lie ahead",
                blame: .data
            )
        }
        var id = EventID()
        id.add(uid)
        guard var number = seen[id] else {
            seen[id] = 1
            return ""
        }
        while true {
            number += 1
            var numbered = id
            numbered.add("-\(number)")
            // A key of its own may look like a number behind another.
            guard seen[numbered] == nil else { continue }
            seen[numbered] = 1
            seen[id] = number
            return "-\(number)"
        }
    }
}
