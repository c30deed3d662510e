import Foundation
import Synchronization
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

@Suite struct OutputTransactionTests {
    let scratch = Scratch()
    var state: StateDirectory { StateDirectory(scratch["job/.daybook"]) }

    @Test func outputsAppearAtTheCommitAndNotBefore() throws {
        scratch.write("a.csv", "old")
        let run = try state.beginRun()
        let first = try run.open("a.csv", from: scratch.path)
        let second = try run.open(scratch["b.csv"])
        try first.write("new a")
        try second.write("new b")
        #expect(scratch.read("a.csv") == "old")
        #expect(scratch.read("b.csv") == nil)
        try run.commit()
        #expect(scratch.read("a.csv") == "new a")
        #expect(scratch.read("b.csv") == "new b")
        #expect(first.path == "a.csv")
        #expect(first.byteCount == 5)
        #expect(second.digest.sha256 == SHA256Digest.of("new b"))
        #expect(
            scratch.everything() == [
                "a.csv", "b.csv", "job", "job/.daybook", "job/.daybook/.gitignore", "job/.daybook/lock",
                "job/.daybook/runs",
            ]
        )
    }

    @Test func anAbortLeavesNothingBehind() throws {
        scratch.write("a.csv", "old")
        let before = scratch.everything()
        let run = try StateDirectory(scratch["state"]).beginRun()
        try run.open(scratch["a.csv"]).write("new")
        try run.open(scratch["deep/er/b.csv"]).write("new")
        run.abort()
        #expect(scratch.everything().filter { !$0.hasPrefix("state") } == before)
        #expect(scratch.read("a.csv") == "old")
    }

    @Test func aTransactionThatIsLetGoIsAborted() throws {
        do {
            let run = try state.beginRun()
            try run.open(scratch["deep/b.csv"]).write("new")
            #expect(scratch.everything().contains("deep"))
        }
        #expect(!scratch.everything().contains("deep"))
        #expect(scratch.everything(under: "job/.daybook/runs").isEmpty)
    }

    @Test func aCommitMakesMissingDirectories() throws {
        let run = try state.beginRun()
        try run.open("out/2026/a.csv", from: scratch.path).write("x")
        try run.open("out/2026/b.csv", from: scratch.path).write("y")
        try run.commit()
        #expect(scratch.read("out/2026/a.csv") == "x")
        #expect(scratch.everything(under: "out/2026") == ["out/2026/a.csv", "out/2026/b.csv"])
    }

    @Test func aDiscardedOutputLeavesNothingBehind() throws {
        let run = try state.beginRun()
        let discarded = try run.open(scratch["new/report.csv"])
        try discarded.write("x")
        try run.open(scratch["rejects.ndjson"]).write("y")
        run.discard(discarded)
        try run.commit()
        #expect(scratch.read("rejects.ndjson") == "y")
        #expect(!scratch.everything().contains("new"))
    }

    @Test func twoOutputsWithOnePathAreRefused() throws {
        let run = try state.beginRun()
        _ = try run.open("out.csv", from: scratch.path)
        let same = refusal { () throws(DaybookError) in _ = try run.open("out.csv", from: scratch.path) }
        #expect(same.message == "two outputs go to 'out.csv'")
        #expect(same.blame == .job)
        let other = refusal { () throws(DaybookError) in _ = try run.open("x/../out.csv", from: scratch.path) }
        #expect(other.message == "two outputs go to 'x/../out.csv', also written as 'out.csv'")
        #expect(other.hint == "give each output a path of its own")
    }

    @Test func aDirectoryIsRefused() throws {
        scratch.write("reports/x", "")
        let run = try state.beginRun()
        let error = refusal { () throws(DaybookError) in _ = try run.open("reports", from: scratch.path) }
        #expect(error.message == "cannot write 'reports': it is a directory")
        #expect(error.hint == "name a file in it, such as 'reports/output.csv'")
        #expect(error.blame == .machine)
        let slash = refusal { () throws(DaybookError) in _ = try run.open("new/", from: scratch.path) }
        #expect(slash.message == "cannot write 'new/': it is a directory")
    }

    @Test func aFileWhereADirectoryShouldBeIsRefused() throws {
        scratch.write("a", "")
        let run = try state.beginRun()
        let error = refusal { () throws(DaybookError) in _ = try run.open("a/b.csv", from: scratch.path) }
        #expect(error.message == "cannot write 'a/b.csv': a part of the path is not a directory")
    }

    @Test func permissionsAreKept() throws {
        scratch.write("a.csv", "old")
        chmod(scratch["a.csv"], 0o640)
        let run = try state.beginRun()
        try run.open(scratch["a.csv"]).write("new")
        try run.open(scratch["b.csv"]).write("new")
        try run.commit()
        let old = try #require(try FileStatus.of(scratch["a.csv"]))
        let new = try #require(try FileStatus.of(scratch["b.csv"]))
        let mask = umask(0)
        umask(mask)
        #expect(old.mode & 0o777 == 0o640)
        #expect(new.mode & 0o777 == 0o666 & ~mask)
    }

    @Test func aLinkIsWrittenThrough() throws {
        scratch.write("real/a.csv", "old")
        symlink("real/a.csv", scratch["link.csv"])
        symlink("real/new.csv", scratch["dangling.csv"])
        let run = try state.beginRun()
        try run.open(scratch["link.csv"]).write("new")
        try run.open(scratch["dangling.csv"]).write("made")
        try run.commit()
        #expect(scratch.read("real/a.csv") == "new")
        #expect(scratch.read("real/new.csv") == "made")
        #expect(try FileStatus.of(scratch["link.csv"], followingLinks: false)?.isLink == true)
    }

    @Test func aPipeGetsItsBytesAtTheCommit() throws {
        mkfifo(scratch["pipe"], 0o666)
        let reader = try Descriptor(opening: scratch["pipe"], O_RDONLY | O_NONBLOCK)
        let run = try state.beginRun()
        try run.open(scratch["pipe"]).write("through the pipe")
        let read = Bytes()
        #expect(try reader.read(64, into: read) == 0)
        try run.commit()
        #expect(run.outputState == .new)
        #expect(run.fedStreams == ["'\(scratch["pipe"])'"])
        let got = try reader.read(64, into: read)
        #expect(read.text(0..<got) == "through the pipe")
    }

    @Test func aReaderThatWentAwayIsSuccess() throws {
        signal(SIGPIPE, SIG_IGN)
        mkfifo(scratch["pipe"], 0o666)
        let reader = try Descriptor(opening: scratch["pipe"], O_RDONLY | O_NONBLOCK)
        let run = try state.beginRun()
        let pipe = try run.open(scratch["pipe"])
        try pipe.write(String(repeating: "x", count: 1 << 20))
        try run.open(scratch["a.csv"]).write("a")
        // The pipe is full after 64 KiB; the reader leaves while the commit waits for it.
        let thread = Thread {
            usleep(100_000)
            reader.shut()
        }
        try run.commit()
        thread.join()
        #expect(scratch.read("a.csv") == "a")
    }

    @Test func aFullDeviceFailsTheRunAndLeavesTheOldOutputs() throws {
        scratch.write("a.csv", "old")
        let run = try state.beginRun()
        try run.open("/dev/full").write("x")
        try run.open(scratch["a.csv"]).write("new")
        let error = refusal { () throws(DaybookError) in try run.commit() }
        #expect(error.message == "cannot write '/dev/full': no space left on the disk")
        #expect(error.hint == "free some space, or write to another disk")
        #expect(run.outputState == .old)
        #expect(run.fedStreams == [])
        #expect(error.blame == .machine)
        #expect(scratch.read("a.csv") == "old")
        #expect(scratch.everything(under: "job/.daybook/runs").isEmpty)
    }

    #if os(Linux)
        @Test(.enabled(if: SmallDisk.canBeMounted, "no disk can be mounted here"))
        func aFullDiskIsSaidWhileWriting() throws {
            mkdir(scratch["small"], 0o777)
            let disk = try SmallDisk(at: scratch["small"])
            defer { disk.unmount() }
            let run = try state.beginRun()
            let output = try run.open("small/a.csv", from: scratch.path)
            let block = Bytes(String(repeating: "x", count: 512 << 10))
            let error = refusal { () throws(DaybookError) in
                for _ in 0..<8 { try output.write(block) }
                try run.commit()
            }
            #expect(error.message == "cannot write '\(scratch["small/a.csv"])': no space left on the disk")
            run.abort()
            #expect(scratch.everything(under: "small").isEmpty)
        }
    #endif

    @Test func aDirectoryThatMayNotBeWrittenToIsSaid() async {
        await #expect(processExitsWith: .success) {
            OrdinaryUser.become()
            let scratch = Scratch()
            mkdir(scratch["closed"], 0o555)
            let run = try StateDirectory(scratch["job/.daybook"]).beginRun()
            let error = refusal { () throws(DaybookError) in _ = try run.open(scratch["closed/a.csv"]) }
            #expect(error.message == "cannot write '\(scratch["closed/a.csv"])': permission denied")
            #expect(error.hint == "look at its permissions and those of its directory, or run as another user")
            #expect(error.blame == .machine)
            run.abort()
        }
    }

    @Test func smallAndLargeWritesKeepTheirOrder() throws {
        let run = try state.beginRun()
        let output = try run.open(scratch["a.txt"])
        var expected = ""
        for index in 0..<300 {
            let text = String(repeating: "\(index),", count: index % 7 == 0 ? 40_000 : 3)
            expected += text
            try output.write(text)
        }
        try run.commit()
        #expect(scratch.read("a.txt") == expected)
        #expect(output.digest.sha256 == SHA256Digest.of(expected))
        #expect(output.byteCount == expected.utf8.count)
    }

    @Test("the digest of an output is right, whatever was foretold of its length", arguments: [3, 5, 17])
    func foretold(_ length: Int) throws {
        let block = String(repeating: "0123456789abcde\n", count: (1 << 20) / 16)
        for foretold in [nil, 0, length << 20, 1 << 40] {
            let run = try state.beginRun()
            var isAsked = false
            let output = try run.open(scratch["a.txt"]) { written in
                isAsked = true
                #expect(written > 0 && written <= length << 20)
                return foretold
            }
            for _ in 0..<length { try output.write(block) }
            try run.commit()
            let written = Array((scratch.read("a.txt") ?? "").utf8)
            #expect(isAsked && written.count == length << 20)
            #expect(output.digest.sha256 == (length > 16 ? nil : SHA256Digest.of(written)))
        }
    }

    @Test func manyRunsShareAStateDirectory() async throws {
        let state = state
        let path = scratch.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    try state.recover()
                    let run = try state.beginRun()
                    for part in 0..<3 { try run.open("\(part).txt", from: path).write("run \(number)") }
                    try run.commit()
                }
            }
            try await group.waitForAll()
        }
        let first = try #require(scratch.read("0.txt"))
        #expect(scratch.read("1.txt") == first)
        #expect(scratch.read("2.txt") == first)
        #expect(scratch.everything(under: "job/.daybook/runs").isEmpty)
    }

    @Test func aManifestIsKeptUnderTheNameOfItsJob() throws {
        let path = try state.keepManifest(Bytes("{}"), ofJob: "../매일 report")
        let name = "---매일-report~\(SHA256Digest.of("../매일 report").prefix(16)).json"
        #expect(path == scratch["job/.daybook/manifests/\(name)"])
        try state.keepManifest(Bytes("{1}"), ofJob: "../매일 report")
        #expect(scratch.read("job/.daybook/manifests/\(name)") == "{1}")
    }

    @Test func noTwoJobsShareAFileName() {
        let long = String(repeating: "a", count: 200)
        let names = [
            "orders/2026", "orders-2026", "orders 2026", "orders-2026 ", "", "job", "-", "/", "é", "e\u{301}", long,
            long + "b",
            "orders-2026+replay", "orders-2026~", StateDirectory.fileName(ofJob: "orders/2026"),
        ]
        let files =
            names.map { StateDirectory.fileName(ofJob: $0) } + [
                StateDirectory.fileName(ofJob: "orders-2026", for: "+replay")
            ]
        #expect(Set(files.map { Array($0.utf8) }).count == files.count)
        #expect(StateDirectory.fileName(ofJob: "orders-2026_매일") == "orders-2026_매일")
        #expect(files.allSatisfy { !$0.contains("/") && $0.utf8.count < 200 })
    }

    @Test func aShortWriteIsGoneOnWithAndNotBegunAgain() throws {
        let path = scratch.write("a", "")
        // Touched by the thread of the writer alone.
        var calls = 0
        let send = { (bytes: Bytes, part: Range<Int>, descriptor: Int32) -> Int in
            calls += 1
            switch calls {
            case 1: return bytes.send(part.prefix(1_001), to: descriptor)
            case 2:
                errno = EINTR
                return -1
            // What a file that is written past the page cache answers behind a part of a sector.
            case 3 where fcntl(descriptor, F_GETFL) & 0o40000 != 0:
                errno = EINVAL
                return -1
            default: return bytes.send(part, to: descriptor)
            }
        }
        let file = try Descriptor(opening: path, O_RDWR)
        let writer = BlockWriter(file, isFile: true, sha256: .always, foretell: { _ in nil }, send: send)
        let bytes = Bytes()
        bytes.append((0..<(BlockWriter.blockSize + 5)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        try writer.append(bytes, 0..<bytes.count)
        try writer.finish()
        let written = try #require(try WholeFile.read(path, limit: 1 << 30))
        #expect(written.array == bytes.array)
        #expect(writer.digest.sha256 == SHA256Digest.of(bytes.array))
    }

    @Test func `nobody else looks into a directory of temporary files`() throws {
        let place = ScratchPlace()
        defer { place.remove() }
        try place.make()
        let attributes = try FileManager.default.attributesOfItem(atPath: place.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test(arguments: ["pipe", "directory", "link", "file"])
    func onlyARegularFileIsReplaced(_ kind: String) throws {
        let run = try state.beginRun()
        try run.open(scratch["out"]).write("new")
        switch kind {
        case "pipe": mkfifo(scratch["out"], 0o666)
        case "directory": mkdir(scratch["out"], 0o777)
        case "link": symlink("elsewhere", scratch["out"])
        default: scratch.write("out", "old")
        }
        let before = try FileStatus.of(scratch["out"], followingLinks: false)
        guard kind != "file" else {
            try run.commit()
            return #expect(scratch.read("out") == "new")
        }
        let error = refusal { () throws(DaybookError) in try run.commit() }
        #expect(error.message == "cannot write '\(scratch["out"])': something else than a regular file stands there")
        #expect(try FileStatus.of(scratch["out"], followingLinks: false) == before)
        #expect(run.outputState == .old)
    }

    @Test func aDeviceThatIsNotThereIsNoFile() throws {
        let run = try state.beginRun()
        for path in ["/dev/daybook-has-no-such-device", "/proc/self/fd/999"] {
            let error = refusal { () throws(DaybookError) in _ = try run.open(path) }
            #expect(error.code == "cannot-write", "\(error)")
        }
    }

    @Test func commitsOfOneFileGoOneAfterTheOther() throws {
        scratch.write("all", "0")
        let target = scratch["all"]
        let states = (0..<8).map { scratch["state-\($0)"] }
        let kept = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            guard let run = try? StateDirectory(states[number]).beginRun(),
                let old = try? WholeFile.read(target, limit: 100), let status = try? FileStatus.of(target)
            else { return }
            try? run.open(target).write(old.text(0..<old.count) + "1")
            run.checkBases = { () throws(DaybookError) in
                usleep(1_000)
                guard (try? FileStatus.of(target)) == status else { throw DaybookError("changed", "changed") }
            }
            guard (try? run.commit()) != nil else { return }
            kept.withLock { $0 += 1 }
        }
        let count = kept.withLock { $0 }
        #expect(count >= 1 && scratch.read("all")?.utf8.count == 1 + count)
    }

    @Test func anUnusableStateDirectoryIsSaid() {
        scratch.write("file", "")
        let error = refusal { () throws(DaybookError) in
            _ = try StateDirectory(scratch["file/state"]).beginRun()
        }
        #expect(error.code == "cannot-keep-state")
        #expect(error.hint == "name another place with --state DIR")
    }
}
