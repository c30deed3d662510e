import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes

/// Files in zip archives, read by paths that lead into them.
@Suite struct ZipTests {
    let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    /// Two files written to a stream, with their sizes behind them: one deflated, one stored (Python's zipfile).
    private static let streamed =
        "UEsDBBQACAAIAMFLYVwAAAAAAAAAAAAAAAAUAAAARG9jdW1lbnRzL21vb2RzLmpzb26LrlbKTFGyUjDUUVDKzc8HMZXSQXStjgJUyghJKikRKBMLAFBLBwgE0Ecn"
        + "IwAAADUAAABQSwMEFAAICAAAfb+fWwAAAAAAAAAAAAAAABoAAABEb2N1bWVudHMvRm90b3Mvw6RwZmVsLnR4dHN0b3JlZCBhcyBpdCBpc1BLBwhleNFaDwAAAA8A"
        + "AABQSwECFAMUAAgACADBS2FcBNBHJyMAAAA1AAAAFAAAAAAAAAAAAAAAgAEAAAAARG9jdW1lbnRzL21vb2RzLmpzb25QSwECFAMUAAgIAAB9v59bZXjRWg8AAAAP"
        + "AAAAGgAAAAAAAAAAAAAAoAFlAAAARG9jdW1lbnRzL0ZvdG9zL8OkcGZlbC50eHRQSwUGAAAAAAIAAgCKAAAAvAAAAAAA"
    /// One file whose own header has the sizes in the large form.
    private static let large =
        "UEsDBC0AAAAAAAAAIVxXbhkp//////////8FABQAYS50eHQBABAACgAAAAAAAAAKAAAAAAAAAGxhcmdlIGZvcm1QSwECLQMtAAAAAAAAACFcV24ZKQoAAAAKAAAA"
        + "BQAAAAAAAAAAAAAAgAEAAAAAYS50eHRQSwUGAAAAAAEAAQAzAAAAQQAAAAAA"

