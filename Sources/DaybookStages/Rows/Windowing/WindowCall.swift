import DaybookTables

/// A window function as an option: `row_number`, `lag(count, 7)`, `sum(count)`, `mean(count, 7 days)`.
struct WindowCall: OptionValue {
    typealias Function = WindowColumn.Function

    enum Frame: Sendable, Hashable {
        case all
        case rows(Int)
        case days(Int)

        var isInDays: Bool { if case .days = self { true } else { false } }
    }

    /// The largest offset back or ahead: the values in between wait in memory.
    static let farthest = 1_000_000

    private(set) var function = Function.rowNumber
    /// Nil for functions of the rows themselves.
    private(set) var column: ColumnName?
    /// The offset in rows, for `lag` and `lead`.
    private(set) var distance = 1
    private(set) var frame = Frame.all
    private(set) var place: SourcePlace?

    fileprivate static let units = ["rows", "row", "days", "day"]

    static let kind = OptionKind.text
    static var placeholder: WindowCall { WindowCall() }

    var written: String {
        let more: String? =
            switch frame {
            case .all: function.isShift && distance > 1 ? String(distance) : nil
            case .rows(let rows): "\(rows) rows"
            case .days(let days): "\(days) days"
            }
        let arguments = [column?.text, more].compactMap(\.self)
        return function.rawValue + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))")
    }

    private init() {}

    init(reading node: OptionNode) throws(DaybookError) {
        let shape =
            "write row_number, rank or dense_rank, or a function of a column such as lag(count) or sum(count, 7 rows)"
        let call = try FunctionCall(
            reading: node,
            shape: shape,
            unclosed: "in a map in braces, a call with a comma stands in quotes: \"sum(count, 7 rows)\""
        )
        function = try call.function(Function.otherWords, hint: shape)
        place = call.name.place
        if var argument = call.argument, !(argument.text.isEmpty && function.isPosition) {
            if function.isPosition {
                let hint = "write \(function.rawValue); 'by' and 'order' say among which rows"
                throw FunctionCall.bad("'\(function.rawValue)' takes no column", at: argument.place, hint: hint)
            }
            // A part behind the last comma that begins with a digit or a sign does not belong to a column name.
            if let (first, second) = argument.splitAtLastComma(), second.isNumbered {
                argument = first
                if function.isShift { distance = try Self.distance(second, function) }
                if function.hasFrame { frame = try Self.frame(second) }
                if function == .fillForward {
                    let message = "'fill_forward' takes a column and nothing else, found '\(second.text)'"
                    throw FunctionCall.bad(message, at: second.place, hint: "write fill_forward(\(first.text))")
                }
                column = try call.column(argument, hint: shape)
            } else if function == .count, argument.isFrame {
                frame = try Self.frame(argument)
            } else {
                column = try call.column(
                    argument,
                    hint: function == .count ? "to count rows, write count without brackets" : shape
                )
            }
        } else if !function.isPosition, function != .count {
            throw call.needingColumn
        }
    }

    private static func distance(_ part: FunctionCall.Part, _ function: Function) throws(DaybookError) -> Int {
        guard let rows = Int(part.text), (1...farthest).contains(rows) else {
            let other = function == .lag ? "lead" : "lag"
            throw FunctionCall.bad(
                "expected a number of rows from 1 to \(farthest), found '\(part.text)'",
                at: part.place,
                hint: part.text.hasPrefix("-")
                    ? "for rows in the other direction use '\(other)'"
                    : "write \(function.rawValue)(column, 7) for the row 7 \(function == .lag ? "before" : "behind")"
            )
        }
        return rows
    }

    private static func frame(_ part: FunctionCall.Part) throws(DaybookError) -> Frame {
        let words = part.text.split(separator: " ").map(String.init)
        guard words.count == 2, let count = Int(words[0]), (1...farthest).contains(count), units.contains(words[1])
        else {
            let isNear = words.count == 2 && !units.contains(words[1])
            let nearest = isNear ? NearestName.hint(for: words[1], among: units) : nil
            throw FunctionCall.bad(
                "expected a number of rows or days from 1 to \(farthest), found '\(part.text)'",
                at: part.place,
                hint: nearest
                    ?? "write 7 rows for the row and the 6 before it, or 7 days for its day and the 6 before it"
            )
        }
        return words[1].hasPrefix("row") ? .rows(count) : .days(count)
    }
}

