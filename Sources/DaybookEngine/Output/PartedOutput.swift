/// An output in parts: a directory of the output's name with `part-000000.csv` and so on, which one behind the other are the output.
///
/// Touched by the committing thread only.
package final class PartedOutput: RunOutput, @unchecked Sendable {
    private(set) var files: [OutputFile] = []
    private(set) var adoptedRows = 0
    private let path: PathText
    private let base: String
    private let transaction: OutputTransaction
    /// The part that is being written.
    private var current: OutputFile?

    init(_ path: PathText, from base: String, _ transaction: OutputTransaction) {
        (self.path, self.base, self.transaction) = (path, base, transaction)
    }

    package func write(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError) {
        if !part.isEmpty { try opened().append(bytes, part) }
    }

    /// Puts a part that a shard has written behind those before.
    func adopt(_ part: OutputPart, at place: String) throws(DaybookError) {
        current = nil
        add(try transaction.adopt(part, at: place, as: nextPath, from: base))
        adoptedRows += part.rows
    }

    /// Makes sure that there is a part, also of no rows.
    func end() throws(DaybookError) { if files.isEmpty { _ = try opened() } }

    private func opened() throws(DaybookError) -> OutputFile {
        if let current { return current }
        do throws(DaybookError) {
            let file = try transaction.open(nextPath, from: base)
            current = file
            add(file)
            return file
        } catch { throw error.located(at: path.place) }
    }

    private func add(_ file: OutputFile) {
        file.whole = path.text
        files.append(file)
    }

    private var nextPath: String {
        let digits = String(files.count)
        return PartedOutput.path(of: String(repeating: "0", count: max(0, 6 - digits.count)) + digits, in: path.text)
    }

    /// The path of the part `000000` of an output: `out/all.csv/part-000000.csv`.
    package static func path(of part: String, in output: String) -> String {
        let name = FilePath.name(of: output)
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        return FilePath.join(output, "part-\(part)\(ending)")
    }
}
