/// A few thousand rows, column by column, and where each came from.
public struct Batch: Sendable {
    public private(set) var schema: Schema
    public private(set) var columns: [Column]
    public let count: Int
    public var provenance: Provenance

    /// Every column has `count` rows, in the order of the schema.
    public init(_ schema: Schema, _ columns: [Column], count: Int, provenance: Provenance) {
        precondition(schema.fields.count == columns.count, "a batch needs one column for each field")
        precondition(columns.allSatisfy { $0.count == count }, "the columns of a batch need one length")
        self.schema = schema
        self.columns = columns
        self.count = count
        self.provenance = provenance
    }

    /// A batch without rows.
    public init(empty schema: Schema) {
        self.init(schema, schema.fields.map { Column.empty($0.kind) }, count: 0, provenance: .made)
    }

    public subscript(name: ColumnName) -> Column { column(name) }

    public func column(_ name: ColumnName) -> Column {
        guard let index = schema.index(of: name) else {
            preconditionFailure("a stage reads column '\(name)', which its schema check did not require")
        }
        return columns[index]
    }

    public func text(in name: ColumnName) -> TextColumn {
        guard case .text(let column) = column(name) else { wrongKind(name) }
        return column
    }

    public func integers(in name: ColumnName) -> Values<Int64> {
        guard case .integers(let values) = column(name) else { wrongKind(name) }
        return values
    }

    public func decimals(in name: ColumnName) -> Values<Double> {
        guard case .decimals(let values) = column(name) else { wrongKind(name) }
        return values
    }

    public func flags(in name: ColumnName) -> Values<Bool> {
        guard case .flags(let values) = column(name) else { wrongKind(name) }
        return values
    }

    public func days(in name: ColumnName) -> Values<Int32> {
        guard case .days(let values) = column(name) else { wrongKind(name) }
        return values
    }

    public func instants(in name: ColumnName) -> Values<Int64> {
        guard case .instants(let values) = column(name) else { wrongKind(name) }
        return values
    }

    /// The batch with the values of a column that the schema check promised: put in the place of those that were there, or
    /// added at the end. `Schema.adding` has refused a column that is there already, where that is no stage's intent.
    ///
    /// The new column keeps the place of `source` in the record, so that findings about it can point there.
    public func setting(
        _ name: ColumnName,
        to column: Column,
        from source: ColumnName? = nil,
        keys: [String]? = nil
    ) -> Batch {
        var result = self
        result.set([NewColumn(name, column, from: source, keys: keys)])
        return result
    }

    /// A column to be set.
    package struct NewColumn {
        var name: ColumnName
        var column: Column
        var source: ColumnName?
        var keys: [String]?

        package init(_ name: ColumnName, _ column: Column, from source: ColumnName? = nil, keys: [String]? = nil) {
            (self.name, self.column, self.source, self.keys) = (name, column, source, keys)
        }
    }

    /// Sets several columns at once: a table may have tens of thousands. Each `source` is a column from before.
    package mutating func set(_ new: [NewColumn]) {
        var schema = schema
        schema.addOrReplace(
            new.map { new in
                Field(
                    new.name.text,
                    new.column.kind,
                    source: new.source.flatMap { self.schema[$0]?.source },
                    keys: new.keys
                )
            }
        )
        for new in new {
            precondition(new.column.count == count, "a new column needs the length of its batch")
            guard let index = schema.index(of: new.name) else { preconditionFailure("a column was added just now") }
            if index < columns.count { columns[index] = new.column } else { columns.append(new.column) }
        }
        self.schema = schema
    }

    /// The rows in `kept`, in that order.
    public func keeping(_ kept: [Int32]) -> Batch {
        Batch(schema, columns.map { $0.keeping(kept) }, count: kept.count, provenance: provenance.keeping(kept))
    }

    /// The rows that are not in the mask.
    package func leavingOut(_ rows: Mask) -> Batch { rows.setCount == 0 ? self : keeping(rows.unsetRows) }

    /// The same rows with some of the columns, in the order in which they are named.
    package func having(_ names: [ColumnName]) -> Batch {
        replacing(schema.having(names), names.map { column($0) })
    }

    /// Only the columns in `wanted`.
    public func selecting(_ wanted: ColumnSet) -> Batch {
        let kept = schema.fields.indices.filter { wanted.contains(schema.fields[$0].name) }
        return replacing(schema.selecting(wanted), kept.map { columns[$0] })
    }

    /// The same rows with other columns.
    public func replacing(_ schema: Schema, _ columns: [Column]) -> Batch {
        Batch(schema, columns, count: count, provenance: provenance)
    }

    private func wrongKind(_ name: ColumnName) -> Never {
        preconditionFailure("a stage reads column '\(name)' as a kind that its schema check did not require")
    }
}
