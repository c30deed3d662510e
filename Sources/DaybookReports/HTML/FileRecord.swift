import DaybookEngine

/// A record of a file, cell by cell, as the file has it.
struct FileRecord {
    /// The names of the columns, each of which stands there once.
    let names: [String]
    /// Those of the cells that the finding is about.
    let marked: Set<String>
    /// Whether a cell that is not there is not in the file either.
    let isWhole: Bool
    private let cells: [String: String]

    /// What stands in a column; nil where the record has no such cell, or goes on in a line that was not read.
    subscript(name: String) -> String? { cells[name] }

    /// Reads a line of a delimited text below the names of its columns; nil unless it is beyond doubt what is what.
    ///
    /// - Parameters:
    ///   - at: the place in the line, in bytes, at which a cell has to begin.
    ///   - field: the name that the cell has to have; with none, all of `columns` have to be there.
    init?(
        head: ArraySlice<UInt8>,
        _ line: ArraySlice<UInt8>,
        at: Int,
        of field: String?,
        about columns: [String],
        mask: SecretMask
    ) {
        for delimiter in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")] {
            guard let first = DelimitedLine(head, delimiter), !first.isOpen, first.cells.count > 1,
                let own = DelimitedLine(line, delimiter), let place = own.starts.firstIndex(of: at),
                own.isOpen ? own.cells.count <= first.cells.count : own.cells.count == first.cells.count
            else { continue }
            let names = first.cells
            guard Set(names).count == names.count else { continue }
            if let field {
                guard names[place] == field else { continue }
            } else {
                guard !columns.isEmpty, columns.allSatisfy(names.contains) else { continue }
            }
            let shown = names.map(mask.masking)
            guard Set(shown).count == names.count else { return nil }
            self.names = shown
            cells = Dictionary(uniqueKeysWithValues: zip(shown, own.cells.map(mask.masking)))
            marked = Set((field.map { [$0] } ?? columns).map(mask.masking))
            isWhole = !own.isOpen
            return
        }
        return nil
    }
}

/// The cells of one line of a delimited text, with quotes as RFC 4180 has them.
private struct DelimitedLine {
    private(set) var cells: [String] = []
    /// Where each cell begins, in bytes.
    private(set) var starts: [Int] = []
    /// Whether the last cell goes on in the next line.
    private(set) var isOpen = false

    /// Nil for what is written otherwise, and for what is too much for a page.
    init?(_ line: ArraySlice<UInt8>, _ delimiter: UInt8) {
        let bytes = Array(line)
        let quote = UInt8(ascii: "\"")
        var position = 0
        while position <= bytes.count {
            guard cells.count < 2_000 else { return nil }
            starts.append(position)
            var cell: [UInt8] = []
            if position < bytes.count, bytes[position] == quote {
                position += 1
                isOpen = true
                while position < bytes.count {
                    defer { position += 1 }
                    guard bytes[position] == quote else {
                        cell.append(bytes[position])
                        continue
                    }
                    guard position + 1 < bytes.count, bytes[position + 1] == quote else {
                        isOpen = false
                        break
                    }
                    cell.append(quote)
                    position += 1
                }
                guard isOpen || position == bytes.count || bytes[position] == delimiter else { return nil }
            } else {
                while position < bytes.count, bytes[position] != delimiter {
                    guard bytes[position] != quote else { return nil }
                    cell.append(bytes[position])
                    position += 1
                }
            }
            guard let text = String(validating: cell, as: UTF8.self) else { return nil }
            cells.append(isOpen ? text + "…" : text)
            position += 1
        }
    }
}

/// Records of JSON, member by member.
extension FileRecord {
    /// Reads the object with which a text begins; nil unless it is beyond doubt what is what, or a secret stands in it.
    ///
    /// - Parameters:
    ///   - text: what the file has from the beginning of the record on, as far as it is read.
    ///   - at: the place of the finding in it, in bytes.
    ///   - columns: those that the finding is about, where it names none.
    init?(
        json text: ArraySlice<UInt8>,
        at: Int,
        of finding: RenderedFinding,
        about columns: [String],
        mask: SecretMask
    ) {
        let bytes = Bytes(text)
        defer { withExtendedLifetime(bytes) {} }
        guard let object = JSONRecordText(bytes.filled), !object.holdsSecret(mask),
            let marked = object.members(at: at, of: finding, about: columns)
        else { return nil }
        let cells = object.members.map { mask.masking(object.text(of: $0.value)) }
        // A member that lacks stands behind those that are there.
        let names = object.members.map(\.name)
        self.names = names + marked.filter { !names.contains($0) }
        self.cells = Dictionary(uniqueKeysWithValues: zip(names, cells))
        (self.marked, isWhole) = (Set(marked), true)
    }
}

/// An object of JSON with its members, as it stands in a file.
private struct JSONRecordText {
    /// A member, and where the quote before its name stands.
    typealias Member = (name: String, start: Int, value: Range<Int>)

    private let cursor: JSONCursor
    /// Where the object stands.
    private let range: Range<Int>
    /// No two of them have one name.
    let members: [Member]

    /// Nil for what is no object, is not read to its end, is not JSON, or has a name twice. Reads no further than the cell, which
    /// has to outlive it.
    init?(_ text: Cell) {
        guard let base = text.baseAddress else { return nil }
        var cursor = JSONCursor(base, to: text.count)
        cursor.skipSpace()
        let start = cursor.position
        guard cursor.byte == UInt8(ascii: "{"), let members = JSONRecordText.members(&cursor) else { return nil }
        range = start..<cursor.position
        self.members = members
        guard JSONRecordText.ends(cursor), String(validating: cursor.cell(range), as: UTF8.self) != nil,
            Set(members.map(\.name)).count == members.count
        else { return nil }
        self.cursor = cursor
    }

