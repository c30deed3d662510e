import DaybookCore

extension DatePattern {
    /// The word for UTC that stands in quotes behind a time, where it is text and says nothing of the zone; nil for none.
    var quotedZone: String? {
        guard hasTime, !contains(.offset) else { return nil }
        let times: Set<DateField?> = [.hour, .minute, .second, .micros, .dayPeriod]
        for (piece, next) in zip(pieces, pieces.dropFirst()) where times.contains(piece.field) {
            guard case .literal(let bytes) = next else { continue }
            let word = String(decoding: bytes.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            if ["Z", "z", "UTC", "GMT"].contains(word) { return word }
        }
        return nil
    }
}

extension DateOptions {
    /// Warns of patterns that read or write times of the job's zone with a word for UTC behind them: in Seoul such times are
    /// nine hours off.
    func warnOfQuotedZones(_ options: inout OptionReader) {
        guard let zone = timezone ?? options.context.timezone, !DateOptions.namesOfUTC.contains(zone) else { return }
        for format in formats {
            guard let pattern = format.pattern, let word = pattern.quotedZone else { continue }
            let meaning =
                target == .instant
                ? "reads times as those of \(zone)" : "takes the day as it is written, and not the one in \(zone)"
            options.warn(
                "quoted-zone",
                "formats",
                "'\(word)' in quotes is plain text and not UTC: '\(pattern.text)' \(meaning)",
                at: format.place,
                hint: word.count == 1
                    ? "write X in place of 'Z', or let iso read such texts"
                    : "write ZZZZ in place of '\(word)'; it reads GMT and UTC"
            )
        }
        guard let form, let pattern = form.pattern, let word = pattern.quotedZone else { return }
        options.warn(
            "quoted-zone",
            "as",
            "'\(word)' in quotes is plain text and not UTC: '\(pattern.text)' writes the time in \(zone) before it",
            at: form.place,
            hint: "write \(word.count == 1 ? "X" : "ZZZZ") in place of '\(word)', or add 'timezone: UTC'"
        )
    }

    private static let namesOfUTC: Set = ["UTC", "GMT", "Etc/UTC", "Etc/GMT", "Etc/UCT", "Etc/Zulu", "Etc/Universal"]
}
