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
