import DaybookBytes

/// Files that match the paths of a source in one run, and the files among them to read.
package struct FoundInputs: Sendable {
    /// The files to read.
    package private(set) var read: [InputPath] = []
    /// Files that an earlier run imported.
    package private(set) var taken: [InputPath] = []
    /// Paths, as the job writes them, that match no file and need not match any.
    package private(set) var absent: [String] = []
    /// The days that the files to read belong to, with those to be made anew; empty if the import names no days.
    package private(set) var days: Set<CalendarDay> = []

    /// - Parameters:
    ///   - known: the files that earlier runs imported; nil to read all files.
    ///   - chosen: the only files to read; nil for all files found.
    ///   - redo: the only days to read, of imports that name days; nil for all days with new files.
    ///   - made: directories that the run makes for its outputs, which may be missing at the first run.
    init(
        _ source: SourceKind,
        in directory: String,
        of origin: any InputOrigin = LocalFiles(),
        known: (any IngestedInputs)?,
        chosen: ChosenFiles? = nil,
        redo: ClosedRange<CalendarDay>? = nil,
        made: [String] = []
    ) throws(DaybookError) {
        var seen: [String: InputPath] = [:]
        var all: [(input: InputPath, isTaken: Bool)] = []
        let intake = source.intake
        for path in source.patterns {
            let pattern = PathPattern(path.text, from: directory, in: origin)
            let found: [InputPath]
            do throws(DaybookError) { found = try pattern.expand() } catch {
                guard intake.isOptional, error.code == DaybookError.inputNotFound else {
                    throw error.located(at: path.place)
                }
                if let missing = pattern.missingDirectory,
                    !made.contains(where: { ($0 + "/").hasPrefix(FilePath.tidied(missing) + "/") })
                {
                    throw DaybookError.directoryNotFound(missing, for: path.text).located(at: path.place)
                }
                absent.append(path.text)
                continue
            }
            let before = all.count
            for input in found {
                // Every row of a file that is read twice would count twice, which is never intended.
                if let other = seen.updateValue(
                    input,
                    forKey: input.isStandardInput ? "-" : input.canonical ?? input.path
                ) {
                    let both = other.name == input.name ? "twice" : "as '\(other.name)' and as '\(input.name)'"
                    throw DaybookError(
                        "input-twice",
                        "one file is read \(both)",
                        at: path.place,
                        hint: "name it once; patterns may overlap"
                    )
                }
                if chosen?.holds(input) == false {
                    if intake.isNewOnly { all.append((input, true)) }
                } else if redo != nil, intake.isNewOnly {
                    // What is new waits for a run of its own: the outputs that would get it are left alone.
                    all.append((input, intake.day == nil))
                } else if intake.isNewOnly, let known {
                    all.append((input, try known.holds(input, with: source.companions, asLast: intake.day != nil)))
                } else {
                    all.append((input, false))
                }
            }
            // A repeated run did not find any.
            if before == all.count { absent.append(path.text) }
        }
        if let day = intake.day {
            let patterns = source.patterns.map { PathPattern($0.text, from: directory, in: origin) }
            try takeWholeDays(day, &all, known, redo, isChosen: chosen != nil, patterns)
        }
        for file in all {
            if file.isTaken { taken.append(file.input) } else { read.append(file.input) }
        }
    }

    /// Reads all files of each day that has a file to read, and none of other days; of chosen files, those.
    private mutating func takeWholeDays(
        _ day: FileDay,
        _ all: inout [(input: InputPath, isTaken: Bool)],
        _ known: (any IngestedInputs)?,
        _ redo: ClosedRange<CalendarDay>?,
        isChosen: Bool,
        _ patterns: [PathPattern]
    ) throws(DaybookError) {
        var dated: [CalendarDay] = []
        for file in all {
            guard let found = day.day(ofPath: file.input.name) else { throw day.refusal(of: file.input.shown) }
            dated.append(found)
        }
        days = Set(zip(dated, all).compactMap { date, file in file.isTaken ? nil : date })
        if let redo { days = days.filter(redo.contains) }
        let gone = isChosen ? [] : known?.gone(day, besides: all.map(\.input), patterns) ?? []
        if let redo { days.formUnion(gone.map(\.day).filter(redo.contains)) }
        if let lost = gone.first(where: { days.contains($0.day) }) {
            throw DaybookError(
                "day-incomplete",
                "'\(lost.path)' belongs to \(lost.day), which is made anew, and is gone",
                at: day.pattern.place,
                hint: "bring the file back; where its rows are to go, put a file in its place that has none",
                blame: .data
            )
        }
        guard !isChosen else { return }
        for index in all.indices { all[index].isTaken = !days.contains(dated[index]) }
    }

    /// Whether no file is left to read, so that only the job or an imported file gives the columns.
    var isEmpty: Bool { read.isEmpty && !(taken.isEmpty && absent.isEmpty) }
}

