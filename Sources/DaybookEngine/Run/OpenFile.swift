/// One file of a source stage, opened: the text that it is, or those that it holds.
package struct OpenFile {
    package let inputs: [OpenInput]
    /// What the file and its parts were found to be, where that had to be found out.
    package let recognised: [String]
    /// The file as it was read to be taken apart.
    private let whole: InputText?

    /// - Parameters:
    ///   - place: the place of the file among those of the run.
    ///   - index: gives a text its place among the texts of the run; it is told where the text stands in its file.
    package init(
        _ path: InputPath,
        of source: any TextSource,
        at place: Int,
        sha256: SHA256Policy = .auto,
        isCancelled: @escaping @Sendable () -> Bool,
        index: (TextHolder?) -> Int
    ) throws(DaybookError) {
        guard type(of: source).readsContainers else {
            inputs = [
                OpenInput(
                    path,
                    index: index(nil),
                    encoding: source.encoding,
                    sha256: sha256,
                    isCancelled: isCancelled
                )
            ]
            recognised = []
            whole = nil
            return
        }
        let file = InputText(
            path,
            isRaw: true,
            sha256: sha256,
            isCancelled: isCancelled
        )
        let contents: ContainerContents
        do throws(DaybookError) {
            let bytes = try OpenFile.read(file, limit: type(of: source).containerLimit)
            contents = try source.contents(of: bytes, SourceName(index: place, path: path.shown))
        } catch { throw error.about(path.shown) }
        let shares = OpenFile.shares(of: file.rawByteCount, among: contents.texts)
        inputs = zip(contents.texts, shares).map { text, share in
            OpenInput(text, of: path, file, share: share, index: index(text.holder))
        }
        recognised = contents.recognised
        whole = file
    }

    /// What was read of the file so far.
    package var text: InputText { whole ?? inputs[0].text }

    /// How many bytes of a file each of its texts stands for, by their lengths; all of them together.
    private static func shares(of size: Int, among texts: [ContainedText]) -> [Int] {
        // One more each, so that texts without a byte have a share as well.
        let all = texts.reduce(0) { $0 + $1.bytes.count + 1 }
        var (length, told) = (0, 0)
        return texts.map { text in
            length += text.bytes.count + 1
            let end = Int(Double(size) * (Double(length) / Double(all)))
            defer { told = end }
            return end - told
        }
    }

    private static func read(_ text: InputText, limit: Int) throws(DaybookError) -> Bytes {
        let bytes = Bytes(capacity: 64 << 10)
        while true {
            if try text.read(64 << 10, into: bytes) == 0 { return bytes }
            if bytes.count > limit {
                throw .machine(
                    "container-too-large",
                    "cannot read '\(text.input.shown)': it holds more than \(limit >> 20) MiB",
                    hint: "such a file is held in memory as a whole; take it apart first"
                )
            }
        }
    }
}
