import DaybookDates
import DaybookReports

/// How date formats are written, for the pages of the stages that take one; the letters of patterns come from their table.
struct DateFormatPages {
    private let style: TerminalStyle

    init(_ style: TerminalStyle) { self.style = style }

    private typealias Form = (written: String, meaning: String)

    private static let formats: [Form] = [
        (
            "iso",
            """
            ISO 8601: 2026-11-21 or, in the basic form, 20261121; with a time 2026-11-21T05, T05:00, T05:00:00 or \
            T05:00:00.123, and 20261121T050000; behind a time Z, +09, +0900 or +09:00. A space does for T
            """
        ),
        ("epoch_seconds", "seconds since 1970-01-01T00:00:00Z, perhaps with decimals"),
        ("epoch_millis", "milliseconds since then"),
        ("apple_seconds", "seconds since 2001-01-01T00:00:00Z, as Swift's JSONEncoder writes dates"),
        ("yyyy/MM/dd", "any other text is a pattern in these letters, those of DateFormatter"),
    ]

    private static let literals: [Form] = [
        ("- / . : 년 月", "stand for themselves, as does everything that is not a letter from A to Z"),
        ("a space", "stands for a no-break space too, U+00A0 or U+202F"),
        (
            "'T' 'de'",
            "letters in single quotes stand for themselves, and '' for a quote. So 'Z' is a letter and not UTC: write X"
        ),
    ]

    private static let letters: [Form] = DatePattern.letters.map {
        (
            $0.spellings.count > 4
                ? "\($0.spellings[1]) to \($0.spellings[$0.spellings.count - 1])"
                : $0.spellings.joined(separator: " "), "\($0.meaning) (\($0.example))"
        )
    }

    private var parts: [(title: String, forms: [Form])] {
        [("Date formats", Self.formats), ("Letters", Self.letters), ("Other characters", Self.literals)]
    }

    var text: [String] {
        var lines: [String] = []
        for (index, part) in parts.enumerated() {
            lines += index == 0 ? [style.bold(part.title), ""] : ["", "  " + style.bold(part.title)]
            for form in part.forms { lines += StageText.row(form.written, form.meaning, width: 16, style) }
        }
        return lines + [""]
    }

    var markdown: [String] {
        var lines: [String] = []
        for part in parts {
            lines += ["**\(part.title).**", ""]
            lines += ReferencePages.table(["Written", "Meaning"], part.forms.map { ["`\($0.written)`", $0.meaning] })
        }
        return lines
    }

    var json: JSONValue {
        .list(
            DatePattern.letters.map {
                [
                    "letters": .list($0.spellings.map(JSONValue.text)), "help": .text($0.meaning),
                    "example": .text($0.example),
                ]
            }
        )
    }
}
