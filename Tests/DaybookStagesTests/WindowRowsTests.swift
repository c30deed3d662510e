import DaybookContracts
import DaybookStages
import DaybookTestSupport
import Testing

/// Windows against the plainest possible ones, which look at every row of a frame anew, at every limit of memory and size of batch.
@Suite struct WindowRowsTests {
    @Test("any options, cut, memory and merging give what a plain loop gives", arguments: TestSize.seeds(8, of: 60))
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rows = try Self.rows(count: Int.random(in: 1...70, using: &random), &random)
        let window = Window(&random)
        var stage = try ExampleRunner.make(WindowRows.self, window.options)
        let expected = Plain(rows, window).text
        for limit in [1 << 20, 3_000, 0] {
            stage.memoryLimit = limit
            for slice in [1, 300, 1 << 20] {
                stage.sliceBytes = slice
                let size = [1, 2, 7, 40, 1_000].randomElement(using: &random)!
                let threads = Int.random(in: 1...3, using: &random)
                let throughBytes = Bool.random(using: &random)
                let found = try Self.run(rows.cut(into: size), stage, threads: threads, throughBytes: throughBytes)
                #expect(
                    found == expected,
                    "limit \(limit), slices of \(slice), batches of \(size), \(random)\n\(window.options)"
                )
            }
        }
    }

    @Test("one group of many rows, cut into slices and on disk", arguments: TestSize.most(of: ["w", "s", "t"]))
    func oneGroup(_ column: String) throws {
        var random = SeededGenerator(seed: 7)
        let rows = try Self.rows(count: 500, &random)
        var window = Window(&random)
        (window.by, window.order) = ([], [Window.Key("k", isDescending: false, missingFirst: false)])
        let numbers = ["sum(\(column), 50 rows)", "mean(\(column))", "sum(\(column))", "mean(\(column), 9 rows)"]
        window.calls =
            ["row_number", "rank", "dense_rank", "count(\(column))", "count(20 rows)", "lag(\(column), 100)"]
            + ["lead(\(column), 77)", "fill_forward(\(column))", "min(\(column), 60 rows)", "max(\(column))"]
            + (column == "t" ? [] : numbers)
        var stage = try ExampleRunner.make(WindowRows.self, window.options)
        let expected = Plain(rows, window).text
        for (limit, slice) in [(1 << 20, 1 << 20), (1 << 20, 800), (4_000, 500)] {
            (stage.memoryLimit, stage.sliceBytes) = (limit, slice)
            let found = try Self.run(rows.cut(into: 100), stage, threads: 3)
            #expect(found == expected, "limit \(limit), slices of \(slice)")
        }
    }

    @Test("a moving sum of decimals has no memory of what has left it")
    func noDrift() throws {
        var text = "s:decimal"
        for number in ["1e300", "1", "1e-300", "-1e300", "0.1", "0.2", "1e308", "0.3", "0.4"] { text += "\n" + number }
        let stage = try ExampleRunner.make(
            WindowRows.self,
            "columns: { x: \"sum(s, 2 rows)\", y: \"mean(s, 1 rows)\" }"
        )
        let found = try Self.run([try BatchText.read(text)], stage)
        #expect(
            found == """
                s:decimal,x:decimal,y:decimal
                1e+300,1e+300,1e+300
                1,1e+300,1
                1e-300,1,1e-300
                -1e+300,-1e+300,-1e+300
                0.1,-1e+300,0.1
                0.2,0.30000000000000004,0.2
                1e+308,1e+308,1e+308
                0.3,1e+308,0.3
                0.4,0.7,0.4
                """
        )
    }

    @Test("every row keeps its line, also on its way over the disk")
    func places() throws {
        var random = SeededGenerator(seed: 5)
        var stage = try ExampleRunner.make(WindowRows.self, "by: g\norder: k\ncolumns: { n: row_number }")
        stage.memoryLimit = 0
        let rows = try Self.rows(count: 50, &random)
        let scratch = Disk(threads: 2)
        var found: [Int] = []
        try stage.finish(
            try Self.folded(rows.cut(into: 3), stage, scratch, throughBytes: false),
            schema: try stage.schema(after: rows.schema),
            scratch: scratch
        ) { batch, _ in
            if case .gathered(let origins) = batch.provenance { found += origins.map { Int($0.record) } }
        }
        #expect(found == Array(0..<50))
    }

    @Test(
        "a call that makes no sense is refused at the part that is wrong",
        arguments: [
            ("rank", "'rank' needs 'order'", "add 'order'", 1),
            ("rank(w)", "'rank' takes no column", "write rank", 6),
            ("lag", "'lag' needs a column", "write lag(column)", 1),
            ("lag()", "no column stands in the brackets", "write row_number", 4),
            ("lag(w, -1)", "expected a number of rows from 1 to 1000000, found '-1'", "use 'lead'", 8),
            ("lag(w, 7 rows)", "expected a number of rows from 1 to 1000000, found '7 rows'", "lag(column, 7)", 8),
            ("sum(w, 7 weeks)", "expected a number of rows or days from 1 to 1000000, found '7 weeks'", "7 rows", 8),
            (
                "sum(w, 7 dayz)", "expected a number of rows or days from 1 to 1000000, found '7 dayz'", "did you mean",
                8
            ),
            ("sum(w, 0 rows)", "expected a number of rows or days from 1 to 1000000, found '0 rows'", "7 rows", 8),
            ("fill_forward(w, 3)", "'fill_forward' takes a column and nothing else, found '3'", "fill_forward(w)", 17),
            ("rolling_mean(w)", "there is no function 'rolling_mean'", "did you mean 'mean'?", 1),
            ("fill_foward(w)", "there is no function 'fill_foward'", "did you mean 'fill_forward'?", 1),
            ("sum(w", "the bracket is not closed at the end", "stands in quotes", 4),
            ("sum(w, 3 days)", "a frame of days needs 'order'", "add 'order'", 1),
        ]
    )
    func refusals(_ call: String, _ message: String, _ hint: String, _ column: Int) throws {
        let errors = #expect(throws: DaybookErrors.self) {
            try ExampleRunner.make(WindowRows.self, "columns: { x: \"\(call)\" }")
        }
        let found = try #require(errors?.errors.first)
        #expect(found.message.contains(message), "\(found.message)")
        #expect(found.hint?.contains(hint) == true, "\(found.hint ?? "no hint")")
        // Behind `columns: { x: "`.
        #expect(found.place?.column == 15 + column)
    }

    @Test("a column whose name has a comma or a number in it can be named")
    func namesWithCommas() throws {
        let stage = try ExampleRunner.make(
            WindowRows.self,
            "columns: { a: \"sum(net, total)\", b: \"lag(net, total, 2)\", c: \"count(7 seas)\" }"
        )
        let rows = try BatchText.read("\"net, total:integer\",7 seas:integer\n1,\n2,5\n3,6")
        #expect(
            try Self.run([rows], stage) == """
                "net, total:integer",7 seas:integer,a:integer,b:integer,c:integer
                1,,1,,0
                2,5,3,,1
                3,6,6,1,2
                """
        )
    }

    // MARK: - The ground to stand on

    /// Scratch files in memory, for a fold that may work on several threads.
    private struct Disk: Scratch {
        private let files = MemoryScratch()
        let threads: Int
        var memoryLimit: Int { files.memoryLimit }

        init(threads: Int) { self.threads = threads }
        func makeFile() throws(DaybookError) -> any ScratchFile { try files.makeFile() }
    }

    /// The rows that come out, and behind them those that were rejected, by their numbers.
    static func run(
        _ batches: [Batch],
        _ stage: WindowRows,
        threads: Int = 1,
        throughBytes: Bool = false
    ) throws -> String {
        let scratch = Disk(threads: threads)
        let schema = try stage.schema(after: batches[0].schema)
        let whole = try folded(batches, stage, scratch, throughBytes: throughBytes)
        var kept: [Batch] = []
        var rejected: [Int] = []
        var first = 0
        try stage.finish(whole, schema: schema, scratch: scratch) { batch, findings in
            rejected += Set(findings.rejectedRows.map { first + Int($0.row) }).sorted()
            first += batch.count
            kept.append(findings.keptRows(of: batch.count).map(batch.keeping) ?? batch)
        }
        let text = BatchText.write(kept, schema: schema)
        return rejected.isEmpty ? text : text + "\nrejected \(rejected)"
    }

    private static func folded(
        _ batches: [Batch],
        _ stage: WindowRows,
        _ scratch: Disk,
        throughBytes: Bool
    ) throws -> WindowRows.Partial? {
        var whole: WindowRows.Partial?
        for batch in batches {
            var findings = Findings()
            var partial = try stage.partial(of: batch, reporting: &findings)
            if throughBytes {
                let bytes = Bytes()
                try partial.write(to: bytes)
                var reader = ByteReader(bytes.filled)
                partial = try WindowRows.Partial(reading: &reader)
                withExtendedLifetime(bytes) {}
            }
            guard var earlier = whole.take() else {
                whole = partial
                continue
            }
            try stage.merge(partial, into: &earlier, scratch: scratch)
            whole = earlier
        }
        return whole
    }

    /// Few different values, so that groups and ties are common.
    private static func rows(count: Int, _ random: inout SeededGenerator) throws -> Batch {
        let pool = [
            ["", "a", "b", "$null", "\"\"", "\"a\u{0}\""],
            ["", "true", "false"],
            ["", "1", "2", "3", "-4", "500", "70000"],
            ["", "2026-03-01", "2026-03-02", "2026-03-04", "2026-03-09", "1969-12-31"],
            [
                "", "2026-03-01T00:00:00Z", "2026-03-01T00:00:00.000001Z", "2026-03-03T12:00:00Z",
                "2026-03-04T00:00:00Z",
            ],
            ["", "0", "1", "-7", "100", "9223372036854775807", "-9223372036854775808"],
            ["", "0.1", "-0.1", "1e300", "-1e300", "5e-324", "1.7e308", "-0.0", "3"],
            [
                "", "\"\"", "x", "xy", "NaN", "CF$UID", "\"x\u{0}\"", "행복해",
                "a long text that stands in a frame for many rows",
            ],
            ["", "{}", "\"[1, 2]\""],
        ]
        var text = "g:text,h:flag,k:integer,day:day,at:instant,w:integer,s:decimal,t:text,j:json"
        for _ in 0..<count { text += "\n" + pool.map { $0.randomElement(using: &random)! }.joined(separator: ",") }
        return try BatchText.read(text)
    }

    /// What is asked of a window.
    struct Window {
        struct Key {
            var column: String
            var isDescending: Bool
            var missingFirst: Bool

            init(_ column: String, isDescending: Bool, missingFirst: Bool) {
                (self.column, self.isDescending, self.missingFirst) = (column, isDescending, missingFirst)
            }

            var option: String {
                "{ column: \(column), order: \(isDescending ? "descending" : "ascending"), "
                    + "missing: \(missingFirst ? "first" : "last") }"
            }
        }

        var by: [String]
        var order: [Key]
        var calls: [String]

        init(_ random: inout SeededGenerator) {
            by = [[], ["g"], ["g", "h"], ["s"], ["day", "t"]].randomElement(using: &random)!
            let orders = [[], ["day"], ["at"], ["k", "day"], ["t"], ["day", "k"], ["at", "s"]]
            order = orders.randomElement(using: &random)!.map {
                Key($0, isDescending: .random(using: &random), missingFirst: .random(using: &random))
            }
            var pool = ["row_number", "count", "count(3 rows)"]
            for column in ["g", "h", "k", "day", "at", "w", "s", "t", "j"] {
                pool += ["lag(\(column))", "lag(\(column), 3)", "lead(\(column))", "lead(\(column), 2)"]
                pool += ["fill_forward(\(column))", "count(\(column))", "count(\(column), 4 rows)"]
                guard column != "j" else { continue }
                pool += ["min(\(column))", "max(\(column))", "min(\(column), 3 rows)", "max(\(column), 5 rows)"]
            }
            for column in ["k", "w", "s"] {
                pool += ["sum(\(column))", "mean(\(column))", "sum(\(column), 3 rows)", "mean(\(column), 2 rows)"]
            }
            if let first = order.first {
                pool += ["rank", "dense_rank"]
                if first.column == "day" || first.column == "at" {
                    pool += ["count(2 days)", "count(t, 3 days)", "min(t, 2 days)", "max(s, 5 days)", "min(w, 1 day)"]
                    for column in ["k", "w", "s"] { pool += ["sum(\(column), 3 days)", "mean(\(column), 1 day)"] }
                }
            }
            calls = (0..<6).map { _ in pool.randomElement(using: &random)! }
        }

        var options: String {
            let columns = calls.enumerated().map { "  c\($0): \"\($1)\"" }.joined(separator: "\n")
            let order = order.isEmpty ? "" : "order: [\(order.map(\.option).joined(separator: ", "))]\n"
            return "by: [\(by.joined(separator: ", "))]\n\(order)columns:\n\(columns)"
        }
    }
}

