import DaybookDates

/// Writes the dates inside JSON values as the dates of columns are written, so that an app's decoder meets one encoding at every depth.
struct InnerDateWriting {
    /// Why a value cannot be written.
    struct Fault: Error {
        /// The pointer to the date, such as `/reminders/0/at`.
        var pointer: String
        var reason: String
    }

    private struct Place {
        var keys: [(name: [UInt8], place: Int)] = []
        var element: Int?
        var kind: InnerDates.Kind?
    }

    private let dates: CodableDates
    private var places = [Place()]
    /// Encodings, other than `dates`, of inner dates that only their names mark as dates.
    private let others: [CodableDates]
    private var zone: ZoneCursor

    /// Nil if values are written unchanged.
    init?(_ known: InnerDates, as dates: CodableDates, zone: ZoneRules) {
        self.dates = dates
        self.zone = ZoneCursor(zone)
        others = known.written.compactMap(CodableDates.init).filter { $0 != dates }
        // They are ISO 8601 already.
        if dates != .iso { for way in known.ways { insert(way) } }
        if others.isEmpty, places.count == 1, places[0].kind == nil { return nil }
    }

    private mutating func insert(_ way: InnerDates.Way) {
        var place = 0
        for step in way.steps {
            let next: Int
            switch step {
            case .key(let key):
                next = places[place].keys.first { $0.name.elementsEqual(key.utf8) }?.place ?? places.count
                if next == places.count { places[place].keys.append((Array(key.utf8), next)) }
            case .element, .number:
                next = places[place].element ?? places.count
                places[place].element = next
            }
            if next == places.count { places.append(Place()) }
            place = next
        }
        places[place].kind = way.kind
    }

    /// The values with their dates rewritten. A row that cannot be rewritten goes to `failing` and stays unchanged.
    mutating func rewritten(_ values: TextColumn, failing: (Int, Fault) -> Void) -> TextColumn {
        let bytes = Bytes(capacity: values.views.count * 16)
        var views: [TextView] = []
        views.reserveCapacity(values.views.count)
        for row in values.views.indices {
            let start = bytes.count
            if !values.missing.isMissing(row), let fault = values.withCell(row, { append($0, to: bytes) }) {
                bytes.count = start
                failing(row, fault)
            }
            views.append(TextView(offset: start, length: bytes.count - start))
        }
        return TextColumn(bytes, views: views, missing: values.missing)
    }

    private mutating func append(_ cell: Cell, to bytes: Bytes) -> Fault? {
        guard let base = cell.baseAddress else { return nil }
        var walk = Walk(cursor: JSONCursor(base, to: cell.count), bytes: bytes)
        walk.cursor.skipSpace()
        do throws(Fault) { try value(&walk, 0, isNamed: false) } catch { return error }
        bytes.append(walk.cursor.cell(walk.copied..<cell.count))
        return nil
    }

    private struct Walk {
        var cursor: JSONCursor
        let bytes: Bytes
        /// How much of the value has been written.
        var copied = 0
        var way: [InnerStep] = []
        var numbers: [Int] = []

        var pointer: String {
            var numbers = numbers[...]
            return way.map { step in
                if case .key(let key) = step { return "/" + JSONPointer.escaped(key) }
                return "/\(numbers.popFirst() ?? 0)"
            }.joined()
        }
    }

    /// Walks the value at the cursor. `place` is -1 outside known paths, and `isNamed` marks a key named like a date.
    private mutating func value(_ walk: inout Walk, _ place: Int, isNamed: Bool) throws(Fault) {
        if place < 0, others.isEmpty {
            _ = walk.cursor.skipValue()
            return
        }
        let start = walk.cursor.position
        switch walk.cursor.byte {
        case UInt8(ascii: "{"):
            guard walk.cursor.open(), !walk.cursor.closesAtOnce(UInt8(ascii: "}")) else { return }
            while let key = walk.cursor.key() {
                let name = walk.cursor.name(key)
                let inner = place < 0 ? nil : places[place].keys.first { $0.name == name }?.place
                walk.way.append(.key(String(decoding: name, as: UTF8.self)))
                try value(&walk, inner ?? -1, isNamed: !others.isEmpty && DateKey.saysDate(name))
                walk.way.removeLast()
                guard walk.cursor.next(inObject: true) == true else { return }
            }
        case UInt8(ascii: "["):
            guard walk.cursor.open(), !walk.cursor.closesAtOnce(UInt8(ascii: "]")) else { return }
            let inner = place < 0 ? nil : places[place].element
            walk.way.append(.element)
            walk.numbers.append(0)
            repeat {
                walk.cursor.skipSpace()
                try value(&walk, inner ?? -1, isNamed: isNamed)
                walk.numbers[walk.numbers.count - 1] += 1
            } while walk.cursor.next(inObject: false) == true
            walk.numbers.removeLast()
            walk.way.removeLast()
        default:
            guard walk.cursor.skipValue() else { return }
            let text = walk.cursor.cell(start..<walk.cursor.position)
            if place >= 0, let kind = places[place].kind {
                try write(text, kind, start, &walk)
            } else if isNamed, let other = others.first(where: { InnerDateWriting.isDate(text, $0) }) {
                let reason = "is a date in \(other.rawValue), and dates are written as \(dates.rawValue)"
                throw Fault(pointer: walk.pointer, reason: reason)
            }
        }
    }

    private static func isDate(_ text: Cell, _ encoding: CodableDates) -> Bool {
        guard let first = text.first else { return false }
        if encoding.unit != nil { return first == UInt8(ascii: "-") || first &- 48 <= 9 }
        return first == UInt8(ascii: "\"") && text.count > 2
            && ReadInstant(iso: Cell(rebasing: text[1..<text.count - 1])) != nil
    }

    private mutating func write(_ text: Cell, _ kind: InnerDates.Kind, _ start: Int, _ walk: inout Walk) throws(Fault) {
        if text.first == UInt8(ascii: "n") { return }
        guard text.count > 2, text.first == UInt8(ascii: "\""), let unit = dates.unit,
            let (seconds, micros) = instant(Cell(rebasing: text[1..<text.count - 1]), kind)
        else {
            let shown = String(decoding: text.prefix(40), as: UTF8.self)
            throw Fault(pointer: walk.pointer, reason: "is \(shown), which no \(dates.rawValue) stand for")
        }
        walk.bytes.append(walk.cursor.cell(walk.copied..<start))
        walk.copied = walk.cursor.position
        walk.bytes.count += unit.write(seconds: seconds, micros: micros, to: walk.bytes.reserve(64))
    }

    private mutating func instant(_ text: Cell, _ kind: InnerDates.Kind) -> (seconds: Int64, micros: Int64)? {
        switch kind {
        case .mixed: return nil
        case .day: return CellReading.day(text).flatMap { zone.start(ofDay: $0) }.map { ($0, 0) }
        case .instant:
            return ReadInstant(iso: text).map { CodableValues.split($0.micros) }
        }
    }
}
