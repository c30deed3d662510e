import DaybookCore

/// Something about a row that can be kept in parts.
protocol PartedElement: BitwiseCopyable, Sendable {
    /// The same about a row that stands `rows` further on.
    func raised(by rows: Int) -> Self
}

/// The number of parts into which elements are laid. Of a hundred million elements of 16 bytes, a part has 6 MB.
enum Parts {
    static let count = 256
}

/// Many elements, each in one of 256 parts, to be read back part by part: in memory, or on disk where they were brought there.
///
/// Within a part they stand in the order in which they were added.
struct PartedBlocks<Element: PartedElement>: Sendable {
    fileprivate enum Content: Sendable {
        case memory([Element])
        case file(any ScratchFile, start: Int)
    }

    /// Elements in the order of their parts.
    fileprivate struct Block: Sendable {
        var content: Content
        /// Where each part ends.
        var ends: [UInt32]
        /// By how many rows its elements are to be raised.
        var base = 0

        var isInMemory: Bool { if case .memory = content { true } else { false } }

        func range(of part: Int) -> Range<Int> { (part == 0 ? 0 : Int(ends[part - 1]))..<Int(ends[part]) }
    }

    /// Few elements are not laid in parts until there are more of them.
    private static var enoughForParts: Int { 1 << 12 }

    private let part: @Sendable (Element) -> Int
    fileprivate var blocks: [Block] = []
    /// Behind the blocks, in no parts.
    private(set) var loose: [Element] = []
    /// The file written last, and where it ended then. One that a copy has written on in is left to it.
    private var file: (any ScratchFile)?
    private var fileEnd = 0
    private(set) var count = 0
    /// Bytes in memory.
    private(set) var footprint = 0

    /// - Parameter part: the part of an element, from 0 to 255.
    init(part: @escaping @Sendable (Element) -> Int) { self.part = part }

    /// Whether something is on disk.
    var isOnDisk: Bool { file != nil }

    /// Adds elements in any order of their parts.
    mutating func append(_ elements: [Element]) {
        count += elements.count
        footprint += elements.count * MemoryLayout<Element>.stride
        add(elements)
    }

    private mutating func add(_ elements: [Element]) {
        if elements.count < Self.enoughForParts {
            loose += elements
            if loose.count >= Self.enoughForParts { layInParts() }
        } else {
            // The elements of a part stay in order.
            layInParts()
            addBlock(elements)
        }
    }

    /// Lays all elements in parts, which has to be done before they are read.
    mutating func layInParts() {
        guard !loose.isEmpty else { return }
        addBlock(loose)
        loose.removeAll(keepingCapacity: true)
    }

    private mutating func addBlock(_ elements: [Element]) {
        var ends = [UInt32](repeating: 0, count: Parts.count)
        var places = [UInt32](repeating: 0, count: Parts.count)
        let parts = elements.map { UInt8(truncatingIfNeeded: part($0)) }
        for part in parts { ends[Int(part)] += 1 }
        for part in 1..<Parts.count {
            places[part] = ends[part - 1]
            ends[part] += ends[part - 1]
        }
        let sorted = [Element](unsafeUninitializedCapacity: elements.count) { sorted, filled in
            elements.withUnsafeBufferPointer { elements in
                parts.withUnsafeBufferPointer { parts in
                    places.withUnsafeMutableBufferPointer { places in
                        for place in 0..<elements.count {
                            let part = Int(parts[place])
                            sorted.initializeElement(at: Int(places[part]), to: elements[place])
                            places[part] &+= 1
                        }
                    }
                }
            }
            filled = elements.count
        }
        blocks.append(Block(content: .memory(sorted), ends: ends))
    }

    /// Adds all elements of another, each raised by so many rows.
    mutating func append(_ later: PartedBlocks, raisedBy rows: Int) {
        if !later.blocks.isEmpty { layInParts() }
        for block in later.blocks {
            var block = block
            block.base += rows
            blocks.append(block)
        }
        if file == nil { (file, fileEnd) = (later.file, later.fileEnd) }
        count += later.count
        footprint += later.footprint
        add(later.loose.map { $0.raised(by: rows) })
    }

    /// The elements of one part, piece by piece.
    func cursor(of part: Int) -> PartCursor<Element> {
        precondition(loose.isEmpty, "elements are read before all of them are laid in parts")
        return PartCursor(blocks[...], part)
    }

    /// All elements of one part.
    func elements(of part: Int) throws(DaybookError) -> [Element] {
        var result: [Element] = []
        var cursor = cursor(of: part)
        while let piece = try cursor.next() { result += piece }
        return result
    }

