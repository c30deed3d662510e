/// A stage that gives rows: of the texts of files (`TextSource`), of files that a library opens (`StoreSource`), or of a service
/// (`ServiceSource`).
public protocol Source: Stage {
    /// The columns that the options alone make certain; open where the data decides.
    var declaredSchema: Schema { get }

    /// Which of its inputs it reads.
    var intake: FileIntake { get }

    /// The column that holds the name of each row's file, or nil when nobody asked for one. The engine fills it.
    var fileColumn: ColumnName? { get }
}

extension Source {
    public var intake: FileIntake { FileIntake() }
    public var fileColumn: ColumnName? { nil }
}
