extension PatternProgram.Step {
    /// Runs `steps` over a whole text and stores what they read. False when the text has another shape.
    static func run(
        _ steps: UnsafeBufferPointer<PatternProgram.Step>,
        names: UnsafePointer<NameIndex>?,
        over cell: Cell,
        into fields: inout DateFields
    ) -> Bool {
        guard var text = TextScanner(cell) else { return false }
        return withUnsafeMutableBytes(of: &fields) { memory in
            let values = memory.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Int32.self)
            for index in 0..<steps.count {
                let step = steps.baseAddress.unsafelyUnwrapped + index
                guard let value = step.pointee.read(&text, names) else { return false }
                values[Int(step.pointee.field)] = value
            }
            return text.isAtEnd
        }
    }

    /// What the step reads at the place where `text` stands, or nil when it does not match there.
    @inline(__always)
    private func read(_ text: inout TextScanner, _ names: UnsafePointer<NameIndex>?) -> Int32? {
        switch action {
        case .literal:
            guard text.word & mask == word, text.remaining >= Int(length) else { return nil }
            text.position += Int(length)
            return 0
        case .oneOrTwoDigits: return text.oneOrTwoDigits()
        case .twoDigits: return text.twoDigits()
        case .digits: return text.digits(Int(minimum), Int(maximum))
        case .shortYear: return text.twoDigits().map(ShortYear.ofCentury)
        case .elasticYear: return text.year()
        case .eraYear: return text.yearOfEra()
        case .firstDay: return text.dayOfMonth()
        case .fraction: return text.fraction(digits: Int(minimum))
        case .name:
            guard let found = names?[Int(table)].match(text.position, text.end) else { return nil }
            text.position += found.length
            return found.value
        case .offset: return text.offset(mayBeNamed: minimum == 1)
        case .longLiteral: return skipLongLiteral(&text)
        }
    }

    @inline(never)
    private func skipLongLiteral(_ text: inout TextScanner) -> Int32? {
        guard text.remaining >= Int(length), let bytes else { return nil }
        for place in 0..<Int(length) where text.position[place] != bytes[place] { return nil }
        text.position += Int(length)
        return 0
    }
}

extension TextScanner {
    /// A year of up to four digits; one of fewer is marked as a `ShortYear`.
    @inline(__always)
    mutating func year() -> Int32? {
        let start = position
        guard let year = digits(1, 4) else { return nil }
        switch position - start {
        case 4: return year
        case 2: return ShortYear.ofCentury(year)
        default: return ShortYear.other
        }
    }

    /// A year of up to four digits, or the first of an era in Chinese characters: `令和元年`.
    @inline(never)
    mutating func yearOfEra() -> Int32? {
        if word & 0xFF_FFFF == 0x83_85E5 {
            position += 3
            return 1
        }
        return digits(1, 4)
    }

    /// One or two digits, behind a 1 perhaps with the mark of an ordinal: `1er`, `1º`.
    @inline(never)
    mutating func dayOfMonth() -> Int32? {
        guard let day = oneOrTwoDigits() else { return nil }
        guard day == 1 else { return day }
        let next = word
        if next & 0xFFFF == 0x7265 || next & 0xFFFF == 0xBAC2 || next & 0xFFFF == 0xB0C2 { position += 2 }
        if next & 0xFF_FFFF == 0xBA_C22E { position += 3 }
        return day
    }

    /// Exactly that many digits after the point, nine at most, as nanoseconds.
    @inline(never)
    mutating func fraction(digits: Int) -> Int32? {
        guard var nanos = self.digits(digits, digits) else { return nil }
        for _ in digits..<9 { nanos &*= 10 }
        return nanos
    }

    /// An offset from UTC in seconds: `Z`, `+09`, `+0900`, `+09:00`, each also with `-`; with a name also `GMT`
    /// or `UTC`, alone or before the offset.
    ///
    /// Every form is taken whatever the pattern's letter, as there is nothing to confuse it with. Hours above 23 or
    /// minutes above 59 are no offset.
    @inline(never)
    mutating func offset(mayBeNamed: Bool) -> Int32? {
        let isNamed = mayBeNamed && skipName()
        if !isNamed, skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) { return 0 }
        let sign: Int32
        if skip(UInt8(ascii: "+")) {
            sign = 1
        } else if skip(UInt8(ascii: "-")) {
            sign = -1
        } else {
            return isNamed ? 0 : nil
        }
        guard let hours = twoDigits(), hours <= 23 else { return nil }
        var minutes: Int32 = 0
        if skip(UInt8(ascii: ":")) {
            guard let value = twoDigits() else { return nil }
            minutes = value
        } else if let value = twoDigits() {
            minutes = value
        }
        guard minutes <= 59 else { return nil }
        return sign &* (hours &* 3_600 &+ minutes &* 60)
    }

    private mutating func skipName() -> Bool {
        let name = word & 0xFF_FFFF
        // "GMT" and "UTC" as little-endian words.
        guard name == 0x54_4D47 || name == 0x43_5455 else { return false }
        position += 3
        return true
    }
}
