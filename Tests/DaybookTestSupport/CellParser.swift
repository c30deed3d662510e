import DaybookContracts

/// Turns the cells of one column of an example into values of its kind.
enum CellParser {
    typealias RawCell = RecordSplitter.RawCell

    static func column(_ field: Field, cells: [RawCell]) throws(DaybookError) -> Column {
        switch field.kind {
        case .text: .text(text(cells))
        case .json: .json(text(cells))
        case .integer: .integers(try values(field, cells, filler: 0) { Int64($0) })
        case .decimal: .decimals(try values(field, cells, filler: 0) { Double($0) })
        case .flag: .flags(try values(field, cells, filler: false) { ["true": true, "false": false][$0] })
        case .day: .days(try values(field, cells, filler: 0) { CalendarDay(iso: $0)?.number })
        case .instant: .instants(try values(field, cells, filler: 0, instant))
        }
    }

    private static func text(_ cells: [RawCell]) -> TextColumn {
        var builder = TextColumnBuilder(rows: cells.count)
        for cell in cells {
            if cell.isMissing { builder.appendMissing() } else { builder.append(cell.text) }
        }
        return builder.build()
    }

    private static func values<Element>(
        _ field: Field,
        _ cells: [RawCell],
        filler: Element,
        _ parse: (String) -> Element?
    ) throws(DaybookError) -> Values<Element> {
        var elements: [Element] = []
        var missing: Mask?
        for (row, cell) in cells.enumerated() {
            if cell.isMissing {
                missing.insert(row, of: cells.count)
                elements.append(filler)
            } else if let element = parse(cell.text) {
                elements.append(element)
            } else {
                throw BatchText.mistake(
                    "row \(row + 1), column '\(field.name)': '\(cell.text)' is not of kind \(field.kind.rawValue)"
                )
            }
        }
        return Values(elements, missing: missing)
    }

    /// Reads `2026-11-21T08:30:00Z`, with up to six decimals of a second.
    private static func instant(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let day = CalendarDay(iso: String(text.prefix(10))),
            let hour = number(bytes[11..<13]), hour < 24,
            let minute = number(bytes[14..<16]), minute < 60,
            let second = number(bytes[17..<19]), second < 60,
            let micros = fraction(bytes[19..<bytes.count - 1])
        else { return nil }
        let seconds = Int64(day.number) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
        return seconds * 1_000_000 + Int64(micros)
    }

    private static func fraction(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let point = bytes.first else { return 0 }
        guard point == UInt8(ascii: "."), bytes.count >= 2, bytes.count <= 7 else { return nil }
        let padding = [UInt8](repeating: UInt8(ascii: "0"), count: 7 - bytes.count)
        return number((Array(bytes.dropFirst()) + padding)[...])
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.allSatisfy { $0 >= 48 && $0 <= 57 } ? bytes.reduce(0) { $0 * 10 + Int($1 - 48) } : nil
    }
}
