import CXXHash

/// The range of a key in bytes.
package struct KeySpan: BitwiseCopyable {
    package var start: UInt32
    package var end: UInt32
}

/// A stable sort of byte keys, none of which is a prefix of another.
///
/// From the front, eight bytes at a time: the common prefix is skipped, the next eight bytes are cached and sorted as
/// one number, and only equal rows read on. Many numbers are sorted by radix, last byte first; few by insertion.
/// Source: W. Ng, K. Kakehi, "Cache Efficient Radix Sort for String Sorting", IEICE Transactions E90-A (2007).
struct KeySorter {
    private struct Entry: BitwiseCopyable {
        var word: UInt64
        var row: UInt32
    }

    /// Fewer rows than this are sorted by insertion.
    private static let few = 48

    private let base: UnsafePointer<UInt8>
    private let spans: UnsafePointer<KeySpan>
    private let entries: UnsafeMutablePointer<Entry>
    private let spare: UnsafeMutablePointer<Entry>
    /// How many rows have each value in each of the eight bytes.
    private let counts: UnsafeMutablePointer<UInt32>

    /// The numbers of the keys in order; equal keys keep their order.
    ///
    /// - Parameter bytes: the buffer of the spans; eight bytes behind the last key can be read.
    static func order(of spans: [KeySpan], in bytes: Bytes) -> [UInt32] {
        [UInt32](unsafeUninitializedCapacity: spans.count) { order, filled in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 8 * 256) { counts in
                let entries = UnsafeMutablePointer<Entry>.allocate(capacity: 2 * spans.count + 1)
                defer { entries.deallocate() }
                for row in 0..<spans.count { entries[row] = Entry(word: 0, row: UInt32(row)) }
                spans.withUnsafeBufferPointer { spans in
                    guard let first = spans.baseAddress, let counts = counts.baseAddress else { return }
                    let spare = entries + spans.count
                    KeySorter(base: bytes.base, spans: first, entries: entries, spare: spare, counts: counts)
                        .sort(spans.count)
                }
                for row in 0..<spans.count { order.initializeElement(at: row, to: entries[row].row) }
                filled = spans.count
            }
            withExtendedLifetime(bytes) {}
        }
    }

    @inline(__always)
    private func key(_ entry: Int) -> Cell {
        let span = spans[Int(entries[entry].row)]
        return Cell(start: base + Int(span.start), count: Int(span.end &- span.start))
    }

    /// A work list replaces recursion, which long keys would make too deep.
    private func sort(_ count: Int) {
        var left = [(low: 0, high: count, depth: 0)]
        while let (low, high, depth) = left.popLast() {
            if high - low <= Self.few {
                insert(low, high, depth)
                continue
            }
            let depth = depth + sharedBytes(low, high, depth)
            if depth >= key(low).count { continue }
            load(low, high, depth)
            radix(low, high)
            var start = low
            while start < high {
                let word = entries[start].word
                var end = start + 1
                while end < high, entries[end].word == word { end += 1 }
                // No key is a prefix of another, so keys that end in the word are equal.
                if end - start > 1, key(start).count > depth + 8 { left.append((start, end, depth + 8)) }
                start = end
            }
        }
    }

    /// Caches the eight bytes after `depth` of the entries from `low` up to `high`, which are equal before it.
    private func load(_ low: Int, _ high: Int, _ depth: Int) {
        for entry in low..<high {
            let key = key(entry)
            let start = UnsafeRawPointer(key.baseAddress.unsafelyUnwrapped + depth)
            let word = start.loadUnaligned(as: UInt64.self).bigEndian
            let length = key.count &- depth
            entries[entry].word = length >= 8 ? word : word & ~(.max &>> UInt64(truncatingIfNeeded: length &* 8))
        }
    }

    /// The number of bytes after `depth` that all keys share.
    private func sharedBytes(_ low: Int, _ high: Int, _ depth: Int) -> Int {
        let first = key(low)
        let start = first.baseAddress.unsafelyUnwrapped + depth
        var shared = first.count - depth
        for entry in low + 1..<high {
            let other = key(entry)
            let most = min(shared, other.count - depth)
            let bytes = other.baseAddress.unsafelyUnwrapped + depth
            var same = 0
            while same < most {
                let one = UnsafeRawPointer(start + same).loadUnaligned(as: UInt64.self)
                let two = UnsafeRawPointer(bytes + same).loadUnaligned(as: UInt64.self)
                if one != two {
                    same += (one ^ two).littleEndian.trailingZeroBitCount / 8
                    break
                }
                same += 8
            }
            shared = min(most, same)
            if shared == 0 { break }
        }
        return shared
    }

    private func insert(_ low: Int, _ high: Int, _ depth: Int) {
        guard high - low > 1 else { return }
        load(low, high, depth)
        for entry in low + 1..<high {
            let moved = entries[entry]
            var place = entry
            while place > low, comes(moved, before: entries[place - 1], depth) {
                entries[place] = entries[place - 1]
                place -= 1
            }
            entries[place] = moved
        }
    }

    @inline(__always)
    private func comes(_ one: Entry, before other: Entry, _ depth: Int) -> Bool {
        one.word == other.word ? comesBehindWord(one, before: other, depth + 8) : one.word < other.word
    }

    private func comesBehindWord(_ one: Entry, before other: Entry, _ depth: Int) -> Bool {
        let (mine, theirs) = (spans[Int(one.row)], spans[Int(other.row)])
        let shorter = min(Int(mine.end &- mine.start), Int(theirs.end &- theirs.start))
        guard shorter > depth else { return false }
        return memcmp(base + Int(mine.start) + depth, base + Int(theirs.start) + depth, shorter - depth) < 0
    }

    /// Sorts by the word, a byte at a time from the last; bytes that are the same everywhere only cost a check.
    private func radix(_ low: Int, _ high: Int) {
        counts.update(repeating: 0, count: 8 * 256)
        for entry in low..<high {
            let word = entries[entry].word
            for digit in 0..<8 { counts[digit &* 256 &+ Self.byte(digit, of: word)] &+= 1 }
        }
        var (source, target) = (entries + low, spare + low)
        let count = high - low
        for digit in 0..<8 {
            let places = counts + digit &* 256
            if places[Self.byte(digit, of: source[0].word)] == UInt32(truncatingIfNeeded: count) { continue }
            var next: UInt32 = 0
            for value in 0..<256 {
                let many = places[value]
                places[value] = next
                next &+= many
            }
            for entry in 0..<count {
                let value = Self.byte(digit, of: source[entry].word)
                target[Int(places[value])] = source[entry]
                places[value] &+= 1
            }
            swap(&source, &target)
        }
        if source != entries + low { (entries + low).update(from: source, count: count) }
    }

    @inline(__always)
    private static func byte(_ digit: Int, of word: UInt64) -> Int {
        Int(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: digit &* 8)) & 0xFF
    }
}
