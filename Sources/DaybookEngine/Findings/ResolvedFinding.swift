/// All facts of one finding, as views of bytes that are valid until the next finding is resolved.
///
/// Nothing in it is reference-counted or copied, so a run in which every row is bad costs little more than its report.
package struct ResolvedFinding: BitwiseCopyable {
    /// Place of a record before it was corrected in a copy.
    package struct First: BitwiseCopyable {
        package var source: Cell?
        package var line: Int?
    }

    /// Index among the subjects of the findings.
    package var subject: Int
    /// The message, if the template of the kind does not give it.
    var ownMessage: Cell?
    package var source: Cell?
    package var line: Int?
    package var column: Int?
    /// Line end of the source.
    package var lineEnd = LineEnd.feed
    package var byte: Int?
    /// Number of bytes in the record before that byte.
    package var byteInRecord: Int?
    /// Number of the record in its source, from 1.
    package var record: Int?
    package var pointer: Cell?
    /// Name of the other row in the finding, if its kind names one.
    package var named: Cell?
    /// Value as the stage saw it; nil for a missing value or a finding about the whole row.
    package var value: Cell?
    /// Source record without its line end; nil for a row without a source record.
    package var original: Cell?
    /// Set if the record comes from a corrected copy.
    package var first: First?

    /// Where the record begins in the source.
    var recordByte: Int? { byteInRecord.flatMap { inRecord in byte.map { $0 - inRecord } } }

    package init(about subject: Int) { self.subject = subject }
}

/// Message that all findings of one kind in one stage share, made once.
package struct MessageTemplate: Sendable {
    let kind: Finding.Kind
    package let field: String?
    /// Message before and after the value, or after the name of another row; `after` is nil if the message contains
    /// neither.
    package let before: String
    package let after: String?

    package init(_ subject: Finding.Subject, maskedBy mask: SecretMask? = nil) {
        kind = subject.kind
        field = subject.column.map { mask?.masking($0) ?? $0 }
        let message = kind.message
        // User text precedes the name of a row, and follows a value.
        let mark = kind.namesRow ? message.ranges(of: Findings.rowMark).last : message.firstRange(of: "{value}")
        before = String(message[..<(mark?.lowerBound ?? message.endIndex)])
        after = mark.map { String(message[$0.upperBound...]) }
    }

    /// Row values in a message, after the problem; nil if it has none.
    package func values(in message: String) -> String? {
        let start = before + PlaceFinder.valueMark
        return !kind.shows.isEmpty && message.hasPrefix(start) ? String(message.dropFirst(start.count)) : nil
    }

    /// Message of a finding: its own, or the template with the value filled in.
    package func message(_ facts: ResolvedFinding) -> String {
        if let own = facts.ownMessage { return own.text }
        guard let after else { return before }
        if kind.namesRow { return before + (facts.named?.text ?? "an earlier row") + after }
        return before + DisplayText.value(facts.value) + after + (kind.hint?.text(about: facts.value) ?? "")
    }
}

extension Cell {
    /// The bytes as text, with U+FFFD for invalid UTF-8.
    package var text: String { String(decoding: self, as: UTF8.self) }
}

