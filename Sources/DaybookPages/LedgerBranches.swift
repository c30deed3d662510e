/// The stages of a ledger by branch: a branch is a chain of stages, each of which alone reads the one before.
///
/// A stage that makes rows of its own is a branch by itself, so that counts of a branch are of the same rows.
struct LedgerBranches {
    /// Stages up to which each is shown by itself.
    private static let fewStages = 12

    /// The stages of each branch by number, both in the order of the ledger.
    let groups: [[Int]]
    /// Whether the stages are so many that branches are shown.
    let areNamed: Bool

    /// - Parameter makesRows: whether the rows of a stage are others than those that it reads.
    init(_ count: Int, _ links: [RunSummary.Link], makesRows: (Int) -> Bool = { _ in false }) {
        let known = links.filter { $0.from < $0.to && $0.to < count }
        areNamed = count > LedgerBranches.fewStages && !known.isEmpty
        guard areNamed else {
            groups = (0..<count).map { [$0] }
            return
        }
        var (readers, inputs) = ([Int: Set<Int>](), [Int: Set<Int>]())
        for link in known {
            inputs[link.to, default: []].insert(link.isOfRejects ? -1 : link.from)
            if !link.isOfRejects { readers[link.from, default: []].insert(link.to) }
        }
        var groups: [[Int]] = []
        var places: [Int: Int] = [:]
        for stage in 0..<count {
            if let own = inputs[stage], own.count == 1, let before = own.first, readers[before]?.count == 1,
                !makesRows(stage), !makesRows(before),
                let place = places[before]
            {
                groups[place].append(stage)
                places[stage] = place
            } else {
                places[stage] = groups.count
                groups.append([stage])
            }
        }
        self.groups = groups
    }

    /// `import_csv → top_sellers`.
    func name(of group: [Int], _ id: (Int) -> String) -> String {
        group.count == 1 ? id(group[0]) : "\(id(group[0])) → \(id(group[group.count - 1]))"
    }
}
