/// One value of a group, as the job asks for it: `count`, `sum(count)`, `max(date)`.
package struct AggregateCall: OptionValue {
    enum Function: String, CaseIterable, Sendable {
        case count, sum, mean, min, max, median, distinct, first, last

        /// Names that other tools have for these.
        static let otherWords = [
            "avg": "mean", "average": "mean", "nunique": "distinct", "count_distinct": "distinct",
            "n_unique": "distinct",
            "size": "count", "len": "count", "length": "count", "minimum": "min", "maximum": "max", "total": "sum",
            "any_value": "first",
        ]

        static var names: [String] { allCases.map(\.rawValue) }
    }

    let function: Function
    /// Nil for `count`, which then counts rows.
    let column: ColumnName?

    package static let kind = OptionKind.text
    package static var placeholder: AggregateCall { AggregateCall(function: .count, column: nil) }
    package var written: String { column.map { "\(function.rawValue)(\($0))" } ?? function.rawValue }

    private init(function: Function, column: ColumnName?) {
        self.function = function
        self.column = column
    }

    package init(reading node: OptionNode) throws(DaybookError) {
        let shape = "write count, or one of \(Function.names.joined(separator: ", ")) with a column: sum(count)"
        guard let text = node.text else { throw node.expected("a function of a column", hint: shape) }
        let scalars = Array(text.unicodeScalars)
        guard let open = scalars.firstIndex(of: "(") else {
            let name = Self.trimmed(scalars[...])
            function = try Self.function(scalars[name], at: node.place(of: name), hint: shape)
            column = nil
            guard function == .count else {
                throw DaybookError(
                    "bad-aggregate",
                    "'\(function.rawValue)' needs a column",
                    at: node.place(of: name),
                    hint: "write \(function.rawValue)(column)"
                )
            }
            return
        }
        let end = Self.trimmed(scalars[...]).upperBound
        guard scalars[end - 1] == ")" else {
            throw DaybookError(
                "bad-aggregate",
                "the bracket is not closed at the end",
                at: node.place(of: open..<open + 1),
                hint: shape
            )
        }
        let name = Self.trimmed(scalars[..<open])
        function = try Self.function(scalars[name], at: node.place(of: name), hint: shape)
        let inside = Self.trimmed(scalars[open + 1..<end - 1])
        let place = node.place(of: inside.isEmpty ? open..<end : inside)
        let column = Self.text(scalars[inside])
        guard !column.isEmpty, column != "*" else {
            throw DaybookError(
                "bad-aggregate",
                column.isEmpty ? "no column stands in the brackets" : "'*' is no column",
                at: place,
                hint: function == .count ? "to count rows, write count without brackets" : shape
            )
        }
        if function == .count, column.lowercased().hasPrefix("distinct ") {
            let counted = Self.text(scalars[Self.trimmed(scalars[inside].dropFirst("distinct ".count))])
            throw DaybookError(
                "bad-aggregate",
                "expected a column, found '\(column)'",
                at: place,
                hint: "write distinct(\(counted))"
            )
        }
        self.column = ColumnName(column, at: place)
    }

    private static func function(
        _ scalars: ArraySlice<Unicode.Scalar>,
        at place: SourcePlace,
        hint: String
    ) throws(DaybookError) -> Function {
        let name = text(scalars)
        if let function = Function(rawValue: name) { return function }
        let meant = Function.otherWords[name.lowercased()].map { "did you mean '\($0)'?" }
        throw DaybookError(
            "bad-aggregate",
            "there is no function '\(name)'",
            at: place,
            hint: meant ?? NearestName.hint(for: name, among: Function.names) ?? hint
        )
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    /// The range without the spaces at its ends.
    private static func trimmed(_ scalars: ArraySlice<Unicode.Scalar>) -> Range<Int> {
        guard let first = scalars.firstIndex(where: { $0 != " " }),
            let last = scalars.lastIndex(where: { $0 != " " })
        else { return scalars.startIndex..<scalars.startIndex }
        return first..<last + 1
    }
}

extension AggregateCall {
    /// What the value is for a column of `input`, or nil where the data has not been looked at. Refuses what makes no sense.
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

    /// Whether the value is reckoned, which only finite numbers can be.
    var reckons: Bool {
        switch function {
        case .sum, .mean, .min, .max, .median: true
        case .count, .distinct, .first, .last: false
        }
    }
}

extension OptionNode {
    /// Where a part of the text stands when the scalar is written as it reads: without escapes, on one line, and with nothing
    /// filled in. Else the place of the whole scalar.
    fileprivate func place(of range: Range<Int>) -> SourcePlace {
        let quotes = plainText == nil ? 1 : 0
        guard let text, place.length == text.unicodeScalars.count + 2 * quotes else { return place }
        var place = place
        place.column += quotes + range.lowerBound
        place.length = max(1, range.count)
        return place
    }
}
