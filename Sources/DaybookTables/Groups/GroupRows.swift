import DaybookCore

/// Makes rows of all groups, in the order in which they were met or in that of their keys.
///
/// Each part has its groups in that order. A step takes from each part those that come next, and fills their results into the rows
/// of one batch, part by part.
package struct GroupRows {
    /// One result of each group.
    package struct Output {
        /// Which of the group's values it is made of.
        package let values: Int
        package let result: GroupResult

        package init(values: Int, result: GroupResult) {
            self.values = values
            self.result = result
        }
    }

    /// The groups of a part that are in memory, in order.
    fileprivate struct Cursor {
        var part: GroupPart
        /// The groups in order.
        var order: [Int32]
        var next = 0
        /// What follows, packed.
        var segments: ArraySlice<SettledGroups.Segment>

        init(_ groups: SettledGroups) {
            part = groups.part
            order = groups.order
            segments = groups.segments[...]
        }

        var isAtEnd: Bool { next == order.count }
        /// When the group at a place in the order was met.
        func met(_ place: Int) -> Int64 { part.met[Int(order[place])] }
        /// When the last group in memory was met.
        var lastMet: Int64 { met(order.count - 1) }

        /// Reads the next groups where those in memory are at their end.
        mutating func fillUp() throws(DaybookError) {
            guard isAtEnd, let segment = segments.popFirst() else { return }
            part = try segment.part(of: part.nothing)
            order = part.allGroups
            next = 0
        }
    }

    /// Groups of one part and the rows that they go to.
    fileprivate struct Step {
        let part: GroupPart
        var groups: [Int32] = []
        var rows: [Int32] = []
    }

    /// Groups of all parts that were met within some rows: each an own row, in that order.
    private struct Span {
        let first: Int64
        let end: Int64
        /// From each part, at most these.
        var slices: [(part: GroupPart, groups: ArraySlice<Int32>)] = []

        /// The groups, each with its row: no two were met in the same row, so as many rows lie before one as there are groups
        /// that were met before it.
        var steps: [Step] {
            var isMet = Mask(count: Int(end - first))
            for (part, groups) in slices {
                for group in groups { isMet.insert(Int(part.met[Int(group)] - first)) }
            }
            var before: [Int] = []
            before.reserveCapacity(isMet.words.count)
            var count = 0
            for word in isMet.words {
                before.append(count)
                count += word.nonzeroBitCount
            }
            return slices.map { part, groups in
                let rows = groups.map { group in
                    let place = Int(part.met[Int(group)] - first)
                    let lower = isMet.words[place >> 6] & (1 << UInt64(place & 63) - 1)
                    return Int32(truncatingIfNeeded: before[place >> 6] + lower.nonzeroBitCount)
                }
                return Step(part: part, groups: Array(groups), rows: rows)
            }
        }
    }

    private static let rowsInBatch = 8_192
    private static let bytesInBatch = 1 << 20

    private let isSorted: Bool
    private var cursors: [Cursor] = []
    private let maker: RowMaker
    /// How many rows the next step spans, where groups come in the order in which they were met.
    private var span = 256

    /// - Parameters:
    ///   - groups: all groups of each part, in order.
    ///   - by: how many columns tell groups apart.
    ///   - outputs: the columns behind those.
    package init(_ groups: [SettledGroups], by: Int, _ outputs: [Output], isSorted: Bool, schema: Schema) {
        self.isSorted = isSorted
        maker = RowMaker(by: by, outputs: outputs, schema: schema)
        cursors = groups.map { Cursor($0) }
    }

    /// Emits batches in order, of which several are made side by side.
    package mutating func emit(
        _ scratch: any Scratch,
        _ emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        var heads = Heads()
        try scratch.concurrently(on: &cursors) { (_, cursor) throws(DaybookError) in try cursor.fillUp() }
        if isSorted { for cursor in cursors.indices { heads.push(cursor, cursors) } }
        while true {
            var makers: [@Sendable () -> (Batch, Findings)] = []
            while makers.count < 4 * scratch.threads, let maker = try isSorted ? sorted(&heads) : met() {
                makers.append(maker)
            }
            guard !makers.isEmpty else { return }
            let made = makers
            for (batch, findings) in try scratch.map(made.count, { made[$0]() }) { try emit(batch, findings) }
        }
    }

    // MARK: - In the order in which they were met

    /// Makes the batch of the groups that were met within the next rows, as many rows as give one of a fitting size.
    private mutating func met() throws(DaybookError) -> (@Sendable () -> (Batch, Findings))? {
        guard let first = cursors.lazy.filter({ !$0.isAtEnd }).map({ $0.met($0.next) }).min() else { return nil }
        while true {
            var end = first + Int64(span)
            // Behind what is in memory of a part, others of it may come.
            for cursor in cursors.indices where !cursors[cursor].segments.isEmpty {
                end = min(end, cursors[cursor].lastMet + 1)
            }
            let ends = cursors.indices.map { cursors[$0].groups(metBefore: end) }
            let count = cursors.indices.reduce(0) { $0 + ends[$1] - cursors[$1].next }
            if end - first > 1, count > Self.rowsInBatch || bytes(upTo: ends) > Self.bytesInBatch {
                span = max(1, Int(end - first) / 2)
                continue
            }
            if count < Self.rowsInBatch / 2, span < 1 << 22 { span *= 2 }
            var span = Span(first: first, end: end)
            for cursor in cursors.indices where cursors[cursor].next < ends[cursor] {
                let groups = cursors[cursor].order[cursors[cursor].next..<ends[cursor]]
                span.slices.append((cursors[cursor].part, groups))
                cursors[cursor].next = ends[cursor]
                try cursors[cursor].fillUp()
            }
            let (maker, groups) = (maker, span)
            return { maker.batch(of: groups.steps) }
        }
    }

    private func bytes(upTo ends: [Int]) -> Int {
        let most = cursors.indices.reduce(0) { $0 + (ends[$1] - cursors[$1].next) * cursors[$1].part.longestResult }
        guard most > Self.bytesInBatch else { return most }
        return cursors.indices.reduce(0) { bytes, cursor in
            cursors[cursor].order[cursors[cursor].next..<ends[cursor]].reduce(bytes) {
                $0 + cursors[cursor].part.resultLength(Int($1))
            }
        }
    }

    // MARK: - In the order of their keys

    /// The next group of each part, as a heap by their keys.
    private struct Heads {
        private var heap: [(prefix: UInt64, cursor: Int)] = []

        var first: Int? { heap.first?.cursor }

        /// Adds the next group of a part, where there is one.
        mutating func push(_ cursor: Int, _ cursors: [Cursor]) {
            guard !cursors[cursor].isAtEnd else { return }
            heap.append((cursors[cursor].prefix, cursor))
            var place = heap.count - 1
            while place > 0, isBefore(place, (place - 1) / 2, cursors) {
                heap.swapAt(place, (place - 1) / 2)
                place = (place - 1) / 2
            }
        }

        /// Puts the part that came first where its next group belongs, or takes it out at its end.
        mutating func advance(_ cursors: [Cursor]) {
            let cursor = heap[0].cursor
            if cursors[cursor].isAtEnd {
                heap.swapAt(0, heap.count - 1)
                heap.removeLast()
            } else {
                heap[0].prefix = cursors[cursor].prefix
            }
            var place = 0
            while true {
                var least = place
                let left = 2 * place + 1
                for child in left...left + 1 where child < heap.count && isBefore(child, least, cursors) {
                    least = child
                }
                guard least != place else { return }
                heap.swapAt(place, least)
                place = least
            }
        }

        private func isBefore(_ one: Int, _ other: Int, _ cursors: [Cursor]) -> Bool {
            let (one, other) = (heap[one], heap[other])
            if one.prefix != other.prefix { return one.prefix < other.prefix }
            return cursors[one.cursor].withKey { key in cursors[other.cursor].withKey { key.comesBefore($0) } }
        }
    }

    /// Makes the batch of the next groups.
    private mutating func sorted(_ heads: inout Heads) throws(DaybookError) -> (@Sendable () -> (Batch, Findings))? {
        var steps: [Step] = []
        var places = [Int](repeating: -1, count: cursors.count)
        var (count, bytes) = (0, 0)
        while let cursor = heads.first, count < Self.rowsInBatch, bytes < Self.bytesInBatch {
            if places[cursor] < 0 {
                places[cursor] = steps.count
                steps.append(Step(part: cursors[cursor].part))
            }
            let group = cursors[cursor].order[cursors[cursor].next]
            steps[places[cursor]].groups.append(group)
            steps[places[cursor]].rows.append(Int32(truncatingIfNeeded: count))
            bytes += cursors[cursor].part.resultLength(Int(group))
            count += 1
            cursors[cursor].next += 1
            if cursors[cursor].isAtEnd {
                try cursors[cursor].fillUp()
                places[cursor] = -1
            }
            heads.advance(cursors)
        }
        guard count > 0 else { return nil }
        let (maker, made) = (maker, steps)
        return { maker.batch(of: made) }
    }
}

