import DaybookBytes

/// Renames of one commit, flushed to disk before the first rename, so that a kill cannot leave half of them.
///
/// The text has a head line, one line per rename, one for the entry of the history, and a SHA-256 of all these lines.
/// If services take part, it also has the job, a line for each participant, and one line after the decision that the
/// outputs become new. A journal with a wrong sum was damaged, since its final name comes from a rename after the
/// flush.
struct Journal: Equatable {
    struct Rename: Equatable {
        var temporary: String
        var target: String

        /// Refuses a target that is neither absent nor of the replacement's kind: a device, a pipe, a directory.
        func check() throws(SystemFailure) {
            let isLink = try FileStatus.of(temporary, followingLinks: false)?.isLink == true
            guard let found = try FileStatus.of(target, followingLinks: false) else { return }
            guard isLink ? found.isLink : found.isRegularFile else { throw SystemFailure(EEXIST) }
        }

        /// Replaces the old file by the new file or link. It makes only this call, since readers see a mix until the
        /// last rename.
        func make() throws(SystemFailure) {
            guard rename(temporary, target) == 0 else { throw .last }
        }

        /// Completes a rename of the killed `run`; false if it was already complete.
        func finish(of run: RunID) throws(SystemFailure) -> Bool {
            // A completed rename leaves no temporary file.
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
    /// Entry of the run for the history; nil without a history.
    var entry: String? = nil
    /// Name of the job, if services take part. No other run of the job starts before the commit ends.
    var job = ""
    var participants: [ParticipantReference] = []
    /// Whether the journal notes the commit of the deciding participant.
    var isNotedAsDecided = false

    var deciding: ParticipantReference? { participants.first { $0.role == .deciding } }
    /// Whether the outputs become new in every case.
    var isDecided: Bool { isNotedAsDecided || deciding == nil }

    private static let head = "daybook-journal 1 "
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

    /// Last line: a journal without it is incomplete.
    private static func sum(of lines: String) -> String { "sha256 \(SHA256Digest.of(lines))\n" }

    /// Whether the journal must be on disk. A single rename without an entry is atomic by itself.
    var isNeeded: Bool { renames.count > 1 || entry != nil || !participants.isEmpty }

    /// Flushes the renames to disk.
    func flushDirectories() throws(SystemFailure) {
        for directory in Set(renames.map { FilePath.directory(of: $0.target) }) {
            try WholeFile.flushDirectory(directory)
        }
    }
}

extension Journal {
    /// Parses `text` for `run`; nil for any other text.
    ///
    /// It also refuses, even with a correct sum, a rename whose source is not a temporary file of this run in the
    /// directory of its target. So a forged journal can move only files that Daybook makes.
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
            let values = fields.dropFirst().compactMap { PathField.read($0) }
            guard values.count == fields.count - 1 else { return nil }
            switch (fields[0], values.count) {
            case ("job", 1) where job == nil: job = values[0]
            case ("entry", 1) where entry == nil: entry = values[0]
            case ("decided", 0) where !isNotedAsDecided: isNotedAsDecided = true
            case ("rename", 2):
                let (temporary, target) = (values[0], values[1])
                guard temporary.hasPrefix("/"), run.owns(FilePath.name(of: temporary)),
                    FilePath.directory(of: temporary) == FilePath.directory(of: target),
                    !["", ".", ".."].contains(FilePath.name(of: target))
                else { return nil }
                renames.append(Rename(temporary: temporary, target: target))
            default: return nil
            }
        }
        guard participants.isEmpty == (job == nil), participants.count(where: { $0.role == .deciding }) <= 1 else {
            return nil
        }
        (self.run, self.renames, self.entry) = (run, renames, entry)
        (self.job, self.participants, self.isNotedAsDecided) = (job ?? "", participants, isNotedAsDecided)
    }
}

extension ParticipantReference {
    /// Line of the run file and of the journal.
    var line: String {
        let fields = [service, address, token].map { PathField.written($0) }.joined(separator: "\t")
        return "participant\t\(role.rawValue)\t\(fields)\n"
    }

    /// Parses `line`; nil for any other text.
    init?(line fields: [Substring]) {
        guard fields.count == 5, fields[0] == "participant", let role = Role(rawValue: String(fields[1])),
            case let texts = fields[2...].compactMap({ PathField.read($0) }), texts.count == 3
        else { return nil }
        self.init(service: texts[0], role: role, address: texts[1], token: texts[2])
    }
}

/// Path as one field of a line: `%`, tabs, line breaks and NUL become `%` and two hexadecimal digits.
enum PathField {
    static func written(_ path: String) -> String {
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if byte < 0x20 || byte == UInt8(ascii: "%") || byte == 0x7f {
                bytes += "%\(Hexadecimal.text(of: [byte]))".utf8
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
            // The system would end the path here.
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
