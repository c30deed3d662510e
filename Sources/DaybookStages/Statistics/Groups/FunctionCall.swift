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
    func function<Function: RawRepresentable<String>>(
        _ names: [String],
        _ otherWords: [String: String],
        hint: String
    ) throws(DaybookError) -> Function {
        if let function = Function(rawValue: name.text) { return function }
        let meant = otherWords[name.text.lowercased()].map { "did you mean '\($0)'?" }
        let message = "there is no function '\(name.text)'"
        throw Self.bad(message, at: name.place, hint: meant ?? NearestName.hint(for: name.text, among: names) ?? hint)
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
