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