    /// Brings the blocks in memory to disk, neighbours as one.
    mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        guard footprint > 0 else { return }
        layInParts()
        let file = if let file, file.length == fileEnd { file } else { try scratch.makeFile() }
        var result: [Block] = []
        var rest = blocks[...]
        while let block = rest.first {
            guard block.isInMemory else {
                result.append(rest.removeFirst())
                continue
            }
            let neighbours = rest.prefix(while: \.isInMemory)
            rest = rest.dropFirst(neighbours.count)
            result.append(try PartedBlocks.write(neighbours, to: file))
        }
        blocks = result
        footprint = 0
        (self.file, fileEnd) = (file, file.length)
    }

    private static func write(
        _ blocks: ArraySlice<Block>,
        to file: any ScratchFile
    ) throws(DaybookError) -> Block {
        let start = file.length
        let bytes = Bytes(capacity: 1 << 20)
        var ends: [UInt32] = []
        var count = 0
        for part in 0..<Parts.count {
            var cursor = PartCursor(blocks, part)
            while let piece = try cursor.next() {
                count += piece.count
                piece.withUnsafeBytes { bytes.append($0.bindMemory(to: UInt8.self)) }
                guard bytes.count >= 1 << 20 || part == Parts.count - 1 else { continue }
                try file.append(bytes.filled)
                bytes.removeAll()
            }
            ends.append(UInt32(truncatingIfNeeded: count))
        }
        try file.append(bytes.filled)
        withExtendedLifetime(bytes) {}
        return Block(content: .file(file, start: start), ends: ends)
    }
}

/// Reads one part piece by piece, in order.
struct PartCursor<Element: PartedElement> {
    private var blocks: ArraySlice<PartedBlocks<Element>.Block>
    private let part: Int
    /// How much of the first block has been read.
    private var done = 0

    /// How many elements a piece from disk has at most.
    private static var pieceSize: Int { 1 << 15 }

    fileprivate init(_ blocks: ArraySlice<PartedBlocks<Element>.Block>, _ part: Int) {
        self.blocks = blocks
        self.part = part
    }

    /// The next elements; nil behind the last.
    mutating func next() throws(DaybookError) -> [Element]? {
        while let block = blocks.first {
            let range = block.range(of: part).dropFirst(done)
            guard !range.isEmpty else {
                blocks.removeFirst()
                done = 0
                continue
            }
            var piece: [Element]
            switch block.content {
            case .memory(let elements): piece = Array(elements[range])
            case .file(let file, let start): piece = try PartCursor.read(file, start, range.prefix(Self.pieceSize))
            }
            done += piece.count
            if block.base > 0 { for place in piece.indices { piece[place] = piece[place].raised(by: block.base) } }
            return piece
        }
        return nil
    }

    private static func read(
        _ file: any ScratchFile,
        _ start: Int,
        _ range: Range<Int>
    ) throws(DaybookError) -> [Element] {
        let size = MemoryLayout<Element>.stride
        let bytes = Bytes(capacity: range.count * size)
        try file.read(range.count * size, at: start + range.lowerBound * size, into: bytes)
        guard bytes.count == range.count * size else { throw .lostScratch }
        defer { withExtendedLifetime(bytes) {} }
        return UnsafeRawBufferPointer(bytes.filled).withMemoryRebound(to: Element.self) { Array($0) }
    }
}

/// Only keys are written as bytes, and only with the seed of their hashes.
extension PartedBlocks where Element: TableKey {
    func write(to out: Bytes) throws(DaybookError) {
        out.append(raw: KeyHash.seed)
        var all = self
        all.layInParts()
        for part in 0..<Parts.count { out.append(array: try all.elements(of: part)) }
    }

    /// Adds what `write(to:)` has written in this process. Hashes of another seed would tell equal keys apart.
    mutating func read(_ reader: inout ByteReader) throws(DaybookError) {
        guard try reader.raw(UInt64.self) == KeyHash.seed else { throw .foreignKeys }
        for _ in 0..<Parts.count { append(try reader.array()) }
    }
}

extension DaybookError {
    /// What was written to disk cannot be read back.
    static let lostScratch = DaybookError.machine(
        "scratch-failed",
        "a temporary file has lost a part of what was written"
    )

    /// Keys were hashed with the seed of another process.
    static let foreignKeys = DaybookError.machine(
        "foreign-keys",
        "a partial result holds keys that another process has hashed, and equal keys would not be found",
        hint: "make the whole result in one run"
    )
}
