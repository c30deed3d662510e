import DaybookTestSupport
import Foundation

/// A job and its files, invented from a seed: several imports, quotes in and out of place, rejects, joins, sorts and folds.
struct InventedJob {
    private(set) var job = ""
    private(set) var files: [String: Data] = [:]
    private(set) var outputs: [String] = ["rejects.ndjson"]
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let isJSON = chance(3)
        var stages = isJSON ? [json()] : [csv()]
        stages.append(words())
        if chance(2) { stages.append("- union_rows: {}\n  from: [rows, words]") }
        let hasWords = stages.count == 3
        if !hasWords, chance(2) {
            stages.append("- join_rows: { by: emotion, take: [meaning]\(joining()) }\n  from: [rows, words]")
        } else if !hasWords {
            stages.append("- select_columns: { columns: [id, date, emotion, colour, count, note] }\n  from: rows")
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) { stages.append(transform()) }
        stages.append("- export_csv: { path: all.csv }\n  id: all")
        outputs.append("all.csv")
        for number in 1...Int.random(in: 1...3, using: &random) {
            stages.append(fold(number))
            stages.append(export(number))
        }
        let allow = chance(2) ? "100%" : "3"
        job = """
            daybook: 1
            rejects: { path: rejects.ndjson, allow: \(allow) }
            stages:
            \(stages.flatMap { $0.split(separator: "\n") }.map { "  \($0)" }.joined(separator: "\n"))
            """
    }

    private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

    private static let emotions = ["행복해", "우울해", "사랑해", "화나", "", "sad, \"very\""]

    // MARK: - Files

    private mutating func csv() -> String {
        for number in 1...Int.random(in: 1...3, using: &random) {
            var text = "id,date,emotion,colour,count,note\n"
            for row in 0..<Int.random(in: 0...120, using: &random) { text += record(number * 1_000 + row) }
            if chance(4), text.hasSuffix("\n") { text.removeLast() }
            if chance(5) { text = text.replacing("\n", with: "\r\n") }
            let mark = chance(5) ? Data([0xEF, 0xBB, 0xBF]) : Data()
            files["rows-\(number).csv"] = mark + Data(text.utf8)
        }
        return "- import_csv: { path: \"rows-*.csv\", columns: { id: integer, count: integer } }\n  id: rows"
    }

    private mutating func record(_ id: Int) -> String {
        var cells = [
            chance(15) ? "x" : "\(chance(6) ? id % 10 : id)", date(), word(), chance(5) ? "#12" : "#EC007F",
            chance(8) ? "" : "\(Int.random(in: -5...99, using: &random))", note(),
        ]
        if chance(25) { cells.removeLast() }
        if chance(30) { cells.append("more") }
        return cells.joined(separator: ",") + "\n"
    }

    private mutating func date() -> String {
        let day = Int.random(in: 10...35, using: &random)
        return "2026-0\(Int.random(in: 1...9, using: &random))-\(day)"
    }

    private mutating func word() -> String {
        if chance(9) { return ["$null", "$class", "CF$UID", "NaN", "null"].randomElement(using: &random)! }
        let word = InventedJob.emotions.randomElement(using: &random)!
        return word.contains(",") ? "\"sad, \"\"very\"\"\"" : word
    }

    private mutating func note() -> String {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: "\"two\nlines, and \"\"quotes\"\"\""
        case 1: "6\" tall"
        case 2: chance(4) ? "\"never closed" : "\"closed\""
        case 3: chance(2) ? "" : "$null"
        default: "note \(Int.random(in: 0..<20, using: &random))"
        }
    }

    private mutating func json() -> String {
        let isArray = chance(2)
        var records: [String] = []
        for row in 0..<Int.random(in: 1...150, using: &random) {
            let emotion = InventedJob.emotions.randomElement(using: &random)!.replacing("\"", with: "\\\"")
            let id = chance(12) ? "\"x\"" : "\(chance(6) ? row % 10 : row)"
            let note = chance(9) ? "null" : "\"a, [b] {c} \\\"\(row % 7)\\\" ]\""
            let count = chance(9) ? "null" : "\(Int.random(in: -5...99, using: &random))"
            let record = ##"{"id": \##(id), "date": "\##(date())", "emotion": "\##(emotion)", "colour": "#EC007F", "##
            records.append(chance(20) ? "{\"id\" 1}" : record + #""count": \#(count), "note": \#(note)}"#)
        }
        let text =
            isArray ? "[\(records.joined(separator: chance(2) ? ",\n " : ","))]" : records.joined(separator: "\n")
        files["rows.json"] = Data(text.utf8)
        let columns = "{ id: integer, date: text, emotion: text, colour: text, count: integer, note: text }"
        return
            "- import_json: { path: rows.json, layout: \(isArray ? "document" : "lines"), columns: \(columns) }\n  id: rows"
    }

    /// Which rows come out of a join, and how often.
    private mutating func joining() -> String {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: ", duplicates: all"
        case 1: ", kind: left, duplicates: all"
        case 2: ", kind: full, duplicates: all"
        case 3: ", kind: right, unmatched: drop, duplicates: first"
        case 4: ", kind: full, duplicates: last"
        default: ", duplicates: first"
        }
    }

    private mutating func words() -> String {
        let again = chance(2) ? "행복해,glad\n놀라,surprised\n우울해,sad\n놀라,startled\n" : ""
        files["words.csv"] = Data("emotion,meaning\n행복해,happy\n우울해,gloomy\n사랑해,love\n\(again)".utf8)
        return "- import_csv: { path: words.csv }\n  id: words"
    }

    // MARK: - Stages

    private mutating func transform() -> String {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: "- filter_rows: { where: \"emotion <> '화나'\" }"
        case 1: "- normalise_dates: { column: date, formats: [iso] }"
        case 2: "- check_rows: { rules: [{ unique: id, fail: \"> 90%\" }, { not_missing: emotion, fail: \"> 95%\" }] }"
        case 3:
            "- check_rows: { rules: [{ unique: emotion, fail: \"> 99%\" }, { contains_all: { column: emotion, in: words.emotion }, warn: \"> 0\" }] }\n  rejects: { allow: 100% }"
        case 4: "- validate_hex_colours: {}"
        case 5: "- derive_columns: { initial: \"upper(emotion)\" }"
        case 6: "- deduplicate_rows: { by: [emotion, date] }"
        default: "- sort_rows: { by: [emotion, date] }"
        }
    }

    private mutating func fold(_ number: Int) -> String {
        let stage =
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                "- summarise_rows: { by: emotion, values: { rows: count, first: first(date), notes: distinct(date) } }"
            case 1: "- sort_rows: { by: [date, emotion] }"
            case 2: "- deduplicate_rows: { by: emotion }"
            default: "- filter_rows: { where: \"emotion = '행복해'\" }"
            }
        return stage + "\n  id: fold\(number)\n  from: all"
    }

    private mutating func export(_ number: Int) -> String {
        let stage = chance(3) ? "export_csv" : "export_json"
        let path = "out\(number).\(stage == "export_csv" ? "csv" : "json")"
        outputs.append(path)
        return "- \(stage): { path: \(path) }\n  from: fold\(number)"
    }
}
