/// Finds colours such as `#EC007F` that YAML takes for comments, because nobody put them in quotes.
///
/// A `#` with 3 to 8 hex digits counts when it stands where a value was due. Words such as `#add` are hex
/// digits too, so with more text after it a digit must be among them.
enum UnquotedColour {
    /// The colour, with its `#`, that stands after a key or a dash that got no value; `byte` is where the
    /// value was due.
    static func inPlaceOfValue(at byte: Int, in bytes: [UInt8]) -> Range<Int>? {
        var index = byte
        while index < bytes.count, bytes[index] == .space || bytes[index] == .tab { index += 1 }
        return colour(at: index, in: bytes, needsDigitAtLineEnd: false)
    }

    /// The colours in the punctuation and comments that begin at `byte`, between two values in `[ ]` or `{ }`.
    ///
    /// - Parameter needsDigit: Whether a colour at the end of its line needs a digit; `#add` may be a word.
    static func amongPunctuation(from byte: Int, in bytes: [UInt8], needsDigit: Bool = true) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var isValueDue = byte > 0 && [UInt8(ascii: "["), UInt8(ascii: ",")].contains(bytes[byte - 1])
        var index = byte
        while index < bytes.count {
            switch bytes[index] {
            case .space, .tab, 10, 13: break
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "-"): isValueDue = true
            case UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "{"), UInt8(ascii: "?"): isValueDue = false
            case .hash:
                let needsDigit = needsDigit && found.isEmpty
                if isValueDue, let colour = colour(at: index, in: bytes, needsDigitAtLineEnd: needsDigit) {
                    found.append(colour)
                }
                while index < bytes.count, !bytes[index].endsLine { index += 1 }
                continue
            default: return found
            }
            index += 1
        }
        return found
    }

    /// What to tell the person who wrote it.
    static func error(_ range: Range<Int>, in source: SourceText) -> DaybookError {
        let colour = String(decoding: source.bytes[range], as: UTF8.self)
        return DaybookError(
            "unquoted-colour",
            "an unquoted # starts a comment, so '\(colour)' is not read",
            at: source.place(ofBytes: range),
            hint: "write \"\(colour)\" in quotes"
        )
    }

    private static func colour(at hash: Int, in bytes: [UInt8], needsDigitAtLineEnd: Bool) -> Range<Int>? {
        guard hash < bytes.count, bytes[hash] == .hash else { return nil }
        var end = hash + 1
        var hasDigit = false
        while end < bytes.count, bytes[end].isHexDigit {
            if bytes[end] < 58 { hasDigit = true }
            end += 1
        }
        guard (3...8).contains(end - hash - 1) else { return nil }
        var next = end
        while next < bytes.count, bytes[next] == .space || bytes[next] == .tab { next += 1 }
        let isSure: Bool
        if next == bytes.count || bytes[next].endsLine {
            isSure = hasDigit || !needsDigitAtLineEnd
        } else if [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(bytes[next]) {
            isSure = true
        } else {
            // Another comment, or words. `#EC007Fx` is neither.
            isSure = next > end && (bytes[next] == .hash || hasDigit)
        }
        return isSure ? hash..<end : nil
    }
}

extension UInt8 {
    package static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    package static let hash = UInt8(ascii: "#")
    package var endsLine: Bool { self == 10 || self == 13 }

    fileprivate var isHexDigit: Bool {
        (48...57).contains(self) || (65...70).contains(self) || (97...102).contains(self)
    }
}
