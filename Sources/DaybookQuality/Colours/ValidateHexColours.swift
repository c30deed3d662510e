extension Finding.Kind {
    static func notAHexColour(_ digits: String) -> Finding.Kind {
        Finding.Kind("not-a-hex-colour", "{value} is not a hex colour: expected # and \(digits) hex digits")
    }
    static let colourReplaced = Finding.Kind(
        "hex-colour-replaced",
        "{value} is not a hex colour and was replaced",
        severity: .warning
    )
    static let colourCleared = Finding.Kind(
        "hex-colour-cleared",
        "{value} is not a hex colour and was cleared",
        severity: .warning
    )
}

/// Checks that a text column holds colours such as `#EC007F`, and can write them in one form.
///
/// A missing colour stays missing; it is not invalid. Spaces around a colour make it invalid, as does a missing `#`:
/// the app that shows the colour does not accept them either. `contrast` ignores alpha, the last of four or eight
/// digits, and takes every colour as opaque, since the background is unknown.
public struct ValidateHexColours: TransformStage {
    enum Invalid: String, OptionChoice { case reject, replace, clear }

    let column: ColumnName
    let digits: [Int]
    let letterCase: HexDigits.LetterCase
    let invalid: Invalid
    let replacement: String
    let contrast: ColumnName?

    public init(reading options: inout OptionReader) {
        column = options.read("column", default: ColumnName("colour"), help: "Column of colours to check.")
        digits = HexDigits.readCounts(&options)
        letterCase = options.read("case", default: .keep, help: "How to write the digits A to F.")
        invalid = options.read("invalid", default: .reject, help: "What becomes of a row whose colour is none.")
        replacement = options.read("replacement", default: "#000000", help: "The colour that replaces an invalid one.")
        contrast = options.optional(
            "contrast",
            help: "New column that says whether black or white text is readable on the colour."
        )
        if options.isWritten("replacement"), invalid != .replace {
            options.refuse("replacement", "'replacement' is only used with 'invalid: replace'")
        }
        if invalid == .replace, HexDigits(ofColour: Bytes(replacement), digits) == nil {
            options.refuse(
                "replacement",
                "'replacement': expected # and \(HexDigits.displayText(digits)) hex digits, found '\(replacement)'",
                hint: "a colour needs quotes in a job file: \"#000000\""
            )
        }
        if contrast == column { options.refuse("contrast", "'contrast' needs a column of its own") }
    }

