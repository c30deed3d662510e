import Foundation

/// A directory of its own for temporary files, in that which `TMPDIR` names.
package struct ScratchPlace: Sendable {
    package let path: String

    /// Only its name is made; `make` makes it.
    package init() {
        path = FilePath.join(FilePath.canonical(NSTemporaryDirectory()), "daybook-\(UUID().uuidString)")
    }

    /// Throws `scratch-failed`.
    package func make() throws(DaybookError) {
        guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
        let reason = SystemFailure.last.reason
        throw .machine(
            "scratch-failed",
            "cannot make a directory for temporary files in '\(FilePath.directory(of: path))': \(reason)",
            hint: "set TMPDIR to a directory with room"
        )
    }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
