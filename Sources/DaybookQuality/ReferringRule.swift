/// A rule that looks values up in another stage, which the engine reads completely before the first row.
protocol ReferringRule: CheckRule {
    /// The rule's knowledge of that stage's rows.
    associatedtype Known: Sendable

    /// The referenced stage; nil if the job gives none.
    var side: BuildSideReference? { get }
    /// The columns that the rule needs of that stage.
    var sideColumns: [ColumnName] { get }

    /// Refuses columns that do not fit together. The input schema may be unknown.
    func check(_ input: Schema?, against side: Schema) throws(DaybookError)
    func known(of side: BuildSide) throws(DaybookError) -> Known
}

/// A stage as an option: `orders`, or `orders.rejects`.
struct StageReference: OptionValue {
    let side: BuildSideReference
    let written: String

    static var kind: OptionKind { .text }
    static var placeholder: StageReference {
        StageReference(side: BuildSideReference("placeholder", at: nil), written: "placeholder")
    }

    private init(side: BuildSideReference, written: String) { (self.side, self.written) = (side, written) }

    init(reading node: OptionNode) throws(DaybookError) {
        let text = node.text ?? ""
        // An id has no dot.
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard !text.isEmpty, parts.count == 1 || (parts.count == 2 && parts[1] == "rejects" && !parts[0].isEmpty) else {
            throw node.expected("the id of a stage, such as orders or orders.rejects")
        }
        side = BuildSideReference(String(parts[0]), readsRejects: parts.count == 2, at: node.place)
        written = text
    }
}

/// The stages that rules refer to, each once.
struct RuleReferences: Sendable {
    private let referring: [any ReferringRule]
    let sides: [BuildSideReference]

    init(_ rules: [any CheckRule]) {
        // A reference that could not be read has no place, and has an error already.
        referring = rules.compactMap { $0 as? any ReferringRule }.filter { $0.side?.place != nil }
        sides = referring.compactMap(\.side).reduce(into: []) { sides, side in
            if !sides.contains(where: { $0.isSame(as: side) }) { sides.append(side) }
        }
    }

    /// The columns that rules need of a side.
    func columns(ofSide side: Int) -> ColumnSet {
        ColumnSet(referring.filter { number(of: $0) == side }.flatMap(\.sideColumns))
    }

    /// Refuses a rule whose columns the other stage lacks; an unreadable stage is not checked.
    func check(_ rule: any CheckRule, of inputs: StageInputs) throws(DaybookError) {
        guard let rule = rule as? any ReferringRule, let reference = rule.side, let side = number(of: rule) else {
            return
        }
        guard let schema = inputs.sides[side] else {
            let message = "the stage '\(reference.stage)' did not run"
            throw DaybookError(DaybookError.unreadStage, message, at: reference.place)
        }
        try rule.check(inputs.schema, against: schema)
    }

    /// A rule's knowledge of the stage that it refers to; nil for a rule that refers to none.
    func known(by rule: any CheckRule, of rows: [BuildSide]) throws(DaybookError) -> (any Sendable)? {
        guard let rule = rule as? any ReferringRule, let side = number(of: rule) else { return nil }
        return try rule.known(of: rows[side])
    }

    private func number(of rule: any ReferringRule) -> Int? {
        rule.side.flatMap { side in sides.firstIndex { $0.isSame(as: side) } }
    }
}

extension BuildSideReference {
    /// Whether both references read the same rows.
    fileprivate func isSame(as other: BuildSideReference) -> Bool {
        stage == other.stage && readsRejects == other.readsRejects
    }
}
