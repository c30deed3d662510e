import DaybookBytes
import DaybookDiscover

/// A first job for the directory of an app's files: its records go out and come back, and all else is copied.
struct ContainerGuess {
    private typealias Way = (way: GuessedReturn, export: String, options: [SuggestedOption])

    let text: String
    let notes: [String]

    /// How many files are looked at; the others of a larger container are named.
    private static let mostFiles = 500
    /// How many files that are only copied are named.
    private static let mostNamed = 60

    /// Whether a path is the directory of an app's files, or a zip archive that is no spreadsheet or document.
    static func isContainer(_ path: String) -> Bool {
        let isArchive = ZipPath.isArchive(path)
        guard isArchive || (try? FileStatus.of(path))??.isDirectory == true else { return false }
        if FilePath.tidied(path).hasSuffix(".xcappdata") { return true }
        let names = Set((try? DirectoryListing.names(in: path)) ?? [])
        if isArchive { return names.isDisjoint(with: ["[Content_Types].xml", "mimetype"]) }
        return !names.isDisjoint(with: ["AppData", "shared_prefs"]) || names.isSuperset(of: ["Documents", "Library"])
    }

    /// - Parameter directory: where the job will stand.
    init(_ guess: Guess, of container: String, from directory: String) throws(DaybookErrors) {
        let container = FilePath.tidied(container)
        let name = FilePath.name(of: container)
        let isArchive = ZipPath.isArchive(container)
        let files = try guess.files(of: isArchive ? container + "/" : container)
        var ways: [Way] = []
        var copied: [String] = []
        var parts: [String] = []
        for (number, file) in files.enumerated() {
            let inside = FilePath.relative(file.path, from: container)
            guard number < ContainerGuess.mostFiles, !ContainerGuess.isOfSystem(inside) else {
                copied.append(inside)
                continue
            }
            do throws(DaybookErrors) {
                let (found, others) = try ContainerGuess.ways(guess, file, to: "out/\(name)/\(inside)", beside: ways)
                if found.isEmpty { copied.append(inside) } else { parts += others.map { "\($0) of \(inside)" } }
                ways += found
            } catch {
                if error.errors.contains(where: { $0.code == "interrupted" }) { throw error }
                copied.append(inside)
            }
        }
        guard !ways.isEmpty else {
            throw DaybookErrors([
                DaybookError(
                    "no-records",
                    "'\(container)' has no records that a job could change, in \(DisplayText.count(files.count, "file"))",
                    hint: "name one of its files to see why",
                    blame: .data
                )
            ])
        }
        let place = FilePath.relative(container, from: directory)
        text = try guess.containerText(
            of: place,
            isArchive: isArchive,
            named: name,
            ways,
            leftOut: ContainerGuess.named(copied + parts)
        )
        let read = Set(ways.map(\.way.path)).count
        var notes = ["found records in \(DisplayText.count(ways.count, "place")) of \(DisplayText.count(read, "file"))"]
        if !copied.isEmpty {
            let files = DisplayText.count(copied.count, "other file is", "other files are")
            notes.append("\(files) copied as \(copied.count == 1 ? "it is" : "they are")")
        }
        self.notes = notes
    }

    /// Caches and states of the system, which no job changes.
    private static func isOfSystem(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return !Set(["Caches", "tmp", "SystemData", "SplashBoard", "Saved Application State"].map { Substring($0) })
            .isDisjoint(with: parts)
    }

    /// The ways of a file, and the parts that cannot go back. Those of a store lead to tables beside the container, since
    /// stores are only read.
    private static func ways(
        _ guess: Guess,
        _ file: InputPath,
        to output: String,
        beside others: [Way]
    ) throws(DaybookErrors) -> (found: [Way], left: [String]) {
        var (found, left): ([Way], [String]) = ([], [])
        for way in try guess.waysBack(of: file) {
            switch way.stage {
            case "import_core_data", "import_sqlite":
                let head = "\(output.split(separator: "/").prefix(2).joined(separator: "/"))-\(way.name)"
                let taken = (others + found).flatMap { $0.options.prefix(1).map(\.value) }
                let names = ["\(head).json"] + (2...1_000).lazy.map { "\(head)-\($0).json" }
                let table = names.first { !taken.contains(.text($0)) } ?? names[0]
                found.append((way, "export_json", [SuggestedOption("path", .text(table))]))
            case "import_user_defaults", "import_json":
                do throws(DaybookError) {
                    let back = try RecordsBack(way, file.path)
                    found.append((way, back.export, back.options(to: output)))
                } catch { left.append("'\(way.name)'") }
            default: left.append("'\(way.name)'")
            }
        }
        return (found, left)
    }

    /// The first files, and the number of the others.
    private static func named(_ files: [String]) -> [String] {
        let named = Array(files.prefix(mostNamed))
        return files.count > mostNamed ? named + ["and \(DisplayText.count(files.count - mostNamed)) more"] : named
    }
}