    public static let description = StageDescription(
        name: "validate_hex_colours",
        summary: "Check that a column holds hex colours, and write them in one way.",
        details: """
            A colour is # and as many hex digits as 'digits' allows, without spaces around it. A row with any other is rejected; \
            with 'invalid: replace' or 'clear' it stays, with a warning. A missing colour stays missing. With 'contrast' a new \
            column says whether black or white text is readable on the colour.
            """,
        examples: [
            StageExample(
                "what is not a colour is rejected, and a missing colour stays missing",
                input: """
                    id:integer,colour:text
                    1,#EC007F
                    2,#ec007f
                    3,
                    4,EC007F
                    5,#EC007
                    6,#EC00ZF
                    7,""
                    """,
                output: "id:integer,colour:text\n1,#EC007F\n2,#ec007f\n3,",
                findings: [
                    "4 colour not-a-hex-colour", "5 colour not-a-hex-colour", "6 colour not-a-hex-colour",
                    "7 colour not-a-hex-colour",
                ]
            ),
            StageExample(
                "an invalid colour can be replaced, as Anniversary Counter does, and letters written in one case",
                options: "column: tint\ncase: upper\ninvalid: replace\nreplacement: \"#000000\"",
                input: """
                    tint:text
                    #ec007f
                    pink

                    #ABCDEF
                    """,
                output: """
                    tint:text
                    #EC007F
                    #000000

                    #ABCDEF
                    """,
                findings: ["2 tint hex-colour-replaced"]
            ),
            StageExample(
                "an invalid colour can be cleared, and short colours and alpha allowed",
                options: "digits: [3, 4, 6, 8]\ncase: lower\ninvalid: clear",
                input: """
                    colour:text
                    #FA0
                    #FA08
                    #FFAA0088
                    #FFAA008
                    """,
                output: """
                    colour:text
                    #fa0
                    #fa08
                    #ffaa0088

                    """,
                findings: ["4 colour hex-colour-cleared"]
            ),
            StageExample(
                "the contrast column says which text is readable on the colour",
                options: "digits: [3, 6]\ncontrast: text_colour",
                input: """
                    colour:text
                    #FFFFFF
                    #EC007F
                    #00F

                    #767676
                    """,
                output: """
                    colour:text,text_colour:text
                    #FFFFFF,black
                    #EC007F,black
                    #00F,white
                    ,
                    #767676,black
                    """
            ),
            StageExample(
                "a column of another kind is refused",
                options: "column: count",
                input: "count:integer",
                refused: "column 'count' holds integer, not text"
            ),
        ]
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        let checked = try input.requiring(column, .text)
        guard let contrast else { return checked }
        return try checked.adding(contrast, .text)
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        wanted.making([contrast].compactMap { $0 }, from: [column])
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let colours = batch.text(in: column)
        let survey = survey(of: colours)
        let token =
            switch invalid {
            case .reject: findings.token(.notAHexColour(HexDigits.displayText(digits)), in: column)
            case .replace: findings.token(.colourReplaced, in: column)
            case .clear: findings.token(.colourCleared, in: column)
            }
        for row in survey.bad {
            if invalid == .reject { findings.reject(Int(row), token) } else { findings.warn(Int(row), token) }
        }
        var result = batch
        // Most batches need no change, and keep the importer's text.
        if survey.needsCase || invalid == .replace && !survey.bad.isEmpty {
            result = batch.setting(column, to: .text(rewritten(colours, survey.bad)), from: column)
        } else if invalid == .clear, !survey.bad.isEmpty {
            result = batch.setting(column, to: .text(cleared(colours, survey.bad)), from: column)
        }
        guard let contrast else { return result }
        return result.setting(contrast, to: .text(contrasts(survey, missing: colours.missing)))
    }

    /// The result of one pass over a batch.
    private struct Survey {
        var bad: [Int32]
        var needsCase: Bool
        /// The word of `ContrastWords` for each row.
        var contrasts: [TextView] = []
    }

    private func survey(of colours: TextColumn) -> Survey {
        let lengths = HexDigits.lengths(digits)
        // Hoisted out of the loop: each access to a static checks that it is initialised.
        let (black, white) = (ContrastWords.black, ContrastWords.white)
        let wantsUpper = letterCase == .upper
        let wantsLower = letterCase == .lower
        var bad: [Int32] = []
        var needsCase = false
        @inline(__always)
        func look(_ row: Int, _ cell: Cell) -> HexDigits? {
            guard let digits = HexDigits(ofColour: cell, lengths) else {
                bad.append(Int32(truncatingIfNeeded: row))
                return nil
            }
            if wantsUpper, digits.hasLowerCase { needsCase = true }
            if wantsLower, digits.hasUpperCase { needsCase = true }
            return digits
        }
        guard contrast != nil else {
            colours.forEachValue { row, cell in _ = look(row, cell) }
            return Survey(bad: bad, needsCase: needsCase)
        }
        let channels = ReadableText.linear
        let linear = channels.span
        let contrasts = colours.mapValues(filler: black) { row, cell in
            guard let digits = look(row, cell) else { return black }
            return ReadableText.isBlack(on: digits, linear) ? black : white
        }
        return Survey(bad: bad, needsCase: needsCase, contrasts: contrasts.elements)
    }

