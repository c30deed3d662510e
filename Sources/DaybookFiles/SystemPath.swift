import CFiles

/// Paths as texts that lose no byte.
///
/// A file name is bytes for the system and need not be UTF-8. A byte that is no part of UTF-8 stands in the text as the
/// private character U+10FF00 + byte, and goes back to the system as that byte; so do the bytes of such a character where
/// a name holds one itself. Every other path is its own text. (The idea is that of PEP 383, with characters that Swift has.)
public enum SystemPath {
    /// The text of a path that the system gave.
    package static func text(_ bytes: [UInt8]) -> String {
        if let exact = String(validating: bytes, as: UTF8.self), !isEscaped(exact) { return exact }
        var text = ""
        var index = 0
        while index < bytes.count {
            let length = min(sequenceLength(bytes[index]), bytes.count - index)
            let part = bytes[index..<index + length]
            if let exact = String(validating: part, as: UTF8.self), !isEscaped(exact) {
                text += exact
                index += length
            } else {
                text.unicodeScalars.append(Unicode.Scalar(0x10FF00 + UInt32(bytes[index])) ?? "\u{FFFD}")
                index += 1
            }
        }
        return text
    }

    /// The arguments of the process, without its name, such that paths among them lose no byte.
    public static var arguments: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { text([UInt8]($0)) } }
    }

    /// Whether a text holds a byte that is no part of UTF-8.
    package static func isEscaped(_ text: String) -> Bool {
        // In UTF-8 these characters begin with F4 8F BE or F4 8F BF.
        text.utf8.contains(0xF4) && text.unicodeScalars.contains { PrintableText.escapedByte.contains($0.value) }
    }

    fileprivate static func bytes(of text: String) -> [CChar] {
        var bytes: [CChar] = []
        for scalar in text.unicodeScalars {
            if PrintableText.escapedByte.contains(scalar.value) {
                bytes.append(CChar(truncatingIfNeeded: scalar.value))
            } else {
                bytes += UTF8.encode(scalar)!.map { CChar(bitPattern: $0) }
            }
        }
        return bytes + [0]
    }

    private static func sequenceLength(_ byte: UInt8) -> Int {
        switch byte {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}

extension String {
    /// The path as the system knows it, with the NUL at its end.
    package var systemPath: [CChar] {
        SystemPath.isEscaped(self) ? SystemPath.bytes(of: self) : utf8.map { CChar(bitPattern: $0) } + [0]
    }
}

// The calls of the system by their own names, for paths as texts: whoever makes one, in this module or above it, loses no byte. Those of the C
// library, to which each hands the bytes on, take a text as well, and know none that is no UTF-8.

@discardableResult package func unlink(_ path: String) -> Int32 { unlink(path.systemPath) }

@discardableResult package func rmdir(_ path: String) -> Int32 { rmdir(path.systemPath) }

@discardableResult package func mkdir(_ path: String, _ mode: mode_t) -> Int32 { mkdir(path.systemPath, mode) }

package func access(_ path: String, _ mode: Int32) -> Int32 { access(path.systemPath, mode) }

@discardableResult package func rename(_ old: String, _ new: String) -> Int32 { rename(old.systemPath, new.systemPath) }

extension SystemPath {
    /// Gives two paths each other's names in one step; false where the system cannot.
    package static func exchange(_ one: String, _ other: String) throws(SystemFailure) -> Bool {
        if daybook_exchange(one.systemPath, other.systemPath) == 0 { return true }
        guard [ENOSYS, EINVAL, ENOTSUP].contains(errno) else { throw .last }
        return false
    }
}

@discardableResult package func link(_ old: String, _ new: String) -> Int32 { link(old.systemPath, new.systemPath) }

@discardableResult package func symlink(_ target: String, _ path: String) -> Int32 {
    symlink(target.systemPath, path.systemPath)
}
