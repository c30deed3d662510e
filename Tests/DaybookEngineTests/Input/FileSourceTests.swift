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

@Suite struct FileSourceTests {
    let scratch = Scratch()

    private func text(_ name: String, isCancelled: @escaping @Sendable () -> Bool = { false }) -> InputText {
        InputText(InputPath(name: name, path: scratch[name]), isCancelled: isCancelled)
    }

    private func refused(_ text: InputText) -> DaybookError {
        refusal { () throws(DaybookError) in _ = try text.readAll() }
    }

    @Test func whatCannotBeReadIsSaid() {
        mkdir(scratch["folder"], 0o777)
        let folder = refused(text("folder"))
        #expect(folder.message == "cannot read 'folder': it is a directory")
        #expect(folder.hint == "name a file in it, or all its files with 'folder/*'")
        #if os(Linux)
            mknod(scratch["socket"], S_IFSOCK | 0o666, 0)
            let socket = refused(text("socket"))
            #expect(socket.message == "cannot read 'socket': it is a socket, or a device that is not there")
        #endif
        let gone = refused(text("gone"))
        #expect(gone.message == "there is no file 'gone' any more")
        #expect(gone.blame == .machine)
        symlink("nowhere.csv", scratch["link"])
        let link = refused(text("link"))
        #expect(link.message == "'link' is a link that leads to no file; it points to 'nowhere.csv'")
        #expect(link.hint == "put the file there, or let the link point to one that is there")
    }

    @Test func whatMayNotBeReadIsSaid() async {
        await #expect(processExitsWith: .success) {
            OrdinaryUser.become()
            let scratch = Scratch()
            scratch.write("closed", "x")
            chmod(scratch["closed"], 0)
            let closed = InputText(InputPath(name: "closed", path: scratch["closed"]), isCancelled: { false })
            let error = refusal { () throws(DaybookError) in _ = try closed.readAll() }
            #expect(error.message == "cannot read 'closed': permission denied")
            #expect(error.hint == "look at its permissions and those of its directory, or run as another user")
            #expect(error.blame == .machine)
        }
    }

    @Test func aFileThatChangesWhileItIsReadIsAnError() throws {
        let changes: [(verb: String, change: () -> Void)] = [
            ("grew", { scratch.write("a", String(repeating: "x", count: 300_000)) }),
            ("became shorter", { truncate(scratch["a"], 100) }),
            ("changed", { scratch.write("a", String(repeating: "y", count: 200_000)) }),
        ]
        for (verb, change) in changes {
            scratch.write("a", String(repeating: "x", count: 200_000))
            let text = text("a")
            _ = try text.read(4096, into: Bytes())
            usleep(20_000)
            change()
            let error = refused(text)
            #expect(error.code == "input-changed")
            #expect(error.message == "'a' \(verb) while it was read")
            #expect(
                error.hint
                    == "run again when nothing writes to it any more, or let its writer put it in place by a rename"
            )
        }
    }

    @Test func aFileThatIsReplacedIsReadAsItWas() throws {
        scratch.write("a", String(repeating: "x", count: 100_000))
        scratch.write("b", "new")
        let text = text("a")
        let got = try text.read(4096, into: Bytes())
        rename(scratch["b"], scratch["a"])
        #expect(try text.readAll().utf8.count + got == 100_000)
    }

    #if os(Linux)
        @Test func filesOfTheKernelAreRead() throws {
            let text = InputText(InputPath(name: "version", path: "/proc/version"))
            #expect(try text.readAll().hasPrefix("Linux"))
        }
    #endif

    @Test func aPipeIsReadToItsEnd() throws {
        mkfifo(scratch["pipe"], 0o666)
        let path = scratch["pipe"]
        let writer = Thread {
            guard let pipe = try? Descriptor(opening: path, O_WRONLY) else { return }
            for _ in 0..<50 {
                try? pipe.writeAll(Bytes(String(repeating: "z", count: 3000)))
                usleep(500)
            }
        }
        #expect(try text("pipe").readAll().utf8.count == 150_000)
        writer.join()
    }

    @Test func aPipeIsReadOnlyOnce() {
        mkfifo(scratch["pipe"], 0o666)
        scratch.write("file", "x")
        #expect(InputPath(name: "pipe", path: scratch["pipe"]).isReadOnce)
        #expect(!InputPath(name: "file", path: scratch["file"]).isReadOnce)
        #expect(!InputPath(name: "gone", path: scratch["gone"]).isReadOnce)
        #expect(InputPath.standardInput.isReadOnce)
    }

    @Test func aWaitForAPipeEndsWhenTheRunIsStopped() {
        mkfifo(scratch["pipe"], 0o666)
        let asked = Mutex(0)
        let error = refused(
            text("pipe") {
                asked.withLock {
                    $0 += 1
                    return $0 > 2
                }
            }
        )
        #expect(error.code == "interrupted")
        #expect(error.message == "the run was stopped")
    }

    @Test func aSignalDoesNotEndARead() throws {
        mkfifo(scratch["pipe"], 0o666)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(SIGUSR1, &action, nil)
        let path = scratch["pipe"]
        let reader = pthread_self()
        let writer = Thread {
            guard let pipe = try? Descriptor(opening: path, O_WRONLY) else { return }
            for _ in 0..<5 {
                usleep(10_000)
                pthread_kill(reader, SIGUSR1)
            }
            try? pipe.writeAll(Bytes("after the signals"))
        }
        #expect(try text("pipe").readAll() == "after the signals")
        writer.join()
    }

    @Test func aStoppedRunReadsNoMore() {
        scratch.write("a", "x")
        #expect(refused(text("a", isCancelled: { true })).code == "interrupted")
    }

    @Test func onlyOpenInputsHaveADescriptor() throws {
        scratch.write("a", "x")
        let inputs = (0..<5000).map { _ in text("a") }
        for input in inputs { #expect(try input.readAll() == "x") }
    }
}
