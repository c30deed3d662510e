import DaybookDates

/// A checked expression: every part has a kind that its kernel accepts.
indirect enum Computation: Sendable {
    case column(ColumnName)
    case constant(Operand)
    /// Whole numbers as decimals.
    case widened(Computation)
    case compared(Comparison, Computation, Computation)
    case between(Computation, Computation, Computation)
    case oneOf(Computation, MemberList)
    case like(Computation, LikePattern)
    case isMissing(Computation)
    case not(Computation)
    case all([Computation])
    case any([Computation])
    case computed(Arithmetic, Computation, Computation)
    case negated(Computation)
    case joined([Computation])
    case chosen([(condition: Computation, value: Computation)], otherwise: Computation, ColumnKind)
    case called(@Sendable (FunctionCall) -> Operand, [Computation])
    /// A part of an unknown kind, in an open schema. It is never evaluated.
    case unknown

    var constant: Operand? {
        if case .constant(let operand) = self { operand } else { nil }
    }
}

/// Evaluates computations over one batch, a column at a time.
struct Evaluation {
    let batch: Batch
    let zone: ZoneRules?
    let textLimit: TextLimit

    var count: Int { batch.count }

    /// - Parameters:
    ///   - columns: the columns that bound the texts of the expression; mostly the columns it reads.
    ///   - bounding: the rows that contain these columns, if not the rows of `batch`.
    init(_ batch: Batch, columns: [ColumnName], of bounding: Batch? = nil, zone: ZoneRules?) {
        self.batch = batch
        self.zone = zone
        textLimit = TextLimit(columns: columns.compactMap { (bounding ?? batch).column($0).text })
    }

    /// An evaluation without columns.
    init(constantsIn zone: ZoneRules?) {
        self.init(Batch(Schema(), [], count: 1, provenance: .made), columns: [], zone: zone)
    }

    func operand(_ computation: Computation) -> Operand {
        switch computation {
        case .column(let name): return Operand(batch.column(name))
        case .constant(let operand): return operand
        case .widened(let inner): return ArithmeticKernel.widened(operand(inner))
        case .computed(let operation, let first, let second):
            return ArithmeticKernel.result(operation, operand(first), operand(second), count: count)
        case .negated(let inner): return ArithmeticKernel.negated(operand(inner), count: count)
        case .joined(let parts): return call(TextFunctions.joined, parts)
        case .called(let kernel, let arguments): return call(kernel, arguments)
        case .chosen(let branches, let otherwise, let kind):
            return ChoiceKernel.chosen(
                branches.map { (truth($0.condition), operand($0.value)) },
                otherwise: operand(otherwise),
                kind: kind,
                count: count
            )
        case .compared, .between, .oneOf, .like, .isMissing, .not, .all, .any:
            let truth = truth(computation)
            return Operand(.flags(truth.flags), faults: truth.uncomputableRows)
        case .unknown: preconditionFailure("an expression is evaluated that was checked against an open schema")
        }
    }

    private func call(_ kernel: @Sendable (FunctionCall) -> Operand, _ arguments: [Computation]) -> Operand {
        kernel(FunctionCall(arguments: arguments.map(operand), count: count, zone: zone, textLimit: textLimit))
    }

    func truth(_ computation: Computation) -> TernaryMask {
        switch computation {
        case .compared(let comparison, let first, let second):
            return ComparisonKernel.truth(comparison, operand(first), operand(second), count: count)
        case .between(let value, let low, let high):
            let value = operand(value)
            return ComparisonKernel.truth(.greaterOrEqual, value, operand(low), count: count)
                .and(ComparisonKernel.truth(.lessOrEqual, value, operand(high), count: count))
        case .oneOf(let value, let members): return members.truth(operand(value), count: count)
        case .like(let text, let pattern): return pattern.truth(operand(text), count: count)
        case .isMissing(let value):
            return TernaryMask(operand(value).missing(count) ?? Mask(count: count), missing: nil)
        case .not(let inner): return truth(inner).negated
        case .all(let parts): return combined(parts) { $0.and($1) }
        case .any(let parts): return combined(parts) { $0.or($1) }
        default:
            let operand = operand(computation).spread(count)
            guard case .flags(let flags) = operand.column else {
                preconditionFailure("a condition is evaluated that holds no flags")
            }
            return TernaryMask(flags, uncomputable: operand.faults)
        }
    }

    private func combined(_ parts: [Computation], _ combine: (TernaryMask, TernaryMask) -> TernaryMask) -> TernaryMask {
        var result = truth(parts[0])
        for part in parts.dropFirst() { result = combine(result, truth(part)) }
        return result
    }
}
