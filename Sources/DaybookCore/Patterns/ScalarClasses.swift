/// The scalars sorted into classes that no part of a pattern tells apart, and the class of each scalar.
///
/// An automaton over a few classes is small whatever the sets in its pattern hold. Class 0 is of bytes that are not UTF-8;
/// no set has it.
struct ScalarClasses: Sendable {
    /// How many classes there are.
    let count: Int
    /// For each class, the sets that it is in, one bit a set.
    let members: [UInt64]
    let wordsPerClass: Int
    /// Where the classes of each 256 scalars begin in `classes`.
    let blocks: [UInt16]
    let classes: [UInt16]

    /// Sorts all scalars by which of `sets` they are in, or nil when more classes come out than are allowed.
    init?(_ sets: [ScalarSet]) {
        var starts: Set<UInt32> = [0]
        for range in sets.lazy.flatMap(\.ranges) {
            starts.insert(range.lowerBound)
            if range.upperBound < ScalarSet.last { starts.insert(range.upperBound + 1) }
        }
        let bounds = starts.sorted()
        // Each set splits the classes that it cuts through: those of its scalars get a new number.
        var classOf = [Int](repeating: 1, count: bounds.count)
        var sizes = [0, bounds.count]
        var inside = [0, 0]
        for set in sets {
            let places = ScalarClasses.places(of: set, in: bounds)
            var touched: [Int] = []
            for place in places.joined() {
                if inside[classOf[place]] == 0 { touched.append(classOf[place]) }
                inside[classOf[place]] += 1
            }
            var moved: [Int: Int] = [:]
            for number in touched {
                if inside[number] < sizes[number] {
                    moved[number] = sizes.count
                    sizes[number] -= inside[number]
                    sizes.append(inside[number])
                    inside.append(0)
                }
                inside[number] = 0
            }
            guard sizes.count <= RegexBounds.classes else { return nil }
            guard !moved.isEmpty else { continue }
            for place in places.joined() { classOf[place] = moved[classOf[place]] ?? classOf[place] }
        }
        let next = sizes.count
        count = next
        wordsPerClass = (sets.count + 63) / 64
        var members = [UInt64](repeating: 0, count: next * wordsPerClass)
        for (number, set) in sets.enumerated() {
            for place in ScalarClasses.places(of: set, in: bounds).joined() {
                members[classOf[place] * wordsPerClass + number >> 6] |= 1 << UInt64(number & 63)
            }
        }
        self.members = members
        (blocks, classes) = ScalarClasses.blocks(bounds, classOf)
    }

    /// Which of the stretches that begin at `bounds` make up the set.
    private static func places(of set: ScalarSet, in bounds: [UInt32]) -> [Range<Int>] {
        set.ranges.map { range in
            let first = bounds.partitioningIndex { $0 >= range.lowerBound }
            return first..<bounds.partitioningIndex { $0 > range.upperBound }
        }
    }

    /// Writes the classes out for each scalar; blocks of 256 that are the same are kept once.
    private static func blocks(_ bounds: [UInt32], _ classOf: [Int]) -> ([UInt16], [UInt16]) {
        let total = Int(ScalarSet.last + 1) / 256
        var blocks: [UInt16] = []
        blocks.reserveCapacity(total)
        var classes: [UInt16] = []
        var known: [[UInt16]: UInt16] = [:]
        func number(of content: [UInt16]) -> UInt16 {
            if let number = known[content] { return number }
            let number = UInt16(known.count)
            known[content] = number
            classes += content
            return number
        }
        func end(_ place: Int) -> Int { place + 1 < bounds.count ? Int(bounds[place + 1]) : total * 256 }
        var place = 0
        while blocks.count < total {
            let first = blocks.count * 256
            while end(place) <= first { place += 1 }
            // Nearly all blocks are inside one stretch, and many at once.
            let whole = end(place) / 256 - blocks.count
            if whole > 0 {
                let content = [UInt16](repeating: UInt16(classOf[place]), count: 256)
                blocks += [UInt16](repeating: number(of: content), count: whole)
                continue
            }
            var content: [UInt16] = []
            while content.count < 256 {
                let stretch = min(end(place), first + 256) - first - content.count
                content += [UInt16](repeating: UInt16(classOf[place]), count: stretch)
                if content.count < 256 { place += 1 }
            }
            blocks.append(number(of: content))
        }
        return (blocks, classes)
    }

    func isMember(_ number: Int, ofSet set: Int) -> Bool {
        members[number * wordsPerClass + set >> 6] >> UInt64(set & 63) & 1 == 1
    }
}
