import DaybookCore

/// A file that was read whole and taken apart into the texts that it holds.
struct OpenContainer {
    let text: InputText
    let contents: ContainerContents

    init(
        _ path: InputPath,
        _ source: any SourceNode,
        index: Int,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookError) {
        text = InputText(path, isRaw: true, isCancelled: isCancelled)
        let whole = try OpenContainer.read(text, limit: source.containerLimit)
        contents = try source.contents(of: whole, SourceName(index: index, path: path.shown))
    }

    private static func read(_ text: InputText, limit: Int) throws(DaybookError) -> Bytes {
        let bytes = Bytes(capacity: 64 << 10)
        while true {
            let room = UnsafeMutableRawBufferPointer(start: bytes.reserve(64 << 10), count: 64 << 10)
            let got = try text.read(into: room)
            if got == 0 { return bytes }
            bytes.count += got
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