    /// The colours in a new buffer, with letters in the wanted case and invalid colours handled as the job says.
    private func rewritten(_ colours: TextColumn, _ bad: [Int32]) -> TextColumn {
        let lengths = HexDigits.lengths(digits)
        let letterCase = letterCase
        let filler = Bytes(
            letterCase == .keep
                ? replacement : letterCase == .upper ? replacement.uppercased() : replacement.lowercased()
        )
        let replaces = invalid == .replace
        // Each colour is written as nine bytes whatever its length, so the last one needs room for nine.
        let capacity = colours.views.reduce(16) { $0 + Int($1.length) } + bad.count * filler.count
        let bytes = Bytes(capacity: capacity)
        var out = ByteCursor(bytes)
        let views = colours.mapValues(filler: TextView(offset: 0, length: 0)) { _, cell in
            let start = out.count
            if let colour = HexDigits(ofColour: cell, lengths) {
                out.put(UInt8(ascii: "#"))
                out.put(colour.word(in: letterCase), count: colour.count)
            } else {
                out.put(replaces ? filler.filled : cell)
            }
            return TextView(offset: start, length: out.count &- start)
        }
        precondition(
            out.count <= capacity,
            "rewritten colours took \(out.count) bytes, more than the \(capacity) there are"
        )
        withExtendedLifetime(filler) {}
        out.finish()
        let column = TextColumn(bytes, views: views.elements, missing: views.missing)
        return invalid == .clear ? cleared(column, bad) : column
    }

    /// The same text, missing in each bad row.
    private func cleared(_ colours: TextColumn, _ bad: [Int32]) -> TextColumn {
        var missing = colours.missing
        for row in bad { missing.insert(Int(row), of: colours.count) }
        return TextColumn(colours.bytes, views: colours.views, missing: missing)
    }

    private func contrasts(_ survey: Survey, missing: Mask?) -> TextColumn {
        var views = survey.contrasts
        var missing = missing
        let filler = HexDigits(ofColour: Bytes(replacement), digits)
        let channels = ReadableText.linear
        let isBlack = filler.map { ReadableText.isBlack(on: $0, channels.span) } ?? true
        for row in survey.bad {
            if invalid == .replace {
                views[Int(row)] = isBlack ? ContrastWords.black : ContrastWords.white
            } else {
                missing.insert(Int(row), of: views.count)
            }
        }
        return TextColumn(ContrastWords.bytes, views: views, missing: missing)
    }
}

/// The two answers, in one buffer that all batches share.
private enum ContrastWords {
    static let bytes = Bytes("blackwhite")
    static let black = TextView(offset: 0, length: 5)
    static let white = TextView(offset: 5, length: 5)
}

/// Up to eight hex digits of a colour in one machine word, tested all at once.
struct HexDigits {
    /// The digits as ASCII, the first in the lowest byte, with `0` behind the last.
    let word: UInt64
    /// The top bit of each byte that is a letter.
    let letters: UInt64
    let count: Int

    private static func every(_ byte: UInt64) -> UInt64 { 0x0101_0101_0101_0101 &* byte }

    /// Reads the `count` digits at the beginning of eight bytes, or nil if one of them is no hex digit.
    @inline(__always)
    init?(_ loaded: UInt64, count: Int) {
        let used: UInt64 = count >= 8 ? .max : (1 << UInt64(truncatingIfNeeded: count &* 8)) &- 1
        word = (loaded & used) | (Self.every(0x30) & ~used)
        self.count = count
        // With every byte below 0x80, no sum below carries into the next byte.
        let high = word & Self.every(0x80)
        let fromZero = (word ^ Self.every(0x30)) & Self.every(0x7F)
        let digits = ~(fromZero &+ Self.every(0x80 - 10))
        let fromLetter = ((word | Self.every(0x20)) ^ Self.every(0x60)) & Self.every(0x7F)
        letters = (fromLetter &+ Self.every(0x7F)) & ~(fromLetter &+ Self.every(0x80 - 7)) & Self.every(0x80)
        guard high == 0, (digits | letters) & Self.every(0x80) == Self.every(0x80) else { return nil }
    }

    // Bit 0x20 makes a letter lower case; the top bit of `letters`, shifted down by two, is at that position.
    var hasLowerCase: Bool { word & (letters >> 2) != 0 }
    var hasUpperCase: Bool { ~word & (letters >> 2) != 0 }