/// Makes batches of groups.
private struct RowMaker {
    let by: Int
    let outputs: [GroupRows.Output]
    let schema: Schema

    func batch(of steps: [GroupRows.Step]) -> (Batch, Findings) {
        let count = steps.reduce(0) { $0 + $1.rows.count }
        let keys = KeyColumns(schema.fields.prefix(by), rows: count)
        let results = schema.fields.dropFirst(by).map { ResultColumn($0.kind, rows: count) }
        let nowhere = RowOrigin(source: 0, offset: 0, length: 0, line: 0, record: 0)
        var origins = [RowOrigin](repeating: nowhere, count: count)
        // All rows in one come from nowhere in particular.
        var isKnown = by > 0
        for step in steps {
            let part = step.part
            keys.fill(part.keys, step.groups, step.rows)
            for (place, output) in outputs.enumerated() {
                part.values[output.values].fill(results[place], output.result, step.groups, step.rows)
            }
            part.origins.forEach(step.groups) { place, origin in
                if let origin { origins[Int(step.rows[place])] = origin } else { isKnown = false }
            }
        }
        let columns = (keys.columns + results).map { $0.column() }
        let batch = Batch(schema, columns, count: count, origins: isKnown ? .gathered(origins) : .made)
        return (batch, findings(results))
    }

    private func findings(_ results: [ResultColumn]) -> Findings {
        var findings = Findings()
        for (field, result) in zip(schema.fields.dropFirst(by), results) where !result.tooLarge.isEmpty {
            let token = findings.token(.sumTooLarge, in: ColumnName(field.name))
            for (row, message) in result.tooLarge.sorted(by: { $0.row < $1.row }) {
                if let message {
                    findings.reject(Int(row), token, saying: message)
                } else {
                    findings.reject(Int(row), token)
                }
            }
        }
        return findings
    }
}

extension GroupRows.Cursor {
    /// Behind the last group in memory that was met before a row.
    fileprivate func groups(metBefore end: Int64) -> Int {
        var (low, high) = (next, order.count)
        while low < high {
            let middle = (low + high) / 2
            if met(middle) < end { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate func withKey<Result>(_ body: (Cell) -> Result) -> Result { part.keys.withKey(Int(order[next]), body) }

    fileprivate var prefix: UInt64 { part.keys.prefix(of: Int(order[next])) }
}

extension Finding.Kind {
    package static let sumTooLarge = Finding.Kind(
        "sum-too-large",
        "the sum of the group is larger than a number can hold"
    )
}
