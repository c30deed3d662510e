import DaybookBytes
import DaybookJSON
import DaybookSQLite

/// Finds the data of an attribute: in the table, or in a file of its own beside the store.
struct CoreDataContents: BLOBContents {
    /// The folder of data in files of their own.
    private let directory: String
    /// Whether each BLOB begins with a byte that says where its data is.
    let isExternal: Bool
    private let isCancelled: @Sendable () -> Bool

    /// The most bytes of a file, as of any value of a store.
    static let largest = 64 << 20

    init(_ file: StoreFile, isExternal: Bool = false) {
        let name = FilePath.name(of: file.path)
        let stem = name.lastIndex(of: ".").map { $0 > name.startIndex ? String(name[..<$0]) : name } ?? name
        directory = FilePath.join(FilePath.directory(of: file.path), ".\(stem)_SUPPORT/_EXTERNAL_DATA")
        self.isExternal = isExternal
        let room = file.room
        isCancelled = { room.isCancelled }
    }

    func place(of blob: Cell) -> BLOBPlace {
        if let name = blob.externalName { return file(name) }
        return .blob(from: isExternal && blob.first == 1 ? 1 : 0)
    }

    /// Links are not followed, for they may lead out of the folder.
    private func file(_ name: String) -> BLOBPlace {
        let path = FilePath.join(directory, name)
        guard FilePath.canonical(path) == path, let file = Descriptor.plainFile(at: path) else { return .missingFile }
        do {
            guard try file.status().size <= CoreDataContents.largest else { return .largeFile }
            let bytes = try file.readAll(upTo: CoreDataContents.largest, isCancelled)
            return bytes.count > CoreDataContents.largest ? .largeFile : .file(bytes)
        } catch { return .missingFile }
    }

    func json(of contents: Cell) -> Bytes? {
        let bytes = Bytes(capacity: contents.count)
        bytes.append(contents)
        guard let value = try? StoredValueReader.read(data: bytes) else { return nil }
        switch value.form {
        case .json(let text, _): return text.isWholeJSON ? text : nil
        case .list(let list, let root): return try? PropertyListJSON.write(list, root).text
        }
    }
}

extension Bytes {
    /// Whether the bytes are one JSON text.
    fileprivate var isWholeJSON: Bool {
        defer { withExtendedLifetime(self) {} }
        return StoredValueReader.isJSON(filled)
    }
}
