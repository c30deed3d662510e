import DaybookTestSupport

@testable import DaybookApple
@testable import DaybookContracts

/// Reads files as `import_user_defaults` does.
enum ListTrial {
    static let source = SourceName(index: 0, path: "dump.plist")

    static func bytes(_ content: some Sequence<UInt8>) -> Bytes {
        let content = Array(content)
        // The buffer is as long as its content, so that a sanitizer sees what is read behind it.
        let bytes = Bytes(capacity: content.count)
        content.withUnsafeBufferPointer { bytes.append($0) }
        return bytes
    }

    static func file(_ content: some Sequence<UInt8>) throws(DaybookError) -> UserDefaultsFile {
        try UserDefaultsFile(bytes(content), source)
    }

    /// The value under a key, as the JSON text that is read, and what it was recognised as.
    static func value(_ key: String, _ content: some Sequence<UInt8>) throws(DaybookError) -> (
        text: ContainedText, json: String, words: String
    ) {
        let file = try file(content)
        let (text, words) = try file.text(try file.entry(key, nil))
        return (text, String(decoding: text.bytes.array, as: UTF8.self), words)
    }

    static func json(_ key: String, _ content: some Sequence<UInt8>) throws(DaybookError) -> String {
        try value(key, content).json
    }

    /// The error with which a file, or the value under its first key, is refused.
    static func refusal(_ content: some Sequence<UInt8>, key: String? = nil) -> DaybookError? {
        do throws(DaybookError) {
            let file = try file(content)
            guard let key = key ?? file.entries.first?.key else { return nil }
            _ = try file.text(try file.entry(key, nil))
            return nil
        } catch {
            return error
        }
    }

    /// The rows that the stage gives, as text.
    static func rows(_ content: some Sequence<UInt8>, _ options: String) throws -> (
        rows: String, findings: [String]
    ) {
        let stage = try ExampleRunner.make(ImportUserDefaults.self, "path: dump.plist\n" + options)
        let contents = try stage.contents(of: bytes(content), source)
        let formats = try contents.texts.map { text in
            try stage.format(
                of: SourceHead(
                    source: source,
                    bytes: text.bytes,
                    isWhole: true,
                    holder: text.holder,
                    facts: text.facts
                )
            )
        }
        let schema = try stage.schema(of: formats)
        var batches: [Batch] = []
        var lines: [String] = []
        for (text, format) in zip(contents.texts, formats) {
            var cutter = format.makeCutter()
            let rest = text.bytes.copy(format.dataStart..<text.bytes.count)
            let cut = try cutter.cut(rest.filled, isLast: true)
            precondition(cut.length == rest.count, "the last cut takes all")
            let morsel = Morsel(source: source, bytes: rest, offset: format.dataStart, firstLine: 1, firstRecord: 0)
            var findings = Findings()
            let reader = stage.reader(of: format, schema: schema)
            let batch = reader.read(morsel, reporting: &findings)
            precondition(
                findings.recordsSeen == batch.count + findings.rejectedRecords.count,
                "the ledger does not balance"
            )
            batches.append(batch)
            for finding in findings.rejectedRecords + findings.warnedRecords {
                let subject = findings.subjects[findings.index(of: finding.token)]
                let pointer = reader.pointers(to: subject.column)?[Int(finding.record)] ?? ""
                lines.append("\(text.holder.pointer)\(pointer) \(subject.kind.code)")
            }
            for finding in findings.rejectedRows + findings.warnedRows {
                lines.append("row \(finding.row) \(findings.subjects[findings.index(of: finding.token)].kind.code)")
            }
        }
        return (BatchText.write(batches, schema: schema), lines)
    }
}
