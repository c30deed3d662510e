import DaybookExpressions

/// The events of one batch: their UIDs, which become unique only across all batches, and their bodies.
public struct ICSPiece: Sendable, Codable {
    struct Event: Sendable, Codable {
        var uidEnd: Int
        var bodyEnd: Int
    }

    package private(set) var uids = Bytes()
    package private(set) var bodies = Bytes()
    private(set) var events: [Event] = []

    package init() {}

    package mutating func endEvent() { events.append(Event(uidEnd: uids.count, bodyEnd: bodies.count)) }
}

/// Joins the events of all batches into one calendar.
public struct ICSWriter: SinkWriter {
    public private(set) var writtenRows = 0
    let head: Bytes
    private var ids = EventIDs()

    package init(head: Bytes) { self.head = head }

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) { try out.write(head) }

    public mutating func append(_ piece: ICSPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        let bytes = Bytes(capacity: piece.bodies.count + piece.events.count * 80)
        let line = ContentLine(to: bytes)
        var (uid, body) = (0, 0)
        defer { withExtendedLifetime(piece) {} }
        for event in piece.events {
            let key = Cell(rebasing: piece.uids.filled[uid..<event.uidEnd])
            line.plain("BEGIN:VEVENT")
            line.text("UID", key, suffix: try ids.suffix(of: key))
            bytes.append(Cell(rebasing: piece.bodies.filled[body..<event.bodyEnd]))
            (uid, body) = (event.uidEnd, event.bodyEnd)
        }
        try out.write(bytes)
        writtenRows += piece.events.count
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        try out.write("END:VCALENDAR\r\n")
    }
}

/// Turns the rows of one batch into events.
extension ExportICS {
    /// The days that RFC 5545 can write together with the next day: years of four digits.
    private static let dayRange = CalendarDay.range.lowerBound..<CalendarDay.range.upperBound

    public func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> ICSPiece {
        let days = batch.days(in: date)
        var tooLong: Set<Int> = []
        let summaries = texts(summary, of: batch, &tooLong)
        let descriptions = eventDescription.map { texts($0, of: batch, &tooLong) }
        let keys = uid.map { texts($0, of: batch, &tooLong) }
        let yearlyFlags = yearlyFlags(batch)
        let noDay = findings.token(.missingValue, in: date)
        let outOfRange = findings.token(.dayOutOfCalendar, in: date)
        let noSummary = findings.token(.missingValue, in: summary.values.first?.column)
        let noKey = findings.token(.missingValue, in: uid?.values.first?.column)
        let longText = findings.token(.textTooLong)
        var piece = ICSPiece()
        let line = ContentLine(to: piece.bodies)
        func fault(_ row: Int, _ day: Int32) -> Finding.Token? {
            if days.missing.isMissing(row) { return noDay }
            if !Self.dayRange.contains(day) { return outOfRange }
            if tooLong.contains(row) { return longText }
            if summaries.missing.isMissing(row) { return noSummary }
            return keys?.missing?[row] == true ? noKey : nil
        }
        for row in 0..<batch.count {
            let day = days.elements[row]
            if let fault = fault(row, day) {
                findings.reject(row, fault)
                continue
            }
            if let keys {
                keys.withCell(row) { piece.uids.append($0) }
            } else {
                summaries.withCell(row) { id(of: day, $0).append(to: piece.uids) }
            }
            writeBody(line, day, summaries, descriptions, row, isYearly: yearlyFlags?[row] ?? yearly.isAll)
            piece.endEvent()
        }
        withExtendedLifetime((summaries, descriptions, keys)) {}
        return piece
    }

    /// The texts of the events, from one template. Rows whose text would be too long have none, and cannot be written.
    private func texts(_ template: CompiledTemplate, of batch: Batch, _ tooLong: inout Set<Int>) -> TextColumn {
        // A text column is used as it is, whatever the length of its texts.
        if let name = template.plainColumn, case .text(let text) = batch[name] { return text }
        return TemplateWriter(template, of: batch, missing: nil).text { tooLong.insert($0) }
    }

