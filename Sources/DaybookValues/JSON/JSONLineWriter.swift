/// Writes rows of texts and whole numbers as lines of JSON, an object each.
package struct JSONLineWriter: Sendable {
    /// The bytes before the value of each column.
    private let keys: [Bytes]
    /// Whether a missing value leaves out its key as well.
    private let isOptional: [Bool]
    /// The template of any row.
    private let plain: Template

    /// The bytes of the longest number or word, and some more.
    private static let longestWord = 64

    /// - Parameter optional: columns whose key is left out of rows without a value; never the first column.
    package init(_ columns: [String], optional: Set<String> = []) {
        keys = columns.enumerated().map { Bytes("\($0 == 0 ? "{" : ",")\"\($1)\":") }
        isOptional = columns.map(optional.contains)
        plain = Template(keys, isOptional) { _, _ in false }
    }

    /// A piece of each line: text that is the same in all lines, and the column whose value follows; -1 for none.
    private struct Step {
        var text: Range<Int>
        var column: Int
        var isOptional = false
    }

    private struct Template: @unchecked Sendable {
        /// Written by `init` only.
        let text = Bytes()
        private(set) var steps: [Step] = []

        /// - Parameter uniform: writes the value of a column that is the same in all rows and returns true; false for
        ///   another column, nil if no row has a value and the key is left out.
        init(_ keys: [Bytes], _ isOptional: [Bool], _ uniform: (_ column: Int, _ out: inout ByteCursor) -> Bool?) {
            var out = ByteCursor(text)
            var start = 0
            for column in keys.indices {
                let end = out.count
                out.reserve(keys[column].count + JSONLineWriter.longestWord)
                out.put(keys[column].filled)
                switch uniform(column, &out) {
                case true?: continue
                case nil: out.rewind(to: end)
                case false?:
                    // Of the text only its own key is left out.
                    if isOptional[column], end > start {
                        steps.append(Step(text: start..<end, column: -1))
                        start = end
                    }
                    steps.append(Step(text: start..<out.count, column: column, isOptional: isOptional[column]))
                    start = out.count
                }
            }
            out.reserve(JSONLineWriter.longestWord)
            out.put(word: "}\n")
            steps.append(Step(text: start..<out.count, column: -1))
            out.finish()
        }
    }

    package func lines(of batch: Batch, _ rows: Range<Int>) -> Bytes {
        batch.withCellPointers { columns in
            // Values equal in all rows are checked and escaped once, and become part of the texts.
            let template =
                rows.count < 2
                ? plain
                : Template(keys, isOptional) { column, out in
                    guard columns[column].isUniform(rows) else { return false }
                    if isOptional[column], columns[column].isMissing(rows.lowerBound) { return nil }
                    put(columns[column], rows.lowerBound, to: &out)
                    return true
                }
            let bytes = Bytes(capacity: rows.count * (template.text.count + template.steps.count * 20))
            let text = template.text.filled
            var out = ByteCursor(bytes)
            for row in rows {
                for step in template.steps {
                    if step.isOptional, columns[step.column].isMissing(row) { continue }
                    out.reserve(step.text.count + JSONLineWriter.longestWord)
                    out.put(Cell(rebasing: text[step.text]))
                    if step.column >= 0 { put(columns[step.column], row, to: &out) }
                }
            }
            out.finish()
            withExtendedLifetime(template.text) {}
            return bytes
        }
    }

    /// Writes a value into capacity for the longest word; a text reserves its own.
    @inline(__always)
    private func put(_ column: CellPointers, _ row: Int, to out: inout ByteCursor) {
        if column.isMissing(row) { return out.put(word: "null") }
        if column.kind == .text { return out.put(jsonString: column.cell(row)) }
        out.next += NumberText.write(column.integer(row), to: out.next)
    }
}
