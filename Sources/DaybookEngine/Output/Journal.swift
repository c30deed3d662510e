/// The renames of one commit, on the disk before the first of them is made, so that a kill cannot leave half of them.
///
/// A text: a head line, one line for each rename, one for the entry of the history, and a SHA-256 of all that. A journal whose sum is wrong was damaged,
/// for it appears under its name by a rename after it was flushed.
struct Journal: Equatable {
    struct Rename: Equatable {
        var temporary: String
        var target: String

        /// Refuses a target that is neither absent nor of the kind of what takes its place: a device, a pipe, a directory.
        func check() throws(SystemFailure) {
            let isLink = try FileStatus.of(temporary, followingLinks: false)?.isLink == true
            guard let found = try FileStatus.of(target, followingLinks: false) else { return }
            guard isLink ? found.isLink : found.isRegularFile else { throw SystemFailure(EEXIST) }
        }

        /// Puts the new file, or the new link, in the place of the old one. Only this one call, for readers may see a mix until the last.
        func make() throws(SystemFailure) {
            guard rename(temporary, target) == 0 else { throw .last }
        }

        /// Does what `run` was killed before; false when that was done already.
        func finish(of run: RunID) throws(SystemFailure) -> Bool {
            // A rename that was made has taken its temporary file away.
            guard let left = try FileStatus.of(temporary, followingLinks: false) else { return false }
            let published = Publication.name(of: FilePath.name(of: target), run)
            guard left.isRegularFile || (left.isLink && FilePath.link(at: temporary) == published) else {
                throw SystemFailure(EINVAL)
            }
            try check()
            try make()
            return true
        }
    }

    var run: RunID
    var renames: [Rename]
    /// What the history is to keep of the run; nil where nobody keeps one.
    var entry: String? = nil

    private static let head = "daybook-journal 1 "
    private static let sumHead = "sha256 "
    var text: String {
        var lines = Journal.head + run.description + "\n"
        for rename in renames {
            lines += "rename\t\(PathField.written(rename.temporary))\t\(PathField.written(rename.target))\n"
        }
        if let entry { lines += "entry\t\(PathField.written(entry))\n" }
        return lines + Journal.sum(of: lines)
    }

    /// The last line: without it, a journal was not written to its end.
    private static func sum(of lines: String) -> String { sumHead + SHA256Digest.of(lines) + "\n" }

    /// Whether it has to be on the disk: one rename without an entry is all or nothing by itself.
    var isNeeded: Bool { renames.count > 1 || entry != nil }

    /// Makes the renames last.
    func flushDirectories() throws(SystemFailure) {
        for directory in Set(renames.map { FilePath.directory(of: $0.target) }) {
            try WholeFile.flushDirectory(directory)
        }
    }
}

extension Journal {
    /// Reads what `text` wrote for `run`; nil when it is anything else.
    ///
    /// Also refused, although the sum may be right: a rename whose source is not a temporary file of this very run in
    /// the directory of its target. So a forged journal cannot move any file but the ones that Daybook makes.
    init?(_ text: String, of run: RunID) {
        guard let body = String(text.utf8.dropLast(Journal.sum(of: "").utf8.count)), body.hasSuffix("\n"),
            text == body + Journal.sum(of: body)
        else { return nil }
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        guard let head = lines.first, head == Journal.head + run.description else { return nil }
        var renames: [Rename] = []
        var entry: String?
        for line in lines.dropFirst() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            if fields.count == 2, fields[0] == "entry", entry == nil {
                entry = PathField.read(fields[1])
                guard entry != nil else { return nil }
                continue
            }
            guard fields.count == 3, fields[0] == "rename" else { return nil }
            guard let temporary = PathField.read(fields[1]), let target = PathField.read(fields[2]) else { return nil }
            guard temporary.hasPrefix("/"), run.owns(FilePath.name(of: temporary)) else { return nil }
            guard FilePath.directory(of: temporary) == FilePath.directory(of: target) else { return nil }
            guard !["", ".", ".."].contains(FilePath.name(of: target)) else { return nil }
            renames.append(Rename(temporary: temporary, target: target))
        }
        self.init(run: run, renames: renames, entry: entry)
    }
}

/// A path as one field of a line: `%`, tabs, line breaks and NUL are written as `%` and two hexadecimal digits.
enum PathField {
    static func written(_ path: String) -> String {
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if byte < 0x20 || byte == UInt8(ascii: "%") || byte == 0x7f {
                let digits = Array("0123456789abcdef".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func read(_ field: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            // The system would take the path to end here.
            guard byte != 0 else { return nil }
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                value != 0
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
