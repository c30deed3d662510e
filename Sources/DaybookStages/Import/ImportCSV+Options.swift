/// `delimiter` as a job writes it.
extension ImportCSV.Delimiter: OptionValue {
    package static var kind: OptionKind { .text }
    package static var placeholder: Self { .auto }

    package init(reading node: OptionNode) throws(DaybookError) {
        switch node.text {
        case "auto": self = .auto
        default:
            if let byte = OneByte.byte(of: node) {
                self = .text([byte])
                return
            }
            let bytes = Array((node.text ?? "").utf8)
            // A word is more likely the name of a delimiter than one.
            guard (2...DelimiterTail.most + 1).contains(bytes.count), !bytes.contains(0),
                !bytes.contains(where: CSVDialect.mayEndLine),
                !(node.text ?? "").unicodeScalars.contains(where: \.properties.isAlphabetic)
            else {
                throw node.expected(
                    "one character, up to eight bytes of signs, tab or auto",
                    hint: #"write the sign itself, such as ";" or "||""#
                )
            }
            self = .text(bytes)
        }
    }

    package var written: String {
        guard case .text(let bytes) = self else { return "auto" }
        return bytes == [9] ? "tab" : String(decoding: bytes, as: UTF8.self)
    }
}

/// `header` as a job writes it: a flag, or the names.
extension ImportCSV.Header: OptionValue {
    package static var kind: OptionKind { .either([.flag, .list(of: .text)]) }
    package static var placeholder: Self { .present }

    package init(reading node: OptionNode) throws(DaybookError) {
        if node.list != nil {
            let names = try [String](reading: node)
            guard !names.isEmpty else { throw DaybookError("bad-option", "the list names no column", at: node.place) }
            var seen: Set<String> = []
            if let again = names.first(where: { !seen.insert($0).inserted }) {
                throw DaybookError("bad-option", "'\(again)' stands there twice", at: node.place)
            }
            self = .names(names)
        } else {
            self = try Bool(reading: node) ? .present : .absent
        }
    }

    package var written: String {
        switch self {
        case .present: "true"
        case .absent: "false"
        case .names(let names): names.written
        }
    }
}

extension ImportCSV.Repeated: OptionChoice {}

extension CSVReadSettings.Ragged: OptionChoice {}

extension CSVReadSettings.BlankRows: OptionChoice {}

extension CSVDialect.Quotes: OptionChoice {}

extension CSVReadSettings.SecondHeader: OptionChoice {}
