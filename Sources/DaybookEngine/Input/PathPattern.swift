import DaybookBytes

/// Path in a job for its inputs, which may match many files.
///
/// `*`, `?` and `[a-z]` match inside one name, `{a,b}` matches either, and `**` as a whole name matches any number of
/// directories. Hidden files and directories match only if the pattern writes the dot. The files are in byte order,
/// each once, so they are the same on every machine. Directories are left out.
public struct PathPattern: Sendable {
    public let text: String
    /// Base directory of the pattern: the directory of the job.
    public let base: String
    private let origin: any InputOrigin

    package init(_ text: String, from base: String = "", in origin: any InputOrigin = LocalFiles()) {
        (self.text, self.base, self.origin) = (text, base, origin)
    }

    /// Matching files; never none.
    public func expand() throws(DaybookError) -> [InputPath] {
        if text == "-" { return [.standardInput] }
        guard !text.isEmpty else { throw InputNotFound(text, from: base, isPattern: false).error }
        // A literal file name with a star takes precedence if the file exists.
        var failure: SystemFailure?
        do { if try named() != nil { return [input(text)] } } catch { failure = error }
        guard let alternatives = Braces.expand(text) else {
            throw DaybookError(
                "pattern-too-large",
                "the pattern '\(text)' stands for more than \(Braces.limit) patterns",
                hint: "use '*', or list the files"
            )
        }
        var found: Set<String> = []
        var isPattern = alternatives.count > 1
        for alternative in alternatives {
            let parts = alternative.split(separator: "/", omittingEmptySubsequences: false).map(Part.init)
            isPattern = isPattern || parts.contains { $0.name == nil }
            try walk(parts[...], in: "", into: &found)
        }
        if found.isEmpty, !isPattern, let failure, failure.number != ENOTDIR { throw .cannotRead(text, failure) }
        guard !found.isEmpty else { throw InputNotFound(text, from: base, isPattern: isPattern).error }
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map(input)
    }

    /// Identity at the path itself, without a pattern.
    private func named() throws(SystemFailure) -> InputIdentity? {
        try origin.identity(of: FilePath.join(base, text), followingLinks: true)
    }

    /// Directory of the pattern, by the longest literal part of the path, if it does not exist.
    var missingDirectory: String? {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        let named = names.dropLast().prefix { Part($0).name != nil && Braces.expand(String($0))?.count == 1 }
        guard !named.isEmpty else { return nil }
        let directory = named.joined(separator: "/")
        let place = FilePath.join(base, directory.isEmpty ? "/" : directory)
        return (try? origin.identity(of: place, followingLinks: true))??.kind == .directory ? nil : directory
    }

    /// Whether the pattern would find a file at `place`, a canonical path, once the file exists.
    ///
    /// - Parameter unlessNamed: whether to count only matches of a pattern, not a file that the path names literally.
    package func wouldFind(_ place: String, unlessNamed: Bool = false) -> Bool {
        if (try? named()) ?? nil != nil {
            return !unlessNamed && origin.canonical(FilePath.join(base, text)) == place
        }
        let alternatives = Braces.expand(text) ?? []
        return alternatives.contains { alternative in
            let parts = alternative.split(separator: "/").map(Part.init)
            let named = parts.dropLast().prefix { $0.name != nil }
            if unlessNamed, alternatives.count == 1, parts.allSatisfy({ $0.name != nil }) { return false }
            let head = (alternative.hasPrefix("/") ? "/" : "") + named.map { $0.name ?? "" }.joined(separator: "/")
            let start = origin.canonical(FilePath.join(base, head.isEmpty ? "." : head))
            let below = start.hasSuffix("/") ? start : start + "/"
            guard place.utf8.starts(with: below.utf8) else { return false }
            let names = place.utf8.dropFirst(below.utf8.count).split(separator: UInt8(ascii: "/"))
            return PathPattern.match(parts.dropFirst(named.count), names.map { String($0) ?? "" }[...])
        }
    }

    private static func match(_ parts: ArraySlice<Part>, _ names: ArraySlice<String>) -> Bool {
        guard let part = parts.first else { return names.isEmpty }
        guard let name = names.first else { return false }
        switch part {
        case .glob(let glob): return glob.matches(name) && match(parts.dropFirst(), names.dropFirst())
        case .anyDirectories:
            let rest = parts.dropFirst()
            if match(rest.isEmpty ? [.glob(Glob("*"))] : rest, names) { return true }
            return !name.hasPrefix(".") && match(parts, names.dropFirst())
        }
    }

