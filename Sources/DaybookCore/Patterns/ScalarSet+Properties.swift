extension ScalarSet {
    /// `\d`: the digits that numbers and dates are read from here. `\p{Nd}` has those of all scripts.
    static let digits = ScalarSet([0x30...0x39])

    /// `\s`: Unicode's White_Space.
    static let whiteSpace = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
    ])

    /// `\w`: letters, marks, digits, connectors and joiners of all scripts.
    ///
    /// Source: Unicode Technical Standard 18, annex C, "Compatibility Properties". What is alphabetic and is neither a
    /// letter nor a mark are letters in circles and squares, which a test holds against the standard library.
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
        if let script = ScalarScripts.all.first(where: { $0.name.lowercased() == key }) {
            return ScalarSet(script.ranges)
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
        ScalarScripts.all.map(\.name) + [
            "Alphabetic", "White_Space", "Any", "ASCII", "Letter", "Number", "Punctuation",
        ]
    }

    static var spokenProperties: String { "the scripts \(ScalarScripts.all.map(\.name).joined(separator: ", "))" }

    /// Names that people write in full, and the category each is.
    private static let longNames = [
        "letter": "l", "uppercase": "lu", "uppercaseletter": "lu", "lowercase": "ll", "lowercaseletter": "ll",
        "mark": "m", "number": "n", "digit": "nd", "decimalnumber": "nd", "punctuation": "p", "punct": "p",
        "symbol": "s", "currencysymbol": "sc", "separator": "z", "spaceseparator": "zs", "control": "cc", "other": "c",
        "titlecaseletter": "lt", "casedletter": "lc",
    ]

    // MARK: Asked of the standard library

    private static let alphabetic = ScalarSet(runs { $0.isAlphabetic ? "A" : "" }["A"] ?? [])

    /// The scalars of each general category, by its two letters.
    private static let categories: [String: [ClosedRange<UInt32>]] = runs { $0.generalCategory.abbreviation }

    /// The runs of scalars for which `name` gives the same, each asked once; `""` is left out.
    ///
    /// Blocks of one kind are asked for their first scalar only: the ideographs and syllables that are in them are most of
    /// what Unicode has, and a pass is made at the start of a job.
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
            // Surrogates are no scalars; they go with what stands before them.
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
        0x19000...0x1AFEF,
        0x1B170...0x1B2FB, 0x1B300...0x1BBFF, 0x1BCD0...0x1CBFF, 0x20000...0x2A6DF, 0x2A700...0x2B738,
        0x2B740...0x2B81D,
        0x2B820...0x2CEA1, 0x2CEB0...0x2EBE0, 0x2FA20...0x2FFFF, 0x30000...0x3134A, 0x31350...0x323AF,
        0x33480...0xDFFFF,
        0xE0200...0xEFFFF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD,
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
