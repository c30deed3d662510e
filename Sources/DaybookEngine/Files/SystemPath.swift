/// Paths as texts that lose no byte.
///
/// A file name is bytes for the system and need not be UTF-8. A byte that is no part of UTF-8 stands in the text as the
/// private character U+10FF00 + byte, and goes back to the system as that byte; so do the bytes of such a character where
/// a name holds one itself. Every other path is its own text. (The idea is that of PEP 383, with characters that Swift has.)
public enum SystemPath {
    /// The text of a path that the system gave.
    package static func text(_ path: UnsafePointer<CChar>) -> String {
        if let exact = String(validatingCString: path), !isEscaped(exact) { return exact }
        let bytes = UnsafeRawBufferPointer(start: path, count: strlen(path))
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
        (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { text($0) } }
    }

    /// Whether a text holds a byte that is no part of UTF-8.
    static func isEscaped(_ text: String) -> Bool {
        // In UTF-8 these characters begin with F4 8F BE or F4 8F BF.
        text.utf8.contains(0xF4) && text.unicodeScalars.contains { escaped.contains($0.value) }
    }

    package static let escaped: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

    fileprivate static func bytes(of text: String) -> [CChar] {
        var bytes: [CChar] = []
        for scalar in text.unicodeScalars {
            if escaped.contains(scalar.value) {
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

// Only this module calls the system with paths: in others the functions below are not found, and those of C are, which know no such text.

extension String {
    /// The path as the system knows it.
    func withSystemPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard SystemPath.isEscaped(self) else { return withCString(body) }
        let bytes = SystemPath.bytes(of: self)
        return bytes.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

// The calls of the system by their own names, for paths as texts: whoever makes one in this module loses no byte. Each hands
// the bytes on to the function of the C library that takes a pointer.

@discardableResult func unlink(_ path: String) -> Int32 { path.withSystemPath { unlink($0) } }

@discardableResult func rmdir(_ path: String) -> Int32 { path.withSystemPath { rmdir($0) } }

@discardableResult func mkdir(_ path: String, _ mode: mode_t) -> Int32 { path.withSystemPath { mkdir($0, mode) } }

func access(_ path: String, _ mode: Int32) -> Int32 { path.withSystemPath { access($0, mode) } }

@discardableResult func rename(_ old: String, _ new: String) -> Int32 {
    old.withSystemPath { old in new.withSystemPath { new in rename(old, new) } }
}

@discardableResult package func link(_ old: String, _ new: String) -> Int32 {
    old.withSystemPath { old in new.withSystemPath { new in link(old, new) } }
}

@discardableResult func symlink(_ target: String, _ path: String) -> Int32 {
    target.withSystemPath { target in path.withSystemPath { path in symlink(target, path) } }
}
