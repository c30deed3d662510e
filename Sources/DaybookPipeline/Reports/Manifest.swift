import DaybookCore

/// What is kept of a run: enough to tell later what ran on what, what came of it, and whether it was the same.
///
/// Written at the end of every run, also of one that failed to start. Its keys are part of what users rely on: new ones
/// may be added, and a change of meaning raises `formatVersion`.
public struct Manifest: Encodable, Sendable {
    static let currentFormat = 1

    struct Place: Encodable {
        var file: String
        var line: Int
        var column: Int
    }

    struct JobPart: Encodable {
        var name: String
        var file: String
        var sha256: String?
    }

    struct Param: Encodable {
        var value: String
        var isSet: Bool
    }

    struct FilePart: Encodable {
        var path: String
        var bytes: Int
        /// Null when an input was not read to its end.
        var digest: FileDigest?
        /// What a file and its parts were found to be, where that had to be found out.
        var recognised: [String] = []

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(path, forKey: .path)
            try container.encode(bytes, forKey: .bytes)
            try container.encode(digest?.sha256, forKey: .sha256)
            try container.encode(digest?.xxh128, forKey: .xxh128)
            if !recognised.isEmpty { try container.encode(recognised, forKey: .recognised) }
        }

        private enum CodingKeys: CodingKey { case path, bytes, sha256, xxh128, recognised }
    }

    struct PublishedPart: Encodable {
        var link: String
        var directory: String
    }

    struct StagePart: Encodable {
        var id: String
        var stage: String
        var rowsIn: Int
        var rowsOut: Int
        var rejected: Int
        var dropped: [String: Int]
        var folded: Int
        var made: Int
        var skipped: [String: Int]
        /// Left out where nothing was filled.
        var filled: [String: Int]?
        var milliseconds: Double
    }

    struct FindingPart: Encodable {
        var stage: String
        var code: String
        var severity: String
        var column: String?
        /// The id of the rule that asked, where one did.
        var rule: String?
        var count: Int
    }

    struct RulePart: Encodable {
        var stage: String
        var rule: String
        var type: String
        var columns: [String]
        var place: Place?
        var rows: Int
        var failing: Int
        var known: Int
        var verdict: String
        var message: String
    }

    struct GatePart: Encodable {
        var stage: String?
        /// The import whose rows the job's own gate is judged on, where it is judged for each.
        var source: String?
        var allowed: String
        var rejected: Int
        var total: Int
        var passed: Bool
    }

    struct ErrorPart: Encodable {
        var code: String
        var message: String
        var place: Place?
        /// The input that it is about; left out where it is about none.
        var file: String?
        var hint: String?
    }

    let formatVersion = Manifest.currentFormat
    let daybookVersion = DaybookVersion.text
    let job: JobPart
    let params: [String: Param]
    let asOf: String?
    let timezone: String?
    let threads: Int
    let startedAt: String
    let endedAt: String
    let seconds: Double
    let inputs: [FilePart]
    let outputs: [FilePart]
    /// Left out where the job publishes no directory, or the run did not come to it.
    let published: PublishedPart?
    let stages: [StagePart]
    let findings: [FindingPart]
    let rules: [RulePart]
    let gates: [GatePart]
    let errors: [ErrorPart]
    let exitCode: Int32

    public init(_ run: RunReport) {
        let mask = run.mask
        let outcome = run.outcome
        job = JobPart(
            name: mask.masking(run.job),
            file: run.jobFile == "-" ? "standard input" : mask.masking(run.jobFile),
            sha256: run.jobSHA256
        )
        params = Dictionary(run.params.map { ($0.name, Param(value: $0.value, isSet: $0.isSet)) }) { _, last in last }
        asOf = run.asOf?.description
        timezone = run.timezone.map(mask.masking)
        threads = run.threads
        startedAt = Manifest.instant(run.started)
        endedAt = Manifest.instant(run.started + Int64(run.nanoseconds / 1_000))
        seconds = Manifest.rounded(run.nanoseconds, to: 1_000_000_000)
        inputs = outcome.inputs.map {
            FilePart(
                path: mask.masking($0.path),
                bytes: $0.bytes,
                digest: $0.digest,
                recognised: $0.recognised.map(mask.masking)
            )
        }
        outputs = outcome.outputs.map { FilePart(path: mask.masking($0.path), bytes: $0.bytes, digest: $0.digest) }
        published = outcome.published.map {
            PublishedPart(link: mask.masking($0.link), directory: mask.masking($0.directory))
        }
        stages = outcome.ledger.map { line in
            StagePart(
                id: mask.masking(line.id),
                stage: line.stage,
                rowsIn: line.rowsIn,
                rowsOut: line.rowsOut,
                rejected: line.rejected,
                dropped: Manifest.masked(line.dropped, by: mask),
                folded: line.folded,
                made: line.made,
                skipped: Manifest.masked(line.skipped, by: mask),
                filled: line.filled.isEmpty ? nil : Manifest.masked(line.filled, by: mask),
                milliseconds: Manifest.rounded(line.nanoseconds, to: 1_000_000)
            )
        }
        findings = outcome.tallies.map {
            FindingPart(
                stage: mask.masking($0.stage),
                code: $0.code,
                severity: $0.severity.rawValue,
                column: $0.column.map(mask.masking),
                rule: $0.rule.map(mask.masking),
                count: $0.count
            )
        }
        rules = outcome.rules.map { outcome in
            RulePart(
                stage: mask.masking(outcome.stage),
                rule: mask.masking(outcome.rule.id),
                type: outcome.rule.type,
                columns: outcome.rule.columns.map(mask.masking),
                place: outcome.rule.place.map { Manifest.place($0, mask) },
                rows: outcome.rows,
                failing: outcome.failing,
                known: outcome.known,
                verdict: outcome.verdict.rawValue,
                message: mask.masking(outcome.message)
            )
        }
        gates = outcome.gates.map {
            GatePart(
                stage: $0.stage.map(mask.masking),
                source: $0.source.map(mask.masking),
                allowed: $0.allowed.written,
                rejected: $0.rejected,
                total: $0.total,
                passed: $0.passed
            )
        }
        errors = outcome.errors.map { error in
            ErrorPart(
                code: error.code.rawValue,
                message: mask.masking(error.message),
                place: error.place.map { Manifest.place($0, mask) },
                file: error.file.map(mask.masking),
                hint: error.hint.map(mask.masking)
            )
        }
        exitCode = run.exitCode
    }

    enum CodingKeys: String, CodingKey {
        case formatVersion = "format_version"
        case daybookVersion = "daybook_version"
        case job, params, timezone, threads, seconds, inputs, outputs, published, stages, findings, rules, gates, errors
        case asOf = "as_of"
        case startedAt = "started_at"
        case endedAt = "ended_at"
        case exitCode = "exit_code"
    }

    private static func place(_ place: SourcePlace, _ mask: SecretMask) -> Place {
        Place(file: mask.masking(place.file), line: place.line, column: place.column)
    }

    static func instant(_ microseconds: Int64) -> String {
        let bytes = Bytes(capacity: ISOText.maximumLength)
        bytes.count = ISOText.write(instant: microseconds, to: bytes.mutableBase)
        return bytes.text(0..<bytes.count)
    }

    /// `0.042`: seconds with three decimals.
    static func seconds(_ nanoseconds: UInt64) -> String {
        let thousandths = nanoseconds / 1_000_000
        return "\(thousandths / 1_000).\(String(thousandths % 1_000 + 1_000).dropFirst())"
    }

    private static func masked(_ counts: [String: Int], by mask: SecretMask) -> [String: Int] {
        Dictionary(counts.map { (mask.masking($0.key), $0.value) }, uniquingKeysWith: +)
    }

    /// With three decimals, so that a comparison of two manifests shows no noise.
    private static func rounded(_ nanoseconds: UInt64, to unit: UInt64) -> Double {
        Double(nanoseconds / (unit / 1_000)) / 1_000
    }
}

extension Manifest.StagePart {
    enum CodingKeys: String, CodingKey {
        case id, stage, rejected, dropped, folded, made, skipped, filled, milliseconds
        case rowsIn = "rows_in"
        case rowsOut = "rows_out"
    }
}

extension Manifest.Param {
    enum CodingKeys: String, CodingKey {
        case value
        case isSet = "set"
    }
}
