/// Bytes of a file, a pipe or standard input, unchanged.
///
/// The file is opened at the first read and closed at the end, so ten thousand inputs need one descriptor. At the end
/// the file must still have its initial identity.
package final class FileSource: ByteSource {
    private let input: InputPath
    private let isCancelled: @Sendable () -> Bool
    private var file: (any InputBytes)?
    private var opened: InputIdentity?
    private var isOver = false
    /// Part of the file to read; nil for all.
    private var part: TextPart?
    /// Number of bytes read.
    package private(set) var byteCount = 0
    /// Size in bytes after the first read; nil for streams.
    package var size: Int? { opened?.kind == .file ? opened?.size : nil }
    /// Digest of every byte read.
    package var digest: FileDigester?

    package init(_ input: InputPath, isCancelled: @escaping @Sendable () -> Bool) {
        self.input = input
        self.isCancelled = isCancelled
    }

    /// Limits reading to a part of the file. Call it before the first read.
    package func begin(_ part: TextPart) { self.part = part }

    package func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        guard !isOver else { return 0 }
        if isCancelled() { throw .interrupted }
        let file = if let file { file } else { try open() }
        let most = part.map { min(count, $0.length - byteCount) } ?? count
        let start = bytes.count
        let got: Int
        do { got = try file.read(most, into: bytes, isCancelled) } catch {
            guard error.number == EAGAIN else { throw .cannotRead(input, error) }
            throw .machine(
                "not-a-file",
                "cannot read '\(input.shown)': it is no file with an end, but gives bytes as they come",
                hint: "write what is needed of it to a file first, and name that"
            )
        }
        byteCount += got
        digest?.update(bytes, start..<start + got)
        if got == 0 {
            try checkUnchanged(file)
            isOver = true
            self.file = nil
        }
        return got
    }

    private func open() throws(DaybookError) -> any InputBytes {
        do throws(SystemFailure) {
            let file = try input.open(from: part?.offset ?? 0)
            opened = try file.identity()
            self.file = file
            return file
        } catch { throw .cannotRead(input, error) }
    }

    /// Refuses a file that changed while it was read. A report on half an export would be worse than none.
    private func checkUnchanged(_ file: any InputBytes) throws(DaybookError) {
        guard let opened, opened.kind == .file else { return }
        let now: InputIdentity
        do { now = try file.identity() } catch { throw .cannotRead(input, error) }
        // Files of the kernel (/proc) report size 0 but are not empty.
        let end = part.map { $0.offset + $0.length } ?? min(opened.size, now.size)
        let isShort = opened.size > 0 && (part?.offset ?? 0) + byteCount < end
        guard now.size != opened.size || now.stamp != opened.stamp || isShort else { return }
        let change = now.size < opened.size ? "became shorter" : now.size > opened.size ? "grew" : "changed"
        throw .machine(
            "input-changed",
            "'\(input.shown)' \(change) while it was read",
            hint: "run again when nothing writes to it any more, or let its writer put it in place by a rename"
        )
    }
}
