import CScan

/// Makes rows of rejects, for a stage that reads `x.rejects`.
///
/// A column is made at once where what it holds needs no look at the record of each reject; the others are made of facts,
/// reject by reject. All text stands in one buffer. What rejects share stands there once, however many rows point to it.
public struct RejectColumns {
    /// The columns where rules reject rows.
    public static let schemaWithRule = Schema([
        Field("code", .text), Field("message", .text), Field("rule", .text), Field("stage", .text),
        Field("job_line", .integer),
        Field("source", .text), Field("line", .integer), Field("column", .integer), Field("byte", .integer),
        Field("pointer", .text), Field("field", .text), Field("value", .text), Field("original", .text),
    ])
    /// The columns where there are no rules.
    public static let schema = Schema(schemaWithRule.fields.filter { $0.name != "rule" })

    /// What all rejects about one subject share.
    private struct Shared {
        var code: TextView
        var rule: TextView?
        var field: TextView?
    }

    private let schema: Schema
    private let bytes = Bytes()
    private let templates: [MessageTemplate]
    /// By subject.
    private let shared: [Shared]
    private let stage: TextView
    private let jobLine: Int?

    /// - Parameters:
    ///   - schema: the columns that somebody reads.
    ///   - subjects: the words of each, and the id of the rule that asked, where one did.
    package init(
        _ schema: Schema,
        _ subjects: [(template: MessageTemplate, rule: String?)],
        stage: String,
        jobLine: Int?
    ) {
        let bytes = bytes
        shared = subjects.map { template, rule in
            Shared(
                code: bytes.view(of: template.code),
                rule: rule.map(bytes.view),
                field: template.field.map(bytes.view)
            )
        }
        (self.schema, self.stage, self.jobLine) = (schema, bytes.view(of: stage), jobLine)
        templates = subjects.map(\.template)
    }

    /// The rows of rejects, in their order.
    ///
    /// - Parameter events: the same rejects, for columns that need a look at each.
    package func batch(
        of rejects: Rejects,
        _ finder: inout PlaceFinder,
        _ masked: MaskedFinding?,
        _ events: (PlaceFinder) -> [FindingEvent]
    ) -> Batch {
        let made = schema.fields.map { column($0.name, rejects, &finder, isMasked: masked != nil) }
        let rest = Schema(zip(schema.fields, made).filter { $1 == nil }.map(\.0))
        var looked = RejectFindings(rest, templates, count: rejects.count, in: bytes)
        if !rest.fields.isEmpty {
            var facts = ResolvedFinding(about: 0)
            for event in events(finder) where event.isReject {
                finder.find(event, &facts)
                masked?.mask(&facts)
                looked.append(facts)
            }
        }
        precondition(bytes.count <= Int(UInt32.max), "a text column cannot hold more than 4 GiB")
        var others = looked.columns()[...]
        return Batch(schema, made.map { $0 ?? others.removeFirst() }, count: rejects.count, provenance: .made)
    }

    /// A column made at once; nil where each reject has to be looked at.
    private func column(
        _ name: String,
        _ rejects: Rejects,
        _ finder: inout PlaceFinder,
        isMasked: Bool
    ) -> Column? {
        switch (name, rejects.rows) {
        case ("code", _): texts(of: rejects) { $0.code }
        case ("rule", _): texts(of: rejects) { $0.rule }
        case ("field", _): texts(of: rejects) { $0.field }
        case ("stage", _): texts(of: rejects) { _ in stage }
        case ("job_line", _): numbers(jobLine, rejects.count)
        case ("pointer", _?), ("first_source", _?): finder.isPlain ? texts(of: rejects) { _ in nil } : nil
        case ("first_line", _?): finder.isPlain ? numbers(nil, rejects.count) : nil
        case ("line", let rows?): finder.lines(of: rows).map { .integers(Values($0)) }
        case ("source", let rows?) where !isMasked: finder.source(of: rows).map { source($0, rows.count) }
        case ("value", let rows?) where !isMasked:
            finder.values(of: rejects, rows, in: bytes).map { .text($0) }
        default: nil
        }
    }

    /// The same number for all.
    private func numbers(_ number: Int?, _ count: Int) -> Column {
        let missing = number == nil ? Mask(count: count) { _ in true } : nil
        return .integers(Values([Int64](repeating: Int64(number ?? 0), count: count), missing: missing))
    }

    private func source(_ path: Cell, _ count: Int) -> Column {
        let start = bytes.count
        bytes.append(path)
        let view = TextView(offset: start, length: path.count)
        return .text(TextColumn(bytes, views: [TextView](repeating: view, count: count)))
    }

    /// What rejects say by their subject alone.
    private func texts(of rejects: Rejects, _ text: (Shared) -> TextView?) -> Column {
        var missing: Mask?
        var views = [TextView](repeating: TextView(offset: 0, length: 0), count: rejects.count)
        for group in rejects.groups {
            guard let view = text(shared[group.subject]) else {
                for place in rejects.places[group.range] { missing.insert(Int(place), of: rejects.count) }
                continue
            }
            for place in rejects.places[group.range] { views[Int(place)] = view }
        }
        return .text(TextColumn(bytes, views: views, missing: missing))
    }
}

extension Bytes {
    /// Appends a text and says where it stands.
    package func view(of text: String) -> TextView {
        let start = count
        append(text)
        return TextView(offset: start, length: count - start)
    }
}
