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

extension Redelivery: OptionObject {
    public static var title: String { "'redelivery'" }
    public static var example: String? { "write { same_bytes: skip, other_bytes: redo }" }
    public static var placeholder: Redelivery { Redelivery() }

    public init(reading fields: inout OptionFields) throws(DaybookError) {
        sameBytes = try fields.read(
            "same_bytes",
            default: .skip,
            help: "A file with the bytes of one that was read under another name: left out, read, or an error."
        )
        let help =
            "A file that was read with other bytes: its day is made anew, it is left out with a warning, or an error."
        if let node = fields.written("other_bytes", OtherBytes.kind, default: otherBytes.rawValue, help: help) {
            otherBytes = try OtherBytes(reading: node)
            if otherBytes == .redo { place = node.place }
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

extension LateFiles: OptionObject {
    public static var title: String { "'late'" }
    public static var example: String? { "write { after: 3 days, then: warn }" }
    public static var placeholder: LateFiles { LateFiles(days: 0, then: .accept, place: nil) }

    public init(reading fields: inout OptionFields) throws(DaybookError) {
        let help = "How long after its day a file counts as late, such as 3 days."
        let after = fields.written("after", .text, isRequired: true, help: help)
        then = try fields.read(
            "then",
            default: .warn,
            help: "Whether a late file is read, read with a warning, or an error."
        )
        guard let after else { throw fields.missing("after", hint: LateFiles.example) }
        let words = (after.text ?? "").split(separator: " ")
        guard words.count == 2, ["day", "days"].contains(words[1]), let count = Int(words[0]),
            (0...36_600).contains(count)
        else { throw after.expected("a number of days such as '3 days'") }
        (days, place) = (count, fields.node.place)
    }

    public var written: String { "{ after: \(days) days, then: \(then.rawValue) }" }
}
