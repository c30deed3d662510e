/// The files that the paths of a source stand for in one run, and those of them that are read.
package struct FoundInputs: Sendable {
    /// The files to read.
    package private(set) var read: [InputPath] = []
    /// The files that an earlier run has taken.
    package private(set) var taken: [InputPath] = []
    /// The paths, as the job writes them, that stand for no file and need not.
    package private(set) var absent: [String] = []

    /// - Parameters:
    ///   - known: the files that earlier runs have taken; nil where all are to be read.
    ///   - chosen: those that are read at all; nil for all that are found.
    ///   - made: directories that the run makes for its outputs, which need not be there in the first night.
    init(
        _ source: SourceKind,
        in directory: String,
        known: TakenFiles?,
        chosen: ChosenFiles? = nil,
        made: [String] = []
    ) throws(DaybookError) {
        var seen: [String: InputPath] = [:]
        let intake = source.intake
        for path in source.patterns {
            let found: [InputPath]
            do throws(DaybookError) {
                found = try PathPattern(path.text, from: directory).expand()
            } catch {
                guard intake.isOptional, error.code == DaybookError.inputNotFound else {
                    throw error.located(at: path.place)
                }
                if let missing = PathPattern(path.text, from: directory).missingDirectory,
                    !made.contains(where: { ($0 + "/").hasPrefix(FilePath.tidied(missing) + "/") })
                {
                    throw DaybookError.directoryNotFound(missing, for: path.text).located(at: path.place)
                }
                absent.append(path.text)
                continue
            }
            let before = (read.count, taken.count)
            for input in found {
                // Every row of a file that is read twice would count twice, and nobody means that.
                if let other = seen.updateValue(input, forKey: FilePath.canonical(input.path)) {
                    let both = other.name == input.name ? "twice" : "as '\(other.name)' and as '\(input.name)'"
                    throw DaybookError(
                        "input-twice",
                        "one file is read \(both)",
                        at: path.place,
                        hint: "name it once; patterns may overlap"
                    )
                }
                if chosen?.holds(input) == false {
                    if intake.isNewOnly { taken.append(input) }
                } else if intake.isNewOnly, let known, try known.holds(input, with: source.companions) {
                    taken.append(input)
                } else {
                    read.append(input)
                }
            }
            // For the run that is done again there was none.
            if before == (read.count, taken.count) { absent.append(path.text) }
        }
    }

    /// Whether nothing is left to read, so that only the job or a file that was taken tells the columns.
    var isEmpty: Bool { read.isEmpty && !(taken.isEmpty && absent.isEmpty) }
}

extension DaybookError {
    /// The code of a path that stands for no file.
    static let inputNotFound: Code = "input-not-found"

    /// No files in a directory are a quiet night; no directory is a disk that was not mounted, or a slip in the path.
    static func directoryNotFound(_ directory: String, for path: String) -> DaybookError {
        .machine(
            "input-directory-missing",
            "the directory '\(directory)', in which '\(path)' is looked for, is not there",
            hint:
                "is its disk mounted? 'optional' lets a directory hold no such file, and the directory itself must be there"
        )
    }
}
