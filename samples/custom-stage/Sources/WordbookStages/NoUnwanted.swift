import DaybookContracts
import DaybookQuality

/// No text may hold one of some words. A missing text holds none.
struct NoUnwanted: ValueRule {
    static let name = "no_unwanted"
    static let summary = "No text of a column holds one of some words, written alike."
    /// `no_unwanted: note` is enough where the words are the usual ones.
    static var shorthand: String? { "column" }

    let column: ColumnName
    let words: [String]

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of texts.")
        words = options.read("words", default: ["TODO"], help: "What no text may hold, byte by byte.")
        if words.contains("") { options.refuse("words", "every text holds the empty word") }
    }

    var finding: Finding.Kind { Finding.Kind("unwanted-word", "{value} holds an unwanted word") }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have an unwanted word in '\(column)'" }

    func check(_ input: Schema) throws(DaybookError) { try input.requiring(column, .text) }

    func broken(in batch: Batch) -> Mask {
        let words = words.map { Array($0.utf8) }
        return batch.text(in: column).rows { cell in words.contains { NoUnwanted.holds(cell, $0) } }
    }

    private static func holds(_ cell: Cell, _ word: [UInt8]) -> Bool {
        cell.count >= word.count
            && (0...cell.count - word.count).contains { cell[$0...].starts(with: word) }
    }

    static let examples: [StageExample] = [
        .passing(
            "a text that holds a word breaks the rule, and a missing one does not",
            options: "rules: [{ no_unwanted: note }, { no_unwanted: { column: note, words: [비밀, xxx] } }]",
            rows: """
                note:text
                오늘은 바다에 갔다
                TODO: 사진

                비밀
                """,
            findings: ["2 note unwanted-word", "4 note unwanted-word"]
        )
    ]
}
