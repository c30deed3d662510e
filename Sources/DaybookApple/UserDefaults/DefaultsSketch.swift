import DaybookJSON

extension SketchedRecords {
    /// Reads the records of a key's value, or of the value that a property list is.
    ///
    /// - Parameter key: nil for the file as one value.
    package init(
        defaults bytes: Bytes,
        _ source: SourceName,
        key: String?,
        at place: RecordsPlace
    ) throws(DaybookError) {
        let stored: StoredValue
        if let key {
            let file = try UserDefaultsFile(bytes, source)
            let entry = try file.entry(key, nil)
            do throws(PropertyListFault) {
                stored = try file.read(entry).value(at: place.pointer, byte: 0)
            } catch { throw file.error(error) }
        } else {
            stored = try UserDefaultsFile.wholeValue(bytes, source, at: place.pointer)
        }
        switch stored.form {
        case .json(let text, _):
            var inside = RecordsPlace()
            inside.keys = place.keys
            try self.init(text, at: inside, of: source.path)
        case .list(let list, let value):
            self.init(ofList: true)
            add(list, value, areKeyed: place.keys != nil)
        }
    }

    private mutating func add(_ list: PropertyList, _ value: Int, areKeyed: Bool) {
        switch list[value] {
        case .dictionary where areKeyed:
            holder = .dictionary
            for pair in list.pairs(value) { add(list, pair.value) }
        case .array where areKeyed:
            let below = list.below(value).map { Int($0) }
            holder = .pairs(keys: stride(from: 0, to: below.count, by: 2).map { list.text(below[$0]) ?? "" })
            for index in stride(from: 1, to: below.count, by: 2) { add(list, below[index]) }
        case .array: for element in list.below(value) { add(list, Int(element)) }
        default:
            holder = .one
            add(list, value)
        }
        sketch.findDictionaries()
    }

    private mutating func add(_ list: PropertyList, _ value: Int) {
        sketch.noteRecord()
        sketch.add(list, value, at: 0)
    }
}

extension ModelSketch {
    /// Notes a value of a property list, whose dates, data, URLs and decimals are told from text.
    fileprivate mutating func add(_ list: PropertyList, _ value: Int, at place: Int) {
        if let plain = PropertyListCoder.plain(list, value) {
            // A Decimal that is no number is null.
            return plain.json.filled.elementsEqual("null".utf8)
                ? noteNull(at: place) : note(plain.isNumber ? .decimal : .url, at: place)
        }
        switch list[value] {
        case .null: noteNull(at: place)
        case .flag: note(.flag, at: place)
        case .integer(let number): note(number: number.description, at: place)
        case .real(let number): note(number: number.description, at: place)
        case .decimal: note(.decimal, at: place)
        case .date: note(.date, at: place)
        case .data: note(.data, at: place)
        case .text(let piece): list.withBytes(piece) { note(text: Array($0), at: place) }
        case .brokenText, .uid, .unread: note(.other, at: place)
        case .array:
            note(.array, at: place)
            for below in list.below(value) {
                if let element = element(of: place) { add(list, Int(below), at: element) }
            }
        case .dictionary:
            let object = noteObject(at: place)
            for pair in list.pairs(value) {
                guard let key = list.text(pair.key) else { continue }
                if let field = field(Array(key.utf8), of: place, in: object) { add(list, pair.value, at: field) }
            }
        }
    }
}
