/// The values that a drawing shows, gathered by their place on the axis and by series, in bounded memory.
///
/// The result does not depend on the cuts into batches. Keeps the highest numeric x values, the first names, and the
/// first series.
package struct ChartPoints: Sendable, Codable {
    package static let placeLimit = 1_200
    package static let seriesLimit = 200
    /// Numbers further from 0 are not drawn, so that no sum of a page overflows.
    static let valueLimit = 1e300
    /// Numbers nearer to 0 have no place on an axis of equal ratios, and are no end of an axis.
    static let ratioLimit = 1e-300
    /// The limit of bytes that identify a name, and of characters shown of it, since it is repeated many times.
    private static let nameBytes = 1_000
    private static let shownLength = 80

    /// A place on the axis.
    package enum Key: Sendable, Codable, Hashable {
        /// A number, a day, a second, or a month since the year 0.
        case number(Double)
        case name(String)
    }

    package struct Value: Sendable, Codable {
        package private(set) var rows = 0
        private var value: Double?
        private var sum: ExactSum?

        mutating func add(_ value: Double?, addsUp: Bool) {
            rows += 1
            guard addsUp else {
                self.value = rows == 1 ? value : nil
                return
            }
            guard let value else { return }
            if sum == nil { sum = ExactSum() }
            sum!.add(value)
        }

        mutating func merge(_ later: Value) {
            rows += later.rows
            value = nil
            if let other = later.sum { if sum == nil { sum = other } else { sum!.add(other) } }
        }

        /// Several rows have no value, unless they add up.
        package var shown: Double? { sum.map { max(-valueLimit, min($0.value, valueLimit)) } ?? value }
        package var isRepeated: Bool { rows > 1 && sum == nil }
    }

    package struct Place: Sendable, Codable {
        package var rows = 0
        package var cells: [Int: Value] = [:]
        package var colour: String?
    }

    package private(set) var places: [Key: Place] = [:]
    /// The names among the places, as they came.
    package private(set) var names: [String] = []
    /// The series, as they came.
    package private(set) var series: [String] = []
    /// The colours that the rows give series.
    package private(set) var colours: [Int: String] = [:]
    private var indices: [String: Int] = [:]

    /// Rows without a place on the axis.
    package private(set) var unplacedRows = 0
    /// Rows of numbers that gave way to higher ones.
    package private(set) var earlierRows = 0
    /// Rows of names that came too late.
    package private(set) var lateRows = 0
    /// Rows of series that came too late.
    package private(set) var otherRows = 0
    /// Numbers beyond `valueLimit`, infinite numbers and NaN.
    package private(set) var endlessValues = 0

    package init() {}

    // MARK: Gathering

    package init(_ batch: Batch, _ spec: ChartSpec) {
        if spec.by == nil { for value in spec.values { _ = index(of: value.name) } }
        for row in 0..<batch.count { add(batch, row, spec) }
    }

    private mutating func add(_ batch: Batch, _ row: Int, _ spec: ChartSpec) {
        guard let key = ChartPoints.key(batch.columns[spec.x.index], row) else {
            unplacedRows += 1
            return
        }
        if case .name(let name) = key, places[key] == nil { names.append(name) }
        let series = spec.by.map { index(of: ChartPoints.name(batch.columns[$0.index], row)) }
        places[key, default: Place()].rows += 1
        if let colour = spec.colour, case .text(let texts) = batch.columns[colour.index],
            let written = texts[row], HexSwatch.isColour(written)
        {
            if let series {
                if colours[series] == nil { colours[series] = written }
            } else if places[key]!.colour == nil {
                places[key]!.colour = written
            }
        }
        for (number, source) in spec.values.enumerated() {
            var value = ChartPoints.value(batch.columns[source.index], row)
            if let found = value, !(found.magnitude <= ChartPoints.valueLimit) {
                endlessValues += 1
                value = nil
            }
            places[key]!.cells[series ?? number, default: Value()].add(value, addsUp: spec.addsUp)
        }
    }

    private mutating func index(of name: String) -> Int {
        if let index = indices[name] { return index }
        series.append(name)
        indices[name] = series.count - 1
        return series.count - 1
    }

    /// Merges the points of a later batch.
    package mutating func merge(_ later: ChartPoints) {
        unplacedRows += later.unplacedRows
        endlessValues += later.endlessValues
        let targets = later.series.enumerated().map { number, name -> Int? in
            guard indices[name] != nil || series.count < ChartPoints.seriesLimit else { return nil }
            let index = index(of: name)
            if colours[index] == nil { colours[index] = later.colours[number] }
            return index
        }
        for name in later.names where places[.name(name)] == nil && names.count < ChartPoints.placeLimit {
            names.append(name)
            places[.name(name)] = Place()
        }
        for (key, place) in later.places {
            if case .name = key, places[key] == nil {
                lateRows += place.rows
                continue
            }
            merge(place, at: key, targets)
        }
        trim()
    }

    private mutating func merge(_ later: Place, at key: Key, _ targets: [Int?]) {
        var place = places[key] ?? Place()
        place.rows += later.rows
        place.colour = place.colour ?? later.colour
        for (number, cell) in later.cells {
            guard let target = targets[number] else {
                otherRows += cell.rows
                continue
            }
            if place.cells[target] == nil { place.cells[target] = cell } else { place.cells[target]!.merge(cell) }
        }
        places[key] = place
    }

    private mutating func trim() {
        let numbers = places.count - names.count
        guard numbers > ChartPoints.placeLimit else { return }
        let sorted = places.keys.compactMap { if case .number(let number) = $0 { number } else { nil } }.sorted()
        for number in sorted.prefix(numbers - ChartPoints.placeLimit) {
            earlierRows += places.removeValue(forKey: .number(number))!.rows
        }
    }

    // MARK: Values

    /// The place of a row; nil without one.
    static func key(_ column: Column, _ row: Int) -> Key? {
        guard !column.missing.isMissing(row) else { return nil }
        switch column {
        case .text(let texts):
            if let month = month(of: row, in: texts) { return .number(Double(month)) }
            return .name(name(column, row))
        case .flags(let values): return .name(values.elements[row] ? "true" : "false")
        case .integers, .decimals, .days, .instants:
            return value(column, row).flatMap { $0.magnitude <= valueLimit ? .number($0) : nil }
        case .json: return nil
        }
    }

    /// A number, a day, or an instant in seconds.
    static func value(_ column: Column, _ row: Int) -> Double? {
        guard !column.missing.isMissing(row) else { return nil }
        switch column {
        case .integers(let values): return Double(values.elements[row])
        case .decimals(let values): return values.elements[row]
        case .days(let values): return Double(values.elements[row])
        case .instants(let values): return Double(values.elements[row]) / 1e6
        default: return nil
        }
    }

    /// The name of rows without one.
    private static let missingName = "(missing)"

    /// The name of a series or a place.
    static func name(_ column: Column, _ row: Int) -> String {
        guard !column.missing.isMissing(row) else { return missingName }
        let bytes = Bytes()
        if case .text(let texts) = column {
            texts.withCell(row) { cell in
                bytes.append(Cell(rebasing: cell.prefix(nameBytes)))
                if cell.count > nameBytes { bytes.append("… \(cell.count) bytes") }
            }
        } else {
            column.appendValue(row, to: bytes)
        }
        return bytes.text(0..<bytes.count)
    }

    /// The shown beginning of a name.
    static func shown(_ name: String, _ words: PageWords) -> String {
        if name == missingName { return words(name) }
        let start = name.prefix(shownLength)
        return start.endIndex == name.endIndex ? name : start + "…"
    }

    /// Reads `2026-03` as months since the year 0; anything else is nil.
    static func month(of row: Int, in texts: TextColumn) -> Int? {
        texts.withCell(row) { cell in
            guard cell.count == 7, cell[4] == UInt8(ascii: "-") else { return nil }
            func digits(_ range: Range<Int>) -> Int? {
                var value = 0
                for byte in cell[range] {
                    guard byte >= 48, byte <= 57 else { return nil }
                    value = value * 10 + Int(byte - 48)
                }
                return value
            }
            guard let year = digits(0..<4), let month = digits(5..<7), (1...12).contains(month) else { return nil }
            return year * 12 + month - 1
        }
    }
}
