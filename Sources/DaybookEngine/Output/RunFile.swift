/// What a live run has put on the disk so far: `runs/<run-id>.open`, locked for as long as the run lives.
///
/// A path is noted before it is made, so a kill leaves nothing that is not noted. Paths are not flushed: after a
/// loss of power some temporary files may stay behind, and never a wrong output.
package struct RunFile {
    package enum Note: Equatable {
        /// A temporary file.
        case file(String)
        /// A directory that was made for an output.
        case directory(String)
        /// What takes part in the commit.
        case participant(ParticipantReference)
    }

    static let suffix = ".open"

    package let path: String
    package let descriptor: Descriptor

    /// Makes and locks the file. The caller holds the state directory's lock, so nobody finds it unlocked in between.
    package init(creating path: String) throws(DaybookError) {
        self.path = path
        do throws(SystemFailure) {
            descriptor = try Descriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW)
            guard try descriptor.lock() else { throw SystemFailure(EAGAIN) }
        } catch { throw .cannotKeepState(path, error) }
    }

    package func note(_ note: Note) throws(DaybookError) {
        let line =
            switch note {
            case .file(let path): "file\t\(PathField.written(path))\n"
            case .directory(let path): "directory\t\(PathField.written(path))\n"
            case .participant(let participant): participant.line
            }
        do throws(SystemFailure) {
            try descriptor.writeAll(Bytes(line))
            // What a service keeps of a run that nobody knows is never taken back.
            if case .participant = note { try descriptor.flush() }
        } catch { throw .cannotKeepState(path, error) }
    }

    /// The notes of a text. Lines that say nothing are passed over: the last one may have been cut off by a kill, and
    /// what is lost with them is only the clearing away of a file.
    package static func notes(in text: String) -> [Note] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            if let participant = ParticipantReference(line: fields) { return .participant(participant) }
            guard fields.count == 2, let path = PathField.read(fields[1]), path.hasPrefix("/") else { return nil }
            switch fields[0] {
            case "file": return .file(path)
            case "directory": return .directory(path)
            default: return nil
            }
        }
    }
}
