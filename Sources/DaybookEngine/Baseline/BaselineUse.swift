/// What a run does with a baseline.
public enum BaselineUse: Sendable {
    /// Findings that it knows do not count.
    case hold(Baseline)
    /// All findings of the run become the new baseline, and none counts.
    case record
}

/// Tells findings that are known from new ones, in the order of the input, and gathers them for a new baseline.
///
/// Touched by the committing thread only.
package final class BaselineLedger {
    private let use: BaselineUse
    /// How many findings of each fingerprint may still come.
    private var left: [String: Int] = [:]
    private var places: [String: Int] = [:]
    package private(set) var found: [Baseline.Entry] = []
    /// Whether there were more different findings than a baseline may hold.
    package private(set) var isFull = false

    package init(_ use: BaselineUse) {
        self.use = use
        if case .hold(let baseline) = use {
            for entry in baseline.entries { left[entry.fingerprint, default: 0] += entry.count }
        }
    }

    /// Whether a finding is known. One more of a fingerprint than the baseline has is new.
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

    /// The findings of the baseline that did not come again, with how many of each.
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
