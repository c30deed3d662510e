import DaybookTestSupport
import Testing

@testable import DaybookBytes
@testable import DaybookContracts

struct FileDigestTests {
    /// What `xxh128sum` and `sha256sum` print of the same bytes.
    @Test(arguments: [
        (
            "", "99aa06d3014798d86001c324468d497f",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        ),
        (
            "abc", "06b05ab6733a618578af5f94892f3950",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        ),
    ])
    func isWhatTheToolsPrint(text: String, xxh128: String, sha256: String) {
        let digester = FileDigester(.always)
        digester.update(Array(text.utf8))
        #expect(digester.finish() == FileDigest(xxh128: xxh128, sha256: sha256))
        #expect(digester.finish() == digester.finish() && digester.byteCount == text.utf8.count)
    }

    @Test func piecesComeToWhatTheWholeDoes() {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let digester = FileDigester(.always)
        var random = SeededGenerator(seed: 5)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 0...3_000, using: &random))
            digester.update(Array(bytes[start..<end]))
            start = end
        }
        #expect(digester.finish().xxh128 == "4fb78cd2670dad5801271d2740e5fca3")
        #expect(digester.finish().sha256 == SHA256Digest.of(bytes))
    }

    @Test func aLargeFileHasItsSHA256WhereItIsAskedFor() {
        let block = [UInt8](repeating: 7, count: 1 << 20)
        for (policy, count, isTaken) in [
            (SHA256Policy.auto, 16, true), (.auto, 17, false), (.always, 17, true), (.never, 0, false),
        ] {
            let told = FileDigester(policy)
            told.expect(byteCount: count << 20)
            let untold = FileDigester(policy)
            for _ in 0..<count {
                told.update(block)
                untold.update(block)
            }
            #expect(told.finish() == untold.finish())
            #expect((told.finish().sha256 != nil) == isTaken, "\(policy), \(count) MiB")
        }
    }
}

extension FileDigester {
    fileprivate func update(_ bytes: [UInt8]) { update(bytes[...]) }
}
