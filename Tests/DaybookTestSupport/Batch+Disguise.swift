import DaybookContracts

/// Ways to write the same rows differently.
extension Batch {
    /// The rows in batches of `size`, in order; one empty batch when there are none.
    public func cut(into size: Int) -> [Batch] {
        guard count > size else { return [self] }
        return stride(from: 0, to: count, by: size).map { start in
            keeping((start..<min(start + size, count)).map(Int32.init(truncatingIfNeeded:)))
        }
    }

    /// The columns in the opposite order.
    func reversingColumns() -> Batch { replacing(Schema(schema.fields.reversed()), columns.reversed()) }

    /// The name of the column that no stage knows.
    static let stranger = ColumnName("a stranger, unread")

    /// With a column in front that nobody asked for and that holds the number of each row.
    func addingStranger() -> Batch { addingNumbers(named: Batch.stranger.text) }

    /// With a column in front that holds the number of each row.
    func addingNumbers(named name: String) -> Batch {
        let numbers = Column.integers(Values((0..<count).map(Int64.init)))
        return replacing(Schema([Field(name, .integer)] + schema.fields), [numbers] + columns)
    }

    func withoutStranger() -> Batch {
        selecting(.some(Set(schema.names).subtracting([Batch.stranger.text])))
    }

    /// The numbers of the rows that the stranger's column still holds, or nil when it is gone or was changed.
    var strangerNumbers: [Int64]? {
        guard let index = schema.index(of: Batch.stranger), case .integers(let values) = columns[index],
            values.missing == nil
        else { return nil }
        return values.elements
    }

    /// Values at the edges of what a column can hold, written under the gaps, where nobody may look.
    func worsened(_ edge: Edge) -> Batch {
        replacing(schema, columns.map { $0.worsened(edge) })
    }

    enum Edge: String, CaseIterable { case greatest, least }

    /// The record that each row came from, by its number in the source; nil for rows that a stage made.
    var originNumbers: [Int]? {
        switch provenance {
        case .morsel(let morsel, _, let records): records.map { morsel.firstRecord + Int($0) }
        case .store(_, let rows): rows.map { Int($0.number) }
        case .gathered(let provenance): provenance.map { Int($0.record) }
        case .made: nil
        }
    }
}

extension Column {
    fileprivate func worsened(_ edge: Batch.Edge) -> Column {
        let isGreatest = edge == .greatest
        return switch self {
        case .text(let column): .text(column.worsened(edge))
        case .json(let column): .json(column.worsened(edge))
        case .integers(let values): .integers(values.worsened(isGreatest ? .max : .min))
        case .decimals(let values): .decimals(values.worsened(isGreatest ? .nan : -.infinity))
        case .flags(let values): .flags(values.worsened(isGreatest))
        case .days(let values): .days(values.worsened(isGreatest ? .max : .min))
        case .instants(let values): .instants(values.worsened(isGreatest ? .max : .min))
        }
    }
}

extension Values {
    fileprivate func worsened(_ worst: Element) -> Values {
        guard let missing else { return self }
        var copy = self
        for row in 0..<count where missing[row] { copy.elements[row] = worst }
        return copy
    }
}

extension TextColumn {
    /// The text under a gap becomes one that is not UTF-8, or a replacement character; both inside the buffer, since a
    /// loop may look at them before it drops the result.
    fileprivate func worsened(_ edge: Batch.Edge) -> TextColumn {
        guard let missing else { return self }
        let bytes = Bytes(capacity: self.bytes.count + 4)
        bytes.append(self.bytes.filled)
        let start = bytes.count
        if edge == .greatest { bytes.append("\u{FFFD}" as StaticString) } else { bytes.append(0xFF) }
        var views = views
        for row in 0..<count where missing[row] {
            views[row] = TextView(offset: start, length: bytes.count - start)
        }
        return TextColumn(bytes, views: views, missing: missing)
    }
}
