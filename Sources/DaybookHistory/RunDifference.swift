/// The changes from one run to another: job, params, inputs, rows of stages, rules and outputs.
public struct RunDifference: Sendable {
    /// A value that changed; nil where there is none.
    public struct Change: Sendable, Equatable {
        public var name: String
        public var before: String?
        public var after: String?
    }

    /// The changes of one kind, and how many things of that kind stayed the same.
    public struct Part: Sendable, Equatable {
        public var title: String
        public var changes: [Change]
        public var same: Int
    }

    public let earlier: RunRecord
    public let later: RunRecord
    public let parts: [Part]

    public init(_ earlier: RunRecord, _ later: RunRecord) {
        (self.earlier, self.later) = (earlier, later)
        parts = [
            Part("run", RunDifference.heads(earlier), RunDifference.heads(later)),
            Part("params", earlier.params, later.params),
            Part("inputs", RunDifference.files(earlier.inputs), RunDifference.files(later.inputs)),
            Part("stages", RunDifference.stages(earlier), RunDifference.stages(later)),
            Part("measures", RunDifference.measures(earlier), RunDifference.measures(later)),
            Part("rules", RunDifference.rules(earlier), RunDifference.rules(later)),
            Part("findings", RunDifference.findings(earlier), RunDifference.findings(later)),
            Part("outputs", RunDifference.files(earlier.outputs), RunDifference.outputs(later, after: earlier)),
        ]
    }

    public var isEmpty: Bool { parts.allSatisfy(\.changes.isEmpty) }

    private static func heads(_ record: RunRecord) -> [String: String] {
        var heads = [
            "job": record.job, "job file": record.path, "exit code": String(record.exitCode), "daybook": record.version,
        ]
        heads["job text"] = record.digest.map { "sha256 \($0.prefix(12))" }
        heads["as of"] = record.asOf
        return heads
    }

    /// Files with equal bytes are the same. A file that was not read to its end is compared by its size.
    private static func files(_ files: [RunRecord.File]) -> [String: String] {
        named(files) { file in
            let digest = file.xxh128.map { ", xxh128 \($0.prefix(12))" } ?? ""
            return (file.path, "\(DisplayText.count(file.bytes, "byte"))\(digest)")
        }
    }

    /// Things by their names, the first of each.
    private static func named<Thing>(_ things: [Thing], _ text: (Thing) -> (String, String)) -> [String: String] {
        Dictionary(things.map(text)) { first, _ in first }
    }

    /// A run that fails leaves the files of the previous one as they are; these count as not written.
    private static func outputs(_ later: RunRecord, after earlier: RunRecord) -> [String: String] {
        let written = files(later.outputs)
        guard later.exitCode != 0 else { return written }
        return written.merging(earlier.outputs.map { ($0.path, "not written") }) { written, _ in written }
    }

    private static func stages(_ record: RunRecord) -> [String: String] {
        named(record.stages) { stage in
            let counts = [
                ("in", stage.rowsIn), ("out", stage.rowsOut), ("rejected", stage.rejected),
                ("dropped", stage.dropped.values.reduce(0, +)), ("folded", stage.folded), ("made", stage.made),
            ]
            let shown = counts.filter { $0.1 > 0 || $0.0 == "out" }.map { "\(DisplayText.count($0.1)) \($0.0)" }
            return (stage.id, shown.joined(separator: ", "))
        }
    }

    private static func measures(_ record: RunRecord) -> [String: String] {
        named(record.measures ?? []) { ("\($0.stage): \($0.title)", $0.text) }
    }

    private static func rules(_ record: RunRecord) -> [String: String] {
        named(record.rules) { ("\($0.stage): \($0.rule)", "\($0.verdict): \($0.result)") }
    }

    private static func findings(_ record: RunRecord) -> [String: String] {
        var counts: [String: Int] = [:]
        for tally in record.findings { counts["\(tally.stage): \(tally.code)", default: 0] += tally.count }
        return counts.mapValues(DisplayText.count)
    }
}

extension RunDifference.Part {
    fileprivate init(_ title: String, _ before: [String: String], _ after: [String: String]) {
        let names = Set(before.keys).union(after.keys).sorted()
        let changes = names.filter { before[$0] != after[$0] }
        self.init(
            title: title,
            changes: changes.map { RunDifference.Change(name: $0, before: before[$0], after: after[$0]) },
            same: names.count - changes.count
        )
    }
}
