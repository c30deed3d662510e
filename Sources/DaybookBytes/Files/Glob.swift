/// One part of a path pattern, between two slashes: `*` any characters, `?` one, `[a-z]` one of a set, `[!a-z]` one
/// outside the set. A backslash makes the next character literal.
package struct Glob {
    private enum Token {
        case scalar(UInt32)
        case any
        case many
        case oneOf([ClosedRange<UInt32>], negated: Bool)
    }

    private let tokens: [Token]
    /// Literal name of a part without wildcards; nil with wildcards.
    package let literal: String?
    /// Whether the part begins with a dot. Only such a part finds names that begin with a dot.
    private let wantsHidden: Bool

    package init(_ text: some StringProtocol) {
        var tokens: [Token] = []
        var rest = text.unicodeScalars.map(\.value)[...]
        while let value = rest.popFirst() {
            switch Unicode.Scalar(value) {
            case "*": tokens.append(.many)
            case "?": tokens.append(.any)
            case "\\" where !rest.isEmpty: tokens.append(.scalar(rest.removeFirst()))
            case "[": tokens.append(Glob.set(&rest) ?? .scalar(value))
            default: tokens.append(.scalar(value))
            }
        }
        self.tokens = tokens
        let scalars = tokens.compactMap { if case .scalar(let value) = $0 { Unicode.Scalar(value) } else { nil } }
        literal = scalars.count == tokens.count ? String(String.UnicodeScalarView(scalars)) : nil
        wantsHidden = if case .scalar(0x2e)? = tokens.first { true } else { false }
    }

    /// The set after a `[`; nil, with nothing consumed, if it is not closed.
    private static func set(_ rest: inout ArraySlice<UInt32>) -> Token? {
        var ahead = rest
        let negated = ahead.first == 0x21 || ahead.first == 0x5e
        if negated { ahead.removeFirst() }
        var ranges: [ClosedRange<UInt32>] = []
        while let value = ahead.popFirst() {
            // A closing bracket in first position is one of the characters.
            if value == 0x5d, !ranges.isEmpty {
                rest = ahead
                return .oneOf(ranges, negated: negated)
            }
            if ahead.first == 0x2d, let end = ahead.dropFirst().first, end != 0x5d {
                ahead.removeFirst(2)
                if end >= value { ranges.append(value...end) }
            } else {
                ranges.append(value...value)
            }
        }
        return nil
    }

    package func matches(_ name: String) -> Bool {
        if name.hasPrefix("."), !wantsHidden { return false }
        let scalars = name.unicodeScalars.map(\.value)
        // The usual search with one position to return to: a later star makes every earlier one final.
        var token = 0
        var position = 0
        var back: (token: Int, position: Int)?
        while position < scalars.count {
            if token < tokens.count, case .many = tokens[token] {
                token += 1
                back = (token, position)
            } else if token < tokens.count, accepts(tokens[token], scalars[position]) {
                token += 1
                position += 1
            } else if let last = back {
                back = (last.token, last.position + 1)
                (token, position) = (last.token, last.position + 1)
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { if case .many = $0 { true } else { false } }
    }

    private func accepts(_ token: Token, _ value: UInt32) -> Bool {
        switch token {
        case .scalar(let expected): value == expected
        case .any: true
        case .many: false
        case .oneOf(let ranges, let negated): ranges.contains { $0.contains(value) } != negated
        }
    }
}

/// Texts that result from `{a,b}` in a text.
package enum Braces {
    /// Limit of combinations. A pattern with more of them is a mistake.
    package static let limit = 1000

    /// All combinations, in order; nil for more than `limit`. A brace without a comma or without an end is literal.
    package static func expand(_ text: String) -> [String]? {
        var finished: [String] = []
        var waiting = [text]
        while let next = waiting.popLast() {
            if let choices = firstChoices(in: next) {
                waiting += choices.reversed()
            } else {
                finished.append(next)
            }
            if finished.count + waiting.count > limit { return nil }
        }
        return finished
    }

    private static func firstChoices(in text: String) -> [String]? {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            if bytes[start] == UInt8(ascii: "\\") {
                start += 1
            } else if bytes[start] == UInt8(ascii: "{") {
                if let choices = choices(in: bytes, from: start) { return choices }
            }
            start += 1
        }
        return nil
    }

    private static func choices(in bytes: [UInt8], from start: Int) -> [String]? {
        var depth = 0
        var cuts = [start]
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\\"): position += 1
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ",") where depth == 1: cuts.append(position)
            case UInt8(ascii: "}"):
                depth -= 1
                guard depth == 0 else { break }
                guard cuts.count > 1 else { return nil }
                cuts.append(position)
                return zip(cuts, cuts.dropFirst()).map { from, to in
                    String(decoding: bytes[..<start] + bytes[(from + 1)..<to] + bytes[(position + 1)...], as: UTF8.self)
                }
            default: break
            }
            position += 1
        }
        return nil
    }
}