    /// Steps over the object at the cursor.
    private static func members(_ cursor: inout JSONCursor) -> [Member]? {
        guard cursor.open() else { return nil }
        if cursor.closesAtOnce(UInt8(ascii: "}")) { return [] }
        var members: [Member] = []
        while true {
            guard let key = cursor.key() else { return nil }
            let name = JSONString.name(cursor.base, key.bytes, isEscaped: key.isEscaped)
            let start = cursor.position
            guard cursor.skipValue() else { return nil }
            let (text, value) = (String(decoding: name, as: UTF8.self), start..<cursor.position)
            members.append((text, key.bytes.lowerBound - 1, value))
            guard let more = cursor.next(inObject: true) else { return nil }
            if !more { return members }
        }
    }

    /// Whether nothing stands behind a record that would make it none: its line ends, or the array goes on or ends.
    private static func ends(_ cursor: JSONCursor) -> Bool {
        var cursor = cursor
        while cursor.byte == UInt8(ascii: " ") || cursor.byte == UInt8(ascii: "\t") { cursor.position += 1 }
        guard cursor.position < cursor.end else { return true }
        return [UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ","), UInt8(ascii: "]")].contains(cursor.byte)
    }

    // MARK: - Cells

    /// A text without its quotes and escapes, and anything else as it is written, but for white space.
    func text(of value: Range<Int>) -> String {
        switch cursor.base[value.lowerBound] {
        case UInt8(ascii: "\""):
            let inside = value.lowerBound + 1..<value.upperBound - 1
            return String(decoding: JSONString.name(cursor.base, inside, isEscaped: true), as: UTF8.self)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return compact(value)
        default: return cursor.cell(value).text
        }
    }

    private func compact(_ value: Range<Int>) -> String {
        var bytes: [UInt8] = []
        var copied = value.lowerBound
        for string in strings(in: value) {
            bytes += cursor.cell(copied..<string.lowerBound).filter { !$0.isSpace }
            bytes += cursor.cell(string)
            copied = string.upperBound
        }
        bytes += cursor.cell(copied..<value.upperBound).filter { !$0.isSpace }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// All strings in a part of the object, names too, with their quotes.
    private func strings(in part: Range<Int>) -> [Range<Int>] {
        var strings: [Range<Int>] = []
        var cursor = cursor
        cursor.position = part.lowerBound
        while cursor.position < part.upperBound {
            let start = cursor.position
            if cursor.byte == UInt8(ascii: "\""), cursor.string() != nil {
                strings.append(start..<cursor.position)
            } else {
                cursor.position += 1
            }
        }
        return strings
    }

    /// Whether a secret stands in the object, in whatever spelling.
    func holdsSecret(_ mask: SecretMask) -> Bool { mask.masking(cursor.cell(range)) != nil }

    // MARK: - Places

    /// The names of the members that a finding is about, also of one that is not there; nil where they cannot be told.
    func members(at place: Int, of finding: RenderedFinding, about columns: [String]) -> [String]? {
        let way = finding.pointer.flatMap { try? JSONPointer(written: $0) }?.tokens
        if place > range.lowerBound {
            if finding.field == nil, let key = members.first(where: { $0.start == place }) { return [key.name] }
            guard let path = path(to: place) else { return nil }
            // The pointer tells the way from the beginning of the file, so it ends with that inside the record.
            guard finding.field == nil || way?.suffix(path.count) == path[...] else { return nil }
            return [path[0]]
        }
        if let field = finding.field { return way.flatMap { lacking(field, $0) }.map { [$0] } }
        let members = columns.compactMap(member)
        return members.isEmpty || members.count < columns.count ? nil : members
    }

    /// The names and numbers on the way to the value that begins at a place.
    private func path(to place: Int) -> [String]? {
        var path: [String] = []
        var cursor = cursor
        cursor.position = range.lowerBound
        cursor.depth = 0
        while cursor.position != place {
            let inObject = cursor.byte == UInt8(ascii: "{")
            guard inObject || cursor.byte == UInt8(ascii: "["), cursor.open() else { return nil }
            var number = 0
            while true {
                var step = String(number)
                if inObject {
                    guard let key = cursor.key() else { return nil }
                    let name = JSONString.name(cursor.base, key.bytes, isEscaped: key.isEscaped)
                    step = String(decoding: name, as: UTF8.self)
                }
                cursor.skipSpace()
                let value = cursor
                guard cursor.skipValue() else { return nil }
                if (value.position..<cursor.position).contains(place) {
                    path.append(step)
                    cursor = value
                    break
                }
                guard cursor.next(inObject: inObject) == true else { return nil }
                number += 1
            }
        }
        return path.isEmpty ? nil : path
    }

    /// The outermost member on the way to a column that has no value. A column has the names on the way to it, with dots between them.
    private func lacking(_ column: String, _ way: [String]) -> String? {
        (1...max(1, way.count)).map { way.suffix($0) }.first { $0.joined(separator: ".") == column }?.first
    }

    /// The member that is a column, or holds it.
    private func member(of column: String) -> String? {
        [column, String(column.prefix { $0 != "." })].first { name in members.contains { $0.name == name } }
    }
}
