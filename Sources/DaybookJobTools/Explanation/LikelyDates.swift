import DaybookBytes
import DaybookDiscover
import DaybookEngine

/// A column of numbers that looks like dates, and what to write so that it is read as them.
struct LikelyDates: Sendable {
    var column: String
    /// What the numbers would be in each unit.
    var evidence: String
    /// What to add to the job.
    var addition: String

    /// `'savedDate' looks like dates: 31 values from 2026-08-31 to 2026-11-21 as apple_seconds`.
    var spoken: String { "'\(column)' looks like dates: \(evidence)" }

    /// The columns of a source that nobody reads as dates yet, and that look like it.
    static func find(in numbers: TableInference?, of stage: PlannedStage, _ plan: Plan) -> [LikelyDates] {
        guard let numbers, case .source(.files(let source)) = stage.role else { return [] }
        // An option of the source itself is the shortest way, where there is one that names columns.
        let takesDates = OptionReader.specs(of: type(of: source)).contains(where: \.namesDates)
        return numbers.columns.compactMap { column in
            guard stage.schema.index(of: column.name) != nil, !isRead(column.name, in: plan),
                let evidence = EpochEvidence(column.numbers, column: column.name), evidence.isClear
            else { return nil }
            let (name, unit) = (YAMLScalar.of(column.name), evidence.readings[0].unit.rawValue)
            return LikelyDates(
                column: column.name,
                evidence: evidence.spoken,
                addition: takesDates
                    ? "dates: { \(YAMLScalar.key(column.name)): \(unit) }"
                    : "- normalise_dates: { column: \(name), formats: [\(unit)], to: instant }"
            )
        }
    }

    /// Whether some stage makes days or instants of the column, under its own name or another.
    private static func isRead(_ column: String, in plan: Plan) -> Bool {
        plan.stages.contains { stage in
            let dates = stage.schema.fields.filter { $0.kind == .day || $0.kind == .instant }.map(\.name)
            if dates.contains(column) { return true }
            guard case .transform = stage.role, let binding = stage.binding else { return false }
            let given = plan.inputSchema(of: stage.index)
            // A date that came in already is made of no column here.
            return dates.contains { date in
                guard given.index(of: date) == nil, case .some(let read) = binding.columns(neededFor: .some([date]))
                else { return false }
                return read.contains(column)
            }
        }
    }
}

extension TableInference {
    /// Looks at the numbers in the beginnings of files: as many whole records as there are.
    ///
    /// A document that is one record may not end in its beginning; then there is nothing to look at.
    static func ofNumbers(in heads: [SourceHead], _ opened: OpenedSource) -> TableInference? {
        let schema = Schema(opened.schema.fields.filter { $0.kind == .integer || $0.kind == .decimal })
        guard !schema.fields.isEmpty else { return nil }
        // Numbers need no formats; the few that are dates without separators are not looked for here.
        var look = TableInference(schema, DateCandidates.none)
        for (index, head) in heads.enumerated() {
            guard let morsel = morsel(of: head, opened.formats[index]) else { continue }
            var findings = Findings()
            look.add(opened.reader(index, schema).read(morsel, reporting: &findings))
        }
        return look.rows == 0 ? nil : look
    }

    private static func morsel(of head: SourceHead, _ format: any SourceFormat) -> Morsel? {
        defer { withExtendedLifetime(head.bytes) {} }
        let start = min(format.dataStart, head.bytes.count)
        let records = head.bytes.cell(start...)
        var cutter = format.makeCutter()
        // What is wrong with the records is the business of a run.
        guard let cut = try? cutter.cut(records, isLast: head.isWhole), cut.length > 0 else { return nil }
        let bytes = Bytes(capacity: cut.length)
        bytes.append(start..<start + cut.length, of: head.bytes)
        return Morsel(
            source: head.source,
            bytes: bytes,
            offset: start,
            firstLine: 1,
            firstRecord: 0,
            notes: cut.notes
        )
    }
}
