import DaybookBytes

/// Takes a history back to how the first program has kept it.
public enum OldHistory {
    /// The version that a new history has.
    public static let newest = 16

    /// - Parameter path: the file of the history, whose tables are of the newest version.
    public static func takeBack(_ path: String) throws {
        let database = try SQLiteDatabase(path, .readWrite)
        try database.execute(
            "ALTER TABLE marks DROP COLUMN rows; ALTER TABLE marks DROP COLUMN overlap; ALTER TABLE marks DROP COLUMN origin; ALTER TABLE taken DROP COLUMN run; DROP TABLE day_figures; ALTER TABLE files DROP COLUMN days; ALTER TABLE taken DROP COLUMN is_copy; ALTER TABLE run_files DROP COLUMN day; DROP TABLE group_figures; ALTER TABLE runs DROP COLUMN is_redo;"
        )
        try database.setUserVersion(Int32(newest - 7))
    }
}
