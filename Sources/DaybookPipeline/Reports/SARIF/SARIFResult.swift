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
            "message": ["text": .text(SARIFText.of(entry.placedMessage))],
            "locations": .list(SARIFLocation(entry).map { [$0.value] } ?? []),
            "partialFingerprints": .map([SARIFReporter.fingerprint: .text(entry.fingerprint)]),
        ]
        if let ruleIndex { result["ruleIndex"] = .number(ruleIndex) }
        let properties = properties
        if !properties.isEmpty { result["properties"] = .map(properties) }
        return .map(result)
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

    init?(_ entry: ReportEntry) {
        guard let place = entry.place else { return nil }
        self.place = place
        shown = entry.shown
    }

    var value: JSONValue {
        var artifact: [String: JSONValue] = ["uri": .text(SARIFLocation.uri(of: place.file))]
        if place.isInRepository { artifact["uriBaseId"] = .text(SARIFReporter.root) }
        var physical: [String: JSONValue] = ["artifactLocation": .map(artifact)]
        // Code scanning on GitHub refuses a location without a line; what has none is shown at the first.
        var region: [String: JSONValue] = ["startLine": .number(max(1, place.line ?? 1))]
        if let column = place.column { region["startColumn"] = .number(column) }
        if let endLine = place.endLine { region["endLine"] = .number(endLine) }
        physical["region"] = .map(region)
        // What a pointer tells, no line does.
        return ["physicalLocation": .map(physical), "message": ["text": .text(SARIFText.of(shown))]]
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
