/// A set of Unicode scalars, as sorted ranges that neither overlap nor touch.
struct ScalarSet: Hashable, Sendable {
    let ranges: [ClosedRange<UInt32>]

    /// The union of ranges in any order. Surrogates are no scalars and may be in them; they are never looked up.
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

    /// Each letter with all letters that differ from it only in case, by simple case folding.
    private static let caseFamilies: [UInt32: [UInt32]] = {
        var families: [UInt32: [UInt32]] = [:]
        for block in casedBlocks {
            for value in block {
                guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseMapped else { continue }
                // The dotted and the dotless I fold with nothing: folding would tie Turkish letters to English ones.
                guard value != 0x130, value != 0x131 else { continue }
                let upper = single(scalar.properties.uppercaseMapping) ?? scalar
                let lower = single(upper.properties.lowercaseMapping) ?? upper
                families[lower.value, default: []].append(value)
            }
        }
        var byLetter: [UInt32: [UInt32]] = [:]
        for family in families.values where family.count > 1 {
            for letter in family { byLetter[letter] = family }
        }
        return byLetter
    }()

    private static func single(_ text: String) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }

    /// Blocks that have letters with cases; checking all 1.1 million scalars would take longer than most jobs.
    private static let casedBlocks: [ClosedRange<UInt32>] = [
        0x41...0x587, 0x10A0...0x10FF, 0x13A0...0x13FF, 0x1C80...0x1CBF, 0x1D79...0x1D8E, 0x1E00...0x1FFF,
        0x2126...0x2188, 0x24B6...0x24E9, 0x2C00...0x2D2D, 0xA640...0xA69B, 0xA722...0xA7FF, 0xAB53...0xABBF,
        0xFF21...0xFF5A, 0x10400...0x104FB, 0x10570...0x105BC, 0x10C80...0x10CF2, 0x118A0...0x118DF,
        0x16E40...0x16E7F, 0x1E900...0x1E943,
    ]
}

extension ScalarSet {
    /// `\d`: the ASCII digits, as in numbers and dates. `\p{Nd}` has the digits of all scripts.
    static let digits = ScalarSet([0x30...0x39])

