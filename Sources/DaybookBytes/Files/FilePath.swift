import CFiles

/// Paths as texts: the few operations that the pipeline needs.
public enum FilePath {
    /// `path` as seen from `directory`; an absolute path stays as it is.
    public static func join(_ directory: String, _ path: String) -> String {
        if path.hasPrefix("/") || directory.isEmpty { return path }
        return directory.hasSuffix("/") ? directory + path : directory + "/" + path
    }

    /// The directory that holds `path`: `.` for a bare name, `/` for a name at the root.
    public static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The part after the last slash.
    public static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// One spelling for every path to the same file: absolute, without links, `.` and `..`.
    ///
    /// The file may be missing; the existing part of the path is resolved, the rest is normalised. Two paths with the
    /// same canonical text are one file: so an input that is also an output is detected.
    public static func canonical(_ path: String) -> String {
        var path = path.isEmpty ? "." : path
        for _ in 0..<40 {
            if let real = realpath(path.systemPath, nil) {
                defer { free(real) }
                return SystemPath.text([UInt8](real))
            }
            guard let target = link(at: path) else { break }
            path = join(directory(of: path), target)
        }
        let name = name(of: path)
        if name.isEmpty || path == "/" { return path == "/" ? path : canonical(String(path.dropLast())) }
        // Only a deleted working directory leaves nothing more to remove.
        if path == "." { return path }
        let parent = canonical(directory(of: path))
        switch name {
        case ".": return parent
        case "..": return directory(of: parent)
        default: return join(parent, name)
        }
    }

    /// A file's own name in its resolved directory: the path stays the same if the name is a link that is switched.
    package static func place(of path: String) -> String { join(canonical(directory(of: path)), name(of: path)) }

    /// The file that standard input was redirected from; nil for a pipe, a terminal or a device.
    package static var standardInput: String? {
        guard (try? Descriptor(borrowing: STDIN_FILENO).status())?.isRegularFile == true else { return nil }
        return canonical("/dev/stdin")
    }

    /// Where the symbolic link at `path` points, or nil when there is none.
    package static func link(at path: String) -> String? {
        var target = [CChar](repeating: 0, count: 4096)
        let length = readlink(path.systemPath, &target, target.count)
        guard length > 0, length < target.count else { return nil }
        return SystemPath.text([UInt8](target))
    }

    /// The order of paths by their bytes.
    package static func precedes(_ one: String, _ other: String) -> Bool {
        // Strings in memory are compared at once.
        let isLess = one.utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { mine.comesBefore($0) }
        }
        return isLess?.flatMap { $0 } ?? one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// A path of a job in `directory`, relative to where the command was started.
    package static func shown(_ path: String, from directory: String) -> String {
        path == "-" || directory == "." || directory.isEmpty ? path : tidied(join(directory, path))
    }

    /// The path without `.` and without a directory that `..` leaves again.
    ///
    /// Opens no file: where a directory is a link, `..` leads elsewhere.
    package static func tidied(_ path: String) -> String {
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        var tidied: [UInt8] = []
        tidied.reserveCapacity(path.utf8.count)
        // Where each directory that '..' may leave begins.
        var begins: [Int] = []
        if path.utf8.first == slash { tidied.append(slash) }
        let root = tidied.count
        for part in path.utf8.split(separator: slash) where !part.elementsEqual(CollectionOfOne(dot)) {
            let isUp = part.count == 2 && part.allSatisfy { $0 == dot }
            if isUp, let begin = begins.popLast() {
                tidied.removeSubrange(max(root, begin - 1)...)
                continue
            }
            if tidied.count > root { tidied.append(slash) }
            if !isUp { begins.append(tidied.count) }
            tidied += part
        }
        return tidied.isEmpty ? "." : String(decoding: tidied, as: UTF8.self)
    }

    /// `path`, relative to the working directory, made relative to `directory`. An absolute path is unchanged.
    package static func relative(_ path: String, from directory: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        let here = canonical(".")
        let base = canonical(directory.isEmpty ? "." : directory)
        if here == base { return path }
        let parts = canonical(path).split(separator: "/")
        let from = base.split(separator: "/")
        let same = zip(parts, from).prefix { $0 == $1 }.count
        return (Array(repeating: "..", count: from.count - same) + parts[same...]).joined(separator: "/")
    }
}

