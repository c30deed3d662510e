/// The places below a record, as a tree: keys and the elements of arrays, and whether dates stand there.
struct InnerDatePlaces {
    private struct Place: Hashable {
        var parent: Int
        var step: InnerStep
    }

    private struct Node {
        var parent: Int
        var step: InnerStep?
        var hasDates = false
        var hasOthers = false
    }

    static let record = 0
    /// Past so many, what follows is counted to the last: dates there are found, and cannot be told from texts.
    private static let most = 4_096

    private var nodes = [Node(parent: -1)]
    private var children: [Place: Int] = [:]

    /// The place at the end of a step, made when there is none; -1 below no place.
    mutating func child(_ step: InnerStep, of parent: Int) -> Int {
        guard parent >= 0 else { return -1 }
        let place = Place(parent: parent, step: step)
        if let known = children[place] { return known }
        guard nodes.count < InnerDatePlaces.most else { return parent }
        nodes.append(Node(parent: parent, step: step))
        children[place] = nodes.count - 1
        return nodes.count - 1
    }

    mutating func note(isDate: Bool, at place: Int) {
        guard place >= 0 else { return }
        if isDate { nodes[place].hasDates = true } else { nodes[place].hasOthers = true }
        if nodes.count == InnerDatePlaces.most { nodes[place].hasOthers = true }
    }

    /// The ways to places at which dates stand.
    var ways: [InnerDates.Way] {
        nodes.compactMap { node in
            guard node.hasDates else { return nil }
            var (steps, next): ([InnerStep], Node) = ([], node)
            while let step = next.step {
                steps.append(step)
                next = nodes[next.parent]
            }
            return InnerDates.Way(steps.reversed(), node.hasOthers ? .mixed : .instant)
        }
    }
}
