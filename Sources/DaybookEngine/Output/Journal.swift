import DaybookBytes

/// The renames of one commit, on the disk before the first of them is made, so that a kill cannot leave half of them.
///
/// A text: a head line, one line for each rename, one for the entry of the history, and a SHA-256 of all that. Where services take part, also the
/// job, a line for each participant, and one once it is decided that the outputs become new. A journal whose sum is wrong was damaged,
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
    /// The job, where services take part: nothing else of it runs before the commit has come to its end.
    var job = ""
    var participants: [ParticipantReference] = []
    /// Whether the deciding participant is known to have committed.
    var isNotedAsDecided = false

    var deciding: ParticipantReference? { participants.first { $0.role == .deciding } }
    /// Whether the outputs become new, whatever happens.
    var isDecided: Bool { isNotedAsDecided || deciding == nil }

    private static let head = "daybook-journal 1 "
    private static let sumHead = "sha256 "
    var text: String {
        var lines = Journal.head + run.description + "\n"
        for rename in renames {
            lines += "rename\t\(PathField.written(rename.temporary))\t\(PathField.written(rename.target))\n"
        }
        if let entry { lines += "entry\t\(PathField.written(entry))\n" }
        if !participants.isEmpty {
            lines += "job\t\(PathField.written(job))\n" + participants.map(\.line).joined()
            if isNotedAsDecided { lines += "decided\n" }
        }
        return lines + Journal.sum(of: lines)
    }

    /// The last line: without it, a journal was not written to its end.
    private static func sum(of lines: String) -> String { sumHead + SHA256Digest.of(lines) + "\n" }

    /// Whether it has to be on the disk: one rename without an entry is all or nothing by itself.
    var isNeeded: Bool { renames.count > 1 || entry != nil || !participants.isEmpty }

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
        var (job, participants, isNotedAsDecided): (String?, [ParticipantReference], Bool) = (nil, [], false)
        for line in lines.dropFirst() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            if let participant = ParticipantReference(line: fields) {
                participants.append(participant)
                continue
            }
            if fields.count == 2, fields[0] == "job", job == nil {
                job = PathField.read(fields[1])
                guard job != nil else { return nil }
                continue
            }
            if fields == ["decided"], !isNotedAsDecided {
                isNotedAsDecided = true
                continue
            }
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
        guard participants.isEmpty == (job == nil), participants.count(where: { $0.role == .deciding }) <= 1 else {
            return nil
        }
        self.init(
            run: run,
            renames: renames,
            entry: entry,
            job: job ?? "",
            participants: participants,
            isNotedAsDecided: isNotedAsDecided
        )
    }
}

extension ParticipantReference {
    /// A line of the run file and of the journal.
    var line: String {
        let fields = [service, address, token].map { PathField.written($0) }.joined(separator: "\t")
        return "participant\t\(role.rawValue)\t\(fields)\n"
    }

    /// What `line` wrote; nil for anything else.
    init?(line fields: [Substring]) {
        guard fields.count == 5, fields[0] == "participant", let role = Role(rawValue: String(fields[1])),
            let service = PathField.read(fields[2]), let address = PathField.read(fields[3]),
            let token = PathField.read(fields[4])
        else { return nil }
        self.init(service: service, role: role, address: address, token: token)
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
