import CScan

/// Counts lines and columns as the input goes by, for errors about the input as a whole.
package struct JSONPlace: Sendable {
    package let file: String
    /// The place of the input, if it is a part of the file.
    package let holder: TextHolder?
    /// What ends its lines.
    package let lineEnd: LineEnd
    /// From 1.
    private var line = 1
    /// Characters before, on the same line.
    private var characters = 0
    private var byte = 0

    /// From 1.
    package var column: Int { characters + 1 }

    package init(_ head: SourceHead) {
        file = head.source.path
        holder = head.holder
        lineEnd = LineEnd(of: head.bytes.filled)
    }

    /// The place at which a part of the input begins.
    func at(_ part: TextPart) -> JSONPlace {
        var place = self
        (place.line, place.characters, place.byte) = (part.line, part.column - 1, part.offset)
        return place
    }

    package mutating func advance(over bytes: Cell) {
        byte += bytes.count
        var cursor = LineCursor(bytes, firstLine: line, firstColumn: column, lineEnd: lineEnd)
        let place = cursor.place(of: bytes.count)
        (line, characters) = (place.line, place.column - 1)
    }

    fileprivate func moved(over bytes: Slice<Cell>) -> JSONPlace {
        var place = self
        place.advance(over: Cell(rebasing: bytes))
        return place
    }

    /// The same for bytes just cut: their line count is known, so only the last line is examined.
    package mutating func advance(over bytes: Cell, lines: Int) {
        line += lines
        byte += bytes.count
        var start = 0
        if lines > 0 {
            start = bytes.count
            while start > 0, !isLineEnd(bytes[start - 1]) { start -= 1 }
            characters = 0
        }
        var count = 0
        for index in start..<bytes.count where bytes[index] & 0xC0 != 0x80 { count &+= 1 }
        characters += count
    }

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || (byte == 0x0D && lineEnd == .carriageReturn) }

    package func error(_ kind: Finding.Kind, _ message: String? = nil) -> DaybookError {
        DaybookError.data(DaybookError.Code(rawValue: kind.code), displayText(message ?? kind.message), at: place)
    }

    private var place: SourcePlace? {
        guard let holder else { return SourcePlace(file: file, line: line, column: column) }
        guard let line = holder.line, let column = holder.column else { return nil }
        return SourcePlace(file: file, line: line, column: column)
    }

    /// The place for the middle of a sentence.
    fileprivate var words: String { "line \(line), column \(column)" }

    /// In a part of a file, places count from the start of the part, so the message names them in words.
    private func displayText(_ message: String) -> String {
        guard let holder else { return message }
        let at =
            holder.byte.map { "byte \($0 + byte) of \(file)" }
            ?? "\(words) of the JSON under \(holder.pointer) in \(file)"
        return "\(message), at \(at)"
    }

    /// An error about a byte further ahead.
    package func error(_ fault: JSONFault, at byte: Int, of bytes: Cell) -> DaybookError {
        moved(over: bytes[..<byte]).error(fault.kind)
    }
}

/// The most bytes that one record, or a document of one value, may have; places in a morsel are 32-bit numbers.
package let longestJSONRecord = 1 << 30

/// Cuts JSON Lines behind the last line end. No string contains one, so nothing else needs to be checked.
struct JSONLinesCutter: RecordCutter {
    /// The length of the bytes known to have no line end.
    var scanned = 0
    let file: String
    let lineEnd: LineEnd

    mutating func cut(_ bytes: Cell, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return RecordCut(length: 0, lines: 0) }
        var length = bytes.count
        if !isLast {
            while length > scanned, base[length - 1] != 0x0A { length -= 1 }
            if length <= scanned {
                scanned = bytes.count
                guard bytes.count <= longestJSONRecord else { throw JSONArrayCutter.tooLong(file) }
                return RecordCut(length: 0, lines: 0)
            }
        }
        scanned = 0
        var lines = lineEnd.count(in: Cell(start: base, count: length), next: length < bytes.count ? base[length] : 0)
        if lines > Morsel.mostRecords, let end = JSONLinesCutter.end(ofLine: Morsel.mostRecords, base, length) {
            length = end
            lines = Morsel.mostRecords
        }
        return RecordCut(length: length, lines: lines)
    }

    /// Where a line ends, from 1; nil where line feeds are too few.
    private static func end(ofLine number: Int, _ base: UnsafePointer<UInt8>, _ length: Int) -> Int? {
        var position = 0
        for _ in 0..<number {
            guard let feed = JSONFormat.lineFeed(base, position, length) else { return nil }
            position = feed + 1
        }
        return position
    }
}

