/// The order in which braces, keys and values of an object are written.
struct CodableOutline {
    package enum Kind: BitwiseCopyable { case open, member, close }

    /// One brace or one member, with what stands before it among the literals.
    struct Step: BitwiseCopyable {
        var kind: Kind
        var start: Int
        var length: Int
        /// The index of the property whose value follows; for the beginning of an object, that of the one that is the whole
        /// object where it has a value; for the end of an object that must not be left out, that of its first.
        var property = -1
        /// For the beginning of an object, the step behind its end.
        var end = 0
        /// False for the object of the row itself, before which no comma of this kind stands.
        var isFollower = true
    }

    let literals = Bytes()
    private(set) var steps: [Step] = []
    /// How many objects stand inside one another, the row's own included.
    private(set) var depth = 0
    private let isPretty: Bool
    private let properties: [CodableProperty]

    init(_ properties: [CodableProperty], prettyDepth: Int?) {
        self.properties = properties
        isPretty = prettyDepth != nil
        let tree = JSONKeyTree(properties.map(\.path))
        let start = literals.count
        indent(prettyDepth ?? 0)
        var first = Step(kind: .open, start: start, length: literals.count - start, isFollower: false)
        first.property = tree.whole ?? -1
        if tree.whole != nil, tree.members.isEmpty {
            // A row without keys is its value.
            first.kind = .member
            steps = [first]
            return
        }
        steps.append(first)
        lay(tree, indentation: prettyDepth ?? 0, depth: 1)
        steps[0].end = steps.count
    }

    private mutating func lay(_ tree: JSONKeyTree, indentation: Int, depth: Int) {
        self.depth = max(self.depth, depth)
        for entry in tree.members {
            let start = literals.count
            breakLine(indentation + 1)
            literals.append(jsonString: entry.key)
            literals.append(isPretty ? ": " as StaticString : ":")
            switch entry.member {
            case .column(let property):
                steps.append(
                    Step(kind: .member, start: start, length: literals.count - start, property: property)
                )
            case .object(let inner):
                let open = steps.count
                steps.append(
                    Step(kind: .open, start: start, length: literals.count - start, property: inner.whole ?? -1)
                )
                lay(inner, indentation: indentation + 1, depth: depth + 1)
                steps[open].end = steps.count
            }
        }
        let start = literals.count
        breakLine(indentation)
        var close = Step(kind: .close, start: start, length: literals.count - start)
        // The row's own object has depth 1, and no key leads to it.
        if depth > 1, let first = tree.first, properties[first].neededDepth == depth - 1 { close.property = first }
        steps.append(close)
    }

    private func breakLine(_ depth: Int) {
        guard isPretty else { return }
        literals.append(UInt8(ascii: "\n"))
        indent(depth)
    }

    private func indent(_ depth: Int) {
        for _ in 0..<(isPretty ? depth * 2 : 0) { literals.append(UInt8(ascii: " ")) }
    }
}
