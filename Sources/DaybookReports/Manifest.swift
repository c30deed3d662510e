import DaybookBytes
import DaybookEngine

/// What is kept of a run: enough to tell later what ran on what, what came of it, and whether it was the same.
///
/// Written at the end of every run, also of one that failed to start. Its keys are part of what users rely on: new ones
/// may be added, and a change of meaning raises `format`.
public struct Manifest {
    package static let format = 1

    private let run: RunReport

    public init(_ run: RunReport) { self.run = run }

    public var value: JSONValue {
        let outcome = run.outcome
        let job: [String: JSONValue] = [
            "name": masked(run.job),
            "file": run.jobFile == "-" ? "standard input" : masked(run.jobFile), "sha256": JSONValue(run.jobSHA256),
        ]
        let params = run.params.map { ($0.name, ["value": .text($0.value), "set": .flag($0.isSet)] as JSONValue) }
        return JSONValue(withoutNulls: [
            "format_version": .number(Manifest.format), "daybook_version": .text(DaybookVersion.text),
            "job": JSONValue(withoutNulls: job), "params": .map(Dictionary(params) { _, last in last }),
            "as_of": JSONValue(run.asOf?.description), "timezone": masked(run.timezone),
            "threads": .number(run.threads), "started_at": .text(Instant.text(run.started)),
            "ended_at": .text(Instant.text(run.started + Int64(run.nanoseconds / 1_000))),
            "seconds": Manifest.rounded(run.nanoseconds, to: 1_000_000_000),
            "inputs": .list(outcome.inputs.map { file($0.path, $0.bytes, $0.digest, $0.recognised, $0.version) }),
            "outputs": .list(outcome.outputs.map { file($0.path, $0.bytes, $0.digest, groups: $0.groups) }),
            // Left out where the run wrote all outputs.
            "kept_outputs": .list(unlessEmpty: outcome.keptOutputs.map { masked($0.id) }),
            // Left out where nothing was compared with earlier runs.
            "earlier_runs": outcome.earlierRuns.map { runs in
                ["runs": .number(runs.count), "oldest": .text(runs.oldest.description)]
            } ?? .null,
            // Left out where no rows went to a service.
            "services": .list(
                unlessEmpty: outcome.services.map { ["address": masked($0.address), "rows": .number($0.rows)] }
            ),
            // Left out where the job publishes no directory, or the run did not come to it.
            "published": outcome.published.map { ["link": masked($0.link), "directory": masked($0.directory)] }
                ?? .null,
            // Left out where the job copies no directories.
            "containers": .list(unlessEmpty: outcome.copied.map(copied)),
            "stages": .list(outcome.ledger.map(stage)), "findings": .list(outcome.tallies.map(tally)),
            "rules": .list(outcome.rules.map(rule)), "gates": .list(outcome.gates.map(gate)),
            "errors": .list(outcome.errors.map(error)), "exit_code": .number(Int(run.exitCode)),
        ])
    }

    private func copied(_ copied: RunOutcome.Copied) -> JSONValue {
        [
            "from": masked(copied.from), "to": masked(copied.to), "files": .number(copied.files),
            "bytes": .number(copied.bytes),
        ]
    }

    private func masked(_ text: String?) -> JSONValue { JSONValue(text.map(run.mask.masking)) }

    private func masked(_ counts: [String: Int]) -> JSONValue {
        let counts = Dictionary(counts.map { (run.mask.masking($0.key), $0.value) }, uniquingKeysWith: +)
        return .map(counts.mapValues(JSONValue.number))
    }

    /// The digests are null for an input that was not read to its end. `recognised` names the detected format of a file
    /// and its parts; `version` is the state of a service, and xxh128 its digest.
    private func file(
        _ path: String,
        _ bytes: Int,
        _ digest: FileDigest?,
        _ recognised: [String] = [],
        _ version: InputVersion? = nil,
        groups: SinkGroups? = nil
    ) -> JSONValue {
        var file: [String: JSONValue] = [
            "path": masked(path), "bytes": .number(bytes), "sha256": JSONValue(digest?.sha256),
            "xxh128": JSONValue(digest?.xxh128),
        ]
        if !recognised.isEmpty { file["recognised"] = .list(recognised.map(masked)) }
        if let version { file["version"] = ["kind": .text(version.kind.rawValue), "token": masked(version.token)] }
        if let groups { file["groups"] = .list(groups.written.map(group)) }
        return .map(file)
    }

    private func group(_ group: SinkGroup) -> JSONValue {
        JSONValue(withoutNulls: [
            "part": masked(group.part), "key": masked(group.key), "bytes": .number(group.bytes),
            "xxh128": .text(group.xxh128),
        ])
    }

