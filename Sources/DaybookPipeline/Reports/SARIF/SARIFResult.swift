import DaybookCore

/// A `result` of a SARIF log: one finding, or a gate or rule that failed.
struct SARIFResult {
    private let entry: ReportEntry
    private let ruleIndex: Int?

    init(_ entry: ReportEntry, ruleIndex: Int?) {
        self.entry = entry
        self.ruleIndex = ruleIndex
    }

    var value: JSONValue {
        var result: [String: JSONValue] = [
            "ruleId": .text(SARIFText.of(entry.rule)),
            "level": .text(SARIFResult.level(of: entry.severity)),
            "message": ["text": .text(message)],
            "locations": .list(SARIFLocation(entry).map { [$0.value] } ?? []),
            "partialFingerprints": .map([SARIFReporter.fingerprint: .text(entry.fingerprint)]),
        ]
        if let ruleIndex { result["ruleIndex"] = .number(ruleIndex) }
        if let related = entry.related {
            result["relatedLocations"] = [SARIFLocation(related, "where the job asks for it", id: 0).value]
        }
        let properties = properties
        if !properties.isEmpty { result["properties"] = .map(properties) }
        return .map(result)
    }

    /// What to do about an error belongs to it; what to do about rows is told by their rule.
    private var message: String {
        SARIFText.of(entry.placedMessage) + (entry.hint.map { "\nhint: \(SARIFText.of($0))" } ?? "")
    }

    private var properties: [String: JSONValue] {
        var properties: [String: JSONValue] = [:]
        if let stage = entry.stage { properties["stage"] = .text(SARIFText.of(stage)) }
        guard case .finding(let finding) = entry.kind else { return properties }
        properties["code"] = .text(finding.code)
        if let record = finding.record { properties["record"] = .number(record) }
        if let field = entry.field { properties["field"] = .text(SARIFText.of(field)) }
        if let value = entry.value { properties["value"] = .text(SARIFText.of(value)) }
        return properties
    }

    static func level(of severity: Finding.Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .note: "note"
        }
    }
}

/// A `location` of a SARIF log; nil where no file holds the place.
struct SARIFLocation {
    private let place: ReportPlace
    private let shown: String
    /// What tells it from the others of a result, where there are several.
    private var id: Int?

    init?(_ entry: ReportEntry) {
        guard let place = entry.place else { return nil }
        self.init(place, entry.shown)
    }

    init(_ place: ReportPlace, _ shown: String, id: Int? = nil) {
        self.place = place
        self.shown = shown
        self.id = id
    }

    var value: JSONValue {
        var artifact: [String: JSONValue] = ["uri": .text(SARIFLocation.uri(of: place.file))]
        if place.isInRepository { artifact["uriBaseId"] = .text(SARIFReporter.root) }
        var physical: [String: JSONValue] = ["artifactLocation": .map(artifact)]
        // Code scanning on GitHub refuses a location without a line; what has none is shown at the first.
        var region: [String: JSONValue] = ["startLine": .number(max(1, place.line ?? 1))]
        if let column = place.column { region["startColumn"] = .number(column) }
        if let endLine = place.endLine { region["endLine"] = .number(endLine) }
        if let endColumn = place.endColumn { region["endColumn"] = .number(endColumn) }
        physical["region"] = .map(region)
        // What a pointer tells, no line does.
        var location: [String: JSONValue] = [
            "physicalLocation": .map(physical), "message": ["text": .text(SARIFText.of(shown))],
        ]
        if let id { location["id"] = .number(id) }
        return .map(location)
    }

    /// A path as a reference of RFC 3986: relative, or `file:` for a file outside the repository.
    static func uri(of path: String) -> String {
        var text = path.hasPrefix("/") ? "file://" : ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
            }
        }
        return text
    }
}
