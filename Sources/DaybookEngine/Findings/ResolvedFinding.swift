/// All that is known of one finding, as views of bytes that are valid until the next finding is looked at.
///
/// Nothing in it is counted or copied, so that a run in which every row is bad costs little more than writing that down.
package struct ResolvedFinding: BitwiseCopyable {
    /// Where a record stood before it was corrected in a copy.
    package struct First: BitwiseCopyable {
        package var source: Cell?
        package var line: Int?
    }

    /// The number of what it is about, among the subjects of the findings.
    package var subject: Int
    /// The message when the template of the kind does not give it.
    var ownMessage: Cell?
    package var source: Cell?
    package var line: Int?
    package var column: Int?
    /// What ends lines in the source.
    package var lineEnd = LineEnd.feed
    package var byte: Int?
    /// How many bytes of the record stand before that byte.
    package var byteInRecord: Int?
    /// The number of the record in its source, from 1.
    package var record: Int?
    package var pointer: Cell?
    /// How the other row is called that a finding names, where its kind does.
    package var named: Cell?
    /// The value as the stage saw it; nil when it was missing or the finding is about the whole row.
    package var value: Cell?
    /// The source record without its line end; nil when the row did not come from one.
    package var original: Cell?
    /// Set where the record was read from a corrected copy.
    package var first: First?

    package init(about subject: Int, saying message: Cell? = nil) {
        self.subject = subject
        ownMessage = message
    }
}

/// What all findings of one kind in one stage share, worded once.
package struct MessageTemplate: Sendable {
    package let code: String
    package let severity: Finding.Severity
    package let field: String?
    /// The message before and behind the value, or behind the name of another row; `after` is nil when it names neither.
    package let before: String
    package let after: String?
    let namesRow: Bool
    private let showsValues: Bool
    private let allowed: NearestNames?

    package init(_ subject: Finding.Subject, maskedBy mask: SecretMask? = nil) {
        code = subject.kind.code
        severity = subject.kind.severity
        field = subject.column.map { mask?.masking($0) ?? $0 }
        namesRow = subject.kind.namesRow
        showsValues = !subject.kind.shows.isEmpty
        allowed = subject.kind.allowed
        let message = subject.kind.message
        // What the user wrote stands before the name of a row, and behind a value.
        let mark = namesRow ? message.ranges(of: Findings.rowMark).last : message.firstRange(of: "{value}")
        before = String(message[..<(mark?.lowerBound ?? message.endIndex)])
        after = mark.map { String(message[$0.upperBound...]) }
    }

    /// The values of a row that stand in a message behind what is wrong; nil where none do.
    package func values(in message: String) -> String? {
        let start = before + PlaceFinder.valueMark
        return showsValues && message.hasPrefix(start) ? String(message.dropFirst(start.count)) : nil
    }

    /// What a finding says: words of its own, or else the message with the value in its place.
    package func message(_ facts: ResolvedFinding) -> String {
        if let own = facts.ownMessage { return own.text }
        guard let after else { return before }
        if namesRow { return before + (facts.named?.text ?? "an earlier row") + after }
        let nearest = allowed?.nearest(to: facts.value?.text ?? "")
        return before + DisplayText.value(facts.value) + after
            + (nearest.map { "; did you mean \(Array($0.utf8).withUnsafeBufferPointer(DisplayText.value))?" } ?? "")
    }
}

extension Cell {
    /// The bytes as text, with U+FFFD for what is not UTF-8.
    package var text: String { String(decoding: self, as: UTF8.self) }
}

/// One finding in words, kept as an example of its kind.
public struct RenderedFinding: Sendable, Hashable, Codable {
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
    /// How many bytes of the record stand before that byte; nil where the record does not stand in the file as it was read.
    public var byteInRecord: Int?
    /// The number of the record in its source, from 1.
    public var record: Int?
    public var pointer: String?
    public var field: String?
    public var value: String?
    /// Sixteen hexadecimal digits that stay the same when lines move; findings about equal records share them.
    public var fingerprint: String = ""
}

