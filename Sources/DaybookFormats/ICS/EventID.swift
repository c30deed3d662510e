/// A hash of 128 bits, from which an event without a key gets its UID: the same text gives the same on every run.
///
/// Source: FNV-1a of 128 bits, Eastlake and others, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923).
package struct EventID: Hashable {
    private var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

    package init() {}

    package mutating func add(_ byte: UInt8) { hash = (hash ^ UInt128(byte)) &* (1 << 88 | 0x13B) }

    package mutating func add(_ cell: Cell) { for byte in cell { add(byte) } }

    package mutating func add(_ text: String) { for byte in text.utf8 { add(byte) } }

    /// Appends it as a UUID of version 8, which RFC 9562 leaves to whoever makes it: `8c6f…-…-8…-…`.
    package func append(to bytes: Bytes) {
        let versioned = hash & ~(0xF << 76) | 0x8 << 76
        let marked = versioned & ~(0b11 << 62) | 0b10 << 62
        for shift in stride(from: 124, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: marked >> UInt128(shift) & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            // Groups of 8, 4, 4, 4 and 12 digits.
            if [96, 80, 64, 48].contains(shift) { bytes.append(UInt8(ascii: "-")) }
        }
    }
}

/// The UIDs that a calendar has given out, so that none stands twice: the second of its kind ends in `-2`.
package struct EventIDs {
    /// Events beyond which a run ends, since the IDs are held in memory; no phone takes half as many.
    package static let limit = 1_000_000

    /// How many events of each UID there are.
    private var seen: [EventID: Int] = [:]

    package init() {}

    /// What to put behind a UID; empty for the first of its kind.
    package mutating func suffix(of uid: Cell) throws(DaybookError) -> String {
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