extension DaybookError {
    /// Code of the error for a path without a file.
    static let inputNotFound: Code = "input-not-found"

    /// An empty directory is a day without files. A missing directory is an unmounted disk, or a mistake in the path.
    static func directoryNotFound(_ directory: String, for path: String) -> DaybookError {
        .machine(
            "input-directory-missing",
            "the directory '\(directory)', in which '\(path)' is looked for, is not there",
            hint:
                "is its disk mounted? 'optional' lets a directory hold no such file, and the directory itself must be there"
        )
    }
}

/// The inputs that successful runs of a job have read to the end.
package protocol IngestedInputs: Sendable {
    /// Whether a run has read the service at this state of its data.
    func holds(_ version: InputVersion, of address: String) -> Bool
    /// Whether a run has read the current content of a file and its companion files.
    ///
    /// - Parameter asLast: whether it must be the content that was read last, for a file that may get an old one again.
    func holds(_ input: InputPath, with companions: [String], asLast: Bool) throws(DaybookError) -> Bool
    /// The files that paths of an import would find and that are not among `found`, each with its day.
    func gone(_ day: FileDay, besides found: [InputPath], _ patterns: [PathPattern]) -> [(
        path: String, day: CalendarDay
    )]
}

/// Selected files among the files that the paths match: the files that another run read.
public struct ChosenFiles: Sendable {
    private let names: Set<String>
    private let mask: SecretMask

    /// - Parameters:
    ///   - names: the files as a manifest names them.
    ///   - mask: mask by which the manifest hides secrets in the names.
    public init(names: Set<String>, mask: SecretMask) { (self.names, self.mask) = (names, mask) }

    func holds(_ input: InputPath) -> Bool { names.contains(mask.masking(input.name)) }
}

extension [InputPath] {
    /// Total size in bytes; nil if some are streams or missing.
    package var totalSize: Int? {
        let sizes = compactMap(\.size)
        return sizes.count == count ? sizes.reduce(0, +) : nil
    }
}

/// Builds the error for a path or pattern that finds no file.
package struct InputNotFound {
    private let text: String
    private let base: String
    private let isPattern: Bool

    package init(_ text: String, from base: String, isPattern: Bool) {
        self.text = text
        self.base = base
        self.isPattern = isPattern
    }

    package var error: DaybookError {
        .machine("input-not-found", isPattern ? "no file matches '\(text)'" : "there is no file '\(text)'", hint: hint)
    }

    /// Limit for comparing names, which takes too long in larger directories.
    private static let nameLimit = 2000

    private var hint: String? {
        if text.isEmpty { return "write the path of a file" }
        if let hint = ForeignPath.hint(for: text) { return hint }
        if text.contains("\\"), !text.contains("/") { return "directories are separated by '/'" }
        if let meant = fromHere {
            return
                "paths in a job, and in the values of its params, start from the job file; from there it is '\(meant)'"
        }
        var directory = FilePath.directory(of: text)
        var wanted = FilePath.name(of: text)
        // Goes up to the first existing directory: the name below it is the wrong one.
        while true {
            let place = FilePath.join(base.isEmpty ? "." : base, directory)
            if let entries = try? DirectoryListing.entries(in: place) {
                return hint(for: wanted, among: entries, in: directory)
            }
            guard directory != ".", directory != "/" else { return nil }
            wanted = FilePath.name(of: directory)
            directory = FilePath.directory(of: directory)
        }
    }

    /// Path from the job file, if the text is right from the directory where the command was started.
    private var fromHere: String? {
        guard !base.isEmpty, !text.hasPrefix("/"), (try? PathPattern(text).expand()) != nil else { return nil }
        return FilePath.relative(text, from: base)
    }

    private func hint(for wanted: String, among entries: [DirectoryListing.Entry], in directory: String) -> String {
        let isLast = wanted == FilePath.name(of: text)
        let names = entries.filter { $0.isText && !$0.name.hasPrefix(".") && ($0.kind == .file) == isLast }
            .map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        if let near = NearestName.of(wanted, among: names.prefix(InputNotFound.nameLimit)) {
            return "did you mean '\(directory == "." ? near : FilePath.join(directory, near))'?"
        }
        let place = directory == "." ? (base.isEmpty ? "the working directory" : "'\(base)'") : "'\(directory)'"
        guard isLast else { return "there is no directory '\(wanted)' in \(place)" }
        guard let first = names.first else { return "there is no file in \(place)" }
        return names.count == 1
            ? "the only file in \(place) is '\(first)'" : "\(place) has \(names.count) files, such as '\(first)'"
    }
}
