/// The stages that a command knows, by name. Everything that speaks of stages reads this table.
public struct StageTable: Sendable {
    /// In the order in which they were listed.
    public let stages: [any Stage.Type]

    public init(_ stages: [any Stage.Type]) { self.stages = stages }

    public var names: [String] { stages.map { $0.description.name } }

    /// What can be asked about commits that services took part in.
    public var services: [any CommitService] { stages.compactMap { ($0 as? any Sink.Type)?.service } }

    public subscript(name: String) -> (any Stage.Type)? { stages.first { $0.description.name == name } }
}
