/// The way from the field of a source to the values of a column that stand inside it, as far as the numbers of elements are at hand.
struct InnerWay {
    private let steps: [InnerStep]
    /// For each step to an element, the column with its number; nil where no column has it.
    private let numbers: [CellPointers?]

    /// Nil for a column whose values are those of its field.
    init?(to column: Int, in schema: Schema, _ pointers: [CellPointers]) {
        let field = schema.fields[column]
        guard !field.inside.isEmpty else { return nil }
        steps = field.inside.filter { $0 != .number }
        numbers = field.inside.indices.filter { field.inside[$0] != .number }.compactMap { place -> CellPointers?? in
            guard field.inside[place] == .element else { return nil }
            let way = field.inside[..<place] + [.element, .number]
            let number = schema.fields.firstIndex {
                $0.source == field.source && $0.kind == .integer && $0.inside.elementsEqual(way)
            }
            return .some(number.map { pointers[$0] })
        }
    }

    /// The keys and numbers that lead to the value of a row, up to the first number that is not known.
    func tokens(_ row: Int) -> [String] {
        var tokens: [String] = []
        var place = 0
        for step in steps {
            switch step {
            case .key(let key): tokens.append(key)
            case .element:
                guard let number = numbers[place], !number.isMissing(row) else { return tokens }
                tokens.append(String(number.integer(row)))
                place += 1
            case .number: break
            }
        }
        return tokens
    }
}
