extension DatePattern {
    /// One row of the table of letters.
    public struct Letters: Sendable {
        /// The spellings with that meaning, as in `MMM`.
        public let spellings: [String]
        public let meaning: String
        /// What the first spelling writes for 2 March 2026, 14:05:09.25, in Seoul and in English.
        public let example: String

        init(_ spellings: String..., meaning: String, example: String) {
            self.spellings = spellings
            self.meaning = meaning
            self.example = example
        }
    }

    /// All letters that a pattern may have, and how many of each; no others are taken.
    public static let letters: [Letters] = [
        Letters("yyyy", "uuuu", meaning: "the year in four digits", example: "2026"),
        Letters(
            "y",
            "u",
            meaning: "the year; of two digits only with pivot_year, of one or three never",
            example: "2026"
        ),
        Letters("yy", meaning: "the last two digits of the year; needs pivot_year", example: "26"),
        Letters(
            "G",
            "GG",
            "GGG",
            meaning: "the era, such as AD, พ.ศ. or 令和, by which the year is counted; long and short ones are read",
            example: "AD"
        ),
        Letters("GGGG", meaning: "the same, written long", example: "Anno Domini"),
        Letters("M", "L", meaning: "the month in one or two digits", example: "3"),
        Letters("MM", "LL", meaning: "the month in two digits", example: "03"),
        Letters("MMM", "LLL", meaning: "the name of the month; long and short ones are read", example: "Mar"),
        Letters("MMMM", "LLLL", meaning: "the same, written long", example: "March"),
        Letters("d", meaning: "the day in one or two digits", example: "2"),
        Letters("dd", meaning: "the day in two digits", example: "02"),
        Letters(
            "EEE",
            "E",
            "EE",
            "ccc",
            meaning: "the weekday, which must be that of the date; long and short ones are read",
            example: "Mon"
        ),
        Letters("EEEE", "cccc", meaning: "the same, written long", example: "Monday"),
        Letters("a", "aa", "aaa", meaning: "before or after noon", example: "PM"),
        Letters("H", meaning: "the hour from 0 to 23 in one or two digits", example: "14"),
        Letters("HH", meaning: "the same in two digits", example: "14"),
        Letters("h", meaning: "the hour from 1 to 12 in one or two digits; needs a", example: "2"),
        Letters("hh", meaning: "the same in two digits", example: "02"),
        Letters("k", meaning: "the hour from 1 to 24, where 24 is midnight, in one or two digits", example: "14"),
        Letters("kk", meaning: "the same in two digits", example: "14"),
        Letters("K", meaning: "the hour from 0 to 11 in one or two digits; needs a", example: "2"),
        Letters("KK", meaning: "the same in two digits", example: "02"),
        Letters("m", meaning: "the minute in one or two digits", example: "5"),
        Letters("mm", meaning: "the minute in two digits", example: "05"),
        Letters("s", meaning: "the second in one or two digits", example: "9"),
        Letters("ss", meaning: "the second in two digits", example: "09"),
        Letters(
            "SSS",
            "S",
            "SS",
            "SSSS",
            "SSSSS",
            "SSSSSS",
            "SSSSSSS",
            "SSSSSSSS",
            "SSSSSSSSS",
            meaning: "the fraction of a second, in as many digits as there are letters",
            example: "250"
        ),
        Letters("X", meaning: "the offset from UTC, and Z for UTC; every way of writing one is read", example: "+09"),
        Letters("XX", meaning: "the same, written with minutes", example: "+0900"),
        Letters("XXX", "ZZZZZ", meaning: "the same, written with a colon", example: "+09:00"),
        Letters("Z", "ZZ", "ZZZ", "xx", meaning: "the same, written without Z for UTC", example: "+0900"),
        Letters("xxx", meaning: "the same, written with a colon and without Z", example: "+09:00"),
        Letters("ZZZZ", meaning: "the same behind GMT or UTC", example: "GMT+09:00"),
    ]
}
