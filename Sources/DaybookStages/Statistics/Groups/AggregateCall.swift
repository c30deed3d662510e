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
    }

    let function: Function
    /// Nil for `count` of rows.
    let column: ColumnName?

    package static let kind = OptionKind.text
    package static var placeholder: AggregateCall { AggregateCall(function: .count, column: nil) }
    package var written: String { column.map { "\(function.rawValue)(\($0))" } ?? function.rawValue }

    private init(function: Function, column: ColumnName?) { (self.function, self.column) = (function, column) }

    package init(reading node: OptionNode) throws(DaybookError) {
        let shape =
            "write count, or one of \(Function.allCases.map(\.rawValue).joined(separator: ", ")) with a column: sum(count)"
        let call = try FunctionCall(reading: node, shape: shape)
        function = try call.function(Function.otherWords, hint: shape)
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

/// A function call in a job: a name, and an argument in brackets. `count`, `max(date)`, `lag(count, 7)`.
struct FunctionCall {
    /// A part of the text, without spaces at its ends.
    struct Part {
        let text: String
        let place: SourcePlace
        private let scalars: ArraySlice<Unicode.Scalar>
        private let node: OptionNode

        fileprivate init(_ scalars: ArraySlice<Unicode.Scalar>, of node: OptionNode, orAt other: Range<Int>? = nil) {
            let first = scalars.firstIndex { $0 != " " } ?? scalars.startIndex
            let last = scalars.lastIndex { $0 != " " }.map { $0 + 1 } ?? first
            self.scalars = scalars[first..<last]
            self.node = node
            var text = String.UnicodeScalarView()
            text.append(contentsOf: self.scalars)
            self.text = String(text)
            place = node.place(of: first == last ? other ?? first..<last : first..<last)
        }

        /// The part without its first `count` characters.
        func dropping(_ count: Int) -> Part { Part(scalars.dropFirst(count), of: node) }

        /// The text before and behind the last comma, or nil without a comma.
        func splitAtLastComma() -> (Part, Part)? {
            guard let comma = scalars.lastIndex(of: ",") else { return nil }
            let both = comma..<comma + 1
            return (Part(scalars[..<comma], of: node, orAt: both), Part(scalars[(comma + 1)...], of: node, orAt: both))
        }
    }

    let name: Part
    /// Nil without brackets.
    let argument: Part?

    /// - Parameters:
    ///   - shape: the hint if the text is no function call.
    ///   - unclosed: the hint if the closing bracket is missing; by default `shape`.
    init(reading node: OptionNode, shape: String, unclosed: String? = nil) throws(DaybookError) {
        guard let text = node.text else { throw node.expected("a function of a column", hint: shape) }
        let scalars = Array(text.unicodeScalars)
        guard let open = scalars.firstIndex(of: "(") else {
            name = Part(scalars[...], of: node)
            argument = nil
            return
        }
        name = Part(scalars[..<open], of: node)
        let last = scalars.lastIndex { $0 != " " } ?? open
        guard scalars[last] == ")" else {
            let hint = unclosed ?? shape
            throw Self.bad("the bracket is not closed at the end", at: node.place(of: open..<open + 1), hint: hint)
        }
        argument = Part(scalars[open + 1..<last], of: node, orAt: open..<last + 1)
    }

    static func bad(_ message: String, at place: SourcePlace, hint: String) -> DaybookError {
        DaybookError("bad-aggregate", message, at: place, hint: hint)
    }

    /// The function of that name.
    ///
    /// - Parameters:
    ///   - otherWords: names of these functions in other tools.
    ///   - hint: the hint if no name is near.
    func function<Function: CaseIterable & RawRepresentable<String>>(
        _ otherWords: [String: String],
        hint: String
    ) throws(DaybookError) -> Function {
        if let function = Function(rawValue: name.text) { return function }
        let message = "there is no function '\(name.text)'"
        let nearest = NearestName.hint(for: name.text, among: Function.allCases.map(\.rawValue), otherWords)
        throw Self.bad(message, at: name.place, hint: nearest ?? hint)
    }

    /// The column in the brackets.
    func column(_ part: Part, hint: String) throws(DaybookError) -> ColumnName {
        guard !part.text.isEmpty, part.text != "*" else {
            throw Self.bad(
                part.text.isEmpty ? "no column stands in the brackets" : "'*' is no column",
                at: part.place,
                hint: hint
            )
        }
        return ColumnName(part.text, at: part.place)
    }

    var needingColumn: DaybookError {
        Self.bad("'\(name.text)' needs a column", at: name.place, hint: "write \(name.text)(column)")
    }
}

extension OptionNode {
    /// The place of a part of the text, if the scalar is written literally: without escapes, on one line, and without
    /// interpolation. Else the place of the whole scalar.
    fileprivate func place(of range: Range<Int>) -> SourcePlace {
        let quotes = plainText == nil ? 1 : 0
        guard let text, place.length == text.unicodeScalars.count + 2 * quotes else { return place }
        var place = place
        place.column += quotes + range.lowerBound
        place.length = max(1, range.count)
        return place
    }
}
