import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookCalendars
@testable import DaybookExpressions

@Suite struct ExportICSTests {
    static func calendar(_ rows: String, _ options: String, size: Int = .max) throws -> String {
        let stage = try ExampleRunner.make(ExportICS.self, options)
        let batch = try BatchText.read(rows)
        _ = try stage.bind(StageInputs(batch.schema))
        let out = MemoryOutput()
        var writer = stage.writer(in: SinkContext(batch.schema))
        try writer.begin(out)
        for part in batch.cut(into: size) {
            var findings = Findings()
            try writer.append(stage.piece(of: part, from: 0, reporting: &findings), input: 0, to: out)
        }
        try writer.finish(RunSummary(job: "test", asOf: ExampleRunner.context.asOf, ledger: []), out)
        return out.text
    }

    /// The values of a property, unfolded and with their escapes undone.
    static func values(of name: String, in calendar: String) -> [String] {
        var unfolded = ""
        for line in lines(of: calendar) {
            if line.hasPrefix(" ") { unfolded += line.dropFirst() } else { unfolded += "\u{1E}" + line }
        }
        return unfolded.split(separator: "\u{1E}").filter { $0.hasPrefix(name + ":") }.map {
            unescaped($0.dropFirst(name.count + 1))
        }
    }

    /// Lines between CRLFs; a bare CR or LF stays in its line and so shows.
    static func lines(of calendar: String) -> [String] {
        var lines = [[UInt8]()]
        let bytes = Array(calendar.utf8)
        var position = 0
        while position < bytes.count {
            if bytes[position] == 13, position + 1 < bytes.count, bytes[position + 1] == 10 {
                lines.append([])
                position += 2
            } else {
                lines[lines.count - 1].append(bytes[position])
                position += 1
            }
        }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func unescaped(_ text: Substring) -> String {
        var (result, isEscaped) = ("", false)
        for scalar in text.unicodeScalars {
            if isEscaped {
                result.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    @Test("lines are folded at 75 octets, never inside a character, and nothing is lost", arguments: 0...8)
    func folding(_ lead: Int) throws {
        for letters in ["a", "é", "가", "😀", "a,가;\\😀"] {
            let text = String(repeating: "x", count: lead) + String(repeating: letters, count: 60)
            let calendar = try Self.calendar(
                "date:day,t:text\n2026-11-21,\"\(text)\"",
                "path: x.ics\nsummary: t\nuid: t"
            )
            for line in Self.lines(of: calendar) {
                #expect(line.utf8.count <= ContentLine.limit)
                #expect(!line.contains("\u{FFFD}") && !line.contains("\n") && !line.contains("\r"))
            }
            #expect(Self.values(of: "SUMMARY", in: calendar) == [text])
            #expect(Self.values(of: "UID", in: calendar) == [text])
        }
    }

    @Test("bytes that are no UTF-8 are folded too")
    func brokenText() {
        let out = Bytes()
        let text = [UInt8](repeating: 0x80, count: 500)
        text.withUnsafeBufferPointer { ContentLine(to: out).text("SUMMARY", $0) }
        #expect(out.array.count { $0 == 0x80 } == 500)
        #expect(out.array.split(separator: 10).allSatisfy { $0.count <= ContentLine.limit + 1 })
    }

    @Test("line ends become \\n, and control characters their pictures")
    func escapes() throws {
        let text = "a\r\nb\rc\nd;e,f\\g:\"h\"\ti\u{0}\u{7F}"
        let quoted = "\"\(text.replacing("\"", with: "\"\""))\""
        let calendar = try Self.calendar("date:day,t:text\n2026-11-21,\(quoted)", "path: x.ics\nsummary: t")
        #expect(calendar.contains("SUMMARY:a\\nb\\nc\\nd\\;e\\,f\\\\g:\"h\"\ti␀␡\r\n"))
    }

    @Test(
        "the hash is FNV-1a of 128 bits",
        arguments: [
            ("", "6c62272e-07bb-8142-a2b8-21756295c58d"), ("a", "d228cb69-6f1a-8caf-b891-2b704e4a8964"),
            ("foobar", "343e1662-793c-84bf-af0d-3597ba446f18"),
        ]
    )
    func hash(_ text: String, _ expected: String) {
        var id = EventID()
        id.add(text)
        let bytes = Bytes()
        id.append(to: bytes)
        #expect(bytes.text(0..<bytes.count) == expected)
    }

    @Test("a UID made of day and title is the same wherever its row stands, and changes with either")
    func stableIDs() throws {
        let options = "path: x.ics\nsummary: t\ndescription: n"
        let rows = ["2026-11-21,a,1", "2026-11-21,b,2", "2026-11-22,a,3"]
        let ids = Self.values(
            of: "UID",
            in: try Self.calendar("date:day,t:text,n:integer\n" + rows.joined(separator: "\n"), options)
        )
        #expect(Set(ids).count == 3)
        let reversed = "date:day,t:text,n:integer\n" + rows.reversed().joined(separator: "\n")
        #expect(Self.values(of: "UID", in: try Self.calendar(reversed, options)) == ids.reversed())
        let described = "date:day,t:text,n:integer\n2026-11-21,a,99"
        #expect(Self.values(of: "UID", in: try Self.calendar(described, options)) == [ids[0]])
    }

    @Test(
        "no UID stands twice, whatever the keys look like and however rows are cut into batches",
        arguments: [1, 2, 9]
    )
    func uniqueIDs(_ size: Int) throws {
        let keys = ["a", "a", "a-2", "a", "a-2", "a-2-2", "b", "a-3", "a"]
        let rows = "date:day,id:text\n" + keys.map { "2026-11-21,\($0)" }.joined(separator: "\n")
        let ids = Self.values(
            of: "UID",
            in: try Self.calendar(rows, "path: x.ics\nsummary: id\nuid: id", size: size)
        )
        #expect(Set(ids).count == keys.count)
        #expect(ids.prefix(4) == ["a", "a-2", "a-2-2", "a-3"])
        for (key, id) in zip(keys, ids) { #expect(id.hasPrefix(key)) }
    }

    @Test(
        "alarms are counted from midnight of the day",
        arguments: [
            ("{ days_before: 0, at: 00:00 }", "PT0S"), ("{ at: 09:00 }", "PT9H"), ("{ at: 00:05 }", "PT5M"),
            ("{ at: 23:59 }", "PT23H59M"), ("{ days_before: 1 }", "-PT15H"), ("{ days_before: 1, at: 00:00 }", "-P1D"),
            ("{ days_before: 7, at: 09:30 }", "-P6DT14H30M"), ("{ days_before: 2, at: 23:45 }", "-P1DT15M"),
        ]
    )
    func alarms(_ alarm: String, _ trigger: String) throws {
        let rows = "date:day,t:text\n2026-11-21,a"
        let calendar = try Self.calendar(rows, "path: x.ics\nsummary: t\nalarms: [\(alarm)]")
        #expect(
            calendar.contains("BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:a\r\nTRIGGER:\(trigger)\r\nEND:VALARM\r\n")
        )
    }

    @Test("29 February comes back on the last day of February where nothing else is said")
    func leapDay() throws {
        let calendar = try Self.calendar(
            "date:day,t:text\n2024-02-29,a\n2024-02-28,b",
            "path: x.ics\nsummary: t\nyearly: true"
        )
        #expect(Self.values(of: "RRULE", in: calendar) == ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", "FREQ=YEARLY"])
    }

    @Test("days that cannot be written with the day after them are rejected")
    func outOfRange() throws {
        let stage = try ExampleRunner.make(ExportICS.self, "path: x.ics\nsummary: \"{date}!\"")
        let last = CalendarDay(iso: "9999-12-31")!.number
        let days = [last, last - 1, .max, .min, CalendarDay(iso: "0001-01-01")!.number]
        let batch = Batch(Schema([Field("date", .day)]), [.days(Values(days))], count: 5, provenance: .made)
        var findings = Findings()
        let piece = stage.piece(of: batch, from: 0, reporting: &findings)
        #expect(findings.rejectedRows.map(\.row) == [0, 2, 3])
        #expect(piece.events.count == 2)
        #expect(piece.bodies.text(0..<piece.bodies.count).contains("DTEND;VALUE=DATE:99991231"))
        #expect(piece.bodies.text(0..<piece.bodies.count).contains("DTSTART;VALUE=DATE:00010101"))
    }

    @Test(
        "the name is that of the file where nothing else is said",
        arguments: [
            ("out/anniversaries.ics", "anniversaries"), ("a.b.ics", "a.b"), (".ics", ".ics"), ("plain", "plain"),
            ("-", "Daybook"),
        ]
    )
    func names(_ path: String, _ name: String) throws {
        let calendar = try Self.calendar("date:day,t:text", "path: \"\(path)\"\nsummary: t")
        #expect(Self.values(of: "NAME", in: calendar) == [name])
        #expect(Self.values(of: "X-WR-CALNAME", in: calendar) == [name])
    }

    @Test("a template that comes to more than a text may have rejects its row; a column may be as long as it is")
    func longTexts() throws {
        let long = String(repeating: "가", count: TemplateWriter.longest / 3)
        let batch = try BatchText.read("date:day,t:text\n2026-11-21,\(long)\n2026-11-22,short")
        let stage = try ExampleRunner.make(ExportICS.self, "path: x.ics\nsummary: t\ndescription: \"{t}, {t}\"")
        _ = try stage.bind(StageInputs(batch.schema))
        var findings = Findings()
        #expect(stage.piece(of: batch, from: 0, reporting: &findings).events.count == 1)
        #expect(findings.rejectedRows.map(\.row) == [0])
        #expect(findings.subjects.contains { $0.kind.code == "text-too-long" })
        let calendar = try Self.calendar(
            "date:day,t:text\n2026-11-21,\(long)",
            "path: x.ics\nsummary: t\ndescription: t"
        )
        #expect(Self.values(of: "DESCRIPTION", in: calendar) == [long])
    }

    @Test(
        "options that cannot be meant are refused",
        arguments: [
            ("summary: t\nleap_day: mar1", "'leap_day' has no meaning without 'yearly'"),
            ("summary: t\nrefresh_hours: 0", "'refresh_hours' has to be from 1 to 8760"),
            ("summary: \"{t\"", "'summary': a '{' is never closed"),
            ("summary: \"t}\"", "'summary': a '}' closes nothing"),
            ("summary: \"{}\"", "'summary': the braces name no column"),
            ("summary: t\nalarms: [{ at: 9am }]", "'alarms': expected a time of day such as 09:00, found '9am'"),
            (
                "summary: t\nalarms: [{ at: \"+9:00\" }]",
                "'alarms': expected a time of day such as 09:00, found '+9:00'"
            ),
            ("summary: t\nalarms: [{ day: 1 }]", "'alarms': an alarm has no option 'day'"),
            (
                "summary: t\nalarms: [{ days_before: 400 }]",
                "'alarms': expected a number of days from 0 to 366, found '400'"
            ),
        ]
    )
    func refusals(_ options: String, _ message: String) throws {
        let errors = try #require(throws: DaybookErrors.self) {
            try ExampleRunner.make(ExportICS.self, "path: x.ics\n" + options)
        }
        #expect(errors.errors.map(\.message) == [message])
    }

    @Test(
        "columns that are not there, or hold something else, are refused before a row is read",
        arguments: [
            ("summary: \"{titel}\"", "no column named 'titel'"),
            ("summary: t\ndescription: note", "no column named 'note'"),
            ("summary: t\nuid: \"{key}\"", "no column named 'key'"),
            ("summary: t\nyearly: t", "column 't' holds text, not flag"),
        ]
    )
    func columns(_ options: String, _ message: String) throws {
        let error = try #require(throws: DaybookError.self) {
            try Self.calendar("date:day,t:text", "path: x.ics\n" + options)
        }
        #expect(error.message == message)
    }

    @Test("braces are written twice in a template")
    func braces() throws {
        let calendar = try Self.calendar(
            "date:day,n:integer\n2026-11-21,3",
            "path: x.ics\nsummary: \"{{{n}}} 일째 {date}\""
        )
        #expect(Self.values(of: "SUMMARY", in: calendar) == ["{3} 일째 2026-11-21"])
    }
}
