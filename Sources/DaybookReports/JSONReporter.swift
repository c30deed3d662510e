import DaybookBytes
import DaybookEngine
import Foundation

/// The report for programs: the manifest with every finding that was put into words.
public struct JSONReporter: Reporter {
    public static let name = "json"
    public static let summary = "Everything as one JSON document, for programs."
    public static let logForm = LogText.Form.json
    public static let isComplete = true

    public init(_ style: TerminalStyle) {}

    /// `findings` holds as many of each rule as were asked for, `finding_count` says how many there were in all.
    public func report(_ run: RunReport) -> String { JSONDocument.text(of: value(run)) }

    /// Of several runs, a list of such documents under `runs`.
    public func report(_ runs: [RunReport]) -> String {
        if runs.count == 1 { return report(runs[0]) }
        let all: JSONValue = ["runs": .list(runs.map(value))]
        return JSONDocument.text(of: all)
    }

    private func value(_ run: RunReport) -> JSONValue {
        let findings = FindingText.sorted(run.outcome.findings).map { JSONReporter.value($0, run) }
        return JSONValue(withoutNulls: [
            "run": Manifest(run).value, "findings": .list(findings),
            "finding_count": .number(run.outcome.tallies.reduce(0) { $0 + $1.count }),
            // Left out but for a dry run.
            "changes": run.isDry ? .list(run.changes.map(\.json)) : .null,
            "notices": .list(unlessEmpty: run.notices.map { JSONReporter.value($0, run) }),
        ])
    }

    /// `reason` says why nobody could be told.
    private static func value(_ notice: NoticeOutcome, _ run: RunReport) -> JSONValue {
        JSONValue(withoutNulls: [
            "to": .text(run.mask.masking(notice.target)), "sent": .flag(notice.failure == nil),
            "reason": JSONValue(notice.failure.map { run.mask.masking($0.message) }),
        ])
    }

    /// The keys are those of a line in the rejects file; `file` is the source as seen from where the command was started.
    package static func value(_ finding: RenderedFinding, _ run: RunReport) -> JSONValue {
        func masked(_ text: String?) -> JSONValue { JSONValue(text.map(run.mask.masking)) }
        return JSONValue(withoutNulls: [
            "severity": .text(finding.severity.rawValue), "code": .text(finding.code),
            "message": masked(finding.message), "stage": masked(finding.stage), "rule": masked(finding.rule),
            "job_line": JSONValue(finding.jobPlace?.line), "source": masked(finding.source),
            "file": JSONValue(finding.source.map(run.shown)), "line": JSONValue(finding.line),
            "end_line": JSONValue(finding.endLine), "column": JSONValue(finding.column),
            "byte": JSONValue(finding.byte), "record": JSONValue(finding.record), "pointer": masked(finding.pointer),
            "field": masked(finding.field), "value": masked(finding.value),
            "fingerprint": .text(finding.ownFingerprint),
        ])
    }
}

/// Writes values as JSON that people can read and that is the same at every run: indented, with sorted keys.
public enum JSONDocument {
    /// The JSON of `value` with a line break at its end.
    public static func bytes(of value: some Encodable) -> Bytes { Bytes(text(of: value)) }

    /// The bytes of a JSON file that a person names.
    ///
    /// - Parameter limit: how many there may be.
    package static func data(ofFile path: String, limit: Int) throws(DaybookError) -> Data {
        do throws(SystemFailure) {
            guard let bytes = try WholeFile.read(FilePath.canonical(path), limit: limit) else {
                throw SystemFailure(ENOENT)
            }
            defer { withExtendedLifetime(bytes) {} }
            return Data(bytes.filled)
        } catch { throw .cannotRead(path, error) }
    }

    /// The JSON of `value` with a line break at its end.
    public static func text(of value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
        } catch {
            preconditionFailure("a document of texts, numbers, lists and maps can always be encoded: \(error)")
        }
    }
}

/// A JSON value that is put together piece by piece, where its shape is not known beforehand.
public indirect enum JSONValue: Encodable, Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case null
    case flag(Bool)
    case number(Int)
    case decimal(Double)
    case text(String)
    case list([JSONValue])
    case map([String: JSONValue])

    public init(stringLiteral value: String) { self = .text(value) }
    public init(booleanLiteral value: Bool) { self = .flag(value) }
    public init(integerLiteral value: Int) { self = .number(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .map(Dictionary(elements) { _, last in last })
    }

    public init(_ text: String?) { self = text.map(JSONValue.text) ?? .null }
    public init(_ number: Int?) { self = number.map(JSONValue.number) ?? .null }

    package static func texts(_ texts: [String]) -> JSONValue { .list(texts.map(JSONValue.text)) }

    /// A list, or null for none.
    static func list(unlessEmpty list: [JSONValue]) -> JSONValue { list.isEmpty ? .null : .list(list) }

    /// A map that leaves out the keys of nulls.
    public init(withoutNulls map: [String: JSONValue]) { self = .map(map.filter { $0.value != .null }) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .decimal(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .map(let map): try container.encode(map)
        }
    }
}
