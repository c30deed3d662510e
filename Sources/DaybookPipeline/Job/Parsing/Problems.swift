import DaybookCore

/// Everything that is wrong with a job file.
struct Problems {
    private var all: [DaybookError] = []
    /// Where values stand that could not be made out. What else is wrong at such a place only follows from it.
    private(set) var unknownValues: Set<SourcePlace> = []
    /// Why those values could not be made out.
    private var causes: [DaybookError] = []

    var count: Int { causes.count + all.count }

    mutating func add(_ problem: DaybookError) { all.append(problem) }

    mutating func add(
        _ code: DaybookError.Code, _ message: String, at place: SourcePlace?, hint: String? = nil
    ) {
        all.append(DaybookError(code, message, at: place, hint: hint))
    }

    /// Adds what makes the value at `place` unknown.
    mutating func add(_ problem: DaybookError, hiding place: SourcePlace?) {
        causes.append(problem)
        if let place { unknownValues.insert(place) }
    }

    /// Notes that the value at `place` is unknown for a reason that has been added elsewhere.
    mutating func hide(_ place: SourcePlace) { unknownValues.insert(place) }

    /// "did you mean 'date'?", or nil.
    ///
    /// Long names, long lists and files with a hundred problems go without: nobody misses the hint, and
    /// comparing them all would let a small hostile file take minutes.
    func nearest(to written: String, among names: [String]) -> String? {
        guard count < 100, names.count <= 200, written.utf8.count <= 64 else { return nil }
        return NearestName.hint(for: written, among: names.filter { $0.utf8.count <= 64 })
    }

    /// Each problem once, in the order of the file; those without a place come last.
    ///
    /// An alias repeats a node and so would repeat what is wrong with it.
    func sorted() -> [DaybookError] {
        var seen: Set<String> = []
        let others = all.filter { problem in problem.place.map { !unknownValues.contains($0) } ?? true }
        let once = (causes + others).filter { problem in
            let place = problem.place.map { "\($0.line):\($0.column)" } ?? ""
            return seen.insert("\(place)|\(problem.code.rawValue)|\(problem.message)").inserted
        }
        func order(_ problem: DaybookError) -> (Int, Int) {
            (problem.place?.line ?? .max, problem.place?.column ?? .max)
        }
        return once.enumerated().sorted {
            (order($0.element).0, order($0.element).1, $0.offset) < (order($1.element).0, order($1.element).1, $1.offset)
        }.map(\.element)
    }
}