/// Passes on a document of one value as a whole.
struct JSONValueCutter: RecordCutter {
    let file: String
    let lineEnd: LineEnd

    mutating func cut(_ bytes: Cell, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard bytes.count <= longestJSONRecord else { throw JSONArrayCutter.tooLong(file) }
        guard isLast else { return RecordCut(length: 0, lines: 0) }
        return RecordCut(length: bytes.count, lines: lineEnd.count(in: bytes), records: 1)
    }
}

/// Cuts an array between two elements, or an object between two members, and checks the text around it.
///
/// If the brackets of the document do not close, its elements are unknown, so the run stops with an error. An element
/// with a clear end that is not JSON is rejected by the reader.
struct JSONArrayCutter: RecordCutter {
    private var state = json_cut()
    /// What is around the array, outermost first.
    let around: [JSONHolder]
    let form: JSONFormat.Container
    private var place: JSONPlace
    /// Elements of all morsels before.
    private var elements = 0
    /// Whether the input ends behind a comma, since the rest of the array is read elsewhere.
    private var endsInside = false

    init(around: [JSONHolder], _ form: JSONFormat.Container, place: JSONPlace) {
        (self.around, self.form, self.place) = (around, form, place)
    }

    /// Cuts a part of an array.
    init(around: [JSONHolder], _ form: JSONFormat.Container, place: JSONPlace, of part: TextPart) {
        self.init(around: around, form, place: place.at(part))
        (elements, endsInside) = (part.record, !part.isLast)
    }

    static func tooLong(_ file: String) -> DaybookError {
        let message = "a record of \(file) is longer than \(longestJSONRecord) bytes"
        return DaybookError.data("record-too-long", message, hint: "'records' can point at an array further in")
    }

    mutating func cut(_ bytes: Cell, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard let base = bytes.baseAddress, bytes.count > 0 else {
            if isLast { throw place.error(JSONFault.endsEarly.kind, "the \(form.noun) is never closed") }
            return RecordCut(length: 0, lines: 0)
        }
        let isScanned = scan(base, bytes.count)
        let isLast = isLast && isScanned
        var (length, commas) = (state.cut, state.commas)
        var records = commas
        if isLast, !(endsInside && length == bytes.count) {
            try checkEnd(bytes)
            let last = Cell(rebasing: bytes[state.cut..<state.position])
            // The text behind the last comma is an element, even if it is empty: then it is rejected.
            if elements + state.commas > 0 || last.contains(where: { !$0.isSpace }) { records += 1 }
            length = bytes.count
            if form == .pairs { records = (records + 1) / 2 }
        } else if form == .pairs {
            (length, commas) = JSONArrayCutter.pairs(base, length, commas)
            records = commas / 2
        }
        if length == 0, bytes.count > longestJSONRecord { throw JSONArrayCutter.tooLong(place.file) }
        // Some bytes always remain, so that the end of the input reaches this cutter and an open array is noticed.
        guard length > 0, isLast || length < bytes.count else { return RecordCut(length: 0, lines: 0) }
        let cut = Cell(start: base, count: length)
        let lines = place.lineEnd.count(in: cut, next: length < bytes.count ? base[length] : 0)
        place.advance(over: cut, lines: lines)
        elements += records
        state.position -= min(length, state.position)
        state.cut -= min(length, state.cut)
        state.commas -= commas
        return RecordCut(length: length, lines: lines, records: records, nextColumn: place.column)
    }

    /// The end of the last whole pair of elements, and the commas up to there.
    private static func pairs(_ base: UnsafePointer<UInt8>, _ length: Int, _ commas: Int) -> (length: Int, commas: Int)
    {
        guard commas % 2 == 1 else { return (length, commas) }
        var shorter = json_cut()
        json_cut_elements(&shorter, base, length - 1)
        return (Int(shorter.cut), Int(shorter.commas))
    }

    /// Finds the ends of elements; false if there are so many that only a part of the bytes can be cut.
    private mutating func scan(_ base: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        guard !state.ended else { return true }
        let before = state
        json_cut_elements(&state, base, count)
        guard state.commas > Morsel.mostRecords else { return true }
        let whole = state
        state = before
        json_cut_elements(&state, base, count / (whole.commas / Morsel.mostRecords + 1))
        guard state.cut == 0 else { return false }
        state = whole
        return true
    }

