import DaybookCore

/// A stage that reads stores, whose type is no longer named.
public protocol StoreNode: ReadingNode {
    var companions: [String] { get }
    /// Opens all files, asking for one after the other.
    func open(_ count: Int, file: (Int) throws(DaybookError) -> StoreFile) throws(DaybookError) -> OpenedStores
}

/// What all stores of a stage have told.
public struct OpenedStores: Sendable {
    public var schema: Schema
    /// The columns that the options name and no store has.
    public var missing: [DaybookError]
    /// What each was found to be and to hold.
    public var recognised: [[String]]
    /// What is odd about each.
    public var warnings: [[Finding.Kind]]
    /// Makes what gives the rows of the store with that index in the columns that are wanted.
    public var rows: @Sendable (_ file: Int, _ schema: Schema) throws(DaybookError) -> any StoreRows
}

struct StoreBox<Wrapped: StoreSource>: StoreNode {
    let stage: Wrapped

    init(_ stage: Wrapped) { self.stage = stage }

    var paths: [PathText] { stage.paths }
    var companions: [String] { Wrapped.companions }
    var declaredSchema: Schema { stage.declaredSchemaWithFile }

    func open(_ count: Int, file: (Int) throws(DaybookError) -> StoreFile) throws(DaybookError) -> OpenedStores {
        var stores: [Wrapped.Store] = []
        for index in 0..<count { stores.append(try stage.open(try file(index))) }
        let schema = try stage.schemaWithFile(of: stores)
        return OpenedStores(
            schema: schema,
            missing: stage.missing(from: stores),
            recognised: stores.map(\.recognised),
            warnings: stores.map(\.warnings)
        ) { [stage, stores] file, schema throws(DaybookError) in
            try stage.rowsWithFile(of: stores[file], schema: schema)
        }
    }
}