/// The windows of some rows, slowly.
private struct Plain {
    typealias Window = WindowRowsTests.Window

    private let rows: Batch
    private let window: Window
    private var rejected: Set<Int> = []
    var text = ""

    init(_ rows: Batch, _ window: Window) {
        (self.rows, self.window) = (rows, window)
        var groups: [[String?]: [Int]] = [:]
        for row in 0..<rows.count {
            // As keys 0 and -0 are the same.
            let key = window.by.map { name in displayText(name, row).map { $0 == "-0" ? "0" : $0 } }
            groups[key, default: []].append(row)
        }
        var results = [[String?]](repeating: [String?](repeating: nil, count: rows.count), count: window.calls.count)
        for group in groups.values {
            let sorted = group.sorted { first, second in
                let order = compare(first, second)
                return order == 0 ? first < second : order < 0
            }
            for (place, call) in window.calls.enumerated() {
                for position in sorted.indices {
                    results[place][sorted[position]] = result(call, sorted, position)
                }
            }
        }
        let names = rows.schema.fields.map { "\($0.name):\($0.kind.rawValue)" }
        let made = window.calls.enumerated().map { "c\($0):\(kind($1))" }
        var lines = [(names + made).joined(separator: ",")]
        for row in 0..<rows.count where !rejected.contains(row) {
            let cells = rows.columns.map { $0.displayText(row) } + results.map { $0[row] }
            lines.append(cells.map { $0.map(Self.cell) ?? "" }.joined(separator: ","))
        }
        text = lines.joined(separator: "\n") + (rejected.isEmpty ? "" : "\nrejected \(rejected.sorted())")
    }

