import DaybookCore

/// All that is known of one finding, as views that are valid only while it is being written down.
struct FindingFacts {
    var phrase: FindingPhrase
    /// The message when the template of the kind does not give it.
    var ownMessage: String?
    var source: String?
    var line: Int?
    var column: Int?
    var byte: Int?
    /// The number of the record in its source, from 1.
    var record: Int?
    var pointer: String?
    /// The value as the stage saw it; nil when it was missing or the finding is about the whole row.
    var value: Cell?
    /// The source record without its line end; nil when the row did not come from one.
    var original: Cell?
    /// Where the record stood before it was corrected in a copy.
    var first: (source: String?, line: Int?)?
}

extension FindingFacts {
    /// Says where the record stands in the file that holds its text, for the place so far is one in the text.
    mutating func lie(in holder: TextHolder?) {
        guard let holder else { return }
        if let copy = holder.copy { return lie(in: copy, holder) }
        line = holder.line
        column = holder.column
        byte = holder.byte.flatMap { start in byte.map { start + $0 } }
        pointer = holder.pointer + (pointer ?? "")
    }

    private mutating func lie(in copy: CorrectedCopy, _ holder: TextHolder) {
        let place = copy.place(of: byte ?? copy.offset)
        (line, column, byte) = (place.line, place.column, place.byte)
        record = place.line
        pointer = holder.pointer
        first = (copy.firstSource, copy.firstLine)
    }

    /// Calls `body` with the same facts, in which no secret can be read.
    ///
    /// `phrase` is the same as theirs, masked.
    func masked(by mask: SecretMask, as phrase: FindingPhrase, _ body: (FindingFacts) -> Void) {
        var facts = self
        facts.phrase = phrase
        facts.source = source.map(mask.masking)
        facts.pointer = pointer.map(mask.masking)
        facts.first = first.map { ($0.source.map(mask.masking), $0.line) }
        func cell(_ cell: Cell?, _ body: (Cell?) -> Void) {
            guard let cell, let masked = mask.masking(cell) else { return body(cell) }
            masked.withUnsafeBufferPointer(body)
        }
        cell(value) { value in
            facts.value = value
            // From the masked value: a message cuts long values, and what is left of a secret would not be known.
            facts.ownMessage = mask.masking(ownMessage ?? self.phrase.message(value))
            cell(original) { original in
                facts.original = original
                body(facts)
            }
        }
    }
}

/// What all findings of one kind in one stage share, worded once. A class, so that noting a finding copies one reference.
final class FindingPhrase: Sendable {
    let code: String
    let severity: Finding.Severity
    let field: String?
    /// The message before and behind the value; `after` is nil when the message does not name it.
    let before: String
    let after: String?

    /// The same without secrets.
    convenience init(_ subject: Finding.Subject, maskedBy mask: SecretMask) {
        var subject = subject
        subject.column = subject.column.map(mask.masking)
        self.init(subject)
    }

    init(_ subject: Finding.Subject) {
        code = subject.kind.code
        severity = subject.kind.severity
        field = subject.column
        let message = subject.kind.message
        let mark = "{value}"
        var start = message.startIndex
        while start < message.endIndex, !message[start...].hasPrefix(mark) { start = message.index(after: start) }
        before = String(message[..<start])
        after = start == message.endIndex ? nil : String(message[message.index(start, offsetBy: mark.count)...])
    }

    /// The longest part of a value that a message quotes, in bytes.
    static let longestQuote = 80

    /// The message with the value in its place.
    func message(_ value: Cell?) -> String {
        guard let after else { return before }
        return before + FindingPhrase.quoted(value) + after
    }

    /// The value in quotes, cut between two characters where it is long.
    static func quoted(_ value: Cell?) -> String {
        guard let value else { return "a missing value" }
        guard value.count > longestQuote else { return "'" + String(decoding: value, as: UTF8.self) + "'" }
        var end = longestQuote
        while end > 0, value[end] & 0xC0 == 0x80 { end -= 1 }
        return "'" + String(decoding: value[..<end], as: UTF8.self) + "…'"
    }
}

/// One finding in words, kept as an example of its kind.
public struct RenderedFinding: Sendable, Hashable {
    public var severity: Finding.Severity
    public var code: String
    public var message: String
    /// The id of the stage that made it.
    public var stage: String
    /// The id of the rule that asked; nil for what no rule asked for.
    public var rule: String?
    /// Where the job names that rule, or else that stage.
    public var jobPlace: SourcePlace?
    public var source: String?
    public var line: Int?
    /// The line on which the value or record ends, where it is not the one on which it begins.
    public var endLine: Int?
    public var column: Int?
    public var byte: Int?
    /// The number of the record in its source, from 1.
    public var record: Int?
    public var pointer: String?
    public var field: String?
    public var value: String?
    /// Sixteen hexadecimal digits that stay the same when lines move; findings about equal records share them.
    public var fingerprint: String = ""
}

extension RenderedFinding {
    init(_ facts: FindingFacts, stage: String, rule: Rule?, jobPlace: SourcePlace?) {
        severity = facts.phrase.severity
        code = facts.phrase.code
        message = facts.ownMessage ?? facts.phrase.message(facts.value)
        self.stage = stage
        self.rule = rule?.id
        self.jobPlace = rule?.place ?? jobPlace
        source = facts.source
        line = facts.line
        let told = facts.phrase.field == nil ? facts.original : facts.value
        let lineEnds = told.map { $0.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) } } ?? 0
        endLine = lineEnds > 0 ? facts.line.map { $0 + lineEnds } : nil
        record = facts.record
        column = facts.column
        byte = facts.byte
        pointer = facts.pointer
        field = facts.phrase.field
        value = facts.value.map { String(decoding: $0, as: UTF8.self) }
        fingerprint = Fingerprint(facts, asked: rule?.id ?? stage).text
    }
}
