import CFiles

/// The names in a directory.
package struct DirectoryListing {
    package enum Kind {
        case file
        case directory
        /// A link, or something that only a look at the file itself can tell.
        case unknown
    }

    package struct Entry {
        package var name: String
        package var kind: Kind
        /// False for a name that is not valid UTF-8 and so cannot be shown as it is.
        package var isText: Bool
    }

    /// What the directory at `path` holds, without `.` and `..`, in no order.
    package static func entries(in path: String) throws(SystemFailure) -> [Entry] {
        guard let directory = opendir(path.systemPath) else { throw .last }
        defer { closedir(directory) }
        var entries: [Entry] = []
        while true {
            errno = 0
            guard let found = readdir(directory) else {
                if errno != 0 { throw .last }
                return entries
            }
            let name = SystemPath.text([UInt8](daybook_name(found)))
            if name == "." || name == ".." { continue }
            let kind: Kind =
                switch Int32(found.pointee.d_type) {
                case Int32(DT_REG): .file
                case Int32(DT_DIR): .directory
                default: .unknown
                }
            entries.append(Entry(name: name, kind: kind, isText: !SystemPath.isEscaped(name)))
        }
    }

    /// The names alone.
    package static func names(in path: String) throws(SystemFailure) -> [String] {
        try entries(in: path).map(\.name)
    }
}
