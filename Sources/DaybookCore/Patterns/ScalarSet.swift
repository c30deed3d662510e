/// A set of Unicode scalars, as sorted ranges that neither overlap nor touch.
struct ScalarSet: Hashable, Sendable {
    let ranges: [ClosedRange<UInt32>]

    /// The union of ranges in any order. Surrogates are no scalars and may be in them; nothing ever asks for one.
    init(_ ranges: [ClosedRange<UInt32>]) {
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        var merged: [ClosedRange<UInt32>] = []
        for range in sorted {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
    }

    static let last: UInt32 = 0x10FFFF
    static let all = ScalarSet([0...last])
    static let lineFeed = ScalarSet([10...10])
    static let allButLineFeed = lineFeed.inverted

    var inverted: ScalarSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        if next <= ScalarSet.last { gaps.append(next...ScalarSet.last) }
        return ScalarSet(gaps)
    }

    func contains(_ scalar: UInt32) -> Bool {
        let place = ranges.partitioningIndex { $0.upperBound >= scalar }
        return place < ranges.count && ranges[place].contains(scalar)
    }

    /// With the upper, lower and title case of each of its letters.
    var ignoringCase: ScalarSet {
        var ranges = ranges
        if ranges.reduce(0, { $0 + $1.count }) <= 64 {
            for family in ranges.flatMap({ $0.compactMap { ScalarSet.caseFamilies[$0] } }) {
                ranges += family.map { $0...$0 }
            }
        } else {
            for (letter, family) in ScalarSet.caseFamilies where contains(letter) { ranges += family.map { $0...$0 } }
        }
        return ScalarSet(ranges)
    }

    /// Each letter with all those that differ from it in nothing but their case, as simple case folding has it.
    private static let caseFamilies: [UInt32: [UInt32]] = {
        var families: [UInt32: [UInt32]] = [:]
        for block in casedBlocks {
            for value in block {
                guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseMapped else { continue }
                // The dotted and the dotless I fold with nothing: that would tie Turkish letters to English ones.
                guard value != 0x130, value != 0x131 else { continue }
                families[lower(upper(scalar)).value, default: []].append(value)
            }
        }
        var byLetter: [UInt32: [UInt32]] = [:]
        for family in families.values where family.count > 1 {
            for letter in family { byLetter[letter] = family }
        }
        return byLetter
    }()

    private static func upper(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        single(scalar.properties.uppercaseMapping) ?? scalar
    }
    private static func lower(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        single(scalar.properties.lowercaseMapping) ?? scalar
    }

    private static func single(_ text: String) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }

    /// Where letters with cases stand; asking all 1.1 million scalars would take longer than most jobs.
    private static let casedBlocks: [ClosedRange<UInt32>] = [
        0x41...0x587, 0x10A0...0x10FF, 0x13A0...0x13FF, 0x1C80...0x1CBF, 0x1D79...0x1D8E, 0x1E00...0x1FFF,
        0x2126...0x2188, 0x24B6...0x24E9, 0x2C00...0x2D2D, 0xA640...0xA69B, 0xA722...0xA7FF, 0xAB53...0xABBF,
        0xFF21...0xFF5A, 0x10400...0x104FB, 0x10570...0x105BC, 0x10C80...0x10CF2, 0x118A0...0x118DF,
        0x16E40...0x16E7F, 0x1E900...0x1E943,
    ]
}
