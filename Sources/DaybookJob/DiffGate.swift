import DaybookBytes
import Foundation

/// How far the files that a job reads may be from earlier ones, as the key `diff` of a job says.
public struct DiffGate: Sendable {
    /// A branch, tag or commit, or a path from the job file; nil for what the command line names.
    public var against: PathText?
    /// Columns by which a row is known in both; empty for those that are found.
    public var keys: [String]
    public var limits: [(limit: DiffLimit, place: SourcePlace?)]
    public var place: SourcePlace?
}

extension DiffGate {
    static let keys = ["against", "key", "fail_on", "append_only"]

    /// Reads `{ against, key, fail_on, append_only }` and reports its problems.
    init(reading node: OptionNode, _ problems: Problems) {
        let map = EngineMap(node, keys: DiffGate.keys, of: "diff", problems)
        against = map.read("against")
        keys = DiffGate.texts(map["key"], problems).map(\.text)
        place = node.place
        limits = []
        for (text, place) in DiffGate.texts(map["fail_on"], problems) {
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                do throws(DaybookError) { limits.append((try DiffLimit(String(part), in: "fail_on"), place)) } catch {
                    problems.add("bad-option", error.message, at: place, hint: error.hint)
                }
            }
        }
        let appends: Bool? = map.read("append_only")
        if appends == true { limits.append((.appendOnly, map["append_only"]?.place)) }
        for (index, key) in keys.enumerated() where keys[..<index].contains(key) {
            problems.add("bad-option", "'key' names '\(key)' twice", at: map["key"]?.place)
        }
        // A limit that cannot be read has a problem of its own.
        guard limits.isEmpty, node.map != nil, map["fail_on"]?.list?.isEmpty ?? (map["fail_on"] == nil) else { return }
        let hint = "write 'fail_on: [columns-gone, \"rows-removed>1%\"]' or 'append_only: true'"
        problems.add("missing-key", "'diff' names no limit", at: node.place, hint: hint)
    }

    /// The texts of a list, or a single one.
    private static func texts(_ node: OptionNode?, _ problems: Problems) -> [(text: String, place: SourcePlace?)] {
        (node.map { $0.list ?? [$0] } ?? []).compactMap { node in
            guard let text = node.text, !text.isEmpty else {
                problems.add(node.expected("a text, or a list of them"))
                return nil
            }
            return (text, node.place)
        }
    }
}

/// A limit of what may change: `rows-removed>0`, `cells-changed>5%`, or `columns-gone`.
public struct DiffLimit: Sendable {
    public enum Subject: String, CaseIterable, Sendable {
        case columnsGone = "columns-gone"
        case columnsNew = "columns-new"
        case kindChanged = "kind-changed"
        case rowsRemoved = "rows-removed"
        case rowsAdded = "rows-added"
        case rowsChanged = "rows-changed"
        case cellsChanged = "cells-changed"
        case filesGone = "files-gone"
        /// Rows and columns that are no longer as they were; new ones may come.
        case notAppended = "append-only"
        /// What a reader of the earlier tables can no longer read.
        case breaking
    }

    /// As it was written.
    public let written: String
    package let subject: Subject
    package let most: Double
    package let isShare: Bool

    /// Rows, columns and files may only be added.
    static let appendOnly = DiffLimit(.notAppended)

    private init(_ subject: Subject) { (written, self.subject, most, isShare) = (subject.rawValue, subject, 0, false) }

    /// Throws for a word that is none of the limits.
    ///
    /// - Parameter asked: Where it is written: an option of the command line, or a key of a job.
    public init(_ written: String, in asked: String = "--fail-on") throws(DaybookError) {
        let parts = written.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let names = Subject.allCases.map(\.rawValue)
        guard let subject = Subject(rawValue: parts[0]) else {
            let hint = NearestName.hint(for: parts[0], among: names) ?? "limits are \(DisplayText.list(names, "and"))"
            throw DaybookError("usage", "'\(asked)' has no limit '\(parts[0])'", hint: hint)
        }
        self.written = written.trimmingCharacters(in: .whitespaces)
        self.subject = subject
        isShare = parts.count > 1 && parts[1].hasSuffix("%")
        guard parts.count > 1 else {
            most = 0
            return
        }
        guard subject != .notAppended, subject != .breaking else {
            throw DaybookError("usage", "'\(parts[0])' takes no number", hint: "write \(parts[0])")
        }
        guard let number = Double(isShare ? String(parts[1].dropLast()) : parts[1]), number >= 0, number.isFinite else {
            let message = "'\(written)' has no number behind '>'"
            throw DaybookError("usage", message, hint: "write \(parts[0])>0 or \(parts[0])>5%, in quotes")
        }
        most = isShare ? number / 100 : number
        let ofRows: [Subject] = [.rowsRemoved, .rowsAdded, .rowsChanged, .cellsChanged]
        guard isShare, !ofRows.contains(subject) else { return }
        let message = "'\(parts[0])' is counted, and has no share"
        throw DaybookError("usage", message, hint: "write \(parts[0]), or \(parts[0])>1")
    }
}