/// One finding with its message, kept as a sample of its kind.
public struct RenderedFinding: Sendable, Hashable, Codable {
    public var severity: Finding.Severity
    public var code: String
    public var message: String
    /// Id of the stage that reported it.
    public var stage: String
    /// Id of its rule; nil for a finding without a rule.
    public var rule: String?
    /// Place of the rule in the job; place of the stage for a finding without a rule.
    public var jobPlace: SourcePlace?
    public var source: String?
    public var line: Int?
    /// Last line of the value or record, if it differs from the first line.
    public var endLine: Int?
    public var column: Int?
    public var byte: Int?
    /// Number of bytes in the record before that byte; nil if the input file does not contain the record as such.
    public var byteInRecord: Int?
    /// Number of the record in its source, from 1.
    public var record: Int?
    public var pointer: String?
    public var field: String?
    public var value: String?
    /// Sixteen hexadecimal digits that do not change when lines move. Findings about equal records share them.
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
        (severity, code) = (phrase.kind.severity, phrase.kind.code)
        message = phrase.message(facts)
        self.stage = stage
        self.rule = rule?.id
        self.jobPlace = rule?.place ?? jobPlace
        (source, line, column, byte) = (facts.source?.text, facts.line, facts.column, facts.byte)
        let told = phrase.field == nil ? facts.original : facts.value
        let lineEnds = told.map { facts.lineEnd.count(in: $0) } ?? 0
        endLine = lineEnds > 0 ? facts.line.map { $0 + lineEnds } : nil
        byteInRecord = facts.byte == nil ? nil : facts.byteInRecord
        (record, pointer) = (facts.record, facts.pointer?.text)
        (field, value) = (phrase.field, facts.value?.text)
        fingerprint = Fingerprint(facts, phrase, asked: rule?.id ?? stage).text
    }
}

/// Facts of findings without the secrets of a job.
package struct MaskedFinding {
    private let mask: SecretMask
    /// Unmasked templates of the subjects: messages are made first and masked afterwards.
    private let phrases: [MessageTemplate]
    /// Buffers for one masked text each.
    private let texts = (0..<6).map { _ in Bytes() }

    package init(_ mask: SecretMask, _ phrases: [MessageTemplate]) {
        (self.mask, self.phrases) = (mask, phrases)
    }

    /// Removes all secrets from the facts, which are valid until the next call.
    package func mask(_ facts: inout ResolvedFinding) {
        facts.source = masked(facts.source, in: texts[0])
        facts.pointer = masked(facts.pointer, in: texts[1])
        let first = masked(facts.first?.source, in: texts[2])
        facts.first?.source = first
        facts.value = masked(facts.value, in: texts[3])
        facts.original = masked(facts.original, in: texts[4])
        // The message uses the masked value: messages shorten long values, and the mask would not recognise the rest of
        // a secret.
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

/// Identifies a finding across runs, also when the lines of its file move.
///
/// The fingerprint covers the rule, the file, the field, the value and the whole record, but no positions. So the same
/// mistake in two equal records has the same fingerprint twice; count the findings to distinguish them. The hash is
/// FNV-1a with 64 bits (Fowler, Noll, Vo; RFC 9923).
package struct Fingerprint: Hashable, Sendable {
    private(set) var number: UInt64 = 0xcbf2_9ce4_8422_2325

    package init(_ facts: ResolvedFinding, _ phrase: MessageTemplate, asked: String) {
        add(asked)
        add(phrase.kind.code)
        add(phrase.field ?? "")
        add(facts.source ?? Cell(start: nil, count: 0))
        add(facts.value)
        add(facts.original)
        // Without a record, the message identifies best: a rule about all rows is known while its figures do not
        // change.
        if facts.original == nil {
            add(facts.pointer?.text ?? "")
            add(phrase.kind.namesRow ? phrase.message(facts) : facts.ownMessage?.text ?? "")
        }
    }

    package init(_ finding: RenderedFinding) {
        add(finding.rule ?? finding.stage)
        add(finding.code)
        add(finding.field ?? "")
        add(finding.source ?? "")
        add(finding.message)
    }

    package var text: String { Hexadecimal.text(of: withUnsafeBytes(of: number.bigEndian) { Array($0) }) }

    private mutating func add(_ text: String) {
        for byte in text.utf8 { mix(byte) }
        // A byte that UTF-8 text never contains separates the parts.
        mix(0xFF)
    }

    private mutating func add(_ cell: Cell?) {
        if let cell { for byte in cell { mix(byte) } } else { mix(0xFE) }
        mix(0xFF)
    }

    private mutating func mix(_ byte: UInt8) { number = (number ^ UInt64(byte)) &* 0x100_0000_01b3 }
}
