import DaybookCore

/// What a fold knows of groups, each for itself, so that it can be taken apart by the groups and put together again.
protocol SplittingPartial: FoldPartial {
    /// About how many bytes it takes in memory.
    var footprint: Int { get }
    /// Calls `body` with the groups of each of the parts, by their keys; nil for a part without any. No rows are counted in them.
    func split(_ body: (Self?) throws(DaybookError) -> Void) throws(DaybookError)
    /// Adds what is known of later rows.
    mutating func merge(_ later: Self)
    /// Moves the rows that were folded further on.
    mutating func raise(by rows: Int)
    /// What of it is on disk.
    var spilled: SpilledParts<Self> { get set }
    /// Puts its groups on disk.
    mutating func spill(_ scratch: any Scratch) throws(DaybookError)
}

extension SplittingPartial {
    /// Adds what is known of later rows, and goes to disk beyond `limit` bytes.
    mutating func merge(_ later: Self, limit: Int, _ scratch: any Scratch) throws(DaybookError) {
        if !later.spilled.isEmpty {
            try spill(scratch)
            spilled.append(later.spilled, raisedBy: foldedRows)
        }
        merge(later)
        if footprint > limit { try spill(scratch) }
    }
}

/// Partials on disk, each taken apart, to be put together part by part: of all groups, one part is in memory at a time.
struct SpilledParts<Partial: SplittingPartial>: Sendable {
    private struct Block: Sendable {
        let file: any ScratchFile
        /// Where each part stands.
        let ranges: [Range<Int>]
        /// By how many rows it is to be moved on.
        var base = 0
    }

    private var blocks: [Block] = []
    /// Where the file of the last block ended. One that a copy has written on in is left to it.
    private var fileEnd = 0

    init() {}

    var isEmpty: Bool { blocks.isEmpty }

    mutating func append(_ partial: Partial, _ scratch: any Scratch) throws(DaybookError) {
        let file =
            if let last = blocks.last?.file, last.length == fileEnd { last } else { try scratch.makeFile() }
        var ranges: [Range<Int>] = []
        var end = file.length
        let bytes = Bytes()
        try partial.split { (piece) throws(DaybookError) in
            let start = end
            if let piece {
                bytes.removeAll()
                try piece.write(to: bytes)
                try file.append(bytes.filled)
                end += bytes.count
            }
            ranges.append(start..<end)
        }
        withExtendedLifetime(bytes) {}
        blocks.append(Block(file: file, ranges: ranges))
        fileEnd = file.length
    }

    mutating func append(_ later: SpilledParts, raisedBy rows: Int) {
        guard !later.isEmpty else { return }
        for block in later.blocks {
            var block = block
            block.base += rows
            blocks.append(block)
        }
        fileEnd = later.fileEnd
    }

    /// The groups of one part; nil when it has none.
    func part(_ number: Int) throws(DaybookError) -> Partial? {
        var whole: Partial?
        for block in blocks where !block.ranges[number].isEmpty {
            let range = block.ranges[number]
            let bytes = Bytes(capacity: range.count)
            try block.file.read(range.count, at: range.lowerBound, into: bytes)
            var reader = ByteReader(bytes.filled)
            var piece = try Partial(reading: &reader)
            withExtendedLifetime(bytes) {}
            if block.base > 0 { piece.raise(by: block.base) }
            guard var earlier = whole.take() else {
                whole = piece
                continue
            }
            earlier.merge(piece)
            whole = earlier
        }
        return whole
    }
}

extension SpilledParts {
    /// Writes the parts behind one another, each put together.
    func write(to out: Bytes) throws(DaybookError) {
        for number in 0..<Parts.count {
            guard !isEmpty, let part = try part(number) else { continue }
            out.append(raw: true)
            try part.write(to: out)
        }
        out.append(raw: false)
    }

    /// Calls `body` with each part that `write(to:)` has written.
    static func read(
        _ reader: inout ByteReader,
        _ body: (Partial) -> Void
    ) throws(DaybookError) {
        while try reader.raw(Bool.self) { body(try Partial(reading: &reader)) }
    }
}

/// Which part each of many groups goes to, and its number there.
struct GroupSplit {
    let parts: [UInt8]
    let places: [Int32]
    /// How many groups each part has.
    let sizes: [Int]

    init(_ keys: KeyIndex) {
        var sizes = [Int](repeating: 0, count: Parts.count)
        var places: [Int32] = []
        places.reserveCapacity(keys.count)
        parts = (0..<keys.count).map { number in
            let part = keys.part(of: number)
            places.append(Int32(truncatingIfNeeded: sizes[Int(part)]))
            sizes[Int(part)] += 1
            return part
        }
        (self.places, self.sizes) = (places, sizes)
    }

    /// What there is of each group, by part.
    func split<Element>(_ elements: [Element]) -> [[Element]] {
        var result = sizes.map { size in
            var part: [Element] = []
            part.reserveCapacity(size)
            return part
        }
        for (group, element) in elements.enumerated() { result[Int(parts[group])].append(element) }
        return result
    }

    /// The groups of each part.
    var groups: [[Int]] { split(Array(parts.indices)) }
}
