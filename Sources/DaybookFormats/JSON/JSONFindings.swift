/// What is said of records that are JSON and do not fit their columns.
extension Finding.Kind {
    static let unexpectedKey = Finding.Kind("unexpected-key", "a key that the columns do not have")
    static let unexpectedValue = Finding.Kind("unexpected-kind", "a value that is not of the column's kind")
    package static let instantOutOfRange = Finding.Kind(
        "not-an-instant",
        "{value} is no instant of the years 1 to 9999"
    )
    static let finerInstant = Finding.Kind(
        "finer-than-a-microsecond",
        "{value} names a time more finely than in microseconds, which is all that an instant keeps",
        severity: .warning
    )
    static func emptyObject(_ name: String) -> Finding.Kind {
        Finding.Kind(
            "empty-object",
            "'\(name)' is an empty object, which the columns of its keys cannot tell from one that is not there; "
                + "keep it whole with 'columns: { \(name): json }'",
            severity: .warning
        )
    }
    /// A value that the columns, as they were learnt from the beginning of the text, have no room for.
    static let unlearnt = Finding.Kind("unlearnt-kind", "a value of another kind than those before")
    static func mixedKinds(_ field: Field, _ kind: String, before: String) -> Finding.Kind {
        let all =
            field.kind == .text
            ? "all of them are text, as they stand" : "all of them are JSON, and texts stand in quotes"
        return Finding.Kind(
            "mixed-kinds",
            "'\(field.name)' is \(kind) here and \(before) before: \(all); "
                + "'columns: { \(field.name): \(field.kind == .text ? "json" : "text") }' "
                + (field.kind == .text ? "keeps each as JSON" : "rejects what is no text"),
            severity: .warning
        )
    }
    static let duplicateKey = Finding.Kind(
        "duplicate-key",
        "a key stands twice in one object; the last one counts",
        severity: .warning
    )

    package static let secondValue = Finding.Kind("second-value", "{value} is a second value for the day")
}
