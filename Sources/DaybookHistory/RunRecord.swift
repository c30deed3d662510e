import DaybookBytes
import DaybookEngine
import DaybookReports

/// The history's record of one run: job, inputs and outputs, the ledger, the rules, and how the run ended.
///
/// Its JSON form travels through the journal of a commit; in the database it is spread over tables. Secrets are masked.
public struct RunRecord: Codable, Sendable, Equatable {
    /// A stage of the ledger.
    public struct Stage: Codable, Sendable, Equatable {
        public var id: String
        public var type: String
        public var isSource: Bool
        public var rowsIn: Int
        public var rowsOut: Int
        public var rejected: Int
        public var folded: Int
        public var made: Int
        /// Rows made that come from no input row, by name.
        public var added: [String: Int]
        /// Rows that were dropped, by name.
        public var dropped: [String: Int]
        /// Skipped entries that are no rows, by name.
        public var skipped: [String: Int]
        public var milliseconds: Double
        /// The stages it reads, as `from` names them; nil for a source, and for runs before Daybook kept it.
        public var reads: [String]?

        private enum CodingKeys: String, CodingKey {
            case id, type, rejected, folded, made, added, dropped, skipped, milliseconds, reads
            case isSource = "is_source"
            case rowsIn = "rows_in"
            case rowsOut = "rows_out"
        }
    }

    public struct Rule: Codable, Sendable, Equatable {
        public var stage: String
        public var rule: String
        public var type: String
        public var rows: Int
        public var failing: Int
        public var verdict: String
        public var message: String
        /// The measured value; nil for a rule that measures nothing, and for runs before Daybook kept it.
        public var observed: ObservedValue?
        /// The values of the days of its data; nil for rows that belong to no days.
        public var days: [DayFigure]? = nil
        /// The values of groups of rows; nil for a rule that compares none.
        public var groups: [GroupFigure]? = nil

        /// The message, with the measured value unless it says it.
        var result: String {
            guard let observed, !message.contains(" \(observed.displayText)") else { return message }
            return "\(message) (\(observed.measure.displayText): \(observed.displayText))"
        }
    }

    public struct Tally: Codable, Sendable, Equatable {
        public var stage: String
        public var code: String
        public var severity: String
        public var column: String?
        public var rule: String?
        public var count: Int
    }

    /// A measure that an output shows.
    public struct Measure: Codable, Sendable, Equatable {
        public var stage: String
        public var title: String
        /// Nil for text, and where there is no value.
        public var value: Double?
        /// The value as the output shows it.
        public var text: String
        /// The values of the days of its data; nil for rows that belong to no days.
        public var days: [DayFigure]? = nil
    }

    public struct File: Codable, Sendable, Equatable {
        public var path: String
        public var bytes: Int
        /// Nil where the file was not read to its end.
        public var xxh128: String?
        public var sha256: String?
        /// The days of its rows, as `DaysOfFile` writes them.
        var days: String? = nil
        /// The ISO day that its name says; nil where its import names no days, and for runs before Daybook kept it.
        public var day: String? = nil

        /// The days that it belongs to; empty for a file of another import.
        package func days(_ form: FileDay) -> Set<CalendarDay> {
            guard form.isOfRows else { return Set(form.day(ofPath: path).map { [$0] } ?? []) }
            guard let kept = days.flatMap(DaysOfFile.init(text:)), kept.column == form.column.text else { return [] }
            return kept.days
        }
    }

    public struct Failure: Codable, Sendable, Equatable {
        public var code: String
        public var message: String
    }

    /// The outcome of a notice.
    public struct Notice: Codable, Sendable, Equatable {
        /// The recipient, such as `webhook at https://hooks.example.com`.
        public var target: String
        /// Why the notice failed; nil if it was sent.
        public var reason: String?
    }

