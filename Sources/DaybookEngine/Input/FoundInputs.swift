import DaybookBytes

/// Files that match the paths of a source in one run, and the files among them to read.
package struct FoundInputs: Sendable {
    /// The files to read.
    package private(set) var read: [InputPath] = []
    /// Files that an earlier run imported.
    package private(set) var taken: [InputPath] = []
    /// Paths, as the job writes them, that match no file and need not match any.
    package private(set) var absent: [String] = []

    /// - Parameters:
    ///   - known: the files that earlier runs imported; nil to read all files.
    ///   - chosen: the only files to read; nil for all files found.
    ///   - made: directories that the run makes for its outputs, which may be missing at the first run.
    init(
        _ source: SourceKind,
        in directory: String,
        of origin: any InputOrigin = LocalFiles(),
        known: IngestedFiles?,
        chosen: ChosenFiles? = nil,
        made: [String] = []
    ) throws(DaybookError) {
        var seen: [String: InputPath] = [:]
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
            let before = (read.count, taken.count)
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
                    if intake.isNewOnly { taken.append(input) }
                } else if intake.isNewOnly, let known, try known.holds(input, with: source.companions) {
                    taken.append(input)
                } else {
                    read.append(input)
                }
            }
            // A repeated run did not find any.
            if before == (read.count, taken.count) { absent.append(path.text) }
        }
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

/// Files that successful runs of a job have read to the end, according to the history.
public struct IngestedFiles: Sendable {
    /// A file by properties that need no read of its content.
    private struct Key: Hashable {
        var path: String
        var bytes: Int
    }

    /// XXH128 of all imported contents of a file of that size.
    private var contents: [Key: Set<String>] = [:]
    private let mask: SecretMask
    /// Base directory of the job's paths.
    private let directory: String

    /// - Parameters:
    ///   - mask: mask by which the history hides secrets in file names.
    ///   - jobFile: the job file; `-` for standard input.
    public init(mask: SecretMask, ofJob jobFile: String) {
        self.mask = mask
        directory = mask.masking(FilePath.canonical(jobFile == "-" ? "." : JobFile.directory(of: jobFile)))
    }

    public mutating func add(path: String, bytes: Int, xxh128: String) {
        contents[key(path, bytes), default: []].insert(xxh128)
    }

    /// Key of a path in any spelling: `in/a.csv`, `./in//a.csv`, and absolute.
    private func key(_ path: String, _ bytes: Int) -> Key {
        Key(path: FilePath.tidied(FilePath.join(directory, path)), bytes: bytes)
    }

    /// Whether a run has read the service at this state of its data.
    func holds(_ version: InputVersion, of address: String) -> Bool {
        contents[key(mask.masking(address), 0)]?.contains(version.digest.xxh128) ?? false
    }

    /// Whether a run has imported the current content of a file and its companion files.
    func holds(_ input: InputPath, with companions: [String]) throws(DaybookError) -> Bool {
        guard !input.isReadOnce, try holds(input) else { return false }
        for ending in companions {
            let companion = input.companion(ending)
            let found: InputIdentity?
            do { found = try companion.identity() } catch { throw .cannotRead(input, error) }
            if let found, found.size > 0, try !holds(companion) { return false }
        }
        return true
    }

    private func holds(_ input: InputPath) throws(DaybookError) -> Bool {
        do throws(SystemFailure) {
            guard let found = try input.identity(), found.kind == .file,
                let known = contents[key(mask.masking(input.name), found.size)]
            else { return false }
            return known.contains(try input.digest().xxh128)
        } catch { throw .cannotRead(input, error) }
    }
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
