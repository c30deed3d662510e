import DaybookBytes
import DaybookEngine

/// Where the outputs of a replay go: into one directory, with as many directories in it as tell them apart.
struct ReplayTargets {
    private var targets: [String: String] = [:]

    /// - Parameters:
    ///   - paths: of the outputs as the job writes them.
    ///   - job: whose directory may be published, and then is known by its link.
    ///   - directory: of the job.
    ///   - into: the directory for them, as the command line names it.
    init(_ paths: [PathText], of job: Job, from directory: String, into: String) {
        let files = paths.map(\.text).filter { $0 != "-" }
        let places = files.map { file in
            let place =
                Publication.visible(file, in: job.publish, from: directory)
                ?? FilePath.canonical(FilePath.join(directory, file))
            return place.split(separator: "/")
        }
        var shared = places.first.map { $0.count - 1 } ?? 0
        for place in places {
            shared = min(shared, zip(place.dropLast(), places[0].dropLast()).prefix { $0 == $1 }.count)
        }
        let target = FilePath.relative(into, from: directory)
        for (file, place) in zip(files, places) {
            targets[file] = FilePath.join(target, place[shared...].joined(separator: "/"))
        }
    }

    /// Where an output goes; `-` stays standard output.
    func target(of path: PathText) -> PathText { PathText(targets[path.text] ?? path.text, at: path.place) }

    /// Refuses to write where something stands: an output that is there may hold rows that are nowhere else.
    func check(_ path: PathText, from directory: String) throws(DaybookError) {
        guard path.text != "-" else { return }
        let place = FilePath.join(directory, path.text)
        let found: FileStatus?
        do { found = try FileStatus.of(place, followingLinks: false) } catch { throw .cannotWrite(place, error) }
        guard found != nil else { return }
        throw DaybookError(
            "output-exists",
            "there is a file '\(FilePath.shown(path.text, from: directory))' already, and a replay replaces none",
            hint: "name another directory with '--into'"
        )
    }
}