extension WindowColumn.Function {
    /// Names that other tools have for these.
    static let otherWords = [
        "avg": "mean", "average": "mean", "cumsum": "sum", "cum_sum": "sum", "running_sum": "sum", "total": "sum",
        "cummin": "min", "cum_min": "min", "minimum": "min", "cummax": "max", "cum_max": "max", "maximum": "max",
        "cumcount": "row_number", "cum_count": "count", "rownum": "row_number", "rownumber": "row_number",
        "shift": "lag", "previous": "lag", "prev": "lag", "next": "lead", "ffill": "fill_forward",
        "forward_fill": "fill_forward", "fill_down": "fill_forward", "last_value": "fill_forward",
        "min_rank": "rank", "rolling_mean": "mean", "rolling_sum": "sum",
    ]

    /// Whether it numbers rows, without a column.
    var isPosition: Bool { self == .rowNumber || self == .rank || self == .denseRank }
    var isShift: Bool { self == .lag || self == .lead }
    /// Whether it takes a frame of rows or days.
    var hasFrame: Bool { !isPosition && !isShift && self != .fillForward }
    /// Whether it computes, which needs finite numbers.
    var reckons: Bool { self == .sum || self == .mean || self == .min || self == .max }
}

extension FunctionCall.Part {
    fileprivate var isNumbered: Bool {
        guard let first = text.unicodeScalars.first else { return false }
        return "0123456789-+".unicodeScalars.contains(first)
    }

    /// Whether the part reads as a number of rows or days.
    fileprivate var isFrame: Bool {
        let words = text.split(separator: " ")
        return words.count == 2 && Int(words[0]) != nil && WindowCall.units.contains(String(words[1]))
    }
}

extension WindowCall {
    /// The kind of the new column, or nil before the data was read. Refuses unsuitable kinds.
    func kind(in input: Schema) throws(DaybookError) -> ColumnKind? {
        guard let column else { return .integer }
        switch function {
        case .rowNumber, .rank, .denseRank: break
        case .lag, .lead, .fillForward, .count: _ = try input.requiring(column)
        case .sum, .mean:
            let hint = "put cast_columns before this stage to make numbers of text"
            try input.requiring(column, .integer, .decimal, hint: hint)
        case .min, .max: try input.requireKeys([column])
        }
        return input[column].map { kind(of: $0.kind) } ?? (function == .count ? .integer : nil)
    }

    /// The kind of the new column for a source of that kind.
    private func kind(of column: ColumnKind) -> ColumnKind {
        switch function {
        case .rowNumber, .rank, .denseRank, .count: .integer
        case .mean: .decimal
        case .lag, .lead, .fillForward, .sum, .min, .max: column
        }
    }

    /// The column in the form that the engine computes.
    ///
    /// - Parameters:
    ///   - columns: the columns that windows read.
    ///   - schema: the schema of the rows.
    ///   - times: the kind of the column that orders rows in time.
    func column(among columns: [ColumnName], in schema: Schema, times: ColumnKind?) -> WindowColumn {
        let reach: WindowColumn.Frame =
            switch frame {
            case .all: .all
            case .rows(let rows): .rows(rows)
            // Instants count microseconds.
            case .days(let days): .within(UInt64(days) * (times == .instant ? 86_400_000_000 : 1))
            }
        let own = column.flatMap { schema[$0]?.kind } ?? .integer
        let source = column.flatMap { columns.firstIndex(of: $0) }
        return WindowColumn(function, of: source, distance: distance, reach, kind: kind(of: own))
    }
}