    /// The name of the run: its start, and a random part.
    public var run: String
    public var job: String
    /// The canonical path of the job file; empty for a job from standard input. It tells two jobs of one name apart.
    public var path: String
    /// The SHA-256 of the job file, where it could be read.
    public var digest: String?
    public var version: String
    /// An ISO day, once the job could be read.
    public var asOf: String?
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var started: Int64
    public var seconds: Double
    public var exitCode: Int
    public var params: [String: String]
    public var stages: [Stage]
    public var rules: [Rule]
    public var findings: [Tally]
    public var inputs: [File]
    public var outputs: [File]
    public var errors: [Failure]
    /// Nil where no output shows any.
    public var measures: [Measure]? = nil
    /// The notices; nil if none was to be sent. They are known only after the run is kept.
    public var notices: [Notice]? = nil
    /// Whether an import read only new files, so that pruning keeps the list of its inputs.
    public var takesNew: Bool?
    /// Files that the run left out as copies, whose names are known from then on.
    var copies: [File]? = nil
    /// Whether the run read everything again, whatever earlier runs had read. The history does not keep it.
    public var takesAll: Bool?
    /// The incremental state of imports; nil if none reads only new rows.
    public var marks: [Mark]?
    /// Whether the run made days anew, by '--redo' or a backfill.
    public var redoes: Bool?

    private enum CodingKeys: String, CodingKey {
        case run, job, path, digest, version, started, seconds, params, stages, rules, findings, inputs, outputs, errors
        case notices, measures, marks, copies, redoes
        case asOf = "as_of"
        case takesNew = "takes_new"
        case takesAll = "takes_all"
        case exitCode = "exit_code"
    }

    /// The rows that the sources read.
    public var rowsRead: Int { stages.reduce(0) { $0 + ($1.isSource ? $1.rowsIn : 0) } }
    /// The rows that stages refused.
    public var rejected: Int { stages.reduce(0) { $0 + $1.rejected } }
}

extension RunRecord {
    /// The record of a report, whose outcome says how the run ended.
    public init(_ report: RunReport, run: RunID) {
        let mask: (String) -> String = { report.mask.masking($0) }
        let named = { (counts: [String: Int]) -> [String: Int] in
            Dictionary(counts.map { (mask($0.key), $0.value) }, uniquingKeysWith: +)
        }
        let outcome = report.outcome
        let dated = outcome.intakes.flatMap { $0.dayOfFile.map { ($0.name, $0.day) } }
        let days = Dictionary(dated) { first, _ in first }
        self.init(
            run: run.description,
            job: report.job,
            path: report.historyPath,
            digest: report.jobSHA256,
            version: DaybookVersion.text,
            asOf: report.asOf?.description,
            started: report.started,
            seconds: Double(report.nanoseconds / 1_000) / 1_000_000,
            exitCode: Int(report.exitCode),
            params: Dictionary(report.params.map { ($0.name, $0.value) }) { _, last in last },
            stages: outcome.ledger.enumerated().map { number, line in
                Stage(
                    id: mask(line.id),
                    type: line.stage,
                    isSource: line.isSource,
                    rowsIn: line.rowsIn,
                    rowsOut: line.rowsOut,
                    rejected: line.rejected,
                    folded: line.folded,
                    made: line.made,
                    added: named(line.added),
                    dropped: named(line.dropped),
                    skipped: named(line.skipped.merging(outcome.filesLeftOut(by: line.id), uniquingKeysWith: +)),
                    milliseconds: Double(line.nanoseconds / 1_000) / 1_000,
                    reads: outcome.reads(of: number).map { $0.map(mask) }
                )
            },
            rules: outcome.rules.map { rule in
                Rule(
                    stage: mask(rule.stage),
                    rule: mask(rule.rule.id),
                    type: rule.rule.type,
                    rows: rule.rows,
                    failing: rule.failing,
                    verdict: rule.verdict.rawValue,
                    message: mask(rule.message),
                    observed: rule.observation?.value,
                    days: rule.observation?.days.nonEmpty,
                    // A name that a secret is part of would not be found again.
                    groups: rule.observation?.groups.filter { $0.group.values.allSatisfy { mask($0) == $0 } }.nonEmpty
                )
            },
            findings: outcome.tallies.map { tally in
                Tally(
                    stage: mask(tally.stage),
                    code: tally.code,
                    severity: tally.severity.rawValue,
                    column: tally.column.map(mask),
                    rule: tally.rule.map(mask),
                    count: tally.count
                )
            },
            inputs: outcome.inputs.map { input in
                File(
                    path: mask(input.path),
                    bytes: input.bytes,
                    input.digest,
                    day: days[input.path]?.description,
                    days: input.days
                )
            },
            outputs: outcome.outputs.map { File(path: mask($0.path), bytes: $0.bytes, $0.digest) },
            errors: outcome.errors.map { Failure(code: $0.code.rawValue, message: mask($0.message)) },
            measures: outcome.measures.isEmpty
                ? nil
                : outcome.measures.map {
                    Measure(
                        stage: mask($0),
                        title: mask($1.title),
                        value: $1.value,
                        text: mask($1.text),
                        days: $1.made.nonEmpty
                    )
                },
            takesNew: outcome.intakes.contains(where: \.isNewOnly) ? true : nil,
            copies: outcome.intakes.flatMap(\.copies)
                .map { File(path: mask($0.path), bytes: $0.bytes, $0.digest, days: $0.days) }.nonEmpty,
            marks: RunRecord.marks(outcome, mask)
        )
    }
}

