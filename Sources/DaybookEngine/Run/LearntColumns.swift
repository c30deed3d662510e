/// The columns of a text are learnt from its beginning. What a later record contradicts ends the run, which starts once more with
/// columns that all records have told: what is written must not depend on where in the text a value stands.
extension DaybookError {
    /// The code of an error about a record for which the beginning of its text made no room.
    static let unlearnt: Code = "unlearnt"
}

extension FindingSummary {
    private static let unlearntCodes: Set<String> = ["unexpected-key", "unlearnt-kind", "empty-object"]

    /// That a record contradicts what was learnt from those before it, at the first of them.
    var unlearnt: DaybookError? {
        guard tallies.contains(where: { FindingSummary.unlearntCodes.contains($0.code) }) else { return nil }
        let first = samples.first { FindingSummary.unlearntCodes.contains($0.finding.code) }?.finding
        let column = first?.field.map { "column '\($0)': " } ?? ""
        return DaybookError(
            DaybookError.unlearnt,
            column + (first?.message ?? "a later record has other columns than the first ones"),
            at: first.flatMap { finding in
                finding.source.map { SourcePlace(file: $0, line: finding.line ?? 1, column: finding.column ?? 1) }
            },
            hint:
                "its columns were learnt from its beginning, as it cannot be read twice; name them with 'columns', and their kinds",
            blame: .data
        )
    }
}

/// Texts that are read to their end so that a format learns from all of their records.
package struct WholeTexts {
    private let texts: [OpenInput]

    /// The texts of those files, opened once more.
    package init(
        _ paths: [InputPath],
        of source: any TextSource,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookError) {
        var texts: [OpenInput] = []
        for (place, path) in paths.enumerated() {
            texts += try OpenFile(path, of: source, at: place, isCancelled: isCancelled) { _ in place }.inputs
        }
        self.texts = texts
    }

    func read(_ text: Int, as format: any SourceFormat, _ learn: (Morsel) -> Void) throws(DaybookError) {
        let text = ReadableText(input: texts[text], format: format, reader: NoReader())
        let feed = SourceFeed([text], morselSize: RunSettings.standardMorselSize)
        while let item = try feed.next() {
            if let morsel = item.records, morsel.length > 0 { learn(morsel) }
        }
    }

    /// Nobody reads rows while columns are learnt.
    private struct NoReader: RecordReader {
        let schema = Schema()
        func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch { Batch(empty: schema) }
        func finder(of field: String) -> FieldFinder? { nil }
    }
}
