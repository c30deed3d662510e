/// Groups that look alike: their names differ in what nobody sees.
enum TextTwins {
    private static let kind = Finding.Kind(
        "look-alikes",
        "the name of the group looks like that of another",
        severity: .warning
    )

    /// Warns of each group whose name holds something unseen and is else that of another group.
    ///
    /// - Parameters:
    ///   - batch: all groups.
    ///   - by: how many of the first columns tell them apart.
    static func warn(of batch: Batch, by: Int, _ findings: inout Findings) {
        guard (2...LookAlikes.most).contains(batch.count) else { return }
        for (place, field) in batch.schema.fields.prefix(by).enumerated() {
            guard case .text(let names) = batch.columns[place] else { continue }
            var (rows, texts, isOdd): ([Int], [String], Bool) = ([], [], false)
            names.forEachValue { _, cell in isOdd = isOdd || LookAlikes.oddity(in: cell) != nil }
            guard isOdd else { continue }
            names.forEachValue { row, cell in
                rows.append(row)
                texts.append(String(decoding: cell, as: UTF8.self))
            }
            let token = findings.token(kind, in: ColumnName(field.name))
            for one in LookAlikes.pairs(among: texts) {
                let advice = "is another group than '\(one.twin)'; nfc() composes letters, trim() takes blanks away"
                findings.warn(rows[one.place], token, saying: "'\(texts[one.place])' with \(one.oddity) \(advice)")
            }
        }
    }
}