    private func stage(_ line: LedgerLine) -> JSONValue {
        let intake = run.outcome.intakes.first { $0.stage == line.id }
        return JSONValue(withoutNulls: [
            "files": intake.map(files) ?? .null,
            "id": masked(line.id), "stage": .text(line.stage), "rows_in": .number(line.rowsIn),
            "rows_out": .number(line.rowsOut), "rejected": .number(line.rejected), "dropped": masked(line.dropped),
            "folded": .number(line.folded), "made": .number(line.made), "skipped": masked(line.skipped),
            "added": line.added.isEmpty ? .null : masked(line.added),
            "filled": line.filled.isEmpty ? .null : masked(line.filled),
            "mended": line.mended.isEmpty ? .null : masked(line.mended),
            "milliseconds": Manifest.rounded(line.nanoseconds, to: 1_000_000),
        ])
    }

    /// What an import has left out, or looked for in vain.
    private func files(_ intake: RunOutcome.Intake) -> JSONValue {
        JSONValue(withoutNulls: [
            "found": .number(intake.files), "taken_before": .number(intake.taken),
            "days": .list(unlessEmpty: intake.days.map { .text($0.description) }),
            "left_out": .list(unlessEmpty: intake.remarks.map { masked($0) }),
            "absent": .list(intake.absent.map { masked($0) }), "since": intake.since.map(since) ?? .null,
        ])
    }

    /// The bounds of an incremental read, and how many rows lie outside them.
    private func since(_ reading: SinceReading) -> JSONValue {
        let reread = reading.bound.reread ?? reading.overlap?.wanted ?? []
        return JSONValue(withoutNulls: [
            "column": masked(reading.column),
            (reading.bound.isInclusive ? "from" : "after"): JSONValue(reading.bound.mark),
            "highest": reading.highest.map(JSONValue.init) ?? .null,
            "rows_known": JSONValue(reading.bound.known), "rows_before": JSONValue(reading.before),
            "rows_without_value": JSONValue(reading.missing), "rows_read_before": JSONValue(reading.overlap?.again),
            "rows_changed": JSONValue(reading.overlap?.changed), "rows_late": JSONValue(reading.overlap?.late),
            // Masked keys would find no row again.
            "read_again": .list(unlessEmpty: reread.map(JSONValue.init)),
        ])
    }

    private func tally(_ tally: RunOutcome.Tally) -> JSONValue {
        JSONValue(withoutNulls: [
            "stage": masked(tally.stage), "code": .text(tally.code), "severity": .text(tally.severity.rawValue),
            "column": masked(tally.column), "rule": masked(tally.rule), "count": .number(tally.count),
        ])
    }

    private func rule(_ outcome: RuleOutcome) -> JSONValue {
        JSONValue(withoutNulls: [
            "stage": masked(outcome.stage), "rule": masked(outcome.rule.id), "type": .text(outcome.rule.type),
            "columns": .list(outcome.rule.columns.map(masked)), "place": place(outcome.rule.place),
            "rows": .number(outcome.rows), "failing": .number(outcome.failing), "known": .number(outcome.known),
            "observed": outcome.observation?.value.map { value in
                JSONValue(withoutNulls: [
                    "measure": .text(value.measure.rawValue), "value": .decimal(value.value),
                    "days": days(outcome.observation?.days ?? []),
                ])
            } ?? .null, "verdict": .text(outcome.verdict.rawValue), "message": masked(outcome.message),
        ])
    }

    private func days(_ figures: [DayFigure]) -> JSONValue {
        .list(
            unlessEmpty: figures.map {
                ["day": .text($0.day.description), "value": $0.value.map(JSONValue.decimal) ?? .null]
            }
        )
    }

    /// `source` is the import whose rows the job's own gate is judged on, where it is judged for each.
    private func gate(_ gate: RunOutcome.Gate) -> JSONValue {
        JSONValue(withoutNulls: [
            "stage": masked(gate.stage), "source": masked(gate.source), "allowed": .text(gate.allowed.written),
            "rejected": .number(gate.rejected), "total": .number(gate.total), "passed": .flag(gate.passed),
        ])
    }

    /// `file` is the input that it is about.
    private func error(_ error: DaybookError) -> JSONValue {
        JSONValue(withoutNulls: [
            "code": .text(error.code.rawValue), "message": masked(error.message), "place": place(error.place),
            "file": masked(error.file), "hint": masked(error.hint),
        ])
    }

    private func place(_ place: SourcePlace?) -> JSONValue {
        place.map { ["file": masked($0.file), "line": .number($0.line), "column": .number($0.column)] } ?? .null
    }

    /// `0.042`: seconds with three decimals.
    package static func seconds(_ nanoseconds: UInt64) -> String {
        let thousandths = nanoseconds / 1_000_000
        return "\(thousandths / 1_000).\(String(thousandths % 1_000 + 1_000).dropFirst())"
    }

    /// With three decimals, so that a comparison of two manifests shows no noise.
    private static func rounded(_ nanoseconds: UInt64, to unit: UInt64) -> JSONValue {
        .decimal(Double(nanoseconds / (unit / 1_000)) / 1_000)
    }
}

extension JSONValue {
    fileprivate init(_ mark: StoreValue) {
        switch mark {
        case .integer(let number): self = .number(Int(number))
        case .decimal(let number): self = .decimal(number)
        case .text(let text): self = .text(text)
        }
    }
}