    /// `\s`: Unicode's White_Space.
    static let whiteSpace = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
    ])

    /// `\w`: letters, marks, digits, connectors and joiners of all scripts.
    ///
    /// Source: Unicode Technical Standard 18, annex C, "Compatibility Properties". Alphabetic scalars that are neither
    /// letters nor marks are letters in circles and squares, which a test compares with the standard library.
    static let word: ScalarSet = {
        let members = ["Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Me", "Nd", "Pc"]
        let inCircles: [ClosedRange<UInt32>] = [
            0x24B6...0x24E9, 0x1F130...0x1F149, 0x1F150...0x1F169, 0x1F170...0x1F189,
        ]
        return ScalarSet(members.flatMap { categories[$0] ?? [] } + inCircles + [0x200C...0x200D])
    }()

    /// The set of `\p{name}`, or nil. Upper and lower case, spaces, hyphens and underscores in the name do not matter.
    static func property(named name: String) -> ScalarSet? {
        let key = String(name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " })
        if let script = ScalarScripts.all.first(where: { $0.key.lowercased() == key }) {
            return ScalarSet(script.value)
        }
        switch key {
        case "any": return all
        case "ascii": return ScalarSet([0...0x7F])
        case "whitespace": return whiteSpace
        case "alphabetic", "alpha": return alphabetic
        default: break
        }
        let short = longNames[key] ?? key
        let members =
            short == "lc"
            ? ["Lu", "Ll", "Lt"]
            : categories.keys.filter { $0.lowercased() == short || $0.lowercased().hasPrefix(short) }
        guard !members.isEmpty, !short.isEmpty else { return nil }
        return ScalarSet(members.flatMap { categories[$0] ?? [] })
    }

    /// The names that a misspelt one is compared with.
    static var propertyNames: [String] {
        ScalarScripts.all.map(\.key) + ["Alphabetic", "White_Space", "Any", "ASCII", "Letter", "Number", "Punctuation"]
    }

    static var displayProperties: String { "the scripts \(ScalarScripts.all.map(\.key).joined(separator: ", "))" }

    /// Names that people write in full, and the category each is.
    private static let longNames = [
        "letter": "l", "uppercase": "lu", "uppercaseletter": "lu", "lowercase": "ll", "lowercaseletter": "ll",
        "mark": "m", "number": "n", "digit": "nd", "decimalnumber": "nd", "punctuation": "p", "punct": "p",
        "symbol": "s", "currencysymbol": "sc", "separator": "z", "spaceseparator": "zs", "control": "cc", "other": "c",
        "titlecaseletter": "lt", "casedletter": "lc",
    ]

    // MARK: Queries on the standard library

    private static let alphabetic = ScalarSet(runs { $0.isAlphabetic ? "A" : "" }["A"] ?? [])

    /// The scalars of each general category, by its two letters.
    private static let categories: [String: [ClosedRange<UInt32>]] = runs { $0.generalCategory.abbreviation }

    /// The runs of scalars for which `name` returns the same, called once for each; `""` is left out.
    ///
    /// Blocks of one kind are queried for their first scalar only: their ideographs and syllables are most of Unicode,
    /// and the pass is made at the start of a job.
    private static func runs(_ name: (Unicode.Scalar.Properties) -> StaticString) -> [String: [ClosedRange<UInt32>]] {
        var found: [String: [ClosedRange<UInt32>]] = [:]
        var runName = ""
        var runStart: UInt32 = 0
        func close(before next: UInt32) {
            if next > runStart, !runName.isEmpty { found[runName, default: []].append(runStart...next - 1) }
            runStart = next
        }
        var value: UInt32 = 0
        var last: StaticString = ""
        while value <= ScalarSet.last {
            // Surrogates are no scalars; they join the run before them.
            guard let scalar = Unicode.Scalar(value) else {
                value = 0xE000
                continue
            }
            let here = name(scalar.properties)
            if value == 0 || here.utf8Start != last.utf8Start {
                close(before: value)
                last = here
                runName = here.utf8CodeUnitCount == 0 ? "" : here.description
            }
            value = uniformBlocks.first { $0.contains(value) }.map { $0.upperBound + 1 } ?? value + 1
        }
        close(before: ScalarSet.last + 1)
        return found
    }

    /// Blocks whose scalars are all letters of one kind, private, or not assigned.
    private static let uniformBlocks: [ClosedRange<UInt32>] = [
        0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA016...0xA48C, 0xAC00...0xD7A3, 0xE000...0xF8FF, 0x12000...0x12399,
        0x12550...0x12F8F, 0x13000...0x1342F, 0x14647...0x160FF, 0x16800...0x16A38, 0x17000...0x187F7,
        0x19000...0x1AFEF, 0x1B170...0x1B2FB, 0x1B300...0x1BBFF, 0x1BCD0...0x1CBFF, 0x20000...0x2A6DF,
        0x2A700...0x2B738, 0x2B740...0x2B81D, 0x2B820...0x2CEA1, 0x2CEB0...0x2EBE0, 0x2FA20...0x2FFFF,
        0x30000...0x3134A, 0x31350...0x323AF, 0x33480...0xDFFFF, 0xE0200...0xEFFFF, 0xF0000...0xFFFFD,
        0x100000...0x10FFFD,
    ]
}

