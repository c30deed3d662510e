import DaybookBytes
import Foundation

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
