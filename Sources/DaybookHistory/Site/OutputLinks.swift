import DaybookBytes

/// Which outputs of runs are still where they were written, and how a page leads to them.
struct OutputLinks {
    /// The run that wrote a path last, by the place.
    private var newest: [String: RunRecord.File] = [:]
    /// Directory of the pages, without links.
    private let directory: String

    /// - Parameter records: runs of one job, the latest first.
    init(_ records: [RunRecord], from directory: String) {
        self.directory = directory
        for record in records {
            for file in record.outputs where file.path != "-" {
                let place = OutputLinks.place(of: file, record)
                if newest[place] == nil { newest[place] = file }
            }
        }
    }

    /// Where an output is, seen from the pages; nil where its bytes are no longer there.
    func href(of file: RunRecord.File, _ record: RunRecord) -> String? {
        let place = OutputLinks.place(of: file, record)
        // What a later run has written over is the file of that run, unless its bytes are the same.
        guard place.hasPrefix("/"), file.path != "-", newest[place] == file,
            let status = (try? FileStatus.of(place)) ?? nil, status.isRegularFile, status.size == file.bytes
        else { return nil }
        return OutputLinks.address(of: place, from: directory)
    }

    /// Where a run wrote an output: from the directory of its job, and not from where its links lead, which may be another place tomorrow.
    private static func place(of file: RunRecord.File, _ record: RunRecord) -> String {
        FilePath.tidied(FilePath.join(record.path.isEmpty ? "" : FilePath.directory(of: record.path), file.path))
    }

    /// The relative address of a file, whatever its name holds.
    static func address(of place: String, from directory: String) -> String {
        let to = place.split(separator: "/")
        let from = directory.split(separator: "/")
        let same = zip(to, from).prefix { $0 == $1 }.count
        let parts = Array(repeating: "..", count: from.count - same) + to[same...].map { encoded(String($0)) }
        return parts.joined(separator: "/")
    }

    /// The bytes of a name, all but letters, digits and a few signs as `%20`.
    private static func encoded(_ name: String) -> String {
        name.systemPath.dropLast().reduce(into: "") { text, character in
            let byte = UInt8(bitPattern: character)
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII,
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-._".unicodeScalars.contains(scalar)
            {
                text.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
    }
}
