import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookJobTools

/// In which parts two large files differ, and what their rows are then known by.
@Suite struct ChangedSectionsTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private func sections(_ before: String, _ after: String) throws -> ChangedSections? {
        try place.write(before, to: "before.csv")
        try place.write(after, to: "after.csv")
        let path = { (name: String) in place.url.appendingPathComponent(name).path }
        return ChangedSections(path("before.csv"), path("after.csv")) { false }
    }

    /// Checks that the files are the same where no section is, and how many lines that leaves out.
    private func check(_ found: ChangedSections, _ before: String, _ after: String) {
        let (was, now) = (Array(before.utf8), Array(after.utf8))
        var (old, new, lines) = (0, 0, 0)
        for (index, section) in found.sections.enumerated() {
            let isLast = index + 1 == found.sections.count
            let same = section.before.lowerBound - old
            let kept: ArraySlice<UInt8> = was[old..<old + same]
            #expect(kept == now[new..<new + same])
            lines += kept.count { $0 == 10 }
            new += same
            let copied = isLast ? found.after.count : found.sections[index + 1].copied.after
            #expect(section.linesLeftOut == lines)
            let first: ArraySlice<UInt8> = found.before.array[section.copied.before...].prefix(section.before.count)
            #expect(first == was[section.before])
            let later: Range<Int> = new..<(new + copied - section.copied.after)
            let second: ArraySlice<UInt8> = found.after.array[section.copied.after..<copied]
            #expect(second == now[later])
            // A section begins and ends with a line, which both files have but at their ends.
            #expect(section.before.lowerBound == 0 || was[section.before.lowerBound - 1] == 10)
            (old, new) = (section.before.upperBound, later.upperBound)
        }
        #expect(was[old...] == now[new...])
    }

    private static func lines(_ count: Int, _ random: inout SeededGenerator) -> [String] {
        (0..<count).map { number in
            "\(number),\(String(repeating: "x", count: Int.random(in: 20...90, using: &random)))"
        }
    }

    @Test(arguments: TestSize.seeds(12, of: 120))
    func `what is in no section is the same in both files`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let lines = Self.lines(40_000, &random)
        var later: [String] = []
        let changes = [0, 1, 5, 40, 150][Int(seed % 5)]
        let places = Set((0..<changes).map { _ in Int.random(in: lines.indices, using: &random) })
        for (number, line) in lines.enumerated() {
            guard places.contains(number) else {
                later.append(line)
                continue
            }
            switch Int.random(in: 0..<5, using: &random) {
            case 0: later += [line, "\(number),new"]
            case 1: later += ["\(number),changed", "\(number),\n\n"]
            case 2: later += (0..<Int.random(in: 1..<300, using: &random)).map { "\(number),many \($0)" }
            case 3: break
            default: later.append("\(number),changed")
            }
        }
        let ends = ["", "\n", "\n\n", "\nlast"]
        let (before, after) = (
            lines.joined(separator: "\n") + ends[Int(seed % 4)], later.joined(separator: "\n") + ends[Int(seed / 2 % 4)]
        )
        let found = try #require(try sections(before, after))
        check(found, before, after)
        #expect(found.before.count < 70_000 + changes * 10_000)
    }

    @Test func `a file that went on has one more section`() throws {
        var random = SeededGenerator(seed: 7)
        let before = Self.lines(120_000, &random).joined(separator: "\n") + "\n"
        let after = before + (0..<20_000).map { "new \($0)\n" }.joined()
        let found = try #require(try sections(before, after))
        check(found, before, after)
        #expect(found.sections.count == 2)
        // And one that lost its end.
        let less = String(before.dropLast(500_000))
        check(try #require(try sections(before, less)), before, less)
    }

    @Test func `files that differ in most lines, small files and other beginnings have none`() throws {
        var random = SeededGenerator(seed: 3)
        let lines = Self.lines(40_000, &random)
        let text = lines.joined(separator: "\n")
        #expect(try sections(text, lines.map { $0 + "." }.joined(separator: "\n")) == nil)
        #expect(try sections(text, "id," + text) == nil)
        #expect(try sections(String(text.prefix(300_000)), String(text.prefix(300_000))) == nil)
        let long = "1\n" + String(repeating: "y", count: 3 << 20)
        #expect(try sections(long, long + "z") == nil)
    }
}