    /// The case of the digits A to F.
    enum LetterCase: String, OptionChoice { case keep, upper, lower }

    /// The digits in that letter case.
    @inline(__always)
    func word(in letterCase: LetterCase) -> UInt64 {
        switch letterCase {
        case .keep: word
        case .upper: word & ~(letters >> 2)
        case .lower: word | (letters >> 2)
        }
    }

    /// Red, green and blue from 0 to 255. A short form doubles each digit; alpha is ignored.
    @inline(__always)
    var channels: (red: Int, green: Int, blue: Int) {
        let nibbles = (word & Self.every(0x0F)) &+ (letters >> 7) &* 9
        if count <= 4 {
            return (Int(nibbles & 15) &* 17, Int(nibbles >> 8 & 15) &* 17, Int(nibbles >> 16 & 15) &* 17)
        }
        let pairs = nibbles << 4 | nibbles >> 8
        return (Int(pairs & 255), Int(pairs >> 16 & 255), Int(pairs >> 32 & 255))
    }
}

extension HexDigits {
    /// Reads the option with the allowed numbers of digits.
    static func readCounts(_ options: inout OptionReader) -> [Int] {
        let counts = options.read("digits", default: [6], help: "How many hex digits a colour may have: 3, 4, 6 or 8.")
        if counts.isEmpty { options.refuse("digits", "'digits': expected 3, 4, 6 or 8, found an empty list") }
        if let odd = counts.first(where: { ![3, 4, 6, 8].contains($0) }) {
            options.refuse("digits", "'digits': expected 3, 4, 6 or 8, found '\(odd)'")
        }
        return counts
    }

    /// One bit for each allowed number of digits.
    static func lengths(_ counts: [Int]) -> UInt32 {
        counts.reduce(0) { $0 | (1...8 ~= $1 ? 1 << UInt32(truncatingIfNeeded: $1) : 0) }
    }

    /// The digits of a colour, or nil unless the cell is `#` and an allowed number of hex digits.
    @inline(__always)
    init?(ofColour cell: Cell, _ lengths: UInt32) {
        let count = cell.count &- 1
        guard count >= 3, count <= 8, lengths >> UInt32(truncatingIfNeeded: count) & 1 == 1,
            cell[0] == UInt8(ascii: "#")
        else { return nil }
        self.init(cell.word(at: 1), count: count)
    }

    /// The digits of a colour in an option. Not for row loops.
    init?(ofColour text: Bytes, _ counts: [Int]) {
        self.init(ofColour: text.filled, Self.lengths(counts))
        withExtendedLifetime(text) {}
    }

    /// `6`, `3 or 6`, or `3, 4 or 6`.
    static func displayText(_ counts: [Int]) -> String { DisplayText.list(counts.map(String.init), "or") }
}

/// Whether text on a colour is easier to read in black or in white.
///
/// Source: W3C, "Web Content Accessibility Guidelines 2.2", definitions of relative luminance and contrast ratio.
enum ReadableText {
    /// Linear light of the 256 values of an sRGB channel.
    ///
    /// The fifth root is found by Newton's method: only basic arithmetic, so every machine gets the same bits.
    static let linear: [Double] = (0...255).map { value in
        let part = Double(value) / 255
        if part <= 0.04045 { return part / 12.92 }
        let base = (part + 0.055) / 1.055
        let square = base * base
        var root = 1.0
        for _ in 0..<64 { root = (4 * root + square / (root * root * root * root)) / 5 }
        return square * root
    }

    /// Black where the contrast (L + 0.05) / 0.05 is at least that of white, 1.05 / (L + 0.05).
    @inline(__always)
    static func isBlack(on colour: HexDigits, _ linear: Span<Double>) -> Bool {
        let (red, green, blue) = colour.channels
        let luminance = 0.2126 * linear[red] + 0.7152 * linear[green] + 0.0722 * linear[blue]
        return (luminance + 0.05) * (luminance + 0.05) >= 1.05 * 0.05
    }
}
