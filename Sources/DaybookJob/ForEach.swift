import DaybookBytes

/// Values under `for_each`: the job has its stages once for each of them, in one run with one commit.
public struct ForEach: Sendable {
    /// One place that a pattern finds, such as the directory of one user.
    public struct Value: Sendable, Hashable {
        /// Path as the pattern finds it, without a slash at its end: `dumps/alice`. It is `${user}`.
        public var path: String
        /// Part of the path from the first name that is a pattern: `alice`. It is `${user:name}`, and the column.
        public var name: String
    }

    /// Name in `${…}`, and name of the column.
    public var name: ColumnName
    public var patterns: [PathText]
    /// In byte order of the paths; empty if the patterns find nothing, or were not asked.
    public var values: [Value] = []
    /// How many places the patterns find; `values` may have the first alone.
    public private(set) var found = 0
    /// Why there are no values.
    public var failure: DaybookError?

    /// Which values a reader of the job looks for.
    public enum Search: Sendable {
        /// None: the stages are there once, for a value of no place.
        case none
        /// The first, for commands that take the name of a stage; the value of no place if there is none.
        case first(directory: String)
        /// All; the stages of each have ids of their own.
        case all(directory: String)

        public static let noPlace = Value(path: "each", name: "each")
    }

    /// Limit of values.
    static let limit = 1_000

    /// Whether the ids of stages end in the names of values.
    private(set) var namesStages = false

    /// End of the ids of a value's stages.
    package func scope(of value: Value) -> String { namesStages ? "@\(value.name)" : "" }

    /// Column with the name of a value.
    func column(of value: Value) -> GivenColumn { GivenColumn(name: name, value: value.name) }

    /// Values to read the job for; never none.
    mutating func find(_ search: Search) -> [Value] {
        switch search {
        case .none: break
        case .first(let directory):
            find(from: directory)
            values = Array(values.prefix(1))
        case .all(let directory):
            find(from: directory)
            namesStages = !values.isEmpty
        }
        return values.isEmpty ? [Search.noPlace] : values
    }

    private mutating func find(from directory: String) {
        do throws(DaybookError) {
            var found: [String: Value] = [:]
            for pattern in patterns {
                do throws(DaybookError) {
                    for place in try PathPattern(pattern.text, from: directory).places() {
                        found[place.path] = Value(path: place.path, name: place.name)
                    }
                } catch { throw error.located(at: pattern.place) }
            }
            values = found.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            self.found = values.count
            guard values.count <= ForEach.limit else {
                throw DaybookError(
                    "too-many-values",
                    "'for_each' finds \(DisplayText.count(values.count)) places, and a run takes \(DisplayText.count(ForEach.limit))",
                    at: name.place,
                    hint: "write a pattern for some of them, and run the job for each part"
                )
            }
            var names: [String: Value] = [:]
            for value in values {
                guard let other = names.updateValue(value, forKey: value.name) else { continue }
                throw DaybookError(
                    "value-twice",
                    "'\(other.path)' and '\(value.path)' are both named '\(value.name)'",
                    at: name.place,
                    hint: "write one pattern whose first '*' stands where their paths differ"
                )
            }
        } catch { (values, failure) = ([], error) }
    }
}

/// Directory that a run copies to another place, all but the files that it writes.
public struct Container: Sendable {
    public var from: PathText
    /// With a slash at its end, the directory that gets a copy of the same name.
    public var to: PathText

    /// Place of the copy.
    package var place: PathText {
        guard to.text.hasSuffix("/") else { return to }
        return PathText(FilePath.join(to.text, FilePath.name(of: FilePath.tidied(from.text))), at: to.place)
    }
}
