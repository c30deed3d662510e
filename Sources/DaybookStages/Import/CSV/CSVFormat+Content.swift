import DaybookCore

extension CSVFormat {
    /// Refuses a first row that no table begins with: the line by which spreadsheets know a delimiter, a tag of a page, or a
    /// bracket of JSON.
    func checkContent(
        _ head: SourceHead,
        _ record: UnsafeBufferPointer<UInt8>,
        _ cells: Int
    ) throws(DaybookError) {
        let line =
            String(decoding: record, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let start = record.baseAddress! - head.bytes.base
        if line.hasPrefix("sep="), line.unicodeScalars.count == 5, let sign = line.utf8.last, sign < 0x80 {
            throw DaybookError(
                "bad-header",
                "the first line, '\(line)', tells spreadsheets what separates cells, and names no column",
                at: place(start, head),
                hint: "write 'delimiter: \(CSVFormat.written(sign))' and 'skip_lines: 1'",
                blame: .data
            )
        }
        let isTag = line.first == "<" && line.last == ">"
        guard cells == 1, isTag || ["[", "{", "[{", "[["].contains(line) else { return }
        throw DaybookError(
            "bad-header",
            "the first row is '\(line.prefix(60))\(line.count > 60 ? "…" : "")', with which no table begins",
            at: place(start, head),
            hint: CSVFormat.otherForm(head.bytes.filled),
            blame: .data
        )
    }

    /// What to do with a text that begins as JSON and pages do.
    static func otherForm(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        switch bytes.first(where: { $0 > 0x20 && $0 < 0x80 }) {
        case UInt8(ascii: "["), UInt8(ascii: "{"): "this looks like JSON; use import_json"
        case UInt8(ascii: "<"):
            "this looks like HTML or XML, as a server sends that has no such file; is it a CSV file?"
        default: nil
        }
    }
}
