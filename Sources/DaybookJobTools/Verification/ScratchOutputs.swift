import DaybookBytes
import DaybookEngine

/// Paths in a directory of its own, in the place of those that a job writes.
struct ScratchOutputs {
    /// The path in the job, by the path in its place.
    private(set) var written: [String: String] = [:]
    /// The reverse, for stages that share an output.
    private var places: [String: String] = [:]
    private let directory: String

    init(in directory: String) { self.directory = directory }

    /// The job with its reject files there.
    mutating func redirectRejects(of job: inout Job) {
        job.redirect()
        if let path = job.rejects?.path { job.rejects?.path = place(of: path) }
        for index in job.stages.indices {
            if let path = job.stages[index].rejects?.path { job.stages[index].rejects?.path = place(of: path) }
        }
    }

    mutating func place(of path: PathText) -> PathText {
        let tidied = FilePath.tidied(path.text)
        if !path.isStandardStream, let place = places[tidied] { return PathText(place, at: path.place) }
        let name = path.isStandardStream ? "stream" : FilePath.name(of: path.text)
        let place = FilePath.join(directory, "\(written.count)-\(name)")
        written[place] = path.text
        places[tidied] = place
        return PathText(place, at: path.place)
    }

    /// Notes that a file stands for another one of the job.
    mutating func note(_ place: String, for path: String) { written[place] = path }

    /// The path in the job of a file there.
    func path(of place: String) -> String { written[place] ?? place }
}
