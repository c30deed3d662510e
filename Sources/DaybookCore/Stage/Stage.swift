/// One step of a job, declared: its options, read once, and nothing that changes.
///
/// Four roles refine it, and a stage has exactly one: a `Source` gives batches, a `Transform` a batch into a batch, a `Fold`
/// all batches into others, a `Sink` batches into bytes. A declaration is bound to what it reads (`Binding`), and what runs is an operator.
public protocol Stage: Sendable {
    static var description: StageDescription { get }

    /// Reads the options, and refuses values that are wrong whatever the columns are. What depends on the columns belongs in
    /// the schema check.
    init(reading options: inout OptionReader)

    /// The stage in its role, as the protocol of the role says it.
    var inRole: StageInRole { get }
}

/// A stage in one of the roles. To ask its type for a protocol at run time would look through all conformances of the program.
public enum StageInRole {
    /// A source of texts, one that a library opens, and one that a service is.
    case source(any TextSource)
    case store(any StoreSource)
    case service(any ServiceSource)
    case transform(any Transform)
    case fold(any Fold)
    case sink(any Sink)
}

extension TextSource { public var inRole: StageInRole { .source(self) } }
extension StoreSource { public var inRole: StageInRole { .store(self) } }
extension ServiceSource { public var inRole: StageInRole { .service(self) } }
extension Transform where Self: Stage { public var inRole: StageInRole { .transform(self) } }
extension Fold where Self: Stage { public var inRole: StageInRole { .fold(self) } }
extension Sink where Self: Stage { public var inRole: StageInRole { .sink(self) } }
