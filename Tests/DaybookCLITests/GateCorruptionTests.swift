import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// A gate that `profile --rules` proposes for a good file lets the next good file through and stops what usually goes wrong with one.
///
/// The files are of the weather: a row for each day and station, with temperatures that are in order, a season and its chances.
@Suite struct GateCorruptionTests {
    private static let header = [
        "station", "date", "t_min", "t_mean", "t_max", "humidity", "pressure", "wind", "condition",
    ]
    private static let numbers = 2...7

    /// A year of weather, row by row.
    private static func weather(from year: Int, seed: UInt64) throws -> [[String]] {
        var random = SeededGenerator(seed: seed)
        func noise(_ size: Double) -> Double {
            (0..<4).reduce(0) { sum, _ in sum + Double.random(in: -size...size, using: &random) } / 2
        }
        func displayText(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
        let first = try #require(CalendarDay(year: year, month: 1, day: 1)).number
        let last = try #require(CalendarDay(year: year + 1, month: 1, day: 1)).number
        var rows: [[String]] = []
        for day in first..<last {
            let season = -cos(Double(day - first) / 365 * 2 * .pi)
            for (place, station) in ["서울", "부산", "대전", "제주", "인천"].enumerated() {
                let mean = 12 + 13 * season + Double(place) + noise(4)
                let condition =
                    mean < 2 && Double.random(in: 0...1, using: &random) < 0.4
                    ? "snow" : ["clear", "clear", "cloudy", "rain"].randomElement(using: &random) ?? ""
                rows.append([
                    station, "\(CalendarDay(number: day))",
                    displayText(mean - Double.random(in: 2...7, using: &random)), displayText(mean),
                    displayText(mean + Double.random(in: 2...7, using: &random)),
                    displayText(min(100, max(20, 65 + 10 * season + noise(18)))), displayText(1013 + noise(9)),
                    displayText(abs(noise(6))), condition,
                ])
            }
        }
        return rows
    }

    private static func text(_ rows: [[String]]) -> String {
        ([header] + rows).map { $0.joined(separator: ",") }.joined(separator: "\n") + "\n"
    }

    /// What usually goes wrong, by name.
    private static func corruptions(of rows: [[String]]) -> [(name: String, rows: [[String]])] {
        func changed(_ change: (inout [[String]]) -> Void) -> [[String]] {
            var copy = rows
            change(&copy)
            return copy
        }
        func shifted(_ column: Int, isRound: Bool) -> [[String]] {
            changed { copy in
                for row in rows.indices.dropFirst() { copy[row][column] = rows[row - 1][column] }
                copy[0][column] = isRound ? rows[rows.count - 1][column] : ""
            }
        }
        func mapped(_ column: Int, _ change: (Double) -> Double) -> [[String]] {
            changed { copy in
                for row in copy.indices { copy[row][column] = "\(change(Double(copy[row][column]) ?? 0))" }
            }
        }
        func swapped(_ one: Int, _ other: Int) -> [[String]] {
            changed { copy in for row in copy.indices { copy[row].swapAt(one, other) } }
        }
        var all: [(String, [[String]])] = []
        for (column, name) in header.enumerated() {
            all.append(("\(name) is a row further down", shifted(column, isRound: false)))
            all.append(("\(name) has one gap", changed { $0[77][column] = "" }))
            all.append(("\(name) is empty", changed { copy in for row in copy.indices { copy[row][column] = "" } }))
        }
        // Nothing tells of what is drawn by chance in each row that it belongs to another, nor of stations that come in turn.
        for column in 1...4 {
            all.append(("\(header[column]) is a row further down, the last in front", shifted(column, isRound: true)))
        }
        for column in numbers {
            all.append(("\(header[column]) is a hundred times as much", mapped(column) { $0 * 100 }))
            all.append(("\(header[column]) has the other sign", mapped(column) { -$0 }))
        }
        for (one, other) in [(0, 8), (0, 1), (2, 3), (2, 4), (3, 4), (4, 5), (5, 6), (6, 7), (2, 7), (4, 7), (5, 7)] {
            all.append(("\(header[one]) and \(header[other]) are swapped", swapped(one, other)))
        }
        all.append(("the first half is gone", Array(rows[(rows.count / 2)...])))
        all.append(("the last half is gone", Array(rows[..<(rows.count / 2)])))
        all.append(("every other row is gone", rows.indices.filter { $0 % 2 == 0 }.map { rows[$0] }))
        all.append(("a day is gone", rows.filter { !$0[1].hasSuffix("-03-07") }))
        all.append(("a station is gone", rows.filter { $0[0] != "제주" }))
        all.append(("a row stands there twice", rows + [rows[500]]))
        all.append(("all rows stand there twice", rows + rows))
        all.append(("a value is a hundred times as much", changed { $0[321][6] = "101300" }))
        return all
    }

    @Test("the gate of a good year stops every corruption of it and lets the next year through")
    func gate() throws {
        let place = try TemporaryDirectory()
        let command = CommandTrial(in: place.url)
        let good = try Self.weather(from: 2025, seed: 1)
        try place.write(Self.text(good), to: "weather.csv")
        let made = try command.run("profile", "--rules", "weather.csv", "-o", "gate.yaml")
        try #require(made.status == 0, "\(made.errors)")
        let gate = try #require(place.text("gate.yaml"))
        for rule in [
            #"- holds: "t_min <= t_mean""#, #"- holds: "t_mean <= t_max""#, "- unique: [station, date]",
            "- no_gaps: { column: date, by: station }", "- increasing: date", "- contains_all:",
        ] {
            #expect(gate.contains(rule), "\(rule)")
        }
        // What follows from other rules, amounts that happen to differ, and orders by chance.
        #expect(!gate.contains("t_min <= t_max") && !gate.contains("unique: pressure") && !gate.contains("wind <="))
        func run(_ rows: [[String]]) throws -> CommandTrial.Outcome {
            try place.write(Self.text(rows), to: "weather.csv")
            return try command.run("run", "gate.yaml", "--as-of", "2026-11-21")
        }
        let same = try run(good)
        #expect(same.status == 0, "\(same.errors)")
        for (year, seed) in [(2026, 2), (2027, 3), (2028, 4)] as [(Int, UInt64)] {
            let next = try run(try Self.weather(from: year, seed: seed))
            #expect(next.status == 0, "\(year): \(next.errors)\n\(gate)")
        }
        for corruption in TestSize.most(of: Self.corruptions(of: good)) {
            let outcome = try run(corruption.rows)
            #expect(outcome.status == 1, "\(corruption.name): \(outcome.errors.suffix(400))")
        }
    }

    @Test("a value far off from all others does not widen the bounds, and is named with its line")
    func oddValue() throws {
        let place = try TemporaryDirectory()
        let command = CommandTrial(in: place.url)
        var rows = try Self.weather(from: 2025, seed: 1)
        rows[1000][6] = "10130"
        try place.write(Self.text(rows), to: "weather.csv")
        let made = try command.run("profile", "--rules", "weather.csv")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("'10130' (line"), "\(made.output)")
        #expect(!made.output.contains("max: 2000"))
    }
}
