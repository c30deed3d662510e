import DaybookBytes
import DaybookEngine
import DaybookReports
import Foundation

/// How an output grows from run to run, as far as a verification is concerned.
enum VerifiedGrowth: Sendable, Equatable {
    /// Rows come behind those of a text: what the run found is a beginning of what stands there.
    case text
    /// Rows of whole groups, such as days, are replaced: each is compared by its digest.
    case groups
    /// What stood there before the run cannot be told from what stands there now, for a reason.
    case unknown(String)
}

/// An output that grows, as the job has it.
struct GrowingOutput: Sendable {
    /// Nil where the run began it: all of it is made again, as of any output.
    let growth: VerifiedGrowth?
    /// The real file.
    let path: String

    /// - Parameter before: the output at the start of the run; nil if there was none.
    init(_ growth: SinkTarget.Growth, inPart: Bool, of path: String, before: StoredManifest.File?) {
        self.path = path
        if growth.replacesGroups {
            self.growth = .groups
        } else if before == nil {
            self.growth = inPart ? nil : .text
        } else if growth.replacesByKey {
            let reason = "'upsert' changes rows in their places, and nobody knows what they were before the run"
            self.growth = .unknown("cannot be verified: \(reason)")
        } else if inPart {
            let reason = "rows that a run appends to a table lie anywhere in the file of the database"
            self.growth = .unknown("cannot be verified: \(reason)")
        } else {
            self.growth = .text
        }
    }
}

extension SinkGroup {
    func masked(_ mask: SecretMask) -> SinkGroup {
        var masked = self
        masked.key = mask.masking(key)
        return masked
    }

    /// The group as people call it: a day without the quotes of JSON.
    fileprivate var name: String {
        let values = key.components(separatedBy: ", ").map { value in
            value.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
                ? String(value.dropFirst().dropLast()) : value
        }
        return (part.map { "\($0) " } ?? "") + values.joined(separator: ", ")
    }

    fileprivate var summary: String {
        bytes == 0 ? "no rows" : "\(DisplayText.count(bytes, "byte")), xxh128 \(xxh128.prefix(12))"
    }

    /// Whether it is a day, alone or with other keys.
    var isOfDay: Bool { name.split { $0 == " " || $0 == "," }.contains { CalendarDay(iso: String($0)) != nil } }

    fileprivate struct Name: Hashable { var part: String?, key: String }

    fileprivate var identity: Name { Name(part: part, key: key) }
}

extension Verification.Output {
    /// Compares what stands in the output now with what the run wrote.
    mutating func compare(_ growing: GrowingOutput, _ remade: (String) -> String?) {
        growth = growing.growth
        switch growing.growth {
        case nil: comesOutSame = before == after
        case .unknown(let reason): remarks.append(reason)
        case .text: compareBeginning(growing.path)
        case .groups: compareGroups(remade)
        }
    }

    /// The file has to begin with what the run left there.
    private mutating func compareBeginning(_ path: String) {
        guard let before else { return }
        comesOutSame = before == after
        guard let status = (try? FileStatus.of(path)) ?? nil else { return faults.append("the file is gone") }
        guard status.size >= before.bytes else {
            let (now, then) = (DisplayText.count(status.size, "byte"), DisplayText.count(before.bytes))
            return faults.append("the file has \(now) now, fewer than the \(then) after the run")
        }
        guard let file = Descriptor.handle(of: path) else { return faults.append("the file cannot be read") }
        defer { try? file.close() }
        var digest = XXH128Digest()
        var left = before.bytes
        while left > 0, let block = try? file.read(upToCount: min(left, 4 << 20)), !block.isEmpty {
            block.withUnsafeBytes { digest.update($0.bindMemory(to: UInt8.self)) }
            left -= block.count
        }
        guard digest.finish() == before.xxh128 else {
            return faults.append("the first \(DisplayText.count(before.bytes, "byte")) of the file are others now")
        }
        let more = status.size - before.bytes
        if more > 0 { remarks.append("\(DisplayText.count(more, "byte")) came after the run") }
    }

    private mutating func compareGroups(_ remade: (String) -> String?) {
        guard let groups = before?.groups else {
            guard before != nil else { return }
            let reason = "cannot be verified: its manifest has no digests of days, or more than it keeps"
            growth = .unknown(reason)
            return remarks.append(reason)
        }
        let again = Dictionary((after?.groups ?? []).map { ($0.identity, $0) }) { first, _ in first }
        let now = Dictionary(standing.map { ($0.identity, $0) }) { first, _ in first }
        for group in groups {
            let (made, stands) = (again[group.identity], now[group.identity])
            let isThere = stands.map { $0 == group } ?? (group.bytes == 0)
            // A day whose file is another by now has no rows in it, and none is made.
            let isMade = made.map { $0 == group } ?? (group.bytes == 0)
            if isMade, isThere { continue }
            if let run = remade(group.name) {
                remarks.append("\(group.name) was made anew by run \(run)")
            } else if made == nil, !isMade {
                comesOutSame = false
                faults.append("\(group.name) is not made again: \(group.summary) → none")
            } else if !isThere {
                comesOutSame = comesOutSame && isMade
                let now = stands?.summary ?? "no rows"
                faults.append("\(group.name) stands there otherwise: \(group.summary) → \(now)")
            } else {
                comesOutSame = false
                faults.append("\(group.name) comes out otherwise: \(group.summary) → \(made?.summary ?? "none")")
            }
        }
        let known = Set(groups.map(\.identity))
        let more = (after?.groups ?? []).filter { !known.contains($0.identity) && $0.bytes > 0 }
        for group in more where remade(group.name) == nil {
            comesOutSame = false
            faults.append("\(group.name) is made too, which the run did not make: \(group.summary)")
        }
    }
}
