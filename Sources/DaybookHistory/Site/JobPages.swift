/// The names of the pages of a job and its runs.
struct JobPages {
    /// The page of the job, such as `orders-3f9a01bc.html`.
    let job: String
    private let runs: [String: String]

    init(_ job: ListedJob, _ records: [RunRecord]) {
        self.job = JobPages.fileName(job.name, key: "\(job.name)\u{0}\(job.path)")
        let names = records.map { ($0.run, JobPages.fileName("run \($0.run)", key: $0.run)) }
        runs = Dictionary(names) { first, _ in first }
    }

    /// The page of one of the runs.
    func name(of record: RunRecord) -> String { runs[record.run] ?? job }

    /// The name as far as a file may be called so, and a digest that tells what has another key apart.
    private static func fileName(_ name: String, key: String) -> String {
        let digest = SHA256Digest.of(key).prefix(8)
        let words = name.lowercased().unicodeScalars.split {
            !("a"..."z").contains($0) && !("0"..."9").contains($0)
        }
        let plain = words.map { String($0) }.joined(separator: "-").prefix(40)
        return "\(plain.isEmpty ? "job" : String(plain))-\(digest).html"
    }
}
