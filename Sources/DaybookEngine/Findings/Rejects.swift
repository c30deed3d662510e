/// Rejects of one stage and one batch. Each reject has a place in the order of the input, from 0.
package struct Rejects {
    /// Rejects about one subject.
    package struct Group {
        /// Index among the subjects of the findings.
        package var subject: Int
        /// Range of their places in `places`.
        package var range: Range<Int>
    }

    package let count: Int
    package let groups: [Group]
    /// Places of the rejects, group after group, ascending in each.
    package let places: [UInt32]
    /// By place, the row; nil if some rejects are records that did not become rows.
    package let rows: [UInt32]?

    package init(_ events: [FindingEvent], _ findings: Findings) {
        let events = events.filter(\.isReject)
        count = events.count
        var bySubject = [[UInt32]](repeating: [], count: findings.subjects.count)
        for (place, event) in events.enumerated() { bySubject[event.subject].append(UInt32(place)) }
        var start = 0
        groups = bySubject.indices.map { subject in
            defer { start += bySubject[subject].count }
            return Group(subject: subject, range: start..<start + bySubject[subject].count)
        }
        places = bySubject.flatMap { $0 }
        guard events.allSatisfy({ $0.object != .rejectedRecord }) else {
            rows = nil
            return
        }
        rows = events.map { event in
            event.object == .failedRow
                ? UInt32(truncatingIfNeeded: event.index) : findings.rejectedRows[event.index].row
        }
    }

    /// Rows that rules reject, in the order of the batch; nil if other rows are rejected, too.
    package init?(failedIn findings: Findings) {
        guard findings.rejectedRows.isEmpty, findings.rejectedRecords.isEmpty else { return nil }
        let failures = findings.failures.filter { $0.fate == .rejected }
        // Plain integers avoid a reference count per row. The first failed rule rejects a row.
        var bits = failures.flatMap(\.rows.words)
        let words = failures.first?.rows.words.count ?? 0
        var gone = [UInt64](repeating: 0, count: words)
        var start = 0
        var groups: [Group] = []
        for (number, failure) in failures.enumerated() {
            let first = start
            for word in 0..<words {
                bits[number * words + word] &= ~gone[word]
                gone[word] |= bits[number * words + word]
                start += bits[number * words + word].nonzeroBitCount
            }
            groups.append(Group(subject: findings.index(of: failure.token), range: first..<start))
        }
        let count = start
        var allRows = [UInt32](repeating: 0, count: count)
        var allPlaces = allRows
        var rows = allRows.mutableSpan
        var places = allPlaces.mutableSpan
        var filled = 0
        var next = groups.map(\.range.lowerBound)
        var own = InlineArray<64, UInt32>(repeating: 0)
        for word in 0..<words {
            var rest = gone[word]
            if rest == .max {
                // Fast path for words in which every row is bad: no result depends on earlier rows.
                for bit in 0..<64 {
                    own[bit] = UInt32(truncatingIfNeeded: filled &+ bit)
                    rows[filled &+ bit] = UInt32(truncatingIfNeeded: word << 6 | bit)
                }
                filled &+= 64
                rest = 0
            }
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                rest &= rest - 1
                own[bit] = UInt32(truncatingIfNeeded: filled)
                rows[filled] = UInt32(truncatingIfNeeded: word << 6 | bit)
                filled &+= 1
            }
            for number in next.indices {
                var rest = bits[number * words + word]
                var place = next[number]
                while rest != 0 {
                    places[place] = own[rest.trailingZeroBitCount]
                    rest &= rest - 1
                    place &+= 1
                }
                next[number] = place
            }
        }
        (self.count, self.groups, self.rows, self.places) = (count, groups, allRows, allPlaces)
    }
}

/// Rejected rows of one stage and one morsel, with the position of each record in its morsel.
struct RejectRows: Sendable {
    /// Columns of a reject file: the columns that stages read, and further columns for a replay.
    static let schema = Schema(
        RejectColumns.schemaWithRule.fields + [
            Field("original_base64", .text), Field("first_source", .text), Field("first_line", .integer),
            Field("record_byte", .integer),
        ]
    )

    var batch: Batch
    /// Empty if no file receives the rows.
    var positions: [Int]
}

/// Writes rejects as NDJSON. Lines omit the fields that most rejects do not have.
struct RejectLineWriter: Sendable {
    private let writer = JSONLineWriter(
        RejectRows.schema.names,
        optional: ["rule", "original_base64", "first_source", "first_line", "record_byte"]
    )

