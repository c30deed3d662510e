/// Builds a column from several, taking each row from one of them.
enum ChoiceKernel {
    /// The choice of no operand: the row is missing.
    static let none = UInt16.max

    /// For each row the value of the operand that `choices` names; all operands have one kind.
    static func gathered(_ choices: [UInt16], from operands: [Operand], kind: ColumnKind) -> Operand {
        let count = choices.count
        var missing: Mask?
        var faults: Mask?
        for row in 0..<count {
            let choice = choices[row]
            guard choice != none else {
                missing.insert(row, of: count)
                continue
            }
            let operand = operands[Int(choice)]
            let place = operand.isConstant ? 0 : row
            if operand.column.missing.isMissing(place) || operand.faults.isMissing(place) {
                missing.insert(row, of: count)
                if operand.faults.isMissing(place) { faults.insert(row, of: count) }
            }
        }
        defer { withExtendedLifetime(operands) {} }
        let column: Column =
            switch kind {
            case .integer: .integers(values(choices, operands.map(\.integers), filler: 0, missing))
            case .instant: .instants(values(choices, operands.map(\.integers), filler: 0, missing))
            case .decimal: .decimals(values(choices, operands.map(\.decimals), filler: 0, missing))
            case .flag: .flags(values(choices, operands.map(\.flags), filler: false, missing))
            case .day: .days(values(choices, operands.map(\.days), filler: 0, missing))
            case .text, .json: .text(texts(choices, operands, missing))
            }
        return Operand(column, faults: faults)
    }

    private static func values<Element: BitwiseCopyable & Sendable>(
        _ choices: [UInt16],
        _ lanes: [ValueLane<Element>],
        filler: Element,
        _ missing: Mask?
    ) -> Values<Element> {
        let elements = [Element](unsafeUninitializedCapacity: choices.count) { new, filled in
            for row in choices.indices {
                let choice = choices[row]
                new.initializeElement(at: row, to: choice == none ? filler : lanes[Int(choice)][row])
            }
            filled = choices.count
        }
        return Values(elements, missing: missing)
    }

    /// Texts of several buffers have to be copied into one.
    private static func texts(_ choices: [UInt16], _ operands: [Operand], _ missing: Mask?) -> TextColumn {
        let lanes = operands.map(\.texts)
        return TextColumn(rows: choices.count, missing: missing, capacity: choices.count * 16) { row, bytes in
            bytes.append(lanes[Int(choices[row])][row])
        }
    }

    /// The value after the first true condition.
    ///
    /// A missing condition is not true, as in SQL; but a condition that could not be computed leaves the choice open,
    /// so that no division by 0 selects 'else'.
    static func chosen(
        _ branches: [(condition: TernaryMask, value: Operand)],
        otherwise: Operand,
        kind: ColumnKind,
        count: Int
    ) -> Operand {
        var choices = [UInt16](repeating: UInt16(branches.count), count: count)
        var open = Mask.full(count: count)
        var failed: Mask?
        for (index, branch) in branches.enumerated() {
            let taken = open.intersection(branch.condition.trueRows)
            taken.forEachRow { choices[$0] = UInt16(index) }
            open = open.subtracting(taken)
            if let faults = branch.condition.uncomputableRows?.intersection(open).orNil {
                faults.forEachRow { choices[$0] = none }
                failed = failed.union(faults)
                open = open.subtracting(faults)
            }
        }
        var result = gathered(choices, from: branches.map(\.value) + [otherwise], kind: kind)
        result.faults = result.faults.union(failed)
        return result
    }

    /// The first value of each row that is not missing.
    static func coalesced(_ operands: [Operand], kind: ColumnKind, count: Int) -> Operand {
        var choices = [UInt16](repeating: UInt16(operands.count - 1), count: count)
        for (index, operand) in operands.enumerated().reversed().dropFirst() {
            guard let missing = operand.missing(count) else {
                choices = [UInt16](repeating: UInt16(index), count: count)
                continue
            }
            missing.inverted.forEachRow { choices[$0] = UInt16(index) }
        }
        var result = gathered(choices, from: operands, kind: kind)
        if let missing = result.column.missing {
            // Where none is there, any that could not be computed is the reason.
            let faults = operands.reduce(nil) { (mask: Mask?, operand) in mask.union(operand.faults) }
            result.faults = faults?.intersection(missing).orNil
        }
        return result
    }
}
