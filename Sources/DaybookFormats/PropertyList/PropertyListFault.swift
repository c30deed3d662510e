/// Why a property list cannot be read, and where: the byte of `PropertyList.source` that is to blame.
package struct PropertyListFault: Error, Equatable {
    package var code: String
    package var message: String
    package var byte: Int
    package var hint: String?

    static func malformed(_ message: String, at byte: Int, hint: String? = nil) -> PropertyListFault {
        PropertyListFault(code: "not-a-property-list", message: message, byte: byte, hint: hint)
    }

    /// What the format or an app may write, and Daybook does not read.
    static func unsupported(_ message: String, at byte: Int, hint: String? = nil) -> PropertyListFault {
        PropertyListFault(code: "unsupported-property-list", message: message, byte: byte, hint: hint)
    }

    /// A print for people, which leaves bytes of data out.
    static func shortened(at byte: Int) -> PropertyListFault {
        .unsupported(
            "data is printed here in short, as 'defaults read' does, and its bytes are left out",
            at: byte,
            hint: printed
        )
    }

    /// How a property list is had that programs read.
    package static let printed =
        "write the list itself by 'defaults export DOMAIN - > prefs.plist', or that of a file by 'plutil -convert xml1 -o prefs.plist FILE'"

    package static func tooLarge(_ message: String, at byte: Int) -> PropertyListFault {
        PropertyListFault(code: "property-list-too-large", message: message, byte: byte)
    }

    static func tooDeep(at byte: Int) -> PropertyListFault {
        PropertyListFault(
            code: "nested-too-deeply",
            message: "arrays and dictionaries are nested deeper than \(PropertyList.deepest) levels",
            byte: byte
        )
    }

    static func cycle(at byte: Int) -> PropertyListFault {
        PropertyListFault(code: "cyclic-property-list", message: "a value holds itself", byte: byte)
    }

    /// The same fault of bytes that stand as they are in others, from `start` on.
    package func moved(by start: Int) -> PropertyListFault {
        var fault = self
        fault.byte += start
        return fault
    }

    /// The same fault of bytes that were decoded from the value at `byte`.
    package func inside(_ byte: Int) -> PropertyListFault {
        var fault = self
        fault.message += ", at byte \(self.byte) of what it holds"
        fault.byte = byte
        return fault
    }

    /// The error that stops the run. `source` is what was read, and `isText` whether it has lines.
    package func error(in file: String, of source: Bytes, isText: Bool, isWide: Bool = false) -> DaybookError {
        defer { withExtendedLifetime(source) {} }
        let at = min(byte, source.count)
        let byteInFile = isWide ? WideText.byte(of: at, in: source.filled) : at
        var place: SourcePlace?
        if isText {
            let (line, column) = PropertyListFault.place(of: at, in: source)
            place = SourcePlace(file: file, line: line, column: column)
        }
        return DaybookError(
            DaybookError.Code(rawValue: code),
            "\(message), at byte \(byteInFile) of \(file)",
            at: place,
            hint: hint,
            blame: .data
        )
    }

    package func error(in file: String, of list: PropertyList) -> DaybookError {
        error(in: file, of: list.source, isText: list.format != .binary, isWide: list.isWide)
    }

    /// Line and column of a byte. A byte-order mark is no character of the first line.
    package static func place(of byte: Int, in source: Bytes) -> (line: Int, column: Int) {
        defer { withExtendedLifetime(source) {} }
        let start = WideText.markLength(of: source.filled)
        let text = source.cell(start...)
        var cursor = LineCursor(text, firstLine: 1, lineEnd: LineEnd(of: text))
        return cursor.place(of: max(0, byte - start))
    }
}