    private func archive(_ base64: String = streamed, _ name: String = "a.zip") throws -> String {
        try place.write(try #require(Data(base64Encoded: base64)), to: name).path
    }

    private func put(_ bytes: [UInt8], _ name: String) throws -> String {
        try place.write(Data(bytes), to: name).path
    }

    private func text(_ path: String) throws -> String {
        let file = try Descriptor(opening: path, O_RDONLY)
        let bytes = try file.readAll(upTo: 8 << 20)
        return bytes.text(0..<bytes.count)
    }

    @Test func filesAreReadAndListed() throws {
        let zip = try archive()
        #expect(try text("\(zip)/Documents/moods.json") == #"[{"id": 1, "mood": "good"}, {"id": 2, "mood": "bad"}]"#)
        #expect(try text("\(zip)/Documents/Fotos/äpfel.txt") == "stored as it is")
        #expect(try DirectoryListing.names(in: zip) == ["Documents"])
        #expect(try DirectoryListing.names(in: "\(zip)/Documents").sorted() == ["Fotos", "moods.json"])
        let apple = try #require(try FileStatus.of("\(zip)/Documents/Fotos/äpfel.txt"))
        #expect(apple.isRegularFile && apple.size == 15 && apple.mode & 0o777 == 0o640 && apple.isPacked)
        #expect(try FileStatus.of("\(zip)/Documents")?.isDirectory == true)
        #expect(try FileStatus.of("\(zip)/Documents/none") == nil)
        #expect(try FileStatus.of(zip)?.isPacked == false)
        let large = try archive(Self.large, "large.zip")
        #expect(try text("\(large)/a.txt") == "large form")
        // Bytes in front of an archive shift all that it tells of places.
        let moved = try put([UInt8](repeating: 7, count: 9) + Data(contentsOf: URL(fileURLWithPath: zip)), "moved")
        #expect(!ZipPath.isArchive(moved))
    }

    @Test func otherFilesAreNoDirectories() throws {
        let plain = try put(Array("PK, and no more".utf8), "plain")
        #expect(throws: SystemFailure(ENOTDIR)) { try text("\(plain)/a.txt") }
        #expect(throws: SystemFailure(ENOTDIR)) { try DirectoryListing.names(in: plain) }
        #expect(throws: SystemFailure(ENOTDIR)) { try FileStatus.of("\(plain)/a.txt") }
        let zip = try archive()
        #expect(throws: SystemFailure(ENOENT)) { try text("\(zip)/Documents/none") }
        #expect(throws: SystemFailure(EISDIR)) { try text("\(zip)/Documents") }
        #expect(throws: SystemFailure(ENOTDIR)) { try text("\(zip)/../\("a.zip")/Documents/moods.json") }
        // Nothing is written there.
        #expect(throws: SystemFailure(ENOTDIR)) { _ = try Descriptor(opening: "\(zip)/new", O_WRONLY | O_CREAT) }
    }

    @Test func patternsLeadIntoArchives() throws {
        let zip = try archive()
        _ = try put([7], "b.txt")
        let found = try PathPattern("*/Documents/*.json", from: place.url.path).expand()
        #expect(found.map(\.name) == ["a.zip/Documents/moods.json"])
        #expect(try PathPattern("\(zip)/**").expand().count == 2)
        #expect(try found[0].digest().xxh128.isEmpty == false)
    }

    /// Whatever byte is another, a file is read as it was or refused.
    @Test func damageIsSeen() throws {
        let bytes = [UInt8](try #require(Data(base64Encoded: Self.streamed)))
        let expected = #"[{"id": 1, "mood": "good"}, {"id": 2, "mood": "bad"}]"#
        var refused = 0
        for index in bytes.indices {
            for change: UInt8 in [1, 0x80, 0xFF] {
                var other = bytes
                other[index] ^= change
                let path = try put(other, "damaged-\(index)-\(change).zip")
                do {
                    #expect(try text("\(path)/Documents/moods.json") == expected, "byte \(index)")
                } catch is SystemFailure {
                    refused += 1
                }
            }
        }
        #expect(refused > 300, "\(refused)")
        for end in stride(from: 4, to: bytes.count, by: 3) {
            let path = try put(Array(bytes[..<end]), "cut-\(end).zip")
            #expect(throws: SystemFailure.self) { try text("\(path)/Documents/moods.json") }
        }
    }

    @Test func whatReadersUnderstandDifferentlyIsRefused() throws {
        // The first header is that of both records.
        var bytes = [UInt8](try #require(Data(base64Encoded: Self.streamed)))
        let second = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        bytes.replaceSubrange(second + 42..<second + 46, with: [0, 0, 0, 0])
        let shared = try put(bytes, "shared.zip")
        #expect(throws: SystemFailure(EBADMSG, "its zip archive is damaged")) { try DirectoryListing.names(in: shared) }
        let twice = try written([("a/b", "1"), ("a/b", "2")])
        #expect(throws: SystemFailure(EBADMSG, "its zip archive has 'a/b' twice")) {
            try DirectoryListing.names(in: twice)
        }
        let both = try written([("a", "1"), ("a/b", "2")])
        #expect(throws: SystemFailure(EBADMSG, "its zip archive has 'a' twice")) {
            try DirectoryListing.names(in: both)
        }
        // Names that lead out of it are not found.
        let out = try written([("../a", "1"), ("/b", "2"), ("c//d", "3"), ("e", "4")])
        #expect(try DirectoryListing.names(in: out) == ["e"])
    }

    /// Sizes and places of 64 bits are numbers of others.
    @Test(arguments: [UInt64.max, 1 << 63, (1 << 63) - 1, 1 << 50, 1 << 40, 0] as [UInt64])
    func farNumbersAreRefused(_ number: UInt64) throws {
        func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        let file = [UInt8](try #require(Data(base64Encoded: Self.large)))
        let (header, end) = (file[..<0x41], file[(file.count - 22)...])
        let record = Array(file[0x41..<(file.count - 22)])
        // The size, the packed size and the place are each in the large form.
        for field in 0..<3 {
            var numbers = [UInt64(10), 10, 0]
            numbers[field] = number
            var large = record
            large.replaceSubrange(20..<28, with: [UInt8](repeating: 0xFF, count: 8))
            large.replaceSubrange(42..<46, with: [UInt8](repeating: 0xFF, count: 4))
            large.replaceSubrange(30..<32, with: bytes(UInt16(28)))
            large += bytes(UInt16(1)) + bytes(UInt16(24)) + numbers.flatMap { bytes($0) }
            var tail = Array(end)
            tail.replaceSubrange(12..<16, with: bytes(UInt32(large.count)))
            let path = try put(header + large + tail, "numbers-\(field).zip")
            if numbers == [10, 10, 0] {
                #expect(try text("\(path)/a.txt") == "large form")
            } else {
                #expect(throws: SystemFailure.self) { try text("\(path)/a.txt") }
            }
        }
        // So are those of the directory itself.
        for field in 0..<3 {
            var numbers = [UInt64(record.count), 0x41, UInt64(file.count - 22)]
            numbers[field] = number
            let large =
                bytes(UInt32(0x0606_4B50)) + [UInt8](repeating: 0, count: 36) + bytes(numbers[0]) + bytes(numbers[1])
                + bytes(UInt32(0x0706_4B50)) + bytes(UInt32(0)) + bytes(numbers[2]) + bytes(UInt32(1))
            let path = try put(header + record + large + end, "directory-\(field).zip")
            #expect(throws: SystemFailure.self) { try text("\(path)/a.txt") }
        }
        let whole =
            bytes(UInt32(0x0606_4B50)) + [UInt8](repeating: 0, count: 36) + bytes(UInt64(record.count))
            + bytes(UInt64(0x41)) + bytes(UInt32(0x0706_4B50)) + bytes(UInt32(0)) + bytes(UInt64(file.count - 22))
            + bytes(UInt32(1))
        #expect(try text("\(put(header + record + whole + end, "whole.zip"))/a.txt") == "large form")
    }

    private func written(_ files: [(name: String, text: String)]) throws -> String {
        let path = place.url.appendingPathComponent(UUID().uuidString).path
        var writer = ZipWriter(try Descriptor(opening: path, O_WRONLY | O_CREAT))
        for file in files {
            let source = try Descriptor(opening: try put(Array(file.text.utf8), "source"), O_RDONLY)
            try writer.add(source, named: file.name)
        }
        try writer.finish()
        return path
    }

    @Test func archivesAreWrittenAnew() throws {
        let source = try ZipArchive(try archive())
        let old = try #require(source)
        let file = try Descriptor(opening: old.path, O_RDONLY)
        let path = place.url.appendingPathComponent("new.zip").path
        var writer = ZipWriter(try Descriptor(opening: path, O_WRONLY | O_CREAT))
        let long = String(repeating: "a day of rain, ", count: 200_000)
        try writer.add(try Descriptor(opening: try put(Array(long.utf8), "long"), O_RDONLY), as: old.entries[0])
        try writer.copy(old.entries[1], of: old, file)
        try writer.add(try Descriptor(opening: try put([], "empty"), O_RDONLY), named: "Documents/new é.txt")
        try writer.finish()
        #expect(try text("\(path)/Documents/moods.json") == long)
        #expect(try text("\(path)/Documents/Fotos/äpfel.txt") == "stored as it is")
        #expect(try text("\(path)/Documents/new é.txt").isEmpty)
        let new = try #require(try ZipArchive(path))
        #expect(
            new.entries.map(\.name) == ["Documents/moods.json", "Documents/Fotos/äpfel.txt", "Documents/new é.txt"]
        )
        #expect(new.entries[0].changed == old.entries[0].changed && new.entries[1].permissions == 0o640)
        #expect(new.status.size < 100_000)
    }

    /// A file that is another by now is not taken for the one that was read before.
    @Test func archivesInThePlaceOfOthersAreReadAnew() throws {
        let zip = try archive()
        #expect(try text("\(zip)/Documents/Fotos/äpfel.txt") == "stored as it is")
        _ = try archive(Self.large)
        #expect(try text("\(zip)/a.txt") == "large form")
    }
}
