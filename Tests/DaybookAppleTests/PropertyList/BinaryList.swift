@testable import DaybookContracts

/// Writes binary property lists by hand, with any sizes, so that also such are read that no writer makes today.
struct BinaryList {
    private(set) var objects: [[UInt8]] = []
    /// The references of each object, in the order in which they stand behind its marker and count.
    private var references: [[Int]] = []
    var offsetSize = 4
    var referenceSize = 2
    var root = 0

    /// Adds an object of these bytes and gives its number.
    @discardableResult
    mutating func add(_ bytes: [UInt8], _ references: [Int] = []) -> Int {
        objects.append(bytes)
        self.references.append(references)
        return objects.count - 1
    }

    /// Makes the references of an object others than it was added with.
    mutating func point(_ object: Int, to references: [Int]) { self.references[object] = references }

    static func number(_ value: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { $0 >= 8 ? 0 : UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    /// A marker with its count, in the marker itself where it fits.
    static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
        if count < 15 { return [kind << 4 | UInt8(count)] }
        let (size, power) = count < 256 ? (1, UInt8(0)) : count < 65536 ? (2, 1) : (4, 2)
        return [kind << 4 | 15, 0x10 | power] + number(UInt64(count), size)
    }

    mutating func text(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 128 }) { return add(Self.marker(5, text.utf8.count) + Array(text.utf8)) }
        return add(Self.marker(6, text.utf16.count) + text.utf16.flatMap { Self.number(UInt64($0), 2) })
    }

    /// A whole number in 1, 2, 4, 8 or 16 bytes.
    mutating func integer(_ value: Int64, _ size: Int) -> Int {
        let power = UInt8(size.trailingZeroBitCount)
        let sign = size == 16 ? Self.number(value < 0 ? .max : 0, 8) : []
        return add([0x10 | power] + sign + Self.number(UInt64(bitPattern: value), min(size, 8)))
    }

    mutating func real(_ value: Double) -> Int { add([0x23] + Self.number(value.bitPattern, 8)) }
    mutating func single(_ value: Float) -> Int { add([0x22] + Self.number(UInt64(value.bitPattern), 4)) }
    mutating func date(_ value: Double) -> Int { add([0x33] + Self.number(value.bitPattern, 8)) }
    mutating func data(_ bytes: [UInt8]) -> Int { add(Self.marker(4, bytes.count) + bytes) }
    mutating func uid(_ value: UInt64, _ size: Int) -> Int { add([0x80 | UInt8(size - 1)] + Self.number(value, size)) }
    mutating func array(_ elements: [Int], kind: UInt8 = 0xA) -> Int {
        add(Self.marker(kind, elements.count), elements)
    }
    mutating func dictionary(_ pairs: [(String, Int)]) -> Int {
        let keys = pairs.map { text($0.0) }
        return add(Self.marker(0xD, pairs.count), keys + pairs.map(\.1))
    }

    var file: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for (object, references) in zip(objects, references) {
            offsets.append(bytes.count)
            bytes += object
            for reference in references { bytes += Self.number(UInt64(reference), referenceSize) }
        }
        let table = bytes.count
        for offset in offsets { bytes += Self.number(UInt64(offset), offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, root, table] { bytes += Self.number(UInt64(number), 8) }
        return bytes
    }

    /// A list with every type of object, in every size that numbers may have.
    static func everything(offsetSize: Int, referenceSize: Int) -> BinaryList {
        var list = BinaryList()
        list.offsetSize = offsetSize
        list.referenceSize = referenceSize
        let null = list.add([0x00])
        let sizes: [(Int64, Int)] = [
            (200, 1), (60_000, 2), (4_000_000_000, 4), (-5, 8), (.max, 8), (-7, 16), (.min, 16),
        ]
        let integers = list.array(sizes.map { list.integer($0.0, $0.1) })
        let unsigned = list.add([0x14] + number(0, 8) + number(.max, 8))
        let huge = list.add([0x14] + number(1 << 62, 8) + number(0, 8))
        let one = list.text("one")
        let pairs: [(String, Int)] = [
            ("null", null), ("flags", list.array([list.add([0x08]), list.add([0x09])])), ("integers", integers),
            ("unsigned", unsigned), ("huge", huge), ("single", list.single(0.5)), ("real", list.real(-0.1)),
            ("date", list.date(817_707_600)), ("data", list.data(Array(0..<20))), ("none", list.data([])),
            ("ascii", list.text("plain")), ("long", list.text(String(repeating: "x", count: 300))),
            ("wide", list.text("행복해 🙂")), ("array", list.array([one, one])), ("set", list.array([one], kind: 0xC)),
            ("ordered", list.array([one], kind: 0xB)), ("uid", list.uid(70_000, 3)), ("empty", list.dictionary([])),
        ]
        list.root = list.dictionary([("all", list.dictionary(pairs))])
        return list
    }

    static let everythingAsJSON = """
        {"null":null,"flags":[false,true],"integers":[200,60000,4000000000,-5,9223372036854775807,-7,\
        -9223372036854775808],"unsigned":18446744073709551615,"huge":85070591730234615865843651857942052864,\
        "single":0.5,"real":-0.1,"date":"2026-11-30T05:00:00Z","data":"AAECAwQFBgcICQoLDA0ODxAREhM=","none":"",\
        "ascii":"plain","long":"\(String(repeating: "x", count: 300))","wide":"행복해 🙂","array":["one","one"],\
        "set":["one"],"ordered":["one"],"uid":{"CF$UID":70000},"empty":{}}
        """
}