/// Why a path means something else elsewhere and is no file name here: a home directory, an address, a shell variable.
///
/// To use a file of such a name, write `./` before it.
package enum ForeignPath {
    /// What to write instead; nil for a path without a foreign meaning.
    package static func hint(for text: String) -> String? {
        let first = text.prefix { $0 != "/" }
        let rest = text.dropFirst(first.count)
        if first == "~" { return "'~' is not the home directory here; write '${env:HOME}\(rest)'" }
        if first.hasPrefix("~"), !rest.isEmpty { return "'\(first)' is not a home directory here; write the path out" }
        if first.hasSuffix(":"), rest.hasPrefix("//") {
            let path = rest.dropFirst(2)
            if first == "file:", path.hasPrefix("/") { return "a path has no 'file://' before it; write '\(path)'" }
            return "only files are read and written; let another program fetch '\(first)//' or send to it"
        }
        let name = first.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        if first.hasPrefix("$"), name.first?.isNumber == false {
            return "'$\(name)' is not filled in here; write '${env:\(name)}\(text.dropFirst(name.count + 1))'"
        }
        return nil
    }
}

/// Paths as texts without loss of bytes.
///
/// A file name is bytes for the system and need not be UTF-8. A byte outside UTF-8 becomes the private character
/// U+10FF00 + byte in the text, and is converted back for the system; so are the bytes of such a character if a name
/// has one itself. Every other path is its own text. (After PEP 383, with characters that Swift has.)
public enum SystemPath {
    /// The text of a path that the system gave.
    package static func text(_ bytes: [UInt8]) -> String {
        if let exact = String(validating: bytes, as: UTF8.self), !isEscaped(exact) { return exact }
        var text = ""
        var index = 0
        while index < bytes.count {
            let length = min(bytes[index].utf8Length, bytes.count - index)
            let part = bytes[index..<index + length]
            if let exact = String(validating: part, as: UTF8.self), !isEscaped(exact) {
                text += exact
                index += length
            } else {
                text.unicodeScalars.append(Unicode.Scalar(0x10FF00 + UInt32(bytes[index])) ?? "\u{FFFD}")
                index += 1
            }
        }
        return text
    }

    /// The arguments of the process, without its name; paths among them lose no byte. Nil if they cannot be found.
    public static var arguments: [String]? {
        if CommandLine.argc > 0 {
            return (1..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0].map { text([UInt8]($0)) } }
        }
        // Swift looks for them in front of the environment, and a preloaded library may have moved that elsewhere.
        guard
            let line = try? Descriptor(opening: "/proc/self/cmdline", O_RDONLY).readAll(upTo: 1 << 30).array,
            !line.isEmpty
        else { return nil }
        let parts = line.split(separator: 0, omittingEmptySubsequences: false)
        return parts.dropFirst().dropLast().map { text(Array($0)) }
    }

    /// Whether a text holds a byte that is no part of UTF-8.
    package static func isEscaped(_ text: String) -> Bool {
        // In UTF-8 these characters begin with F4 8F BE or F4 8F BF.
        text.utf8.contains(0xF4) && text.unicodeScalars.contains { PrintableText.escapedByte.contains($0.value) }
    }

    fileprivate static func bytes(of text: String) -> [CChar] {
        let bytes = text.unicodeScalars.flatMap { scalar -> [CChar] in
            if PrintableText.escapedByte.contains(scalar.value) { return [CChar(truncatingIfNeeded: scalar.value)] }
            return scalar.utf8.map { CChar(bitPattern: $0) }
        }
        return bytes + [0]
    }

    /// Exchanges the names of two paths in one step; false if the system cannot.
    package static func exchange(_ one: String, _ other: String) throws(SystemFailure) -> Bool {
        if daybook_exchange(one.systemPath, other.systemPath) == 0 { return true }
        guard [ENOSYS, EINVAL, ENOTSUP].contains(errno) else { throw .last }
        return false
    }
}

extension String {
    /// The path as the system needs it, with a NUL at its end.
    package var systemPath: [CChar] {
        SystemPath.isEscaped(self) ? SystemPath.bytes(of: self) : utf8.map { CChar(bitPattern: $0) } + [0]
    }
}

// The system calls under their own names, for paths as texts: no caller, in this module or above it, loses a byte. The
// C library's own functions, which each of them calls, take texts as well, but only valid UTF-8.

@discardableResult package func unlink(_ path: String) -> Int32 { unlink(path.systemPath) }

@discardableResult package func rmdir(_ path: String) -> Int32 { rmdir(path.systemPath) }

@discardableResult package func mkdir(_ path: String, _ mode: mode_t) -> Int32 { mkdir(path.systemPath, mode) }

package func access(_ path: String, _ mode: Int32) -> Int32 { access(path.systemPath, mode) }

@discardableResult package func rename(_ old: String, _ new: String) -> Int32 { rename(old.systemPath, new.systemPath) }

@discardableResult package func link(_ old: String, _ new: String) -> Int32 { link(old.systemPath, new.systemPath) }

@discardableResult package func symlink(_ target: String, _ path: String) -> Int32 {
    symlink(target.systemPath, path.systemPath)
}
