import DaybookTestSupport
import Foundation
import Testing

/// An export of orders as German shop programs write it, from `guess` over a gate to sums: nobody describes the file, and every
/// cent is there.
@Suite struct GuessedOrdersTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    @Test("guessed, gated and summed to the cent", arguments: Orders.Encoding.allCases)
    func everyCentIsThere(_ encoding: Orders.Encoding) throws {
        for seed in [UInt64(1), 2, 3] {
            let orders = Orders(seed: seed)
            let run = try ran(orders, orders.lines, encoding)
            #expect(run.status == 0, "\(run.errors)")
            // The rows of the gate, and of the sums behind it.
            let sums = try #require(place.text("out/sums.csv")).split(separator: "\n").map { $0.split(separator: ",") }
            #expect(sums.first == ["orders", "pieces", "net", "shipping", "credit"])
            let found = sums[1].map { Decimal(string: String($0)) }
            #expect(found[0] == Decimal(orders.rows.count))
            #expect(found[1] == Decimal(orders.rows.reduce(0) { $0 + $1.pieces }))
            for (column, cents) in [orders.net, orders.shipping, orders.credit].enumerated() {
                #expect(found[2 + column] == Decimal(cents) / 100, "\(sums[0][2 + column])")
            }
            try FileManager.default.removeItem(at: place.url.appendingPathComponent("job.yaml"))
        }
    }

    @Test("one thing that is wrong stops the run with its line", arguments: Orders.corruptions)
    func whatIsWrongIsTold(_ corruption: Orders.Corruption) throws {
        let orders = Orders(seed: 4)
        try guess(orders, orders.lines, .utf8)
        let (lines, told) = corruption.change(orders)
        try write(lines, .utf8)
        let run = try command.run("run", "job.yaml")
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.errors.contains(told), "\(told) is not in:\n\(run.errors)")
        #expect(place.text("out/sums.csv") == nil)
    }

    /// Guesses the job for good lines, puts the gate and the sums in the place of its export, and runs it.
    private func ran(
        _ orders: Orders,
        _ lines: [String],
        _ encoding: Orders.Encoding
    ) throws -> CommandTrial.Outcome {
        try guess(orders, lines, encoding)
        return try command.run("run", "job.yaml")
    }

    private func guess(_ orders: Orders, _ lines: [String], _ encoding: Orders.Encoding) throws {
        try write(lines, encoding)
        let guess = try command.run("guess", "orders.csv", "-o", "job.yaml")
        try #require(guess.status == 0, "\(guess.errors)")
        #expect(guess.errors.contains("looked at 300 rows; all fit"), "\(guess.errors)")
        let job = try #require(place.text("job.yaml"))
        #expect(!job.contains("Not sure"), "\(job)")
        let export = "  - export_csv: { path: out/orders.csv }\n"
        try #require(job.hasSuffix(export))
        try place.write(job.dropLast(export.count) + orders.gate, to: "job.yaml")
    }

    private func write(_ lines: [String], _ encoding: Orders.Encoding) throws {
        let text = lines.map { $0 + (encoding == .utf8 ? "\n" : "\r\n") }.joined()
        switch encoding {
        case .utf8: try place.write(text, to: "orders.csv")
        case .utf8WithMark: try place.write("\u{FEFF}" + text, to: "orders.csv")
        case .windows1252:
            try place.write(try #require(text.data(using: .windowsCP1252)), to: "orders.csv")
        }
    }
}

/// A made export: what it holds as whole cents, and the lines in which it is written.
struct Orders {
    enum Encoding: CaseIterable { case utf8, utf8WithMark, windows1252 }

    struct Row {
        var number: String
        var date: String
        var customer: String
        var article: String
        var pieces: Int
        var net: Int
        var shipping: Int
        var credit: Int?
        var note: String

        var cells: [String] {
            [
                number, date, customer, article, "\(pieces)", "\(Orders.money(net)) €", "€ \(Orders.money(shipping))",
                credit.map(Orders.money) ?? "", note,
            ]
        }
    }

    private(set) var rows: [Row] = []
    var net: Int { rows.reduce(0) { $0 + $1.net } }
    var shipping: Int { rows.reduce(0) { $0 + $1.shipping } }
    var credit: Int { rows.reduce(0) { $0 + ($1.credit ?? 0) } }