    /// Number of lines per write, so that buffers can be reused.
    private static let rowsInPiece = 4_096

    /// Lines of several stages about one morsel, in the order of its records; within one record, in the order of the
    /// stages.
    func lines(_ parts: [RejectRows]) -> [RejectLines] {
        let rejects = RejectLineWriter.merged(parts)
        guard let wide = WideRecords(rejects) else {
            return (0..<rejects.count).pieces(of: Self.rowsInPiece).map { RejectLines(writer.lines(of: rejects, $0)) }
        }
        var pieces: [RejectLines] = []
        var start = 0
        while start < rejects.count {
            if let record = wide.first[start] {
                let rows = start..<start + 1
                let (lines, again) = (writer.lines(of: rejects, rows), writer.lines(of: wide.without, rows))
                pieces.append(RejectLines(lines, of: record, again: again))
                start += 1
            } else {
                let next = (start..<rejects.count).first { wide.first[$0] != nil || $0 == start + Self.rowsInPiece }
                let end = next ?? rejects.count
                pieces.append(RejectLines(writer.lines(of: wide.without, start..<end)))
                start = end
            }
        }
        return pieces
    }

    private static func merged(_ parts: [RejectRows]) -> Batch {
        if parts.count == 1 { return parts[0].batch }
        var order = parts.enumerated().flatMap { part, rows in
            rows.positions.enumerated().map { row, position in
                (position: position, pick: RowPick(batch: part, row: row))
            }
        }
        order.sort { ($0.position, $0.pick.batch, $0.pick.row) < ($1.position, $1.pick.batch, $1.pick.row) }
        return Batch.take(order.map(\.pick), from: parts.map(\.batch))
    }
}

/// A few lines of a reject file.
struct RejectLines: Sendable {
    fileprivate let lines: Bytes
    /// Key of the long record in a single line.
    fileprivate let record: WideRecords.Key?
    /// The line without its record, for a file that already contains the record.
    fileprivate let again: Bytes

    init(_ lines: Bytes) { (self.lines, record, again) = (lines, nil, lines) }

    fileprivate init(_ lines: Bytes, of record: WideRecords.Key, again: Bytes) {
        (self.lines, self.record, self.again) = (lines, record, again)
    }
}

/// Long records that a reject file already contains. A record that became many rows is written once, not per row.
struct RepeatedRecords {
    private var seen: [Int: Set<WideRecords.Key>] = [:]

    /// Removes all earlier records, since none of them occurs again.
    mutating func removeAll() { if !seen.isEmpty { seen = [:] } }

    /// Bytes to write to a file, by its number.
    mutating func told(_ lines: RejectLines, in file: Int) -> Bytes {
        guard let record = lines.record, !seen[file, default: []].insert(record).inserted else { return lines.lines }
        return lines.again
    }
}

/// Rejected rows of long records.
package struct WideRecords {
    /// Position of a record.
    struct Key: Hashable, Sendable {
        var source: String?
        var byte: Int64
    }

    /// Longer records, in bytes, are written once.
    package static let limit = 4_096

    /// Key of the record, for each row that is the first with that record.
    let first: [Key?]
    /// All rows, without their long records and the long values in these.
    let without: Batch

    /// Nil if no record is long.
    init?(_ rejects: Batch) {
        let original = ColumnName("original")
        let texts = rejects.text(in: original)
        let bytes = rejects.integers(in: ColumnName("byte"))
        let starts = rejects.integers(in: ColumnName("record_byte"))
        let isWide = Mask(count: rejects.count) { row in
            Int(texts.views[row].length) > Self.limit && !texts.missing.isMissing(row) && !bytes.missing.isMissing(row)
        }
        guard isWide.setCount > 0 else { return nil }
        let sources = rejects.text(in: ColumnName("source"))
        var first = [Key?](repeating: nil, count: rejects.count)
        var known: Set<Key> = []
        isWide.forEachRow { row in
            let start = starts.missing.isMissing(row) ? bytes.elements[row] : starts.elements[row]
            let key = Key(source: sources[row], byte: start)
            if known.insert(key).inserted { first[row] = key }
        }
        var without = rejects
        for name in ["original", "original_base64", "value"].map({ ColumnName($0) }) {
            var column = rejects.text(in: name)
            // Each row repeats a short value.
            let isTold = { name.text == "value" && Int(column.views[$0].length) <= Self.limit }
            isWide.forEachRow { if !isTold($0) { column.missing.insert($0, of: rejects.count) } }
            without = without.setting(name, to: .text(column))
        }
        (self.first, self.without) = (first, without)
    }
}
