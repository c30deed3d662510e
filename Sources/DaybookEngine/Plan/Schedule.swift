/// Order in which a job's sources are read and its folds finished.
///
/// Usually this is the order of the job. A join needs its build sides complete before its other rows, and a stage that
/// reads several inputs in turn needs them in that order. If one source feeds both, no such order exists. Then the rows
/// of one input are buffered and released later.
package struct Schedule: Sendable {
    package enum Step: Hashable, Sendable {
        /// Reads a source, whose rows pass through all stages up to folds and outputs.
        case read(Int)
        /// Finishes a fold, whose rows pass on.
        case finish(Int)
        /// Passes the complete build sides to a stage.
        case build(Int)
        /// Releases the buffered rows of an input.
        case release(stage: Int, input: Int)

        package var stage: Int { order.stage }

        /// Stage of the step, and its turn among the steps of the stage.
        fileprivate var order: (stage: Int, turn: Int, input: Int) {
            switch self {
            case .read(let stage): (stage, 0, 0)
            case .build(let stage): (stage, 1, 0)
            case .release(let stage, let input): (stage, 2, input)
            case .finish(let stage): (stage, 3, 0)
            }
        }
    }

    package private(set) var steps: [Step] = []
    /// Inputs whose rows are buffered.
    package private(set) var held: [(stage: Int, input: Int)] = []
    /// Steps in which each stage receives rows; none for a source.
    package private(set) var arrivals: [Set<Step>] = []
    /// Predecessors of each step.
    private var before: [Step: Set<Step>] = [:]
    /// Steps in which each stage passes rows on.
    private var givers: [Set<Step>] = []
    /// Steps in which each stage rejects rows.
    private var rejecters: [Set<Step>] = []

    package init(_ stages: [PlannedStage]) {
        for stage in stages { add(stage) }
        sort()
    }

    private mutating func add(_ stage: PlannedStage) {
        let index = stage.index
        if case .source = stage.role {
            before[.read(index)] = []
            arrivals.append([])
            givers.append([.read(index)])
            rejecters.append([.read(index)])
            return
        }
        if stage.inputs.contains(where: \.isBuildSide) {
            before[.build(index), default: []] = stage.inputs.filter(\.isBuildSide).reduce(into: []) {
                $0.formUnion(deliverers($1))
            }
        }
        var arrivals: Set<Step> = []
        var earlier: Set<Step> = before[.build(index)] == nil ? [] : [.build(index)]
        for (number, input) in stage.inputs.enumerated() where !input.isBuildSide {
            var own = deliverers(input)
            // The steps that bring these rows must not precede the steps that the rows wait for.
            if own.contains(where: { one in earlier.contains { mustPrecede(one, $0) } }) {
                let release = Step.release(stage: index, input: number)
                before[release] = own.union(earlier)
                held.append((index, number))
                own = [release]
            } else {
                for one in own { before[one, default: []].formUnion(earlier) }
            }
            arrivals.formUnion(own)
            earlier = stage.readsInTurn ? own : earlier
        }
        self.arrivals.append(arrivals)
        guard stage.role.finishes else {
            givers.append(arrivals)
            rejecters.append(arrivals)
            return
        }
        before[.finish(index)] = arrivals
        switch stage.role {
        case .fold(let fold) where !type(of: fold).passesRows || stage.holdsRows: givers.append([.finish(index)])
        case .fold: givers.append(arrivals)
        default: givers.append(arrivals.union([.finish(index)]))
        }
        rejecters.append(arrivals.union([.finish(index)]))
    }

    private func deliverers(_ input: PlannedStage.Input) -> Set<Step> {
        input.port == .rows ? givers[input.stage] : rejecters[input.stage]
    }

    /// Whether `one` equals `other` or must precede it.
    private func mustPrecede(_ one: Step, _ other: Step) -> Bool {
        var seen: Set<Step> = []
        var rest = [other]
        while let step = rest.popLast() {
            if step == one { return true }
            guard seen.insert(step).inserted else { continue }
            rest += before[step] ?? []
        }
        return false
    }

    /// Topological order; among the possible next steps it takes the step of the earliest stage.
    private mutating func sort() {
        var rest = before
        while !rest.isEmpty {
            let ready = rest.filter { $0.value.allSatisfy { rest[$0] == nil } }.keys
            guard let next = ready.min(by: { $0.order < $1.order }) else {
                preconditionFailure("the steps of a plan wait for one another")
            }
            rest[next] = nil
            steps.append(next)
        }
    }
}
