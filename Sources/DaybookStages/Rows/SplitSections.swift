/// Assigns every row to one of several named sections by the value of a column.
///
/// Sections keep the order of the job. `number` writes their numbers, from 1, to a column that `sort_rows` can sort by.
/// Rows keep their order.
public struct SplitSections: TransformStage {
    let by: ColumnName
    let sections: OptionMap<[SectionValue]>
    let otherwise: String?
    let into: ColumnName
    let number: ColumnName?
    private let names: [String]
    private let lookup: TextLookup

    public init(reading options: inout OptionReader) {
        by = options.read("by", help: "Column that decides: of flags, text or whole numbers.")
        sections = options.read("sections", help: "Each section, in order, with the values that belong to it.")
        otherwise = options.optional(
            "otherwise",
            help: "Section for every other value and for missing ones; else they are rejected."
        )
        into = options.read("into", default: ColumnName("section"), help: "Column to write the section's name to.")
        number = options.optional("number", help: "Column to write the section's number to, from 1 on.")
        var names = sections.entries.map(\.key)
        if let otherwise, !names.contains(otherwise) { names.append(otherwise) }
        self.names = names
        let values = sections.entries.enumerated().flatMap { index, entry in entry.value.map { ($0.text, index) } }
        lookup = TextLookup(values.map(\.0), values: values.map(\.1))
        checkValues(&options)
        if number == into { options.refuse("number", "'number' and 'into' name the same column '\(into)'") }
    }

    private func checkValues(_ options: inout OptionReader) {
        if sections.entries.isEmpty, options.isWritten("sections") {
            options.refuse("sections", "'sections' names no section")
        }
        var sectionOf: [String: String] = [:]
        for entry in sections.entries {
            if entry.value.isEmpty {
                let hint = "'otherwise' names the section of all other values"
                options.refuse("sections", "no value belongs to section '\(entry.key)'", hint: hint)
            }
            for value in entry.value {
                guard let other = sectionOf.updateValue(entry.key, forKey: value.text) else { continue }
                options.refuse(
                    "sections",
                    other == entry.key
                        ? "'\(value.text)' stands twice in section '\(other)'"
                        : "'\(value.text)' belongs to the sections '\(other)' and '\(entry.key)'"
                )
            }
        }
    }

    public static let description = StageDescription(
        name: "split_sections",
        summary: "Put every row into a named section by what a column holds.",
        details: """
            The stage adds the column 'into' with the section's name, and with 'number' one with its number, from 1 in the order in \
            which the sections are written, by which sort_rows can sort. Rows stay where they are. A value that belongs to no \
            section, and a missing one, are rejected unless 'otherwise' names a section for them.
            """,
        examples: [
            StageExample(
                "the two sections of a list of things to do, ready to sort",
                options: """
                    by: isToday
                    sections: { Today: true, Upcoming: false }
                    number: place
                    """,
                input: "id:integer,isToday:flag\n1,false\n2,true\n3,",
                output: """
                    id:integer,isToday:flag,section:text,place:integer
                    1,false,Upcoming,2
                    2,true,Today,1
                    """,
                findings: ["3 isToday missing-value"]
            ),
            StageExample(
                "several values can share a section, and otherwise names one for the rest",
                options: """
                    by: emotion
                    sections: { bright: [행복해, 사랑해, 좋아해], dark: [우울해, 속상해] }
                    otherwise: in between
                    into: mood
                    """,
                input: """
                    emotion:text
                    사랑해
                    우울해
                    당황해

                    """,
                output: """
                    emotion:text,mood:text
                    사랑해,bright
                    우울해,dark
                    당황해,in between
                    ,in between
                    """
            ),
            StageExample(
                "a value that belongs nowhere is rejected",
                options: "by: level\nsections: { low: [1, 2], high: [3, -1] }",
                input: "level:integer\n2\n-1\n4",
                output: "level:integer,section:text\n2,low\n-1,high",
                findings: ["3 level no-section"]
            ),
            StageExample(
                "a value that the column cannot hold is refused",
                options: "by: isToday\nsections: { Today: yes }\notherwise: Upcoming",
                input: "isToday:flag",
                refused: "column 'isToday' holds flag, and 'yes' is none"
            ),
        ]
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requiring(by, .flag, .text, .integer)
        if let kind = input[by]?.kind {
            for value in sections.entries.flatMap(\.value) where !value.fits(kind) {
                let message = "column '\(by)' holds \(kind.rawValue), and '\(value.text)' is none"
                let hint = kind == .flag ? "write true or false" : "write a whole number such as 12"
                throw DaybookError("bad-option", message, at: value.place, hint: hint)
            }
        }
        let named = try input.adding(into, .text)
        guard let number else { return named }
        return try named.adding(number, .integer)
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        wanted.making([into] + (number.map { [$0] } ?? []), from: [by])
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let column = batch[by]
        var places = places(in: column)
        let rest = otherwise.flatMap { names.firstIndex(of: $0) } ?? -1
        let nowhere = findings.token(.noSection, in: by)
        let missing = findings.token(.missingValue, in: by)
        for row in places.indices where places[row] < 0 || column.missing.isMissing(row) {
            if rest < 0 { findings.reject(row, column.missing.isMissing(row) ? missing : nowhere) }
            places[row] = rest
        }
        let cells = TextColumn(names + [""], at: places.map { $0 < 0 ? names.count : $0 })
        let result = batch.setting(into, to: .text(cells))
        guard let number else { return result }
        return result.setting(number, to: .integers(Values(places.map { Int64($0 + 1) })))
    }

    /// The index of each row's section, or -1. The index of a missing value is arbitrary.
    private func places(in column: Column) -> [Int] {
        switch column {
        case .text(let text): return text.mapValues(filler: -1) { _, cell in lookup.find(cell) }.elements
        case .flags(let flags):
            let (yes, no) = (place(of: "true"), place(of: "false"))
            return flags.elements.map { $0 ? yes : no }
        case .integers(let values):
            let sections = sections.entries.enumerated().flatMap { place, entry in
                entry.value.compactMap { value in Int64(value.text).map { ($0, place) } }
            }
            let places = Dictionary(sections) { first, _ in first }
            return values.elements.map { places[$0] ?? -1 }
        default: preconditionFailure("the schema check lets only flags, text and whole numbers decide")
        }
    }

    private func place(of text: String) -> Int {
        sections.entries.firstIndex { $0.value.contains { $0.text == text } } ?? -1
    }
}

/// A value of a section, as written in the job.
struct SectionValue: OptionValue {
    let text: String
    let place: SourcePlace?

    static let kind = OptionKind.text
    static var placeholder: SectionValue { SectionValue(text: "", place: nil) }
    var written: String { text.written }

    private init(text: String, place: SourcePlace?) { (self.text, self.place) = (text, place) }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else {
            throw node.expected("a value", hint: "'otherwise' names the section of missing values")
        }
        self.init(text: text, place: node.place)
    }

    func fits(_ kind: ColumnKind) -> Bool {
        switch kind {
        case .flag: text == "true" || text == "false"
        case .integer: Int64(text).map { String($0) == text } ?? false
        default: true
        }
    }
}

extension Finding.Kind {
    static let noSection = Finding.Kind("no-section", "{value} belongs to none of the sections")
}
