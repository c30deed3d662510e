import DaybookTestSupport
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookQuality
@testable import DaybookTables

/// What holds for every kind of rule, so that each reads and is documented alike.
@Suite struct RuleTableTests {
    /// The keys of an entry that are no rules.
    private static let entryKeys: Set<String> = ["id", "where", "warn", "fail", "at_least", "then"]

    @Test("names are snake case, and none is a key of an entry")
    func names() {
        #expect(Set(RuleTable.builtIn.names).count == RuleTable.builtIn.names.count)
        for name in RuleTable.builtIn.names {
            #expect(TableRules.snakeCase(name) == name)
            #expect(!Self.entryKeys.contains(name))
        }
    }

    @Test("withdrawn codes of languages are none")
    func languages() {
        let languages = CodeLists.languages
        #expect(languages.count == 183 && Set(languages).count == 183 && languages.contains("ko"))
        #expect(["iw", "in", "ji", "jw", "mo", "sh"].allSatisfy { !languages.contains($0) })
    }

    @Test("summaries and help are sentences", arguments: RuleTable.builtIn.names)
    func sentences(_ name: String) throws {
        let type = try #require(RuleTable.builtIn[name])
        #expect(type.summary.hasSuffix(".") && type.summary.first?.isUppercase == true)
        for spec in Self.specs(of: type) { #expect(spec.help.hasSuffix("."), "the help of '\(spec.key)'") }
        if let shorthand = type.shorthand { #expect(Self.specs(of: type).contains { $0.key == shorthand }) }
    }

    @Test("examples use every option, and at least one shows what breaks the rule", arguments: RuleTable.builtIn.names)
    func examples(_ name: String) throws {
        let type = try #require(RuleTable.builtIn[name])
        #expect(type.examples.contains { !$0.findings.isEmpty || $0.refused != nil })
        var shown: Set<String> = []
        for example in type.examples {
            let reading = YAMLReader().read(Array(example.options.utf8), file: "example.yaml")
            let rules = try #require(reading.root?.map?.first { $0.key == "rules" }).value
            for rule in try #require(rules.list) {
                guard let value = rule.map?.first(where: { $0.key == name })?.value else { continue }
                shown.formUnion(value.map?.map(\.key) ?? [type.shorthand ?? ""])
            }
        }
        for spec in Self.specs(of: type) where !shown.contains(spec.key) {
            Issue.record("no example of '\(name)' uses the option '\(spec.key)'")
        }
    }

    @Test("examples show every key that an entry may have")
    func entries() {
        let examples = CheckRows<BuiltInRules>.description.examples.map(\.options).joined(separator: "\n")
        for key in Self.entryKeys { #expect(examples.contains("\(key): "), "'\(key)'") }
    }

    private static func specs(of type: any CheckRule.Type) -> [OptionSpec] {
        var reader = OptionReader.listening()
        _ = type.init(reading: &reader)
        return reader.specs
    }
}

/// Keys, figures and orders that rules remember, against what is known of them.
@Suite struct RuleMemoryTests {
    @Test("decimals keep their order and their value as keys")
    func decimals() {
        let values = [
            -Double.greatestFiniteMagnitude, -1.5, -1, -Double.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 1,
            2.25, 1e300,
        ]
        let keys = values.map { Ascent.key(of: $0) }
        #expect(keys == keys.sorted())
        #expect(Ascent.key(of: -0.0) == Ascent.key(of: 0))
        guard case .decimals(let back) = Ascent.column(keys, .decimal) else { return #expect(Bool(false)) }
        #expect(back.elements == values)
    }

    @Test("sums of whole numbers do not overflow")
    func sums() throws {
        let column = Column.integers(Values([.max, .max, .min, 5], missing: nil))
        let batch = Batch(Schema([Field("n", .integer)]), [column], count: 4, provenance: .made)
        var totals = ColumnTotals(ColumnName("n"), of: CheckedRows(batch: batch))
        #expect(totals.whole == Int128(Int64.max) + 4)
        totals.add(totals)
        #expect(totals.whole == 2 * (Int128(Int64.max) + 4) && totals.count == 8)
        let bytes = Bytes()
        totals.write(to: bytes)
        var reader = ByteReader(bytes.filled)
        let copy = try ColumnTotals(reading: &reader)
        withExtendedLifetime(bytes) {}
        #expect(copy.whole == totals.whole && copy.exact == nil)
    }

    @Test("keys are found that were put in, and nothing under gaps")
    func keys() {
        var missing = Mask(count: 5_000)
        missing.insert(7)
        func keys(_ numbers: [Int64], missing: Mask? = nil) -> RowKeys {
            let column = Column.integers(Values(numbers, missing: missing))
            return RowKeys(
                Batch(Schema([Field("n", .integer)]), [column], count: numbers.count, provenance: .made),
                by: [ColumnName("n")]
            )
        }
        var index = KeyIndex()
        for known in [keys((0..<5_000).map { $0 * 3 }, missing: missing), keys([1])] {
            for row in 0..<known.count where !known.gaps.isMissing(row) {
                _ = known.withKey(row) { index.number(of: $0, known.hashes[row]) }
            }
        }
        let found = index.find(keys((0..<15_000).map { $0 }))
        for (probe, number) in found.enumerated() {
            #expect((number >= 0) == ((probe % 3 == 0 && probe != 21) || probe == 1))
            if number >= 0 { #expect(number == (probe == 1 ? 4_999 : Int32(probe / 3 - (probe > 21 ? 1 : 0)))) }
        }
    }
}
