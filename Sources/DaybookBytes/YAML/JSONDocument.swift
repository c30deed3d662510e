/// Reads JSON as the YAML that it is, so that every value has its place and all of it has the bounds of a job file.
package enum JSONDocument {
    package static func read(_ bytes: [UInt8], file: String) -> YAMLReader.Reading {
        YAMLReader().read(pairsJoined(bytes), file: file)
    }

    /// The value in a file of JSON or YAML that a job names.
    package static func root(of path: PathText) throws(DaybookError) -> OptionNode {
        let bytes: Bytes?
        do { bytes = try WholeFile.read(path.fromJob, limit: YAMLReader.Limits().bytes) } catch {
            throw DaybookError("unreadable-file", "cannot read '\(path.text)': \(error.reason)", at: path.place)
        }
        guard let bytes else {
            throw DaybookError("missing-file", "there is no file '\(path.text)'", at: path.place)
        }
        let reading = read(Array(bytes.cell(0...)), file: path.shown)
        if let problem = reading.problems.first { throw problem }
        guard let root = reading.root else {
            throw DaybookError("empty-file", "the file '\(path.text)' is empty", at: path.place)
        }
        return root
    }

    /// JSON writes a character beyond U+FFFF as two escapes, YAML as one.
    private static func pairsJoined(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "\\")), bytes.contains(UInt8(ascii: "{")) else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self)
        let pair = /\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/
        return Array(
            text.replacing(pair) { match in
                let high = UInt32(match.1, radix: 16) ?? 0
                let low = UInt32(match.2, radix: 16) ?? 0
                return "\\U000" + String(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), radix: 16)
            }.utf8
        )
    }
}

extension PathText {
    /// The path as the process finds it: relative to the job, like every path of it.
    package var fromJob: String { FilePath.canonical(shown) }

    /// The same as messages name it, from the working directory.
    fileprivate var shown: String {
        let job = place?.file ?? ""
        let isOfKernel = ["/dev/fd/", "/dev/std", "/proc/"].contains(where: job.hasPrefix)
        let directory = isOfKernel ? "." : FilePath.directory(of: job)
        return directory == "." ? text : FilePath.join(directory, text)
    }
}