extension RunRecord {
    /// A figure of a day as the history stores it: of a rule, with what it measures, or of a measure.
    struct StoredFigure {
        let stage: String
        let name: String
        let measure: ObservedValue.Measure?
        let day: CalendarDay
        let value: Double?
    }

    /// The figures of days, apart from their rules and measures.
    var dayFigures: [StoredFigure] {
        get {
            func figures(_ stage: String, _ name: String, _ measure: ObservedValue.Measure?, _ days: [DayFigure]?)
                -> [StoredFigure]
            {
                (days ?? []).map {
                    StoredFigure(stage: stage, name: name, measure: measure, day: $0.day, value: $0.value)
                }
            }
            return rules.flatMap { figures($0.stage, $0.rule, $0.observed?.measure, $0.days) }
                + (measures ?? []).flatMap { figures($0.stage, $0.title, nil, $0.days) }
        }
        set {
            guard !newValue.isEmpty else { return }
            func days(_ stage: String, _ name: String, isRule: Bool) -> [DayFigure]? {
                newValue.filter { $0.stage == stage && $0.name == name && ($0.measure != nil) == isRule }
                    .map { DayFigure($0.day, $0.value) }.nonEmpty
            }
            for number in rules.indices {
                rules[number].days = days(rules[number].stage, rules[number].rule, isRule: true)
            }
            for number in (measures ?? []).indices {
                measures![number].days = days(measures![number].stage, measures![number].title, isRule: false)
            }
        }
    }
}

extension RunRecord.Measure {
    /// `of 2026-10-02`, or `2026-10-01 30, 2026-10-02 15` of several days.
    var daysText: String? {
        guard let days, let last = days.last else { return nil }
        guard days.count > 1 else { return "of \(last.day)" }
        let shown = days.suffix(7).map { "\($0.day) \($0.value.map(\.brief) ?? "–")" }.joined(separator: ", ")
        return days.count > 7 ? "… \(shown)" : shown
    }
}

extension Array {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}

extension RunOutcome {
    /// The stages that a stage of the ledger reads; nil for one that reads none.
    fileprivate func reads(of number: Int) -> [String]? {
        let own = links.filter { $0.to == number && ledger.indices.contains($0.from) }
        return own.isEmpty ? nil : own.map { ledger[$0.from].id + ($0.isOfRejects ? ".rejects" : "") }
    }

    /// The files that an import left out, and the paths without a file, by name.
    fileprivate func filesLeftOut(by stage: String) -> [String: Int] {
        guard let intake = intakes.first(where: { $0.stage == stage }) else { return [:] }
        return [
            "files taken before": intake.taken, "paths without a file": intake.absent.count,
            "rows before 'since'": intake.since?.before ?? 0,
            "rows without a value of 'since'": intake.since?.missing ?? 0,
        ].filter { $0.value > 0 }
    }
}

extension RunRecord.File {
    fileprivate init(path: String, bytes: Int, _ digest: FileDigest?, day: String? = nil, days: DaysOfFile? = nil) {
        self.init(path: path, bytes: bytes, xxh128: digest?.xxh128, sha256: digest?.sha256, days: days?.text, day: day)
    }
}