extension Unicode.GeneralCategory {
    fileprivate var abbreviation: StaticString {
        switch self {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}

/// The scalars of the scripts that a pattern can name, which are missing from the standard library.
///
/// Source: Unicode Character Database 14.0.0, `Scripts.txt`, with the ideographs that versions 15.0 and 15.1 added.
enum ScalarScripts {
    static let all: KeyValuePairs<String, [ClosedRange<UInt32>]> = [
        "Cyrillic": [
            0x400...0x484, 0x487...0x52F, 0x1C80...0x1C88, 0x1D2B...0x1D2B, 0x1D78...0x1D78, 0x2DE0...0x2DFF,
            0xA640...0xA69F, 0xFE2E...0xFE2F,
        ],
        "Greek": [
            0x370...0x373, 0x375...0x377, 0x37A...0x37D, 0x37F...0x37F, 0x384...0x384, 0x386...0x386, 0x388...0x38A,
            0x38C...0x38C, 0x38E...0x3A1, 0x3A3...0x3E1, 0x3F0...0x3FF, 0x1D26...0x1D2A, 0x1D5D...0x1D61,
            0x1D66...0x1D6A, 0x1DBF...0x1DBF, 0x1F00...0x1F15, 0x1F18...0x1F1D, 0x1F20...0x1F45, 0x1F48...0x1F4D,
            0x1F50...0x1F57, 0x1F59...0x1F59, 0x1F5B...0x1F5B, 0x1F5D...0x1F5D, 0x1F5F...0x1F7D, 0x1F80...0x1FB4,
            0x1FB6...0x1FC4, 0x1FC6...0x1FD3, 0x1FD6...0x1FDB, 0x1FDD...0x1FEF, 0x1FF2...0x1FF4, 0x1FF6...0x1FFE,
            0x2126...0x2126, 0xAB65...0xAB65, 0x10140...0x1018E, 0x101A0...0x101A0, 0x1D200...0x1D245,
        ],
        "Han": [
            0x2E80...0x2E99, 0x2E9B...0x2EF3, 0x2F00...0x2FD5, 0x3005...0x3005, 0x3007...0x3007, 0x3021...0x3029,
            0x3038...0x303B, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFA6D, 0xFA70...0xFAD9, 0x16FE2...0x16FE3,
            0x16FF0...0x16FF1, 0x20000...0x2A6DF, 0x2A700...0x2B738, 0x2B740...0x2B81D, 0x2B820...0x2CEA1,
            0x2CEB0...0x2EBE0, 0x2EBF0...0x2EE5D, 0x2F800...0x2FA1D, 0x30000...0x3134A, 0x31350...0x323AF,
        ],
        "Hangul": [
            0x1100...0x11FF, 0x302E...0x302F, 0x3131...0x318E, 0x3200...0x321E, 0x3260...0x327E, 0xA960...0xA97C,
            0xAC00...0xD7A3, 0xD7B0...0xD7C6, 0xD7CB...0xD7FB, 0xFFA0...0xFFBE, 0xFFC2...0xFFC7, 0xFFCA...0xFFCF,
            0xFFD2...0xFFD7, 0xFFDA...0xFFDC,
        ],
        "Hiragana": [0x3041...0x3096, 0x309D...0x309F, 0x1B001...0x1B11F, 0x1B150...0x1B152, 0x1F200...0x1F200],
        "Katakana": [
            0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF, 0x32D0...0x32FE, 0x3300...0x3357, 0xFF66...0xFF6F,
            0xFF71...0xFF9D, 0x1AFF0...0x1AFF3, 0x1AFF5...0x1AFFB, 0x1AFFD...0x1AFFE, 0x1B000...0x1B000,
            0x1B120...0x1B122, 0x1B164...0x1B167,
        ],
        "Latin": [
            0x41...0x5A, 0x61...0x7A, 0xAA...0xAA, 0xBA...0xBA, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2B8, 0x2E0...0x2E4,
            0x1D00...0x1D25, 0x1D2C...0x1D5C, 0x1D62...0x1D65, 0x1D6B...0x1D77, 0x1D79...0x1DBE, 0x1E00...0x1EFF,
            0x2071...0x2071, 0x207F...0x207F, 0x2090...0x209C, 0x212A...0x212B, 0x2132...0x2132, 0x214E...0x214E,
            0x2160...0x2188, 0x2C60...0x2C7F, 0xA722...0xA787, 0xA78B...0xA7CA, 0xA7D0...0xA7D1, 0xA7D3...0xA7D3,
            0xA7D5...0xA7D9, 0xA7F2...0xA7FF, 0xAB30...0xAB5A, 0xAB5C...0xAB64, 0xAB66...0xAB69, 0xFB00...0xFB06,
            0xFF21...0xFF3A, 0xFF41...0xFF5A, 0x10780...0x10785, 0x10787...0x107B0, 0x107B2...0x107BA,
            0x1DF00...0x1DF1E,
        ],
        "Thai": [0xE01...0xE3A, 0xE40...0xE5B],
    ]
}

/// The scalars partitioned into classes that no part of a pattern distinguishes, and the class of each scalar.
///
/// An automaton over a few classes is small whatever the sets in its pattern contain. Class 0 is for bytes that are not
/// UTF-8; no set has it.
struct ScalarClasses: Sendable {
    /// How many classes there are.
    let count: Int
    /// For each class, the sets that it is in, one bit a set.
    let members: [UInt64]
    let wordsPerClass: Int
    /// Where the classes of each 256 scalars begin in `classes`.
    let blocks: [UInt16]
    let classes: [UInt16]

    /// Partitions all scalars by their membership of `sets`, or nil if that makes more classes than allowed.
    init?(_ sets: [ScalarSet]) {
        var starts: Set<UInt32> = [0]
        for range in sets.lazy.flatMap(\.ranges) {
            starts.insert(range.lowerBound)
            if range.upperBound < ScalarSet.last { starts.insert(range.upperBound + 1) }
        }
        let bounds = starts.sorted()
        // Each set splits the classes that it cuts through: the part inside the set gets a new number.
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

    /// The stretches between `bounds` that make up the set.
    private static func places(of set: ScalarSet, in bounds: [UInt32]) -> [Range<Int>] {
        set.ranges.map { range in
            let first = bounds.partitioningIndex { $0 >= range.lowerBound }
            return first..<bounds.partitioningIndex { $0 > range.upperBound }
        }
    }

    /// Lists the class of each scalar; equal blocks of 256 are stored once.
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
