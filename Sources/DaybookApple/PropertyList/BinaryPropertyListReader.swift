/// Reads binary property lists: `bplist00`, objects, a table of their offsets, and a trailer that locates both.
///
/// Source: the comments in `CFBinaryPList.c` of Apple's Core Foundation, which define the format. Objects that the root
/// does not reach are not read. Every count is compared with the size of the file before memory is allocated for it,
/// and no byte may belong to two objects, so memory and time are in proportion to the file.
package struct BinaryPropertyListReader {
    static let magic: StaticString = "bplist"
    private static let trailerLength = 32

    private let bytes: Bytes
    private let size: Int
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let top: Int
    /// The start of the offset table, and the end of the objects.
    private let table: Int

    private var values: [PropertyList.Value]
    private var children: [UInt32] = []
    private var sets: Set<Int> = []
    private let decoded = Bytes()
    /// The bytes of all objects read so far.
    private var used = 8
    /// The start of the object being read, and how far it has been read.
    private var (place, end) = (0, 0)

    package static func isBinary(_ bytes: Cell) -> Bool {
        bytes.count >= magic.utf8CodeUnitCount
            && CellReading.equals(Cell(rebasing: bytes[..<magic.utf8CodeUnitCount]), magic)
    }

    package static func read(_ source: Bytes) throws(PropertyListFault) -> PropertyList {
        var reader = try BinaryPropertyListReader(source)
        try reader.readObjects()
        var list = PropertyList(format: .binary, source: source, isWide: false, decoded: reader.decoded)
        (list.values, list.children) = (reader.values, reader.children)
        (list.root, list.sets) = (reader.top, reader.sets)
        try PropertyListGraph.check(list, size: source.count)
        return list
    }

    private init(_ bytes: Bytes) throws(PropertyListFault) {
        guard bytes.count >= 8 + BinaryPropertyListReader.trailerLength else {
            throw .malformed("the file ends before a binary property list can", at: bytes.count)
        }
        guard bytes[6] == UInt8(ascii: "0") else {
            let version = bytes.text(6..<8)
            throw .unsupported("this is a binary property list of version '\(version)', not '00'", at: 6)
        }
        self.bytes = bytes
        size = bytes.count
        let trailer = size - BinaryPropertyListReader.trailerLength
        func number(_ place: Int) -> UInt64 { BinaryPropertyListReader.number(bytes, trailer + place, 8) }
        let cutOff = "the file may be cut off, or something was added to its end"
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        for (size, place) in [(offsetSize, 6), (referenceSize, 7)] where !(1...8).contains(size) {
            throw .malformed("the trailer gives a size of \(size) bytes", at: trailer + place, hint: cutOff)
        }
        let count = number(8)
        let start = number(24)
        guard start > 8, start <= UInt64(trailer) else {
            throw .malformed("the trailer puts the table of places at byte \(start)", at: trailer + 24, hint: cutOff)
        }
        table = Int(start)
        guard count > 0, count <= UInt64((trailer - table) / offsetSize) else {
            throw .malformed("the trailer counts \(count) objects", at: trailer + 8, hint: cutOff)
        }
        guard count <= UInt64(PropertyList.mostValues) else {
            throw .tooLarge("the list has \(count) values", at: trailer + 8)
        }
        guard number(16) < count else {
            throw .malformed("the trailer names object \(number(16)), and there are \(count)", at: trailer + 16)
        }
        objectCount = Int(count)
        top = Int(number(16))
        values = Array(repeating: PropertyList.Value(content: .unread, byte: 0), count: objectCount)
    }

    /// A big-endian number of up to eight bytes.
    private static func number(_ bytes: Bytes, _ place: Int, _ length: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in place..<place + length { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    private func number(_ place: Int, _ length: Int) -> UInt64 { BinaryPropertyListReader.number(bytes, place, length) }

    /// Reads the root and all referenced objects, each once.
    private mutating func readObjects() throws(PropertyListFault) {
        var waiting = [UInt32(top)]
        while let object = waiting.popLast() {
            guard case .unread = values[Int(object)].content else { continue }
            let first = children.count
            try read(Int(object))
            waiting += children[first...]
        }
    }

    private mutating func read(_ object: Int) throws(PropertyListFault) {
        let entry = table + object * offsetSize
        let offset = number(entry, offsetSize)
        guard offset >= 8, offset < UInt64(table) else {
            throw .malformed("object \(object) is said to be at byte \(offset)", at: entry)
        }
        (place, end) = (Int(offset), Int(offset) + 1)
        values[object] = PropertyList.Value(content: try content(), byte: place)
        if bytes[place] >> 4 == 0xB || bytes[place] >> 4 == 0xC { sets.insert(object) }
        used += end - place
        guard used <= table else { throw .malformed("two objects lie in the same bytes", at: place) }
    }

    /// Reads the object at `place`.
    private mutating func content() throws(PropertyListFault) -> PropertyList.Content {
        let marker = bytes[place]
        let low = Int(marker & 15)
        switch (marker >> 4, low) {
        case (0, 0): return .null
        case (0, 8): return .flag(false)
        case (0, 9): return .flag(true)
        case (1, 0...4): return integer(at: try take(1 << low), 1 << low)
        case (2, 2):
            let bits = number(try take(4), 4)
            return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case (2, 3), (3, 3):
            let value = Double(bitPattern: number(try take(8), 8))
            return marker >> 4 == 3 ? .date(value) : .real(value)
        case (4, _):
            let length = try count(size: 1)
            return .data(PropertyList.Piece(start: try take(length), length: length))
        case (5, _): return try ascii()
        case (6, _): return try wideText()
        case (8, 0...7): return .uid(number(try take(low + 1), low + 1))
        case (0xA, _), (0xB, _), (0xC, _): return .array(try below(count(size: referenceSize), 1))
        case (0xD, _): return .dictionary(try below(count(size: 2 * referenceSize), 2))
        default:
            let hex = marker.padded(to: 2, radix: 16, uppercase: true)
            throw .unsupported("an object begins with the byte 0x\(hex)", at: place)
        }
    }

    /// Advances over bytes of the object and returns their start.
    private mutating func take(_ length: Int) throws(PropertyListFault) -> Int {
        guard length <= table - end else { throw overlong }
        defer { end += length }
        return end
    }

    private var overlong: PropertyListFault {
        .malformed("an object is longer than the room for objects", at: place)
    }

    /// Integers of one, two and four bytes are unsigned, of eight and sixteen bytes signed.
    private func integer(at place: Int, _ length: Int) -> PropertyList.Content {
        guard length == 16 else { return .integer(Int128(Int64(bitPattern: number(place, length)))) }
        let high = Int128(Int64(bitPattern: number(place, 8)))
        return .integer(high << 64 | Int128(number(place + 8, 8)))
    }

    /// The number of elements of `size` bytes in the object, from its marker or from the integer behind it.
    private mutating func count(size: Int) throws(PropertyListFault) -> Int {
        var count = UInt64(bytes[place] & 15)
        if count == 15 {
            let marker = try take(1)
            guard bytes[marker] >> 4 == 1, bytes[marker] & 15 <= 3 else {
                throw .malformed("the count of an object is not a whole number", at: marker)
            }
            let length = 1 << Int(bytes[marker] & 15)
            count = number(try take(length), length)
        }
        guard count <= UInt64((table - end) / size) else { throw overlong }
        return Int(count)
    }

    private mutating func ascii() throws(PropertyListFault) -> PropertyList.Content {
        let length = try count(size: 1)
        let start = try take(length)
        for byte in start..<start + length where bytes[byte] >= 0x80 {
            throw .malformed("a text that should be ASCII is not", at: byte)
        }
        return .text(PropertyList.Piece(start: start, length: length))
    }

    private mutating func wideText() throws(PropertyListFault) -> PropertyList.Content {
        let length = try 2 * count(size: 2)
        let start = try take(length)
        let from = decoded.count
        let units = bytes.cell(start..<start + length)
        guard WideText.append(units, isBigEndian: true, to: decoded) == nil else {
            decoded.count = from
            return .brokenText
        }
        return .text(PropertyList.Piece(start: size + from, length: decoded.count - from))
    }

    private mutating func below(_ count: Int, _ perElement: Int) throws(PropertyListFault) -> PropertyList.Below {
        let first = children.count
        let start = try take(count * perElement * referenceSize)
        // A dictionary has all its keys before all its values.
        for element in 0..<count {
            for part in 0..<perElement {
                let reference = start + (part * count + element) * referenceSize
                let object = number(reference, referenceSize)
                guard object < UInt64(objectCount) else {
                    throw .malformed("a reference to object \(object), and there are \(objectCount)", at: reference)
                }
                children.append(UInt32(object))
            }
        }
        return PropertyList.Below(first: first, count: count)
    }
}