extension RenderedFinding {
    package init(
        _ facts: ResolvedFinding,
        _ phrase: MessageTemplate,
        stage: String,
        rule: Rule?,
        jobPlace: SourcePlace?
    ) {
        severity = phrase.severity
        code = phrase.code
        message = phrase.message(facts)
        self.stage = stage
        self.rule = rule?.id
        self.jobPlace = rule?.place ?? jobPlace
        source = facts.source?.text
        line = facts.line
        let told = phrase.field == nil ? facts.original : facts.value
        let lineEnds = told.map { facts.lineEnd.count(in: $0) } ?? 0
        endLine = lineEnds > 0 ? facts.line.map { $0 + lineEnds } : nil
        record = facts.record
        column = facts.column
        byte = facts.byte
        byteInRecord = facts.byte == nil ? nil : facts.byteInRecord
        pointer = facts.pointer?.text
        field = phrase.field
        value = facts.value?.text
        fingerprint = Fingerprint(facts, phrase, asked: rule?.id ?? stage).text
    }
}

/// The facts of findings without the secrets of a job.
package struct MaskedFinding {
    private let mask: SecretMask
    /// The phrases of the subjects as they are, from which messages are made before they are masked.
    private let phrases: [MessageTemplate]
    /// Room for one masked text each.
    private let texts = (0..<6).map { _ in Bytes() }

    package init(_ mask: SecretMask, _ phrases: [MessageTemplate]) {
        self.mask = mask
        self.phrases = phrases
    }

    /// Takes all secrets out of the facts, which are valid until the next are masked.
    package func mask(_ facts: inout ResolvedFinding) {
        facts.source = masked(facts.source, in: texts[0])
        facts.pointer = masked(facts.pointer, in: texts[1])
        let first = masked(facts.first?.source, in: texts[2])
        facts.first?.source = first
        facts.value = masked(facts.value, in: texts[3])
        facts.original = masked(facts.original, in: texts[4])
        // From the masked value: a message cuts long values, and what is left of a secret would not be known.
        let message = texts[5]
        message.removeAll()
        message.append(mask.masking(phrases[facts.subject].message(facts)))
        facts.ownMessage = message.filled
    }

    private func masked(_ cell: Cell?, in room: Bytes) -> Cell? {
        guard let cell, let masked = mask.masking(cell) else { return cell }
        room.removeAll()
        room.append(masked)
        return room.filled
    }
}

/// Tells a finding from others, run after run, also when the lines of its file move.
///
/// It is made from what was asked, the file, the field, the value and the whole record, and not from where they stand. So the
/// same mistake in two equal records has the same fingerprint twice; whoever needs to tell them apart counts them.
/// The hash is FNV-1a with 64 bits (Fowler, Noll, Vo; RFC 9923).
package struct Fingerprint: Hashable, Sendable {
    private(set) var number: UInt64 = 0xcbf2_9ce4_8422_2325

    package init(_ facts: ResolvedFinding, _ phrase: MessageTemplate, asked: String) {
        add(asked)
        add(phrase.code)
        add(phrase.field ?? "")
        add(facts.source ?? Cell(start: nil, count: 0))
        add(facts.value)
        add(facts.original)
        // Without a record the message tells most: a rule about all rows is known while its figures stay as they are.
        if facts.original == nil {
            add(facts.pointer?.text ?? "")
            add(phrase.namesRow ? phrase.message(facts) : facts.ownMessage?.text ?? "")
        }
    }

    package init(_ finding: RenderedFinding) {
        add(finding.rule ?? finding.stage)
        add(finding.code)
        add(finding.field ?? "")
        add(finding.source ?? "")
        add(finding.message)
    }

    package var text: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private mutating func add(_ text: String) {
        for byte in text.utf8 { mix(byte) }
        // A byte that no UTF-8 text holds keeps the parts apart.
        mix(0xFF)
    }

    private mutating func add(_ cell: Cell?) {
        if let cell { for byte in cell { mix(byte) } } else { mix(0xFE) }
        mix(0xFF)
    }

    private mutating func mix(_ byte: UInt8) { number = (number ^ UInt64(byte)) &* 0x100_0000_01b3 }
}
