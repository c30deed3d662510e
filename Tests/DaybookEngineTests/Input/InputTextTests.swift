import Foundation
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct InputTextTests {
    let scratch = Scratch()

    private func input(_ name: String) -> InputPath { InputPath(name: name, path: scratch[name]) }

    private func refused(_ text: InputText) -> DaybookError {
        refusal { () throws(DaybookError) in _ = try text.readAll() }
    }

    @Test func plainTextPassesThrough() throws {
        let content = (0..<50_000).map { "row \($0)\n" }.joined()
        scratch.write("a.csv", content)
        let text = InputText(input("a.csv"))
        #expect(try text.readAll(room: 4099) == content)
        #expect(text.callerHashes)
        #expect(text.rawByteCount == content.utf8.count)
        #expect(text.compression == nil)
        #expect(text.encoding == .utf8)
        #expect(text.digest.finish().sha256 == SHA256Digest.of(content))
        #expect(try text.read(16, into: Bytes()) == 0)
    }

    @Test func anEmptyFileIsEmpty() throws {
        scratch.write("a.csv", "")
        let text = InputText(input("a.csv"))
        #expect(try text.readAll() == "")
        #expect(text.digest.finish().sha256 == SHA256Digest.of(""))
    }

    @Test(arguments: [1, 2, 16, 5000])
    func byteOrderMarksAreHonoured(copies: Int) throws {
        let content = String(repeating: "날짜,기분 😀\n", count: copies)
        let utf16 = content.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let utf32 = content.unicodeScalars.flatMap { scalar in
            (0..<4).map { UInt8(scalar.value >> (8 * UInt32($0)) & 255) }
        }
        let files: [(mark: [UInt8], body: [UInt8], name: String)] = [
            ([0xef, 0xbb, 0xbf], Array(content.utf8), "utf-8"),
            ([0xff, 0xfe], utf16, "utf-16le"),
            ([0xfe, 0xff], swapped(utf16, by: 2), "utf-16be"),
            ([0xff, 0xfe, 0, 0], utf32, "utf-32le"),
            ([0, 0, 0xfe, 0xff], swapped(utf32, by: 4), "utf-32be"),
        ]
        for (mark, body, name) in files {
            scratch.write("a.csv", mark + body)
            let text = InputText(input("a.csv"))
            #expect(try text.readAll(room: 1000) == content)
            #expect(text.encoding.name == name)
            #expect(text.markLength == mark.count)
            #expect(text.callerHashes == (name == "utf-8"))
            #expect(text.digest.finish().sha256 == SHA256Digest.of(mark + body))
            #expect(text.rawByteCount == mark.count + body.count)
            // Without its mark the encoding has to be named.
            scratch.write("b.csv", body)
            let named = InputText(input("b.csv"), encoding: try TextEncoding(named: name))
            #expect(try named.readAll() == content)
        }
    }

    @Test func aMarkOfUTF8IsBelievedInALegacyEncoding() throws {
        scratch.write("a.csv", [0xef, 0xbb, 0xbf] + Array("기분".utf8))
        let text = InputText(input("a.csv"), encoding: try TextEncoding(named: "cp949"))
        #expect(try text.readAll() == "기분")
        #expect(text.encoding == .utf8)
        // "ÿþ" may well begin a Latin text.
        scratch.write("b.csv", [0xff, 0xfe, 0x61])
        #expect(try InputText(input("b.csv"), encoding: TextEncoding(named: "latin1")).readAll() == "ÿþa")
    }

    @Test func legacyTextIsDecodedWithItsFaultsInPlace() throws {
        // "기" and "분" with a byte that begins nothing, and a pair that no character has, between them.
        scratch.write("a.csv", [0xb1, 0xe2, 0xff, 0x2c, 0xb0, 0xff, 0xba, 0xd0, 0x81])
        let text = InputText(input("a.csv"), encoding: try TextEncoding(named: "cp949"))
        #expect(try text.readAll() == "기\u{FFFD},\u{FFFD}분\u{FFFD}")
        #expect(
            text.takeFaults() == [
                TextDecoder.Fault(rawOffset: 2, length: 1, decodedOffset: 3),
                TextDecoder.Fault(rawOffset: 4, length: 2, decodedOffset: 7),
                TextDecoder.Fault(rawOffset: 8, length: 1, decodedOffset: 13),
            ]
        )
        #expect(text.takeFaults().isEmpty)
        #expect(!text.callerHashes)
        #expect(text.digest.byteCount == 9)
    }

    @Test func gzipIsDecompressed() throws {
        let content = (0..<50_000).map { "\($0 &* 2_654_435_761 % 1_000_003)\n" }.joined()
        let packed = Compressing.gzip(content)
        scratch.write("a.gz", packed)
        let text = InputText(input("a.gz"))
        #expect(try text.readAll(room: 5000) == content)
        #expect(text.compression == "gzip")
        #expect(!text.callerHashes)
        #expect(text.digest.finish().sha256 == SHA256Digest.of(packed))
        #expect(text.rawByteCount == packed.count)
        scratch.write("b.gz", Compressing.gzip("one,") + Compressing.gzip("") + Compressing.gzip("two") + [0, 0, 0])
        #expect(try InputText(input("b.gz")).readAll() == "one,two")
    }

    @Test("what zlib has packed is read: with a name, flushed in between, stored, and all of it in a row")
    func gzipByOthers() throws {
        let rows = (0..<40).map { "\($0),the same words again and again\n" }.joined()
        let packed = [
            (
                """
                H4sICAEAAAAC/2RpYXJ5LmNzdgCF07sNwzAQBNFcVbAABdpdf8shQMJWIAqwBLh9By5gsgsmethb2zz2s0/LfL57OerWy3f/tKPU\
                V11HqaP9r0kUmIJQcKHgSsGNgjsFDwqeCMWUaCnEFGoKOYWeQlChqJBUaGo0Ne8TTY2mRlOjqdHUaGo0NZoGTYOm4adH06Bp0DRo\
                GjQNmgZNf0TBFiZOBQAA
                """, "id,note\n" + rows
            ), ("H4sIAAAAAAAAA8rPS+UCAAAA//8qKc/nAgAAAP//K8koSk3lAgC21eYlDgAAAA==", "one\ntwo\nthree\n"),
            ("H4sIAAAAAAAEAwEQAO//c3RvcmVkIGFzIGl0IGlzCjxCVQ8QAAAA", "stored as it is\n"),
        ].map { (Array(Data(base64Encoded: $0)!), $1) }
        for (bytes, text) in packed + [(packed.flatMap(\.0), packed.map(\.1).joined())] {
            for step in [1, 7, 5000] {
                for room in [1, 7, 5000] {
                    let source = GzipSource(SteppingSource(bytes, step: step), name: "a.gz")
                    #expect(try source.readAll(room: room) == Array(text.utf8), "steps of \(step), room for \(room)")
                }
            }
        }
        // A file that is cut anywhere inside a member is never taken for a whole one.
        for (bytes, _) in packed {
            for count in 3..<bytes.count {
                scratch.write("a.gz", Array(bytes.prefix(count)))
                #expect(refused(InputText(input("a.gz"))).code == "truncated-input", "\(count) of \(bytes.count) bytes")
            }
        }
    }

    @Test("a member behind zeros is none, however the bytes come", arguments: [1, 7, 64, 5000])
    func membersBehindZeros(_ step: Int) {
        let packed = Compressing.gzip("a,b\n")
        let bytes = packed + [UInt8](repeating: 0, count: 64) + Compressing.gzip("1,2\n")
        let error = refusal { () throws(DaybookError) in
            _ = try GzipSource(SteppingSource(bytes, step: step), name: "a.gz").readAll(room: 100)
        }
        #expect(
            error.message
                == "'a.gz' has something that is not gzip behind its gzip data, at byte \(packed.count + 64)"
        )
    }

    @Test func damagedGzipIsSaid() throws {
        let packed = Compressing.gzip((0..<10_000).map { "\($0)\n" }.joined())
        scratch.write("a.gz", Array(packed.dropLast(5)))
        let cut = refused(InputText(input("a.gz")))
        #expect(
            cut.message
                == "'a.gz' is cut off: its gzip data ends in the middle, after \(packed.count - 5) bytes"
        )
        #expect(cut.hint == "fetch or compress the file again")
        #expect(cut.blame == .machine)
        scratch.write("a.gz", packed + Array("trailing".utf8))
        #expect(
            refused(InputText(input("a.gz"))).message
                == "'a.gz' has something that is not gzip behind its gzip data, at byte \(packed.count)"
        )
        scratch.write("a.gz", packed + [0, 0, 1])
        #expect(
            refused(InputText(input("a.gz"))).message
                == "'a.gz' has something that is not gzip behind its gzip data, at byte \(packed.count + 2)"
        )
        var flipped = packed
        flipped[flipped.count - 6] ^= 1
        scratch.write("a.gz", flipped)
        #expect(refused(InputText(input("a.gz"))).message.hasSuffix("(the checksum is wrong)"))
        scratch.write("a.gz", Array(packed.prefix(9)))
        #expect(refused(InputText(input("a.gz"))).code == "truncated-input")
    }

    @Test func zstdIsDecompressed() throws {
        let content = (0..<50_000).map { "\($0 &* 2_654_435_761 % 1_000_003)\n" }.joined()
        let packed = Compressing.zstd(content)
        scratch.write("a.zst", packed)
        let text = InputText(input("a.zst"))
        #expect(try text.readAll(room: 5000) == content)
        #expect(text.compression == "zstd")
        #expect(text.digest.finish().sha256 == SHA256Digest.of(packed))
        let skipped: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]
        scratch.write("b.zst", skipped + Compressing.zstd("one,") + skipped + Compressing.zstd("two"))
        #expect(try InputText(input("b.zst")).readAll() == "one,two")
    }

    @Test func damagedZstdIsSaid() throws {
        let packed = Compressing.zstd((0..<10_000).map { "\($0)\n" }.joined())
        scratch.write("a.zst", Array(packed.dropLast(5)))
        #expect(
            refused(InputText(input("a.zst"))).message
                == "'a.zst' is cut off: its zstd data ends in the middle, after \(packed.count - 5) bytes"
        )
        scratch.write("a.zst", packed + Array("trailing".utf8))
        #expect(
            refused(InputText(input("a.zst"))).message
                == "'a.zst' has something that is not zstd behind its zstd data, at byte \(packed.count)"
        )
        // A frame as version 0.5 of the library began one.
        scratch.write("a.zst", packed + [0x25, 0xb5, 0x2f, 0xfd, 0, 0x58, 0xdf])
        #expect(
            refused(InputText(input("a.zst"))).message
                == "'a.zst' has something that is not zstd behind its zstd data, at byte \(packed.count)"
        )
        // A frame that promises four bytes, with one block, empty and the last.
        scratch.write("a.zst", [0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, 1, 0, 0])
        #expect(
            refused(InputText(input("a.zst"))).message
                == "'a.zst' is damaged: its zstd data is wrong near byte 9 (a frame of 4 bytes holds 0)"
        )
        scratch.write("a.zst", packed + [0x28, 0xb5, 0x2f, 0xfd])
        #expect(
            refused(InputText(input("a.zst"))).message
                == "'a.zst' is cut off: its zstd data ends in the middle, after \(packed.count + 4) bytes"
        )
        var flipped = packed
        flipped[60] ^= 0xff
        scratch.write("a.zst", flipped)
        #expect(refused(InputText(input("a.zst"))).code == "damaged-input")
        scratch.write("a.zst", Compressing.zstd("far", windowLog: 30))
        #expect(
            refused(InputText(input("a.zst"))).message
                == "'a.zst' needs more than 128 MiB of memory to be decompressed"
        )
    }

    @Test func compressedTextMayBeOfAnotherEncoding() throws {
        let utf16: [UInt8] = [0xff, 0xfe, 0x61, 0, 0x00, 0xd8, 0x62, 0]
        scratch.write("plain", utf16)
        let plain = InputText(input("plain"))
        #expect(try plain.readAll() == "a\u{FFFD}b")
        #expect(plain.takeFaults() == [TextDecoder.Fault(rawOffset: 4, length: 2, decodedOffset: 1)])
        scratch.write("marked.gz", Compressing.gzip("\u{FEFF}marked"))
        let marked = InputText(input("marked.gz"))
        #expect(try marked.readAll() == "marked")
        #expect(marked.digest.byteCount == marked.rawByteCount)
    }

    @Test(arguments: [
        ("PK\u{3}\u{4}rest", "a ZIP archive or a spreadsheet"), ("SQLite format 3\u{0}", "an SQLite database"),
        ("BZh91AY&SY", "compressed with bzip2"), ("bplist00", "a binary property list"),
        ("days.csv" + String(repeating: "\u{0}", count: 249) + "ustar  \u{0}", "a tar archive"),
    ])
    func whatIsNoTextIsNamed(content: String, kind: String) {
        scratch.write("x", content)
        #expect(refused(InputText(input("x"))).message == "cannot read 'x': it is \(kind)")
        scratch.write("x.gz", Compressing.gzip(content))
        #expect(refused(InputText(input("x.gz"))).message == "cannot read 'x.gz': it is \(kind), inside of gzip")
    }

    private func swapped(_ bytes: [UInt8], by unit: Int) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: unit).flatMap { bytes[$0..<$0 + unit].reversed() }
    }
}

extension InputText {
    /// The whole text, hashed where that is the caller's part.
    func readAll(room size: Int = 1 << 16) throws(DaybookError) -> String {
        let bytes = Bytes()
        while case let got = try read(size, into: bytes), got > 0 {
            if callerHashes { digest.update(bytes, bytes.count - got..<bytes.count) }
        }
        return bytes.text(0..<bytes.count)
    }
}

/// Gives bytes a few at a time.
private final class SteppingSource: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let step: Int

    init(_ bytes: [UInt8], step: Int) { (rest, self.step) = (bytes[...], step) }

    func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        let part = rest.prefix(min(step, count))
        rest = rest.dropFirst(part.count)
        bytes.append(part)
        return part.count
    }
}

extension GzipSource {
    fileprivate func readAll(room size: Int) throws(DaybookError) -> [UInt8] {
        let bytes = Bytes()
        while try read(size, into: bytes) > 0 {}
        return bytes.array
    }
}
