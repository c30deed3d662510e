extension TextColumn {
    /// The same texts without the quotes that JSON puts around them. Escapes stay as they stand.
    var withoutQuotes: TextColumn {
        var result = self
        let quote = UInt8(ascii: "\"")
        for (row, view) in views.enumerated() where view.length >= 2 {
            let start = bytes.base + Int(view.offset)
            guard start[0] == quote, start[Int(view.length) - 1] == quote else { continue }
            result.views[row] = TextView(offset: Int(view.offset) + 1, length: Int(view.length) - 2)
        }
        return result
    }
}

/// Writes a column of days or instants as text, in a pattern or as ISO 8601.
public struct DateTextWriter: Sendable {
    /// Nil for ISO 8601.
    public let writer: DateWriter?
    /// Whose clocks show the instants.
    public let zone: ZoneRules

    public init(_ writer: DateWriter?, zone: ZoneRules) {
        self.writer = writer
        self.zone = zone
    }

    private var longest: Int { writer?.maximumLength ?? ISOText.maximumLength }

    /// The same rows as text; gaps stay gaps.
    public func text(of dates: Column) -> Column {
        switch dates {
        case .days(let days):
            return
                .text(
                    days.text(longest: longest) { day, start in
                        writer?.write(day: day, to: start) ?? ISOText.write(day: day, to: start)
                    }
                )
        case .instants(let instants):
            var cursor = ZoneCursor(zone)
            return .text(
                instants.text(longest: longest) { instant, start in
                    let (day, micros) = InstantParts.split(instant)
                    let offset = cursor.offset(atUTC: Int64(day) &* 86_400 &+ micros / 1_000_000)
                    return writer?.write(instant: instant, offset: offset, to: start)
                        ?? ISOText.write(instant: instant, offset: offset, to: start)
                }
            )
        default: preconditionFailure("only days and instants are written as dates")
        }
    }
}
