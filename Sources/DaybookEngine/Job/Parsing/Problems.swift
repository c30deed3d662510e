extension NearestName {
    /// "did you mean 'date'?", or else all the names after `label`, cut where they are long.
    package static func hint(for written: String, among names: [String], listing label: String) -> String {
        hint(for: written.shortened(to: 64), among: names.prefix(200))
            ?? "\(label) \(names.joined(separator: ", ").shortened(to: 200))"
    }
}

/// Everything that is wrong with a job file.
package final class Problems {
    /// How many are kept. Past them the rest are counted, so that a hostile file cannot make millions.
    package static let limit = 1_000

    private var all: [DaybookError] = []
    /// Why values could not be made out.
    private var causes: [DaybookError] = []
    /// Where those values stand. What else is wrong at such a place only follows from it.
    private var unknownValues: Set<SourcePlace> = []
    private var dropped = 0

    /// Whether there are so many that nobody misses a hint. Making hints compares names, which takes its time.
    var areMany: Bool { causes.count + all.count >= 100 }

    /// How many there are, those past the limit too.
    var count: Int { all.count + causes.count + dropped }

    /// Whether a value in the tree of `node` could not be made out.
    func isUnknown(anythingIn node: OptionNode) -> Bool {
        if unknownValues.contains(node.place) { return true }
        switch node.content {
        case .list(let items): return items.contains { isUnknown(anythingIn: $0) }
        case .map(let entries): return entries.contains { isUnknown(anythingIn: $0.value) }
        case .text, .nothing: return false
        }
    }

    package func add(_ problem: DaybookError) {
        if hasRoom { all.append(problem) }
    }

    package func add(_ code: DaybookError.Code, _ message: String, at place: SourcePlace?, hint: String? = nil) {
        add(DaybookError(code, message, at: place, hint: hint))
    }

    /// Adds what makes the value at `place` unknown.
    package func add(_ problem: DaybookError, hiding place: SourcePlace?) {
        if hasRoom { causes.append(problem) }
        if let place { unknownValues.insert(place) }
    }

    private var hasRoom: Bool {
        if causes.count + all.count < Self.limit { return true }
        dropped += 1
        return false
    }

    /// Notes that the value at `place` is unknown for a reason that has been added elsewhere.
    func hide(_ place: SourcePlace) { unknownValues.insert(place) }

    /// "did you mean 'date'?", or nil.
    ///
    /// Long names, long lists and files with many problems go without.
    func nearest(to written: String, among names: [String]) -> String? {
        guard !areMany, names.count <= 200, written.utf8.count <= 64 else { return nil }
        return NearestName.hint(for: written, among: names.filter { $0.utf8.count <= 64 })
    }

    /// "did you mean 'date'?", or else all the names after `label`, or nothing where there are many.
    package func hint(for written: String, among names: [String], listing label: String) -> String? {
        guard !areMany, names.count <= 200 else { return nil }
        return nearest(to: written, among: names) ?? "\(label) \(names.joined(separator: ", ").shortened(to: 200))"
    }

    /// Each problem once, in the order of the file; those without a place come last.
    ///
    /// An alias repeats a node and so would repeat what is wrong with it.
    package func sorted() -> [DaybookError] {
        var seen: Set<String> = []
        let others = all.filter { problem in problem.place.map { !unknownValues.contains($0) } ?? true }
        let once = (causes + others).filter { problem in
            let place = problem.place.map { "\($0.line):\($0.column)" } ?? ""
            return seen.insert("\(place)|\(problem.code.rawValue)|\(problem.message)").inserted
        }
        func order(_ problem: DaybookError) -> (Int, Int) {
            (problem.place?.line ?? .max, problem.place?.column ?? .max)
        }
        var result = once.enumerated().sorted { first, second in
            let (one, other) = (order(first.element), order(second.element))
            return (one.0, one.1, first.offset) < (other.0, other.1, second.offset)
        }.map(\.element)
        if dropped > 0 {
            result.append(DaybookError("too-many-problems", "\(dropped) more problems are not shown"))
        }
        return result
    }
}
