import DaybookBytes
import DaybookEngine

/// A reject file: read line by line, as often as it takes, a line at a time in memory.
final class RejectFile: @unchecked Sendable {
    /// As the command line names it.
    let path: String
    /// As messages about a job in its directory name it.
    let name: String
    private let status: FileStatus

    /// The longest line that is read. The record in it may be no longer than those that importers take.
    static let longestLine = 256 << 20

    /// - Parameter directory: that of the job.
    init(_ path: String, from directory: String) throws(DaybookError) {
        self.path = path
        name = FilePath.relative(path, from: directory)
        do throws(SystemFailure) {
            guard path != "-" else { throw SystemFailure(ESPIPE) }
            guard let status = try FileStatus.of(path) else {
                throw SystemFailure(ENOENT)
            }
            guard status.isRegularFile else { throw SystemFailure(status.isDirectory ? EISDIR : ESPIPE) }
            self.status = status
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR:
                var missing = InputNotFound(path, from: "", isPattern: false).error
                missing.message = "there is no reject file '\(path)'"
                throw missing
            case ESPIPE:
                throw DaybookError(
                    "not-a-file",
                    "the reject file is read more than once, so '\(path)' cannot be a stream",
                    hint: "write it to a file first"
                )
            default: throw .cannotRead(path, error)
            }
        }
    }

    /// What a reader has of a line: its bytes without the line end, its number from 1, and where it begins in the file.
    struct Line {
        var bytes: Bytes
        var number: Int
        var offset: Int

        var isBlank: Bool {
            defer { withExtendedLifetime(bytes) {} }
            return bytes.filled.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        }

        /// An editor may have begun the file with a byte-order mark, which is no part of the line.
        fileprivate var withoutMark: Line {
            defer { withExtendedLifetime(bytes) {} }
            guard offset == 0, bytes.filled.starts(with: [0xEF, 0xBB, 0xBF]) else { return self }
            let rest = Bytes(capacity: bytes.count)
            rest.append(3..., of: bytes)
            return Line(bytes: rest, number: number, offset: 3)
        }
    }

    /// Gives the lines one after another.
    final class Lines {
        private let file: RejectFile
        private let descriptor: Descriptor
        private let digest: FileDigester?
        private var buffer = Bytes(capacity: 1 << 20)
        private var used = 0
        private var number = 0
        private var offset = 0
        private var isAtEnd = false
        private(set) var byteCount = 0

        init(_ file: RejectFile, digest: FileDigester? = nil) throws(DaybookError) {
            self.file = file
            self.digest = digest
            do { descriptor = try Descriptor(opening: file.path, O_RDONLY | O_NOCTTY) } catch {
                throw .cannotRead(file.path, error)
            }
        }

        func next() throws(DaybookError) -> Line? {
            var searched = 0
            while true {
                let rest = buffer.cell((used + searched)...)
                if let feed = rest.firstIndex(of: 10) { return take(searched + feed, ending: 1) }
                searched += rest.count
                if isAtEnd { return searched == 0 ? nil : take(searched, ending: 0) }
                guard searched <= RejectFile.longestLine else {
                    throw DaybookError(
                        "line-too-long",
                        "a line is longer than \(RejectFile.longestLine >> 20) MiB",
                        at: SourcePlace(file: file.path, line: number + 1, column: 1),
                        hint: "is it a reject file?",
                        blame: .data
                    )
                }
                try fill()
            }
        }

        private func take(_ length: Int, ending: Int) -> Line {
            let bytes = Bytes(capacity: length)
            bytes.append(used..<used + length, of: buffer)
            number += 1
            let line = Line(bytes: bytes, number: number, offset: offset)
            used += length + ending
            offset += length + ending
            return line.withoutMark
        }

        private func fill() throws(DaybookError) {
            if used > 0 {
                let rest = Bytes(capacity: max(1 << 20, 2 * (buffer.count - used)))
                rest.append(used..., of: buffer)
                buffer = rest
                used = 0
            }
            do {
                let got = try descriptor.read(1 << 20, into: buffer)
                digest?.update(buffer, buffer.count - got..<buffer.count)
                byteCount += got
                isAtEnd = got == 0
            } catch { throw .cannotRead(file.path, error) }
        }
    }

    /// The line in which `byte` stands; nil where it cannot be read again.
    func line(around byte: Int, number: Int) -> Line? {
        guard let descriptor = try? Descriptor(opening: path, O_RDONLY) else { return nil }
        var start = byte
        search: while start > 0 {
            let size = min(start, 64 << 10)
            var part = [UInt8](repeating: 0, count: size)
            guard pread(descriptor.number, &part, size, off_t(start - size)) == size else { return nil }
            if let feed = part.lastIndex(of: 10) {
                start += feed + 1 - size
                break search
            }
            start -= size
            guard byte - start <= RejectFile.longestLine else { return nil }
        }
        return line(from: start, number: number, descriptor)
    }

    private func line(from start: Int, number: Int, _ descriptor: Descriptor) -> Line? {
        let bytes = Bytes(capacity: 64 << 10)
        while bytes.count <= RejectFile.longestLine {
            let part = descriptor.bytes(at: start + bytes.count, count: 64 << 10)
            guard !part.isEmpty || start + bytes.count >= status.size else { return nil }
            let line = part.prefix { $0 != 10 }
            bytes.append(line)
            if line.count < part.count || part.isEmpty {
                return Line(bytes: bytes, number: number, offset: start).withoutMark
            }
        }
        return nil
    }

    /// Refuses to go on with a file that somebody has written to since the replay began.
    func checkUnchanged() throws(DaybookError) {
        let now: FileStatus?
        do { now = try FileStatus.of(path) } catch { throw .cannotRead(path, error) }
        guard now != status else { return }
        throw .machine(
            "input-changed",
            "'\(path)' changed while it was replayed",
            hint: "replay it again when nothing writes to it any more"
        )
    }

    /// An error about a place in the file.
    func error(_ fault: RejectRecord.Fault, line: Int) -> DaybookError {
        DaybookError(
            fault.code,
            fault.message,
            at: SourcePlace(file: path, line: line, column: fault.column),
            hint: fault.hint,
            blame: .data
        )
    }
}
