import DaybookBytes
import DaybookEngine

/// What is told of the files of a plan before a run: which of them are no regular files, and so may keep it waiting.
public enum StreamNotes {
    /// One line for each, such as `'out/pipe' is a named pipe: the run waits at its end until somebody reads it`.
    public static func lines(of plan: Plan, in directory: String, jobFile: String) -> [String] {
        var lines: [String] = []
        func add(_ path: String, _ pipe: String, _ other: String) {
            guard let status = try? FileStatus.of(FilePath.join(directory, path)), status.isStream else { return }
            let kind = status.isPipe ? "a named pipe" : status.isSocket ? "a socket" : "a device"
            let line = "'\(FilePath.shown(path, from: directory))' is \(kind), no file: \(status.isPipe ? pipe : other)"
            if !lines.contains(line) { lines.append(line) }
        }
        for input in plan.inputPaths(in: directory) where !input.isStandardInput {
            add(input.name, "the run waits for its writer, and reads it once", "the run reads it once, to its end")
        }
        for output in plan.outputPaths where output.text != "-" {
            add(
                output.text,
                "the run waits at its end until somebody reads it, and takes nothing back",
                "the run writes to it at its end, and takes nothing back"
            )
        }
        if let publish = plan.job.publish {
            let job = plan.job.name(in: jobFile)
            do throws(DaybookError) { try Publication.check(publish, from: directory, of: job) } catch {
                lines.append(error.message + (error.hint.map { "; \($0)" } ?? ""))
            }
        }
        return lines
    }
}
