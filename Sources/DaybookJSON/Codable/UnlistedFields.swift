/// What becomes of the fields of a row's record that no column names.
package enum UnlistedFields: Sendable, Hashable {
    /// They are written as they stood.
    case keep
    /// They refuse the row.
    case fail
    /// These are left out, with all inside them, and any other refuses the row.
    case drop([JSONPointer])
    /// All are left out.
    case dropAll

    /// The pointers of fields that are left out; nil for those that are not refused.
    var dropped: [[String]]? {
        switch self {
        case .keep, .dropAll: nil
        case .fail: []
        case .drop(let pointers): pointers.map(\.tokens)
        }
    }
}

extension UnlistedFields: OptionValue {
    private static let words = ["keep", "fail", "drop"]

    package static let kind = OptionKind.either([
        .choice(words),
        .object([
            OptionSpec(
                key: "drop",
                kind: .list(of: .text),
                help:
                    "Fields that are left out; any other fails the run. A field inside another is written /place/lat.",
                isRequired: true
            )
        ]),
    ])
    package static var placeholder: UnlistedFields { .keep }

    package init(reading node: OptionNode) throws(DaybookError) {
        let expected = "keep, fail, drop, or { drop: [FIELD] }"
        if let map = node.map {
            guard let entry = map.first, map.count == 1, entry.key == "drop" else { throw node.expected(expected) }
            let names = try [String](reading: entry.value)
            var pointers: [JSONPointer] = []
            for name in names {
                let pointer = name.hasPrefix("/") ? try? JSONPointer(written: name) : JSONPointer(tokens: [name])
                guard let pointer else { throw entry.value.expected("names of fields, or pointers such as /place/lat") }
                pointers.append(pointer)
            }
            self = .drop(pointers)
            return
        }
        switch node.text {
        case "keep": self = .keep
        case "fail": self = .fail
        case "drop": self = .dropAll
        default: throw node.expected(expected, hint: node.text.flatMap { NearestName.hint(for: $0, among: Self.words) })
        }
    }

    package var written: String {
        switch self {
        case .keep: "keep"
        case .fail: "fail"
        case .dropAll: "drop"
        case .drop(let pointers): "{ drop: [\(pointers.map(\.written.written).joined(separator: ", "))] }"
        }
    }

    package static let help =
        "What becomes of fields of a record that no column names: keep them as they stood, fail, drop them, or { drop: [a, b] } alone."
}

extension Finding.Kind {
    static let unlisted = Finding.Kind(
        "unlisted-field",
        "the record has a field that no column holds, and writing the row would lose it",
        mend:
            "leave the column in, declare it where there are 'fields', or write 'unlisted: keep' or 'unlisted: { drop: [FIELD] }'"
    )

    static let brokenRecord = Finding.Kind(
        "not-json",
        "the record of the row is not all JSON, so its other fields cannot be kept",
        mend: "mend NaN and Infinity in the input, or write 'unlisted: drop'"
    )

    static let recordOutOfReach = Finding.Kind(
        "no-record",
        "the record of the row is no longer beside it, so its other fields cannot be kept",
        mend: "put the export before stages that gather rows, or write 'unlisted: drop'"
    )
}