    /// Writes an event's lines behind the UID, up to its end.
    private func writeBody(
        _ line: ContentLine,
        _ day: Int32,
        _ summaries: TextColumn,
        _ descriptions: TextColumn?,
        _ row: Int,
        isYearly: Bool
    ) {
        line.out.append(stamp)
        line.day("DTSTART", day)
        line.day("DTEND", day + 1)
        if isYearly { line.plain(rule(of: day)) }
        summaries.withCell(row) { line.text("SUMMARY", $0) }
        if let descriptions, !descriptions.missing.isMissing(row) {
            descriptions.withCell(row) { line.text("DESCRIPTION", $0) }
        }
        // A birthday does not make a day busy.
        line.plain("TRANSP:TRANSPARENT")
        for trigger in triggers {
            line.plain("BEGIN:VALARM\r\nACTION:DISPLAY")
            summaries.withCell(row) { line.text("DESCRIPTION", $0) }
            line.out.append(trigger)
            line.plain("END:VALARM")
        }
        line.plain("END:VEVENT")
    }

    /// The recurrence rule of a day. A rule for the 29th would skip three years of four, so 29 February recurs on the
    /// last day of February, or on the sixtieth day of the year, which is 1 March in years without 29 February.
    private func rule(of day: Int32) -> StaticString {
        let date = CivilDate(day: day)
        guard date.month == 2, date.day == 29 else { return "RRULE:FREQ=YEARLY" }
        switch leapDay {
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

    /// The flags of the column for yearly events; missing means no.
    private func yearlyFlags(_ batch: Batch) -> [Bool]? {
        guard case .column(let name) = yearly else { return nil }
        let flags = batch.flags(in: name)
        return (0..<batch.count).map { flags[$0] ?? false }
    }
}

extension YearlyEvents {
    fileprivate var isAll: Bool { if case .all = self { true } else { false } }
}

extension Finding.Kind {
    static let dayOutOfCalendar = Finding.Kind("day-out-of-calendar", "{value} is a day that no calendar file can hold")
}

/// A hash of 128 bits, the UID of an event without a key: the same text gives the same UID on every run.
///
/// Source: FNV-1a of 128 bits, Eastlake and others, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923).
package struct EventID: Hashable {
    private var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

    package init() {}

    package mutating func add(_ byte: UInt8) { hash = (hash ^ UInt128(byte)) &* (1 << 88 | 0x13B) }

    package mutating func add(_ cell: Cell) { for byte in cell { add(byte) } }

    package mutating func add(_ text: String) { for byte in text.utf8 { add(byte) } }

    /// Appends the hash as a UUID of version 8, whose contents RFC 9562 leaves to the implementation: `8c6f…-…-8…-…`.
    package func append(to bytes: Bytes) {
        let versioned = hash & ~(0xF << 76) | 0x8 << 76
        let marked = versioned & ~(0b11 << 62) | 0b10 << 62
        for shift in stride(from: 124, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: marked >> UInt128(shift) & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            // Groups of 8, 4, 4, 4 and 12 digits.
            if [96, 80, 64, 48].contains(shift) { bytes.append(UInt8(ascii: "-")) }
        }
    }
}

/// The UIDs that a calendar already uses, so that none repeats: the second of a kind ends in `-2`.
package struct EventIDs {
    /// The most events of a run, since the IDs stay in memory; no phone takes half as many.
    package static let limit = 1_000_000

    /// The number of events of each UID.
    private var seen: [EventID: Int] = [:]

    package init() {}

    /// The suffix of a UID; empty for the first of its kind.
    package mutating func suffix(of uid: Cell) throws(DaybookError) -> String {
        guard seen.count < EventIDs.limit else {
            let message = "a calendar takes \(EventIDs.limit.displayText) events at most"
            let hint = "write several calendars, or only the days that lie ahead"
            throw DaybookError.data("too-many-events", message, hint: hint)
        }
        var id = EventID()
        id.add(uid)
        guard var number = seen[id] else {
            seen[id] = 1
            return ""
        }
        while true {
            number += 1
            var numbered = id
            numbered.add("-\(number)")
            // The job's own key may look like a numbered UID.
            guard seen[numbered] == nil else { continue }
            seen[numbered] = 1
            seen[id] = number
            return "-\(number)"
        }
    }
}

/// Writes the lines of an iCalendar file: escaped text, folded lines, CRLF line ends.
///
/// Source: RFC 5545, sections 3.1 (content lines) and 3.3.11 (text).
package struct ContentLine {
    /// The most octets of a line without its end; longer lines are folded.
    package static let limit = 75

    /// The current line before folding.
    private let line = Bytes(capacity: 256)
    package let out: Bytes

    package init(to out: Bytes) { self.out = out }

    /// Appends a line that needs neither escaping nor folding.
    package func plain(_ text: StaticString) {
        out.append(text)
        end()
    }

    /// Appends a property whose value is `text`; `suffix` is plain ASCII such as digits.
    package func text(_ name: StaticString, _ text: Cell, suffix: String = "") {
        line.removeAll()
        line.append(name)
        line.append(UInt8(ascii: ":"))
        ContentLine.append(escaped: text, to: line)
        if !suffix.isEmpty { line.append(suffix) }
        fold()
    }

    package func text(_ name: StaticString, _ text: String) {
        var text = text
        text.withUTF8 { self.text(name, $0) }
    }

    /// Appends a property whose value is a day: `DTSTART;VALUE=DATE:20261121`.
    package func day(_ name: StaticString, _ day: Int32) {
        out.append(name)
        out.append(";VALUE=DATE:" as StaticString)
        ContentLine.append(day: day, to: out)
        end()
    }

    package func end() { out.append("\r\n" as StaticString) }

    /// `20261121`, of years 1 to 9999.
    package static func append(day: Int32, to bytes: Bytes) {
        let date = CivilDate(day: day)
        let digits = UInt32(date.year) * 10_000 + UInt32(date.month) * 100 + UInt32(date.day)
        Digits.writeDigits(digits, count: 8, to: bytes.reserve(8))
        bytes.count += 8
    }

    /// Escapes `\`, `;` and `,` with a backslash, and writes a line end of any kind as `\n`. Control characters, which
    /// a calendar may not hold, become their pictures, as on a page, so that none is lost.
    package static func append(escaped cell: Cell, to bytes: Bytes) {
        for (position, byte) in cell.enumerated() {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0D:
                // The line feed of a CRLF is written for both.
                if position + 1 >= cell.count || cell[position + 1] != 0x0A { bytes.append("\\n" as StaticString) }
            case 0x0A: bytes.append("\\n" as StaticString)
            case 0x7F: bytes.append("␡" as StaticString)
            case 0x09, 0x20...: bytes.append(byte)
            default:
                // The picture of control n is U+2400 + n.
                bytes.append(0xE2)
                bytes.append(0x90)
                bytes.append(0x80 + byte)
            }
        }
    }

    /// Folds the line at the limit of octets, never inside a character.
    private func fold() {
        let bytes = line.filled
        defer { withExtendedLifetime(line) {} }
        var start = 0
        var room = ContentLine.limit
        while bytes.count - start > room {
            var cut = start + room
            // A character has at most three continuation bytes; longer sequences are no UTF-8 and may be cut anywhere.
            while cut > start + room - 3, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
            out.append(Cell(rebasing: bytes[start..<cut]))
            out.append("\r\n " as StaticString)
            start = cut
            // The space at the start of a folded part counts.
            room = ContentLine.limit - 1
        }
        out.append(Cell(rebasing: bytes[start...]))
        end()
    }
}
