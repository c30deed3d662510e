import CScan

/// Cuts an array between two elements, and checks what stands around the array.
///
/// Where the brackets of the document do not close, its elements are not known, so the run stops with an error. An
/// element whose end is clear and that is not JSON is rejected by the reader.
struct JSONArrayCutter: RecordCutter {
    private var state = json_cut()
    /// The brackets around the array, outermost first; true for those of objects.
    let around: [Bool]
    private var place: JSONPlace
    /// Elements of all morsels before.
    private var elements = 0
    /// Whether the input ends behind a comma, since the rest of the array is read elsewhere.
    private var endsInside = false

    init(around: [Bool], place: JSONPlace) {
        self.around = around
        self.place = place
    }

    /// Cuts a part of an array.
    init(around: [Bool], place: JSONPlace, of part: TextPart) {
        self.init(around: around, place: place.at(part))
        (elements, endsInside) = (part.record, !part.isLast)
    }

    static func tooLong(_ file: String) -> DaybookError {
        DaybookError(
            "record-too-long",
            "a record of \(file) is longer than \(longestJSONRecord) bytes",
            hint: "'records' can point at an array further in",
            blame: .data
        )
    }

    mutating func cut(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard let base = bytes.baseAddress, bytes.count > 0 else {
            if isLast { throw place.error(JSONFault.endsEarly.kind, "the array is never closed") }
            return RecordCut(length: 0, lines: 0)
        }
        let isScanned = scan(base, bytes.count)
        let isLast = isLast && isScanned
        var length = state.cut
        var records = state.commas
        if isLast, !(endsInside && length == bytes.count) {
            try checkEnd(bytes)
            let last = UnsafeBufferPointer(rebasing: bytes[state.cut..<state.position])
            // What stands behind the last comma is an element, also when it is nothing: then it is rejected.
            if elements + state.commas > 0 || last.contains(where: { !$0.isSpace }) { records += 1 }
            length = bytes.count
        } else if length == 0, bytes.count > longestJSONRecord {
            throw JSONArrayCutter.tooLong(place.file)
        }
        // Something is always kept back, so that the end of the input is seen here and an open array found out.
        guard length > 0, isLast || length < bytes.count else { return RecordCut(length: 0, lines: 0) }
        let lines = place.lineEnd.count(
            in: UnsafeBufferPointer(start: base, count: length),
            next: length < bytes.count ? base[length] : 0
        )
        place.advance(over: UnsafeBufferPointer(rebasing: bytes[..<length]), lines: lines)
        elements += records
        state.position -= min(length, state.position)
        state.cut = 0
        state.commas = 0
        return RecordCut(length: length, lines: lines, records: records, nextColumn: place.column)
    }

    /// Looks for the ends of elements; false where there are so many that a part of the bytes is to be cut first.
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

    private func checkEnd(_ bytes: UnsafeBufferPointer<UInt8>) throws(DaybookError) {
        guard state.ended else {
            if state.in_string { throw openString(in: bytes) }
            var end = place
            end.advance(over: bytes)
            throw end.error(JSONFault.endsEarly.kind, "the file ends before its array does")
        }
        guard bytes[Int(state.position)] == UInt8(ascii: "]") else {
            throw place.error(.noCommaInArray, at: Int(state.position), of: bytes)
        }
        var cursor = JSONCursor(bytes.baseAddress!, from: Int(state.position) + 1, to: bytes.count)
        guard !cursor.finish(around), let fault = cursor.fault else { return }
        throw place.error(fault, at: min(cursor.faultAt, bytes.count), of: bytes)
    }

    /// Of a string that is never closed. A stray quote turns texts and what stands between them round, so what is first told is
    /// where the grammar broke, however far before the string that is.
    private func openString(in bytes: UnsafeBufferPointer<UInt8>) -> DaybookError {
        let opening = JSONArrayCutter.openQuote(in: bytes)
        // From the last element on, which does not depend on how the text was cut into pieces.
        var cursor = JSONCursor(bytes.baseAddress!, from: Int(state.cut), to: bytes.count)
        while cursor.skipValue(), cursor.next(inObject: false) == true {}
        guard let fault = cursor.fault, fault != .openString, fault != .endsEarly, cursor.faultAt < opening else {
            return place.error(.openString, at: opening, of: bytes)
        }
        var (broken, open) = (place, place)
        broken.advance(over: UnsafeBufferPointer(rebasing: bytes[..<cursor.faultAt]))
        open.advance(over: UnsafeBufferPointer(rebasing: bytes[..<opening]))
        return broken.error(
            fault.kind,
            "\(fault.kind.message); a quote too many or too few leaves the string open that begins at \(open.words)"
        )
    }

    /// Where the string opens that is never closed.
    private static func openQuote(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
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
