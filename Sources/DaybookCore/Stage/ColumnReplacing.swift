/// A stage that writes columns over which are there already, so that `explain` can tell which.
public protocol ColumnReplacing: Stage {
    /// The columns that it writes over, as the job names them; none when it only adds.
    var replacedColumns: [ColumnName] { get }
}
