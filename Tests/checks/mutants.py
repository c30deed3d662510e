"""The mutants of check-mutants: small mistakes, each of which a test must notice.

A file is named without its folder and ending. The old text stands in it exactly once; between « and » stands what is
changed, where that is not the whole of it. None as the new text drops a statement. The suites are those that should notice,
the one that is quickest to do so alone.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    file: str
    old: str
    new: str | None
    suites: tuple[str, ...]


LEDGER = [
    Mutant("LedgerLine", "- droppedCount - «folded»", "0", ("CaseTests", "EngineTests")),
    Mutant("LedgerLine", "rejected += other.rejected", None, ("CaseTests", "EngineTests")),
    Mutant("LedgerLine", "dropped.merge(other.dropped, uniquingKeysWith: +)", None, ("CaseTests", "EngineTests")),
    Mutant("LedgerLine", "skipped.merge(other.skipped, uniquingKeysWith: +)", None, ("CaseTests",)),
    Mutant("LedgerLine", "filled.merge(other.filled, uniquingKeysWith: +)", None, ("CaseTests",)),
    Mutant("Gates", "if «line.unaccounted != 0»", "line.unaccounted < 0", ("LedgerAuditTests",)),
    Mutant("Gates", "if «passed != line.rowsIn»", "false", ("LedgerAuditTests",)),
    Mutant("Gates", "filter { «!$0.isBuildSide» }", "true", ("CaseTests", "EngineTests")),
    Mutant("BatchWork", "if «later.line.unaccounted != 0» {", "later.line.unaccounted > 1", ("LedgerAuditTests",)),
    Mutant("ShardReplay", "= «read?[record.stage] ?? 0»\n", "0", ("ShardPropertyTests",)),
    Mutant("ShardReplay", "|| «next[file.shards.upperBound] != nil»\n", "true", ("ShardTreeTests",)),
    Mutant("ShardFile", "«file.bytes(at: end, count: ShardSeal.length).elementsEqual(seal.finish())»", "true", ("ShardDamageTests",)),
    Mutant("Runner", "before + «entries[0].result.line.rowsIn»", "0", ("RejectPlaceTests", "EngineTests")),
    Mutant(
        "Runner", "results[index].line.dropped.merge(output.droppedRows, uniquingKeysWith: +)", None,
        ("CaseTests", "EngineTests"),
    ),
    Mutant("Runner+Outputs", "results[index].line.rowsOut -= lost", None, ("LedgerAuditTests",)),
    Mutant("BatchWork", "output.count - («input.count - (kept?.count ?? input.count)»)", "0", ("LedgerAuditTests",)),
    Mutant("BatchWork", "if fold?.keepsRows != true { result.line.made = batch.count }", None, ("CaseTests", "EngineTests")),
    Mutant("BatchWork", "result.line.rowsIn = part.parents", None, ("CaseTests",)),
    Mutant("BatchWork", "return «rest == nil ? 0 : result.line.made»", "0", ("BoundedMemoryTests",)),
    Mutant("RowJoin", "earlier.insert(later, raisedBy: 0)", None, ("JoinRowsTests",)),
    Mutant("BatchWork", "result.line.made = findings.unfolded.into", None, ("CaseTests",)),
    Mutant("FindingSummary", "checkedRows.merge(later.checkedRows, uniquingKeysWith: +)", None, ("RuleRunTests", "CaseTests")),
    Mutant("FindingReporter", "left[key] -= 1", None, ("RuleRunTests", "CaseTests")),
    Mutant("FindingSummary", "tallies[same].count += tally.count", None, ("RuleRunTests",)),
]

MERGES = [
    Mutant("EmotionCounting", "rows[mine + emotion] += later.rows[other + emotion]", None, ("StageExampleTests",)),
    Mutant("EmotionCounting", "for emotion in «0»..<width", "1", ("StageExampleTests",)),
    Mutant(
        "EmotionCounting", "if isDecimal { decimal[mine + emotion].add(later.decimal[other + emotion]) }", None,
        ("StageExampleTests", "StagePropertyTests"),
    ),
    Mutant(
        "DayCounts", "entries[mine + day] += other.entries[theirs + day]", None,
        ("BuildMonthCalendarTests", "StageExampleTests"),
    ),
    Mutant(
        "DayCounts", "let space = «labelLimit - labels[mine + day].count»", "labelLimit",
        ("BuildMonthCalendarTests", "StageExampleTests"),
    ),
    Mutant("DayCounts", "foldedRows += other.foldedRows", None, ("BuildMonthCalendarTests", "StageExampleTests")),
    Mutant(
        "SnapshotDifferencing", "spans[number].last = «max(spans[number].last, span.last)»", "span.last",
        ("DifferenceSnapshotsTests",),
    ),
    Mutant("SnapshotDifferencing", "days.formUnion(later.days)", None, ("DifferenceSnapshotsTests", "StageExampleTests")),
    Mutant("Increasing", "if «breaks(first)» {", "false", ("StageExampleTests", "StagePropertyTests")),
    Mutant("Increasing", "earlier.ends[key]?.last = ends.last", None, ("StageExampleTests", "StagePropertyTests")),
    Mutant(
        "ConsistentKind", "for kind in counts.indices { counts[kind] += later.counts[kind] }", None,
        ("StageExampleTests", "StagePropertyTests"),
    ),
    Mutant("FigureRule", "whole += later.whole", None, ("StageExampleTests", "StagePropertyTests")),
    Mutant("FigureRule", "else { «exact?.add(sum)» }", None, ("StageExampleTests", "StagePropertyTests")),
    Mutant("Share", "earlier.rows += later.rows", None, ("RuleRunTests",)),
    Mutant("RowCount", "earlier.rows += later.rows", None, ("RuleRunTests",)),
    Mutant(
        "Freshness", "newest = «[newest, later.newest].compactMap(\\.self).max()»", "later.newest ?? newest",
        ("RuleRunTests",),
    ),
    Mutant("DependsOn", "best < 0 || «counts[best] < count»", "counts[best] <= count", ("StageExampleTests",)),
    Mutant("DependsOn", "for (number, own) in numbers.enumerated() { «counts[Int(own)] += later.counts[number]» }", None, ("RuleRunTests",)),
    Mutant("Freshness", "guard «age > days»", "age >= days", ("StageExampleTests",)),
    Mutant(
        "ExactSum", "for index in digits.indices { digits[index] += factor * other.digits[index] }", None,
        ("ExactSumTests",),
    ),
    Mutant("ExactSum", "{ «leading |= 1» }", None, ("ExactSumTests",)),
    Mutant("ExactSum", "let shift = «max(exponent, 1)»", "exponent", ("ExactSumTests",)),
    Mutant(
        "FormInference", "misfit = «misfit ?? later.misfit»", "later.misfit ?? misfit",
        ("InferenceTests", "TableProfileTests"),
    ),
    Mutant("FormInference", "count += later.count", None, ("InferenceTests", "TableProfileTests")),
    Mutant("NumberInference", "count += later.count\n        least = «min(least, later.least)»", "least", ("InferenceTests", "TableProfileTests")),
    Mutant("NumberInference", "merge(_ later: WholeRange) {\n        least = «min(least, later.least)»", "least", ("InferenceTests", "TableProfileTests")),
    Mutant(
        "FrequentValues", "«max(registers[index], later.registers[index])»", "later.registers[index]",
        ("SketchTests",),
    ),
    Mutant("NumberSpread", "total += later.total", None, ("SketchTests", "TableProfileTests")),
    Mutant("ColumnProfile", "distinct.merge(later.distinct)", None, ("TableProfileTests",)),
    Mutant("ColumnProfile", "later.isRising && «last < later.first»", "last <= later.first", ("TableProfileTests",)),
]

GROUPS = [  # files that are about to change: replace what no longer fits
    Mutant(
        "DecimalSums", "sums[Int(places[group])] &+= sum", None,
        ("SummariseRowsTests", "StageExampleTests"),
    ),
    Mutant(
        "DecimalSums", "default: «add(ScaledNumber(later.mantissas[group], later.exponents[group]), to: Int(place))»", None,
        ("SummariseRowsTests",),
    ),
    Mutant("PickedValues", "values[mine] = later[group]", None, ("SummariseRowsTests", "StageExampleTests")),
    Mutant(
        "PickedValues", "case .least: «comesBefore(later, earlier)»", "comesBefore(earlier, later)",
        ("SummariseRowsTests", "StageExampleTests"),
    ),
    Mutant("DaySets", "entries[Int(places[group])] += count", None, ("CountStreaksTests", "StageExampleTests")),
    Mutant("PartitionedBytes", "guard «length <= bytes.count - start» else { break }", "length < bytes.count - start", ("PartitionedBytesTests", "KeyMemoryTests")),
    Mutant("PartitionedBytes", "block.base += rows", None, ("KeyMemoryTests", "RuleMemoryTests")),
    Mutant("PartitionedBytes", "storeBytes(of: «own &+ Int64(base)»,", "own", ("PartitionedBytesTests", "SummariseRowsTests")),
    Mutant("GroupSummary", "tables[part].met = «tables[part].met.map { Int(ranks[$0]) }»", "tables[part].met", ("SummariseRowsTests",)),
    Mutant("GroupRows", "met.append(«number &+ base»)", "number", ("SummariseRowsTests", "GroupsOnDiskTests")),
]

COMMIT = [
    Mutant("Runner+Outputs", "if «outcome.exitCode != 0»", "false", ("EngineTests",)),
    Mutant(
        "OutputTransaction", "if output.target.isFile { unlink(output.temporary) }", None,
        ("OutputTransactionTests", "EngineTests"),
    ),
    Mutant("OutputTransaction", "if isClean { unlink(file.path) }", None, ("OutputTransactionTests",)),
    Mutant("OutputTransaction", "places[target.path] = path", None, ("OutputTransactionTests",)),
    Mutant(
        "OutputTransaction+Commit", "for output in outputs { try output.flush() }", None,
        ("OutputTransactionTests",),
    ),
    Mutant("OutputTransaction+Commit", "if «index == 0», !journal.isNotedAsDecided", "index == 1", ("OutputTransactionTests", "RecoveryTests", "CommitFaultTests")),
    Mutant("OutputTransaction+Commit", "unlink(state.journal(run))", None, ("OutputTransactionTests", "RecoveryTests")),
    Mutant(
        "Journal", "«text == body + Journal.sum(of: body)»", "true",
        ("RecoveryTests",),
    ),
    Mutant("Journal", "«run.owns(FilePath.name(of: temporary))»", "true", ("RecoveryTests",)),
    Mutant("Journal", "if «byte < 0x20»", "byte < 9", ("RecoveryTests", "OutputTransactionTests")),
    Mutant("Recovery", "for rename in «journal.renames»", "Array(journal.renames.dropLast())", ("RecoveryTests",)),
    Mutant("Recovery", "isPublished == nil && «run.owns(FilePath.name(of: temporary))»", "true", ("RecoveryTests",)),
    Mutant("Publication", "guard «path.utf8.starts(with: head.utf8)»", "true", ("PublishTests", "RecoveryTests")),
    Mutant("Publication", "[FilePath.name(of: directory), «previous»]", "nil", ("PublishTests", "RecoveryTests")),
    Mutant("JobLock", "try? file.writeAll(Bytes(Holder.current.text))", None, ("JobLockTests",)),
]

GATES = [
    Mutant("Allowance", "return «found <= bound»", "found < bound", ("LimitTests",)),
    Mutant("Allowance", "return «found >= bound»", "found > bound", ("LimitTests",)),
    Mutant(
        "Check", "failing > 0, «failing >= atLeast»", "failing > atLeast",
        ("LimitTests",),
    ),
    Mutant("Check", "return «firesAtBound» &&", "true", ("LimitTests",)),
    Mutant(
        "Gates", "«line.rejected == line.rowsIn» &&", "line.rejected >= line.rowsIn - 1",
        ("CaseTests", "EngineTests"),
    ),
    Mutant("Gates", "return «stage.policy.allow == nil»", "true", ("CaseTests", "EngineTests")),
    Mutant("Gates", "«sources.count < 2»", "sources.count < 3", ("CaseTests", "EngineTests")),
    Mutant("Gates", "verdict(«failing - known», of: rows)", "failing", ("BaselineTests",)),
    Mutant("Gates", "known: tallies.reduce(0) { «$0 + $1.known» }", "$0", ("BaselineTests",)),
]

DATES = [
    Mutant("CalendarDay", "«dayOfYear >= 306» ?", "dayOfYear > 306", ("CalendarDayTests",)),
    Mutant("CalendarDay", "«month <= 2» ?", "month < 2", ("CalendarDayTests",)),
    Mutant(
        "CalendarDay", "«UInt32(bitPattern: month &- 1) < 12»", "UInt32(bitPattern: month &- 1) <= 12",
        ("DateReadingTests", "CalendarDayTests"),
    ),
    Mutant("CalendarDay", "|| «year % 400 == 0»", "false", ("CalendarDayTests",)),
    Mutant("CalendarDay", "30 + ((«month + (month >> 3)») & 1)", "month", ("CalendarDayTests",)),
    Mutant(
        "FormatShape", "if «view.length == 10»", "view.length >= 10",
        ("DateReadingTests", "NormaliseDatesTests", "DateFuzzTests"),
    ),
    Mutant(
        "DateColumnReader", "if shape == .read, «isAlone[format]»", "true",
        ("ManyFormatsTests", "NormaliseDatesTests"),
    ),
    Mutant("PatternProgram", "if «count < decimals» {", "count < decimals &- 1", ("DateReadingTests", "MidnightTests", "NormaliseDatesTests")),
    Mutant("DateReading", "|| «text.skip(UInt8(ascii: \",\"))»", "false", ("DateReadingTests", "NormaliseDatesTests")),
    Mutant(
        "ZoneRules", "partitioningIndex { «$0 > seconds &- shift» }", "$0 >= seconds &- shift",
        ("DateReadingTests", "NormaliseDatesTests", "DateFormatterTests"),
    ),
    Mutant(
        "ZoneRules", "if «after < before»", "after > before",
        ("DateReadingTests", "NormaliseDatesTests", "DateFormatterTests"),
    ),
    Mutant(
        "ZoneRules", "return «local >= 86_400» ?", "local > 86_400",
        ("DateReadingTests", "StageExampleTests"),
    ),
    Mutant("DateWriter", "bytes[1] = «count > 0» ?", "count >= 0", ("CountDDaysTests", "StageExampleTests")),
    Mutant(
        "ISOText", "«UInt32(bitPattern: day) < WrittenDays.count»", "UInt32(bitPattern: day) <= WrittenDays.count",
        ("ISOTextTests",),
    ),
    Mutant("DateReading", "day >= 29, «day <= 31»", "day <= 30", ("StageExampleTests", "CaseTests")),
    Mutant("DateReading", "clock == .zeroTo11 ? «hour <= 11»", "hour < 11", ("DateReadingTests",)),
    Mutant(
        "AnniversaryList", "let number = «Int(CalendarMonth(of: day).number) + months»", "Int(CalendarMonth(of: day).number) - months",
        ("ListAnniversariesTests", "StageExampleTests", "CaseTests"),
    ),
    Mutant(
        "CalendarDays", "Int32(«min(wanted, length)») - 1", "wanted",
        ("ListAnniversariesTests", "StageExampleTests", "CaseTests"),
    ),
    Mutant("CalendarDay", "month: «Int(month) % 12 + 1»", "Int(month) % 12", ("StageExampleTests",)),
]

KEYS = [
    Mutant("KeyIndex", "let start = number == 0 ? 0 : «ends[number &- 1]»", "0", ("SummariseRowsTests",)),
    Mutant(
        "TextColumn", "order == 0 ? «count < other.count» :", "count > other.count",
        ("SortRowsTests", "SummariseRowsTests"),
    ),
    Mutant(
        "KeyIndex", "{ return «first.prefix < second.prefix» }", "first.prefix > second.prefix",
        ("SummariseRowsTests",),
    ),
    Mutant("KeyPack", "hasGaps ? («rows + 63») / 64", "rows", ("KeyMemoryTests",)),
    Mutant("KeyPack", "widest = UInt64(bitPattern: «most &- least»)", "most &- least &- 1", ("KeyMemoryTests",)),
    Mutant("KeyMemory", "pack.least <= last && «first <= pack.most»", "first < pack.most", ("KeyMemoryTests",)),
    Mutant("KeyMemory", "firstRows[rank - start] = «first < 0 ? row : first»", "row", ("KeyMemoryTests",)),
    Mutant("RowSet", "if «first > start»", "false", ("RowSetTests",)),
    Mutant("RowSet", "let below = «place > 0» ?", "place > 1", ("RowSetTests",)),
    Mutant("RowSet", "if !rows.isEmpty { try body(rows) }", None, ("RowSetTests",)),
]

MUTANTS = LEDGER + MERGES + GROUPS + COMMIT + GATES + DATES + KEYS