    private static func cell(_ text: String) -> String {
        text.isEmpty || text.contains(",") || text.contains("\"")
            ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }

    private func displayText(_ name: String, _ row: Int) -> String? { rows.column(ColumnName(name)).displayText(row) }

    /// `sum(w, 3 days)` as its parts.
    private func parts(_ call: String) -> (name: String, column: String?, count: Int?, unit: String?) {
        let words = call.split { "(), ".contains($0) }.map(String.init)
        let column = words.count > 1 && Int(words[1]) == nil ? words[1] : nil
        let rest = words.dropFirst(column == nil ? 1 : 2)
        return (words[0], column, rest.first.flatMap { Int($0) }, rest.dropFirst().first)
    }

    private func kind(_ call: String) -> String {
        let (name, column, _, _) = parts(call)
        switch name {
        case "row_number", "rank", "dense_rank", "count": return "integer"
        case "mean": return "decimal"
        default: return rows.schema[ColumnName(column!)]!.kind.rawValue
        }
    }

    private mutating func result(_ call: String, _ group: [Int], _ position: Int) -> String? {
        let (name, column, count, unit) = parts(call)
        let row = group[position]
        switch name {
        case "row_number": return String(position + 1)
        case "rank": return String(1 + group.firstIndex { compare($0, row) == 0 }!)
        case "dense_rank":
            return String(1 + (0..<position).filter { compare(group[$0], group[$0 + 1]) != 0 }.count)
        case "lag":
            let earlier = position - (count ?? 1)
            return earlier < 0 ? nil : displayText(column!, group[earlier])
        case "lead":
            let later = position + (count ?? 1)
            return later >= group.count ? nil : displayText(column!, group[later])
        case "fill_forward": return group[...position].compactMap { displayText(column!, $0) }.last
        default: break
        }
        var frame = Array(group[...position])
        if let count, unit!.hasPrefix("row") { frame = frame.suffix(count) }
        if let count, unit!.hasPrefix("day") {
            guard let now = time(row) else { return nil }
            frame = frame.filter { other in
                time(other).map { abs($0 - now) < Double(count) } ?? false
            }
        }
        if name == "count", column == nil { return String(frame.count) }
        frame = frame.filter { displayText(column!, $0) != nil }
        if name == "count" { return String(frame.count) }
        guard !frame.isEmpty else { return nil }
        if name == "min" || name == "max" {
            let ordered = frame.sorted { order(column!, $0, $1) < 0 }
            return displayText(column!, name == "min" ? ordered[0] : ordered[ordered.count - 1])
        }
        return total(name, rows.column(ColumnName(column!)), frame, row)
    }

