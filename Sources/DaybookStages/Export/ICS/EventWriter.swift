/// Makes events of the rows of one batch.
struct EventWriter {
    let stage: ExportICS

    /// The days that RFC 5545 can write with the day after them: years of four digits.
    private static let dayRange = CalendarDay.range.lowerBound..<CalendarDay.range.upperBound

    func write(_ batch: Batch, reporting findings: inout Findings) -> ICSPiece {
        let days = batch.days(in: stage.date)
        let summary = EventTexts(stage.summary, of: batch)
        let description = stage.eventDescription.map { EventTexts($0, of: batch) }
        let key = stage.uid.map { EventTexts($0, of: batch) }
        let (summaries, descriptions, keys) = (summary.column, description?.column, key?.column)
        let tooLong = summary.tooLong.union(description?.tooLong ?? []).union(key?.tooLong ?? [])
        let yearly = yearlyFlags(batch)
        let noDay = findings.token(.missingValue, in: stage.date)
        let outOfRange = findings.token(.dayOutOfCalendar, in: stage.date)
        let noSummary = findings.token(.missingValue, in: stage.summary.values.first?.column)
        let noKey = findings.token(.missingValue, in: stage.uid?.values.first?.column)
        let longText = findings.token(.textTooLong)
        var piece = ICSPiece()
        let line = ContentLine(to: piece.bodies)
        for row in 0..<batch.count {
            guard let day = days[row] else {
                findings.reject(row, noDay)
                continue
            }
            guard EventWriter.dayRange.contains(day) else {
                findings.reject(row, outOfRange)
                continue
            }
            if tooLong.contains(row) {
                findings.reject(row, longText)
                continue
            }
            if summaries.missing.isMissing(row) {
                findings.reject(row, noSummary)
                continue
            }
            if let keys {
                if keys.missing.isMissing(row) {
                    findings.reject(row, noKey)
                    continue
                }
                keys.withCell(row) { piece.uids.append($0) }
            } else {
                summaries.withCell(row) { id(of: day, $0).append(to: piece.uids) }
            }
            writeBody(line, day, summaries, descriptions, row, isYearly: yearly?[row] ?? (stage.yearly.isAll))
            piece.endEvent()
        }
        withExtendedLifetime((summaries, descriptions, keys)) {}
        return piece
    }

    /// What stands between the UID and the end of an event, and the end.
    private func writeBody(
        _ line: ContentLine,
        _ day: Int32,
        _ summaries: TextColumn,
        _ descriptions: TextColumn?,
        _ row: Int,
        isYearly: Bool
    ) {
        line.out.append(stage.stamp)
        line.day("DTSTART", day)
        line.day("DTEND", day + 1)
        if isYearly { line.plain(rule(of: day)) }
        summaries.withCell(row) { line.text("SUMMARY", $0) }
        if let descriptions, !descriptions.missing.isMissing(row) {
            descriptions.withCell(row) { line.text("DESCRIPTION", $0) }
        }
        // A birthday does not make a day busy.
        line.plain("TRANSP:TRANSPARENT")
        for trigger in stage.triggers {
            line.plain("BEGIN:VALARM\r\nACTION:DISPLAY")
            summaries.withCell(row) { line.text("DESCRIPTION", $0) }
            line.out.append(trigger)
            line.plain("END:VALARM")
        }
        line.plain("END:VEVENT")
    }

    /// The rule by which a day comes back. A rule for the 29th would skip three years of four, so it is that of the last
    /// day of February, or of the sixtieth day of the year, which is 1 March where there is no 29 February.
    private func rule(of day: Int32) -> StaticString {
        let date = CivilDate(day: day)
        guard date.month == 2, date.day == 29 else { return "RRULE:FREQ=YEARLY" }
        switch stage.leapDay {
        case .feb28: return "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1"
        case .mar1: return "RRULE:FREQ=YEARLY;BYYEARDAY=60"
        }
    }

    private func id(of day: Int32, _ summary: Cell) -> EventID {
        var id = EventID()
        for shift in stride(from: 24 as Int32, through: 0, by: -8) { id.add(UInt8(truncatingIfNeeded: day >> shift)) }
        id.add(summary)
        return id
    }

    /// The flags of the column that says which events come back; a missing one says no.
    private func yearlyFlags(_ batch: Batch) -> [Bool]? {
        guard case .column(let name) = stage.yearly else { return nil }
        let flags = batch.flags(in: name)
        return (0..<batch.count).map { flags[$0] ?? false }
    }
}

extension YearlyEvents {
    fileprivate var isAll: Bool { if case .all = self { true } else { false } }
}

extension Finding.Kind {
    static let textTooLong = Finding.Kind("text-too-long", "the text of the template would be longer than 1 MiB")
    static let dayOutOfCalendar = Finding.Kind(
        "day-out-of-calendar",
        "{value} is a day that no calendar file can hold"
    )
}
