/// What becomes of a file that comes again: its bytes under another name, or other bytes under its name.
public struct Redelivery: Sendable, Hashable {
    public enum SameBytes: String, OptionChoice {
        case skip, take, fail
    }

    public enum OtherBytes: String, OptionChoice {
        case redo, warn, fail
    }

    public var sameBytes = SameBytes.skip
    public var otherBytes = OtherBytes.fail
    /// Where the job asks for `redo`.
    public var place: SourcePlace?

    public init() {}
}

extension Redelivery: OptionValue {
    private static let specs = [
        OptionSpec(
            key: "same_bytes",
            kind: SameBytes.kind,
            help: "A file with the bytes of one that was read under another name: left out, read, or an error.",
            fallback: SameBytes.skip.rawValue
        ),
        OptionSpec(
            key: "other_bytes",
            kind: OtherBytes.kind,
            help:
                "A file that was read with other bytes: its day is made anew, it is left out with a warning, or an error.",
            fallback: OtherBytes.fail.rawValue
        ),
    ]

    public static var kind: OptionKind { .object(specs) }
    public static var placeholder: Redelivery { Redelivery() }

    public init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            throw node.expected("a map of options", hint: "write { same_bytes: skip, other_bytes: redo }")
        }
        for entry in map {
            switch entry.key {
            case "same_bytes": sameBytes = try SameBytes(reading: entry.value)
            case "other_bytes":
                otherBytes = try OtherBytes(reading: entry.value)
                if otherBytes == .redo { place = entry.value.place }
            default: throw entry.unknown(to: "'redelivery'", among: Redelivery.specs.map(\.key))
            }
        }
    }

    public var written: String {
        "{ same_bytes: \(sameBytes.rawValue), other_bytes: \(otherBytes.rawValue) }"
    }
}

/// What becomes of a new file whose day lies far behind the day of the run.
public struct LateFiles: Sendable, Hashable {
    public enum Then: String, OptionChoice {
        case accept, warn, fail
    }

    /// How many days a file may come after its day.
    public let days: Int
    public let then: Then
    public let place: SourcePlace?
}

extension LateFiles: OptionValue {
    private static let specs = [
        OptionSpec(
            key: "after",
            kind: .text,
            help: "How long after its day a file counts as late, such as 3 days.",
            isRequired: true
        ),
        OptionSpec(
            key: "then",
            kind: Then.kind,
            help: "Whether a late file is read, read with a warning, or an error.",
            fallback: Then.warn.rawValue
        ),
    ]

    public static var kind: OptionKind { .object(specs) }
    public static var placeholder: LateFiles { LateFiles(days: 0, then: .accept, place: nil) }

    public init(reading node: OptionNode) throws(DaybookError) {
        let example = "write { after: 3 days, then: warn }"
        guard let map = node.map else { throw node.expected("a map of options", hint: example) }
        var days: Int?
        var then = Then.warn
        for entry in map {
            switch entry.key {
            case "after":
                let words = (entry.value.text ?? "").split(separator: " ")
                guard words.count == 2, ["day", "days"].contains(words[1]), let count = Int(words[0]),
                    (0...36_600).contains(count)
                else { throw entry.value.expected("a number of days such as '3 days'") }
                days = count
            case "then": then = try Then(reading: entry.value)
            default: throw entry.unknown(to: "'late'", among: LateFiles.specs.map(\.key))
            }
        }
        guard let days else {
            throw DaybookError("missing-option", "the option 'after' is missing", at: node.place, hint: example)
        }
        self.init(days: days, then: then, place: node.place)
    }

    public var written: String { "{ after: \(days) days, then: \(then.rawValue) }" }
}
