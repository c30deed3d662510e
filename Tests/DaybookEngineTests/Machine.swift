@testable import DaybookContracts

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A process that permissions stop, as they do not stop root. For the body of an exit test: nothing gives the rights back.
enum OrdinaryUser {
    static func become() {
        guard geteuid() == 0 else { return }
        // By number, for a machine need not have a user named 'nobody'. A root that may not even become somebody else is stopped
        // by permissions too; where it is not, the test fails, which is right.
        let nobody: uid_t = 65_534
        _ = setgroups(0, nil)
        _ = setgid(nobody)
        _ = setuid(nobody)
    }
}

#if os(Linux)
    /// A disk of one mebibyte, mounted at a directory.
    struct SmallDisk {
        struct NotMounted: Error { var reason: String }

        let path: String

        init(at path: String) throws {
            guard mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0 else {
                throw NotMounted(reason: String(cString: strerror(errno)))
            }
            self.path = path
        }

        func unmount() { umount2(path, Int32(MNT_DETACH)) }

        /// Whether this process may mount anything, found out by doing it.
        static var canBeMounted: Bool {
            let scratch = Scratch()
            guard let disk = try? SmallDisk(at: scratch.path) else { return false }
            disk.unmount()
            return true
        }
    }
#endif
