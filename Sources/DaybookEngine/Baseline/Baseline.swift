import DaybookBytes
import Foundation

/// Known and accepted findings, each by its fingerprint. A baseline lets a gate start on data that is already dirty.
///
/// The file is JSON with one finding per line, in a fixed order, so that pull requests show readable differences.
public struct Baseline: Sendable {
    /// Findings about equal records, which share a fingerprint.
    public struct Entry: Codable, Sendable, Hashable {
        public var fingerprint: String
        /// Number of these findings.
        public var count: Int
        public var stage: String
        public var rule: String?
        public var code: String
        public var source: String?
        public var field: String?
        /// The value, shortened if it is long.
        public var value: String?
    }

    public var entries: [Entry]

    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// Limit of different findings in a baseline.
    static let mostEntries = 1_000_000
    /// Limit of equal findings in one entry.
    private static let mostOfOne = 1 << 40
    private static let mostBytes = 512 << 20
    private static let format = 1

    private struct Document: Decodable {
        var daybookBaseline: Int
        var findings: [Entry]

        enum CodingKeys: String, CodingKey {
            case daybookBaseline = "daybook_baseline"
            case findings
        }
    }

    /// Reads a baseline. A file that is not a baseline is an error with a remedy.
    public init(readingFile path: String) throws(DaybookError) {
        let advice = "make one with '--baseline \(path) --update-baseline'"
        let bytes: Bytes?
        do { bytes = try WholeFile.read(path, limit: Baseline.mostBytes) } catch {
            throw .machine("cannot-read", "cannot read the baseline '\(path)': \(error)", hint: advice)
        }
        guard let bytes else { throw .machine("cannot-read", "there is no baseline '\(path)'", hint: advice) }
        let document: Document
        do { document = try JSONDecoder().decode(Document.self, from: Data(bytes.array)) } catch {
            throw DaybookError(
                "bad-baseline",
                "'\(path)' is not a baseline: \(Baseline.cause(error))",
                hint: "after a merge conflict keep the lines of both sides; --update-baseline makes it anew, and so "
                    + "lets all findings pass that there are"
            )
        }
        guard document.daybookBaseline == Baseline.format else {
            throw DaybookError(
                "bad-baseline",
                "'\(path)' is a baseline of format \(document.daybookBaseline), and this Daybook reads \(Baseline.format)",
                hint: "make it anew with '--baseline \(path) --update-baseline'"
            )
        }
        // The limit keeps sums of counts far from overflow.
        if let odd = document.findings.first(where: { !(1...Baseline.mostOfOne).contains($0.count) }) {
            let message = "'\(path)' has \(odd.count) findings of '\(odd.fingerprint)'"
            throw DaybookError("bad-baseline", message, hint: advice)
        }
        entries = document.findings
    }

    /// Cause of the error, in a few words.
    private static func cause(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, _): "it has no '\(key.stringValue)'"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "something else stands at '\(context.codingPath.map(\.stringValue).joined(separator: "."))'"
        default: "it is not JSON"
        }
    }

    /// File content, ending with a line break.
    public var bytes: Bytes {
        let bytes = Bytes()
        bytes.append("{\n  \"daybook_baseline\": \(Baseline.format),\n  \"findings\": [")
        for (index, entry) in sorted.enumerated() {
            bytes.append(index == 0 ? "\n    {\"fingerprint\": " : ",\n    {\"fingerprint\": ")
            bytes.append(jsonString: entry.fingerprint)
            bytes.append(", \"count\": \(entry.count)")
            for (key, text) in entry.fields {
                guard let text else { continue }
                bytes.append(", \"\(key)\": ")
                bytes.append(jsonString: text)
            }
            bytes.append("}")
        }
        bytes.append(entries.isEmpty ? "]\n}\n" : "\n  ]\n}\n")
        return bytes
    }

    private var sorted: [Entry] {
        entries.sorted { first, second in
            let (one, other) = (first.fields.map { $0.text ?? "" }, second.fields.map { $0.text ?? "" })
            return one == other ? first.fingerprint < second.fingerprint : one.lexicographicallyPrecedes(other)
        }
    }
}

extension Baseline.Entry {
    /// Fields after fingerprint and count, in the order of the file.
    fileprivate var fields: [(key: String, text: String?)] {
        [("stage", stage), ("rule", rule), ("code", code), ("source", source), ("field", field), ("value", value)]
    }

    /// Entry for one finding, without secrets.
    package init(_ finding: RenderedFinding) {
        (fingerprint, count, stage, rule) = (finding.fingerprint, 1, finding.stage, finding.rule)
        (code, source, field) = (finding.code, finding.source, finding.field)
        value = finding.value.map { $0.shortened(to: 80) }
    }
}

/// What a run does with a baseline.
public enum BaselineUse: Sendable {
    /// Findings in the baseline do not count.
    case hold(Baseline)
    /// All findings of the run become the new baseline. None counts.
    case record
}

/// Distinguishes known findings from new ones, in the order of the input, and collects them for a new baseline.
///
/// Used by the committing thread only.
package final class BaselineLedger {
    private let use: BaselineUse
    /// Remaining known findings, by fingerprint.
    private var left: [String: Int] = [:]
    private var places: [String: Int] = [:]
    package private(set) var found: [Baseline.Entry] = []
    /// Whether different findings exceeded the limit of a baseline.
    package private(set) var isFull = false

    package init(_ use: BaselineUse) {
        self.use = use
        if case .hold(let baseline) = use {
            for entry in baseline.entries { left[entry.fingerprint, default: 0] += entry.count }
        }
    }

    /// Whether a finding is known. Findings beyond the baseline's count of their fingerprint are new.
    package func knows(_ finding: RenderedFinding) -> Bool {
        switch use {
        case .hold:
            guard let rest = left[finding.fingerprint], rest > 0 else { return false }
            left[finding.fingerprint] = rest - 1
        case .record:
            if let place = places[finding.fingerprint] {
                found[place].count += 1
            } else if found.count < Baseline.mostEntries {
                places[finding.fingerprint] = found.count
                found.append(Baseline.Entry(finding))
            } else {
                isFull = true
            }
        }
        return true
    }

    /// Entries of the baseline that did not occur again, with their counts.
    var fixed: [Baseline.Entry] {
        guard case .hold(let baseline) = use else { return [] }
        var rest = left
        return baseline.entries.compactMap { entry in
            guard let count = rest[entry.fingerprint], count > 0 else { return nil }
            let gone = min(count, entry.count)
            rest[entry.fingerprint] = count - gone
            var entry = entry
            entry.count = gone
            return gone > 0 ? entry : nil
        }
    }
}