    private mutating func total(_ name: String, _ column: Column, _ frame: [Int], _ row: Int) -> String? {
        if case .integers(let values) = column {
            let sum = frame.reduce(Int128(0)) { $0 + Int128(values.elements[$1]) }
            if name == "mean" { return displayText(ExactSum.mean(of: sum, frame.count)) }
            if Int64(exactly: sum) == nil { rejected.insert(row) }
            return String(sum)
        }
        guard case .decimals(let values) = column else { return nil }
        var sum = ExactSum()
        for other in frame { sum.add(values.elements[other]) }
        if name == "mean" { return displayText(sum.mean(of: frame.count)) }
        if !sum.value.isFinite { rejected.insert(row) }
        return displayText(sum.value)
    }

    private func displayText(_ value: Double) -> String? { Column.decimals(Values([value])).displayText(0) }

    /// When a row was, in days.
    private func time(_ row: Int) -> Double? {
        switch rows.column(ColumnName(window.order[0].column)) {
        case .days(let values): values[row].map(Double.init)
        case .instants(let values): values[row].map { Double($0) / 86_400_000_000 }
        default: nil
        }
    }

    private func compare(_ first: Int, _ second: Int) -> Int {
        for key in window.order {
            let difference: Int
            switch (displayText(key.column, first) == nil, displayText(key.column, second) == nil) {
            case (true, true): difference = 0
            case (true, false): difference = key.missingFirst ? -1 : 1
            case (false, true): difference = key.missingFirst ? 1 : -1
            case (false, false):
                // As keys 0 and -0 are the same.
                let isZero = displayText(key.column, first) == "-0" || displayText(key.column, second) == "-0"
                let order =
                    isZero && number(key.column, first) == number(key.column, second)
                    ? 0 : order(key.column, first, second)
                difference = key.isDescending ? -order : order
            }
            if difference != 0 { return difference }
        }
        return 0
    }

    private func number(_ name: String, _ row: Int) -> Double? { displayText(name, row).flatMap(Double.init) }

    /// How two values of a column compare; -0 comes before 0.
    private func order(_ name: String, _ first: Int, _ second: Int) -> Int {
        func sign<Value: Comparable>(_ one: Value, _ other: Value) -> Int { one < other ? -1 : one == other ? 0 : 1 }
        switch rows.column(ColumnName(name)) {
        case .integers(let values), .instants(let values): return sign(values.elements[first], values.elements[second])
        case .days(let values): return sign(values.elements[first], values.elements[second])
        case .flags(let values): return sign(values.elements[first] ? 1 : 0, values.elements[second] ? 1 : 0)
        case .decimals(let values):
            let (one, other) = (values.elements[first], values.elements[second])
            if one == 0, other == 0 { return sign(one.sign == .minus ? 0 : 1, other.sign == .minus ? 0 : 1) }
            return sign(one, other)
        case .text(let texts), .json(let texts):
            let (one, other) = (Array(texts[first]!.utf8), Array(texts[second]!.utf8))
            if one == other { return 0 }
            return one.lexicographicallyPrecedes(other) ? -1 : 1
        }
    }
}
