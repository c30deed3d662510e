extension NearestName {
    /// "did you mean 'date'?", or else all names after `label`, shortened if they are long.
    package static func hint(for written: String, among names: [String], listing label: String) -> String {
        hint(for: written.shortened(to: 64), among: names.prefix(200))
            ?? "\(label) \(names.joined(separator: ", ").shortened(to: 200))"
    }
}

/// All problems of a job file.
package final class Problems {
    /// Limit of stored problems. Further ones are only counted, so that a hostile file cannot create millions.
    package static let limit = 1_000

    private var all: [DaybookError] = []
    /// Problems that make values unknown.
    private var causes: [DaybookError] = []
    /// Places of unknown values. Other problems at such a place are only consequences.
    private var unknownValues: Set<SourcePlace> = []
    private var dropped = 0

    /// Whether there are so many problems that hints do not matter. Hints compare names, which takes time.
    var areMany: Bool { causes.count + all.count >= 100 }

    /// Number of problems, including those beyond the limit.
    var count: Int { all.count + causes.count + dropped }

    /// Whether any value in the tree of `node` is unknown.
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

    /// Value that `read` returns; nil for an error, which is added, at `place` unless it has a place of its own.
    func value<Value>(at place: SourcePlace? = nil, _ read: () throws(DaybookError) -> Value?) -> Value? {
        do throws(DaybookError) { return try read() } catch {
            add(error.located(at: place))
            return nil
        }
    }

    /// Entries of a map; none without a node, and for another node, which is reported.
    func entries(of node: OptionNode?, expecting map: String) -> [OptionNode.Entry] {
        if let node, node.map == nil { add(node.expected(map)) }
        return node?.map ?? []
    }

    /// Adds a problem that makes the value at `place` unknown.
    package func add(_ problem: DaybookError, hiding place: SourcePlace?) {
        if hasRoom { causes.append(problem) }
        if let place { unknownValues.insert(place) }
    }

    private var hasRoom: Bool {
        if causes.count + all.count < Self.limit { return true }
        dropped += 1
        return false
    }

    /// Marks the value at `place` as unknown, for a problem that was added elsewhere.
    func hide(_ place: SourcePlace) { unknownValues.insert(place) }

    /// "did you mean 'date'?", or nil.
    ///
    /// Nil for long names, long lists and files with many problems.
    func nearest(to written: String, among names: [String]) -> String? {
        guard !areMany, names.count <= 200, written.utf8.count <= 64 else { return nil }
        return NearestName.hint(for: written, among: names.filter { $0.utf8.count <= 64 })
    }

    /// "did you mean 'date'?", or else all names after `label`; nil for many names.
    package func hint(for written: String, among names: [String], listing label: String) -> String? {
        guard !areMany, names.count <= 200 else { return nil }
        return nearest(to: written, among: names) ?? "\(label) \(names.joined(separator: ", ").shortened(to: 200))"
    }

    /// Each problem once, in the order of the file; problems without a place come last.
    ///
    /// An alias repeats a node, and would repeat its problems.
    package func sorted() -> [DaybookError] {
        var seen: Set<String> = []
        let others = all.filter { problem in problem.place.map { !unknownValues.contains($0) } ?? true }
        let once = (causes + others).filter { problem in
            let place = problem.place.map { "\($0.line):\($0.column)" } ?? ""
            return seen.insert("\(place)|\(problem.code.rawValue)|\(problem.message)").inserted
        }
        func order(_ problem: (offset: Int, element: DaybookError)) -> (Int, Int, Int) {
            (problem.element.place?.line ?? .max, problem.element.place?.column ?? .max, problem.offset)
        }
        var result = once.enumerated().sorted { order($0) < order($1) }.map(\.element)
        if dropped > 0 {
            result.append(DaybookError("too-many-problems", "\(dropped) more problems are not shown"))
        }
        return result
    }
}