    private func checkEnd(_ bytes: Cell) throws(DaybookError) {
        guard state.ended else {
            if state.in_string { throw openString(in: bytes) }
            let message = "the file ends before its \(form.noun) does"
            throw place.moved(over: bytes[...]).error(JSONFault.endsEarly.kind, message)
        }
        guard bytes[Int(state.position)] == form.closing else {
            throw place.error(form == .members ? .noCommaInObject : .noCommaInArray, at: Int(state.position), of: bytes)
        }
        var cursor = JSONCursor(bytes.baseAddress!, from: Int(state.position) + 1, to: bytes.count)
        guard !cursor.finish(around), let fault = cursor.fault else { return }
        guard fault == .secondKey else { throw place.error(fault, at: min(cursor.faultAt, bytes.count), of: bytes) }
        var second = JSONCursor(bytes.baseAddress!, from: cursor.faultAt, to: bytes.count)
        let key = second.text().map { String(decoding: $0, as: UTF8.self) } ?? ""
        let message = "the key '\(key)' stands a second time here, on the way to the records"
        var error = place.moved(over: bytes[..<cursor.faultAt]).error(fault.kind, message)
        error.hint = "only one of the two can be read: take the other out, or give it another key"
        throw error
    }

    /// The error for a string that is never closed. A stray quote swaps texts and the text between them, so the error
    /// names the place where the grammar broke first, however far before the string that is.
    private func openString(in bytes: Cell) -> DaybookError {
        let opening = JSONArrayCutter.openQuote(in: bytes)
        // From the last element on, which does not depend on how the text was cut into pieces.
        var cursor = JSONCursor(bytes.baseAddress!, from: Int(state.cut), to: bytes.count)
        let isObject = form == .members
        cursor.skipSpace()
        while !isObject || cursor.key() != nil, cursor.skipValue(), cursor.next(inObject: isObject) == true {}
        guard let fault = cursor.fault, fault != .openString, fault != .endsEarly, cursor.faultAt < opening else {
            return place.error(.openString, at: opening, of: bytes)
        }
        let open = place.moved(over: bytes[..<opening]).words
        let message = "\(fault.kind.message); a quote too many or too few leaves the string open that begins at \(open)"
        return place.moved(over: bytes[..<cursor.faultAt]).error(fault.kind, message)
    }

    /// The start of the string that is never closed.
    private static func openQuote(in bytes: Cell) -> Int {
        var opening: Int?
        var last = 0
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\") {
                index += 1
            } else if bytes[index] == UInt8(ascii: "\"") {
                last = index
                opening = opening == nil ? index : nil
            }
            index += 1
        }
        return opening ?? last
    }
}

/// Cuts concatenated values, as programs print them: behind the last whole one.
struct JSONValuesCutter: RecordCutter {
    let file: String
    let lineEnd: LineEnd
    /// The column at which the next record begins.
    var column = 1

    mutating func cut(_ bytes: Cell, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return RecordCut(length: 0, lines: 0) }
        var length = 0
        var records = 0
        while records < Morsel.mostRecords, let next = JSONValuesCutter.end(base, length, bytes.count) {
            length = next
            records += 1
        }
        if isLast, records < Morsel.mostRecords, length < bytes.count {
            // Blanks at the end are no record; anything else is a broken one.
            if bytes[length...].contains(where: { !$0.isSpace }) { records += 1 }
            length = bytes.count
        }
        guard length > 0 else {
            guard bytes.count <= longestJSONRecord else { throw JSONArrayCutter.tooLong(file) }
            return RecordCut(length: 0, lines: 0)
        }
        let cut = Cell(start: base, count: length)
        var lines = LineCursor(cut, firstLine: 1, firstColumn: column, lineEnd: lineEnd)
        column = lines.place(of: length).column
        let count = lineEnd.count(in: cut, next: length < bytes.count ? base[length] : 0)
        return RecordCut(length: length, lines: count, records: records, nextColumn: column)
    }

    /// The place behind the value that begins at `start` or behind blanks there; nil if it does not end before `end`.
    ///
    /// Only brackets and quotes are examined, so that a broken record does not spoil the next ones.
    static func end(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        var place = start
        while place < end, base[place].isSpace { place += 1 }
        var depth = 0
        var isText = false
        let first = place
        while place < end {
            let byte = base[place]
            if isText {
                if byte == UInt8(ascii: "\\") { place += 1 } else if byte == UInt8(ascii: "\"") { isText = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    // A word or a number ends where a bracket opens.
                    if depth == 0, place > first { return place }
                    depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    if depth <= 0 { return place + 1 }
                default: if depth == 0, byte.isSpace { return place }
                }
            }
            place += 1
        }
        return nil
    }
}