    private func input(_ name: String) -> InputPath {
        InputPath(name: name, path: FilePath.join(base, name), shown: FilePath.shown(name, from: base), in: origin)
    }

    private enum Part {
        case glob(Glob)
        case anyDirectories

        init(_ text: Substring) { self = text == "**" ? .anyDirectories : .glob(Glob(text)) }

        var name: String? { if case .glob(let glob) = self { glob.literal } else { nil } }
    }

    /// Adds what `parts` find in the directory `place`, which ends in a slash or is empty.
    private func walk(_ parts: ArraySlice<Part>, in place: String, into found: inout Set<String>) throws(DaybookError) {
        guard let part = parts.first else { return }
        let rest = parts.dropFirst()
        if let name = part.name {
            if !rest.isEmpty { return try walk(rest, in: place + name + "/", into: &found) }
            if let identity = identity(place + name), identity.kind != .directory { found.insert(place + name) }
            return
        }
        let entries = try entries(in: place)
        switch part {
        case .anyDirectories:
            // Without a following name, `**` finds all files.
            try walk(rest.isEmpty ? [.glob(Glob("*"))] : rest, in: place, into: &found)
            // Links are not followed here, since they can form cycles.
            for entry in entries where entry.kind != .file && !entry.name.hasPrefix(".") {
                let isDirectory = entry.kind == .directory || isRealDirectory(place + entry.name)
                if isDirectory { try walk(parts, in: place + entry.name + "/", into: &found) }
            }
        case .glob(let glob):
            for entry in entries where glob.matches(entry.name) {
                let name = place + entry.name
                if !rest.isEmpty {
                    if entry.kind != .file { try walk(rest, in: name + "/", into: &found) }
                } else if entry.kind == .file || (entry.kind == .unknown && identity(name)?.kind != .directory) {
                    guard entry.isText else { throw unreadableName(name) }
                    found.insert(name)
                }
            }
        }
    }

    /// Entries of a directory; empty for a missing directory, which does not match.
    private func entries(in place: String) throws(DaybookError) -> [DirectoryListing.Entry] {
        let seen = place.isEmpty ? "." : place
        do {
            return try origin.list(FilePath.join(base.isEmpty ? "." : base, seen))
        } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return [] }
            // A directory that may not be listed could contain intended files.
            throw .cannotRead(seen, error)
        }
    }

    private func identity(_ name: String) -> InputIdentity? {
        let path = FilePath.join(base, name)
        // A dangling link is found, so that reading it reports the error.
        if let found = try? origin.identity(of: path, followingLinks: true) { return found }
        return try? origin.identity(of: path, followingLinks: false)
    }

    private func isRealDirectory(_ name: String) -> Bool {
        (try? origin.identity(of: FilePath.join(base, name), followingLinks: false))??.kind == .directory
    }

    private func unreadableName(_ name: String) -> DaybookError {
        .machine(
            "unreadable-name",
            "the name of '\(name)' is not UTF-8",
            hint: "rename the file, or write a pattern that does not match it"
        )
    }
}

/// One part of a path pattern, between two slashes: `*` any characters, `?` one, `[a-z]` one of a set, `[!a-z]` one
/// outside the set. A backslash makes the next character literal.
struct Glob {
    private enum Token {
        case scalar(UInt32)
        case any
        case many
        case oneOf([ClosedRange<UInt32>], negated: Bool)
    }

    private let tokens: [Token]
    /// Literal name of a part without wildcards; nil with wildcards.
    let literal: String?
    /// Whether the part begins with a dot. Only such a part finds names that begin with a dot.
    private let wantsHidden: Bool

    init(_ text: some StringProtocol) {
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
        var name = String.UnicodeScalarView()
        var isLiteral = true
        for token in tokens {
            if case .scalar(let value) = token, let scalar = Unicode.Scalar(value) {
                name.append(scalar)
            } else {
                isLiteral = false
            }
        }
        literal = isLiteral ? String(name) : nil
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

    func matches(_ name: String) -> Bool {
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
enum Braces {
    /// Limit of combinations. A pattern with more of them is a mistake.
    static let limit = 1000

    /// All combinations, in order; nil for more than `limit`. A brace without a comma or without an end is literal.
    static func expand(_ text: String) -> [String]? {
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
