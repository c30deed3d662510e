import DaybookTestSupport

@testable import DaybookContracts
@testable import DaybookDates
@testable import DaybookEngine
@testable import DaybookExpressions
@testable import DaybookReports
@testable import DaybookStages
@testable import DaybookValues

/// What the author of a job writes: each text is taken, or refused at a place inside it.
extension FuzzTarget {
    static let languages = [
        FuzzTarget("yaml", readJob), FuzzTarget("expression", readExpression), FuzzTarget("pattern", readPattern),
        FuzzTarget("template", readTemplate), FuzzTarget("date-format", readDates),
    ]

    // MARK: - Jobs

    private static func readJob(_ bytes: [UInt8]) throws {
        let reading = JobParser(settings: [ParamSetting(name: "a", value: "{ ${a}")], environment: { _ in "e" })
            .read(bytes, file: "job.yaml")
        try promise(reading.job != nil || !reading.problems.isEmpty, "no job, and nothing wrong with it")
        for problem in reading.problems {
            guard let place = problem.place else { continue }
            try promise(
                place.line >= 1 && place.line <= reading.source.lineCount && place.column >= 1,
                "outside the file: \(problem)"
            )
        }
        _ = ErrorRenderer(source: reading.source).render(reading.problems)
    }

    // MARK: - Expressions

    private static let rows: Batch = {
        let text = """
            t:text,n:integer,x:decimal,d:day,i:instant,f:flag,j:json
            a,1,0.5,2026-11-21,2026-11-21T05:00:00Z,true,{}
            행복해,-9223372036854775808,-1e300,0001-01-01,1969-12-31T23:59:59.5Z,false,"[1]"
            ,,,,,,
            "",9223372036854775807,5e-324,9999-12-31,2026-11-21T05:00:00Z,true,null
            A b%_,0,-0.0,2024-02-29,2000-01-01T00:00:00Z,,[]
            """
        do { return try BatchText.read(text) } catch { fatalError("the rows: \(error)") }
    }()

    private static let singleRows = (0..<rows.count).map { rows.keeping([Int32($0)]) }

    private static func node(_ text: String) -> OptionNode {
        let place = SourcePlace(file: "job.yaml", line: 1, column: 1, length: max(1, text.unicodeScalars.count))
        return OptionNode(.text(text, quoted: false), at: place)
    }

    private static func readExpression(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        let expression: Expression
        do throws(DaybookError) {
            let read = try ExpressionText(reading: node(text))
            expression = try read.checked(against: rows.schema, context: ExampleRunner.context)
        } catch {
            let column = error.place?.column ?? 0
            try promise((1...text.unicodeScalars.count + 2).contains(column), "\(error.message) at column \(column)")
            return
        }
        // The size of a batch does not show.
        let whole = expression.outcome(rows)
        for (row, single) in singleRows.enumerated() {
            let alone = expression.outcome(single)
            let told = (whole.column.displayText(row), whole.uncomputableRows.isMissing(row))
            try promise(
                told == (alone.column.displayText(0), alone.uncomputableRows.isMissing(0)),
                "row \(row) is \(told)"
            )
        }
    }

    // MARK: - Patterns

    /// A pattern, and behind the first line feed the cell in which it is looked for.
    private static func readPattern(_ bytes: [UInt8]) throws {
        let (text, cell) = lines(bytes)
        let pattern = try RegularExpression(text)
        try cell.withUnsafeBufferPointer { cell in
            let followed = RegexSimulation.run(pattern.automaton, on: cell).matches
            try promise(pattern.matches(cell) == followed, "the table and the states disagree")
        }
    }

    private static func lines(_ bytes: [UInt8]) -> (first: String, rest: [UInt8]) {
        let end = bytes.firstIndex(of: 10) ?? bytes.count
        return (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[end...].dropFirst()))
    }

    // MARK: - Templates

    /// A template of `format_text`, and the same text as a scalar of a job with `${…}` in it.
    private static func readTemplate(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        if let template = Template(text) { try promise(!template.pieces.isEmpty, "a template of nothing") }
        let place = SourcePlace(file: "job.yaml", line: 1, column: 1)
        func entry(_ key: String, _ content: OptionNode.Content) -> OptionNode.Entry {
            OptionNode.Entry(key: key, keyPlace: place, value: OptionNode(content, at: place))
        }
        var options = OptionReader(
            [
                entry("templates", .map([entry("made", node(text).content)])),
                entry("locale", .text("ko_KR", quoted: false)),
            ] + (bytes.count % 2 == 0 ? [] : [entry("missing", .text("–", quoted: true))]),
            at: place,
            context: ExampleRunner.context
        )
        let stage = FormatText(reading: &options)
        options.finish(stage: FormatText.description.name)
        if !options.problems.isEmpty { throw DaybookErrors(options.problems) }
        _ = try stage.schema(after: rows.schema)
        let made = ColumnName("made")
        var findings = Findings()
        let whole = stage.process(rows, reporting: &findings)
        for (row, single) in singleRows.enumerated() {
            let alone = stage.process(single, reporting: &findings)
            try promise(whole[made].displayText(row) == alone[made].displayText(0), "row \(row) differs alone")
        }
    }

    // MARK: - Dates

    private static let names = ["ko_KR", "en_US"].compactMap { LocaleNames(locale: $0) }
    private static let zone = ZoneRules(named: "Asia/Seoul")

    /// A pattern of dates, and behind the first line feed a cell that is read with it and with every fixed format.
    private static func readDates(_ bytes: [UInt8]) throws {
        let (text, cell) = lines(bytes)
        let fixed = [DateFormat.iso] + EpochUnit.allCases.map(DateFormat.epoch)
        var formats = fixed
        var pattern: DatePattern?
        do throws(DatePattern.Problem) {
            let read = try DatePattern(text)
            formats.insert(try DateFormat(read, names: names, pivotYear: 1950), at: 0)
            pattern = read
        } catch {}
        var column = TextColumnBuilder(rows: 1)
        cell.withUnsafeBufferPointer { column.append($0) }
        let cells = Column.text(column.build())
        for target in [DateTarget.day, .instant] {
            for clamps in [false, true] {
                for chosen in [formats] + formats.map({ [$0] }) {
                    var isRefused = false
                    let reader = DateColumnReader(chosen, to: target, zone: zone, names: names, clampsDays: clamps)
                    let read = reader.read(cells) { _, _ in isRefused = true }
                    if isRefused { continue }
                    try expectSame(read, target, chosen.count == 1 && chosen[0].text == text ? pattern : nil)
                }
            }
        }
    }

    /// What was read is written, by ISO 8601 and by its own pattern, so that it is read as the same again.
    private static func expectSame(_ dates: Column, _ target: DateTarget, _ pattern: DatePattern?) throws {
        let iso = DateTextWriter(nil, zone: .utc).text(of: dates)
        var isRefused = false
        let again = DateColumnReader([.iso], to: target, zone: .utc).read(iso) { _, _ in isRefused = true }
        try promise(
            !isRefused && again.displayText(0) == dates.displayText(0),
            "'\(iso.displayText(0) ?? "")' is not read again"
        )
        if let pattern, let zone {
            _ = DateTextWriter(DateWriter(pattern, names: names[0]), zone: zone).text(of: dates)
        }
    }
}
