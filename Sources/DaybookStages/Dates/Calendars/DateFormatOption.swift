/// A format as the option `formats` or `as` takes it: `iso`, the name of a unit, or a pattern.
struct DateFormatOption: OptionValue, Hashable {
    var kind: DateFormat.Kind
    var place: SourcePlace?

    static var kind: OptionKind { .dateFormat }
    static var placeholder: DateFormatOption { iso }
    static let iso = DateFormatOption(kind: .iso)

    init(kind: DateFormat.Kind, place: SourcePlace? = nil) {
        self.kind = kind
        self.place = place
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else {
            throw node.expected("a date format", hint: "write iso, epoch_seconds or a pattern such as yyyy-MM-dd")
        }
        if text == "iso" {
            kind = .iso
        } else if let unit = EpochUnit(rawValue: text) {
            kind = .epoch(unit)
        } else {
            kind = .pattern(try DateFormatOption.pattern(text, at: node.place))
        }
        place = node.place
    }

    private static func pattern(_ text: String, at place: SourcePlace) throws(DaybookError) -> DatePattern {
        // A misspelt `epoch_second` is a name, not a pattern: no pattern has an underscore among its letters.
        let units = ["iso"] + EpochUnit.allCases.map(\.rawValue)
        do {
            return try DatePattern(text)
        } catch {
            let nearest = NearestName.hint(for: text, among: units)
            throw DaybookError("bad-pattern", error.message, at: place, hint: nearest ?? error.hint)
        }
    }

    var written: String { kind.text }

    var pattern: DatePattern? { if case .pattern(let pattern) = kind { pattern } else { nil } }
    var needsNames: Bool { pattern?.needsNames ?? false }

    /// Whether the format reads numbers of a JSON document as well as text.
    var readsNumbers: Bool {
        switch kind {
        case .iso, .isoBasic: false
        case .epoch: true
        case .pattern(let pattern): pattern.pieces.allSatisfy { $0.field != nil }
        }
    }
}