    static let header = "Bestellnr;Datum;Kunde;Artikel;Menge;Nettobetrag;Versand;Gutschrift;Bemerkung"
    private static let articles = [
        "27\" Monitor", "Kabel; 3 m", "Poster \"Alpen\" gerahmt", "\"Faust\" von Goethe", "27\" Monitor; schwarz",
        "Tasse", "Stuhl, Buche", "Größe L", "Heft A5", "O'Reilly-Buch",
    ]

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        for index in 0..<300 {
            // Most orders are small, and a few have groups of digits.
            let net = Int.random(in: 99...(index % 4 == 0 ? 499_999 : 30_000), using: &random)
            rows.append(
                Row(
                    number: "B-\(10_001 + index)",
                    date: Orders.two(Int.random(in: 1...28, using: &random)) + "."
                        + Orders.two(Int.random(in: 1...12, using: &random)) + ".2026",
                    customer: pick(["Müller, Jörg", "Weiß KG", "Söhne & Co", "Ana \"Nia\" Peña", "Böhm; Erben", "Kim"]),
                    article: pick(Orders.articles),
                    pieces: Int.random(in: 1...40, using: &random),
                    net: net,
                    shipping: Int.random(in: 0...2_000, using: &random),
                    credit: index % 3 == 0 ? -Int.random(in: 1...200_000, using: &random) : nil,
                    note: pick(["", "", "bitte klingeln", "Etage 3; links", "sagt \"gern\" und \"bald\" dazu"])
                )
            )
        }
    }

    // MARK: - As it is written

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// `-1.234,56` for -123456.
    static func money(_ cents: Int) -> String {
        var groups: [String] = []
        var whole = cents.magnitude / 100
        while whole >= 1_000 {
            groups.insert(String(whole % 1_000 + 1_000).dropFirst().description, at: 0)
            whole /= 1_000
        }
        groups.insert("\(whole)", at: 0)
        return (cents < 0 ? "-" : "") + groups.joined(separator: ".") + "," + two(Int(cents.magnitude % 100))
    }

    /// The lines of the file: those of three programs, which quote where they must, quote all, and double no quote.
    var lines: [String] {
        let written = rows.enumerated().map { index, row in
            row.cells.map { cell in
                let doubled = "\"\(cell.replacing("\"", with: "\"\""))\""
                return switch index % 3 {
                case 0: cell.contains(where: { ";\"".contains($0) }) ? doubled : cell
                case 1: doubled
                default: cell.contains(";") ? "\"\(cell)\"" : cell
                }
            }.joined(separator: ";")
        }
        let total = "Summe;;;;;\(Orders.money(net)) €;€ \(Orders.money(shipping));\(Orders.money(credit));"
        return [Orders.header] + written + [total, "\(rows.count) Bestellungen"]
    }

    // MARK: - As it is judged

    /// What a person puts behind the guessed import: the counts and sums that stand below the table, and bounds.
    var gate: String {
        let sums = [("Nettobetrag", net), ("Versand", shipping), ("Gutschrift", credit)].map { column, cents in
            "sum: { column: \(column), min: \(Decimal(cents) / 100), max: \(Decimal(cents) / 100) }"
        }
        let rules =
            [
                "row_count: { min: \(rows.count), max: \(rows.count) }",
                "unique: Bestellnr",
                "not_missing: [Bestellnr, Datum, Kunde, Nettobetrag, Versand]",
                "between: { column: Nettobetrag, min: 0, max: 5000 }",
                "between: { column: Versand, min: 0, max: 20 }",
                "between: { column: Gutschrift, min: -2000, max: 0 }",
            ] + sums
        return "  - check_rows:\n      rules:\n" + rules.map { "        - \($0)\n" }.joined() + """
              - summarise_rows:
                  values:
                    orders: count
                    pieces: sum(Menge)
                    net: sum(Nettobetrag)
                    shipping: sum(Versand)
                    credit: sum(Gutschrift)
              - export_csv: { path: out/sums.csv }

            """
    }

    // MARK: - As it goes wrong

    struct Corruption: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The lines as they are now, and what has to be told.
        var change: @Sendable (Orders) -> (lines: [String], told: String)
    }

    /// The first line whose order has groups of digits and that is written without quotes around its amount.
    private var large: Int { rows.indices.first { rows[$0].net >= 100_000 && $0 % 3 != 1 }.map { $0 + 1 } ?? 0 }

    private func replacing(_ old: String, _ new: String, line: Int) -> [String] {
        var lines = lines
        lines[line] = lines[line].replacing(old, with: new)
        return lines
    }

    static let corruptions: [Corruption] = [
        Corruption(testDescription: "an amount in English notation") { orders in
            let german = money(orders.rows[orders.large - 1].net)
            let english = String(german.map { $0 == "." ? "," : $0 == "," ? "." : $0 })
            let told = "orders.csv:\(orders.large + 1):"
            return (orders.replacing(german, english, line: orders.large), told)
        },
        Corruption(testDescription: "an amount without its comma") { orders in
            let german = money(orders.rows[orders.large - 1].net)
            let whole = german.filter { $0 != "," && $0 != "." }
            return (orders.replacing(german, whole, line: orders.large), "orders.csv:\(orders.large + 1):")
        },
        Corruption(testDescription: "an amount in another currency") { orders in
            (orders.replacing("€ ", "$ ", line: 8), "orders.csv:9:")
        },
        Corruption(testDescription: "a row twice") { orders in
            var lines = orders.lines
            lines.insert(lines[20], at: 40)
            return (lines, "orders.csv:41:")
        },
        Corruption(testDescription: "a delimiter too many") { orders in
            (orders.replacing("B-10012;", "B-10012;;", line: 12), "orders.csv:13:")
        },
        Corruption(testDescription: "a row that is not there") { orders in
            var lines = orders.lines
            lines.remove(at: 100)
            return (lines, "there are 299 rows, and at least 300 should be there")
        },
        Corruption(testDescription: "a cent too much") { orders in
            let cents = orders.rows[0].net
            return (
                orders.replacing(money(cents) + " €", money(cents + 1) + " €", line: 1), "the sum of 'Nettobetrag' is"
            )
        },
    ]
}
