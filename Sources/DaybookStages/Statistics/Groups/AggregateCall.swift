/// An aggregate in the job: `count`, `sum(count)`, `max(date)`.
package struct AggregateCall: OptionValue {
    enum Function: String, CaseIterable, Sendable {
        case count, sum, mean, min, max, median, distinct, first, last

        /// Names of these functions in other tools.
        static let otherWords = [
            "avg": "mean", "average": "mean", "nunique": "distinct", "count_distinct": "distinct",
            "n_unique": "distinct",
            "size": "count", "len": "count", "length": "count", "minimum": "min", "maximum": "max", "total": "sum",
            "any_value": "first",
        ]

        static var names: [String] { allCases.map(\.rawValue) }
    }

    let function: Function
    /// Nil for `count` of rows.
    let column: ColumnName?

    package static let kind = OptionKind.text
    package static var placeholder: AggregateCall { AggregateCall(function: .count, column: nil) }
    package var written: String { column.map { "\(function.rawValue)(\($0))" } ?? function.rawValue }

    private init(function: Function, column: ColumnName?) { (self.function, self.column) = (function, column) }

    package init(reading node: OptionNode) throws(DaybookError) {
        let shape = "write count, or one of \(Function.names.joined(separator: ", ")) with a column: sum(count)"
        let call = try FunctionCall(reading: node, shape: shape)
        function = try call.function(Function.names, Function.otherWords, hint: shape)
        guard let argument = call.argument else {
            column = nil
            if function != .count { throw call.needingColumn }
            return
        }
        column = try call.column(
            argument,
            hint: function == .count ? "to count rows, write count without brackets" : shape
        )
        if function == .count, argument.text.lowercased().hasPrefix("distinct ") {
            let counted = argument.dropping("distinct ".count).text
            let hint = "write distinct(\(counted))"
            throw FunctionCall.bad("expected a column, found '\(argument.text)'", at: argument.place, hint: hint)
        }
    }
}

extension AggregateCall {
    /// The kind of the result for a column of `input`, or nil before the data was read. Refuses unsuitable kinds.
    func kind(in input: Schema) throws(DaybookError) -> ColumnKind? {
        guard let column else { return .integer }
        let numbers = "put cast_columns before this stage to make numbers of text"
        switch function {
        case .count: _ = try input.requiring(column)
        case .sum, .mean, .median: try input.requiring(column, .integer, .decimal, hint: numbers)
        case .first, .last: _ = try input.requiring(column)
        case .min, .max, .distinct:
            try input.requiringComparable(column, hint: "a JSON value can be written in several ways")
        }
        switch function {
        case .count, .distinct: return .integer
        case .mean, .median: return input[column] == nil ? nil : .decimal
        case .sum, .min, .max, .first, .last: return input[column]?.kind
        }
    }

    /// Whether the function computes with values, which have to be finite numbers.
    var reckons: Bool {
        switch function {
        case .sum, .mean, .min, .max, .median: true
        case .count, .distinct, .first, .last: false
        }
    }
}

extension Schema {
    /// Refuses columns by whose values rows cannot be grouped.
    func requireKeys(_ columns: [ColumnName]) throws(DaybookError) {
        for column in columns { try requiringComparable(column, hint: "a JSON value can be written in several ways") }
    }
}

extension Batch {
    /// Rejects the rows with a decimal that is not finite in one of the columns, and returns their mask.
    func rejectingNotFinite(_ columns: [ColumnName], _ findings: inout Findings) -> Mask {
        var leftOut = Mask(count: count)
        for column in columns {
            guard case .decimals(let values) = self[column] else { continue }
            let notFinite = findings.token(.notADecimal, in: column)
            for row in 0..<values.count where !values.elements[row].isFinite && !values.missing.isMissing(row) {
                if !leftOut[row] { findings.reject(row, notFinite) }
                leftOut.insert(row)
            }
        }
        return leftOut
    }
}
