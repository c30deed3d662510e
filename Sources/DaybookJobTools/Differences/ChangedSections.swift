import DaybookBytes
import DaybookTables
import Foundation

/// The sections in which two files differ, with a line of context on either side. Between them both files have the same bytes, in
/// whole lines.
///
/// As in a line-based diff, a section ends where the nearest lines of both files are the same again. Whether a line is a record is
/// for the reader of the files to say.
struct ChangedSections {
    struct Section {
        /// Where it is in the earlier file.
        var before: Range<Int>
        /// Where it begins in the copies of the changed sections.
        var copied: (before: Int, after: Int)
        /// How many lines of either file stand before it and in no section.
        var linesLeftOut: Int
        /// How many bytes its last line has, which both files have; 0 at their end.
        var lastLine: Int
    }

    /// The first one is the beginning of the files, where headers are.
    private(set) var sections: [Section] = []
    /// How many bytes the earlier file has.
    let size: Int
    /// The bytes of all sections, one after another.
    let before = Bytes()
    let after = Bytes()

    /// Files of fewer bytes are compared as a whole.
    private static let leastFile = 512 << 10
    /// The most bytes of all sections of a file.
    private static let mostBytes = 32 << 20
    /// So much of the beginning is always a section.
    private static let head = 64 << 10
    /// So many bytes of a file are held, and looked through for the end of a section.
    private static let window = 1 << 20
    /// A window with fewer bytes left is moved on.
    private static let lookahead = 64 << 10

    private var linesLeftOut = 0
    private var limit = 0

    /// Nil where the files are small, begin otherwise, or differ in too much.
    init?(_ earlier: String, _ later: String, isCancelled: () -> Bool) {
        guard let old = FileWindow(earlier, ChangedSections.window),
            let new = FileWindow(later, ChangedSections.window),
            min(old.size, new.size) >= ChangedSections.leastFile
        else { return nil }
        size = old.size
        limit = min(ChangedSections.mostBytes, max(old.size, new.size) / 8)
        var (was, now) = (old, new)
        guard was.move(to: 0), now.move(to: 0) else { return nil }
        let same = was.sameBytes(as: now)
        let start = was.lineStart(before: min(same, ChangedSections.head))
        guard start > 0 else { return nil }
        let lastLine = start - was.lineStart(before: start - 1)
        add(was.take(start), now.take(start), at: 0, lastLine)
        while !was.isAtEnd || !now.isAtEnd {
            guard !isCancelled(), step(&was, &now) else { return nil }
        }
    }

    /// Passes the same lines, up to the next section and over it, or to the end of the windows.
    private mutating func step(_ was: inout FileWindow, _ now: inout FileWindow) -> Bool {
        guard was.show(ChangedSections.lookahead), now.show(ChangedSections.lookahead) else { return false }
        let same = was.sameBytes(as: now)
        let isWhole = same == was.left && same == now.left && was.isLast && now.isLast
        if isWhole || same == min(was.left, now.left) && !(same == was.left ? was : now).isLast {
            // The last line is seen again, as the context of a section.
            let end = isWhole ? same : was.lineStart(before: was.lineStart(before: same) - 1)
            guard end > 0 else { return false }
            linesLeftOut += LineEnd.feed.count(in: was.take(end))
            _ = now.take(end)
            return true
        }
        let line = was.lineStart(before: same)
        let context = was.lineStart(before: line - 1)
        linesLeftOut += LineEnd.feed.count(in: was.take(context))
        _ = now.take(context)
        let place = was.place
        guard let ends = MeetingLines.ends(was.rest, now.rest, from: line - context) else {
            guard was.isLast || now.isLast else { return false }
            return addRest(&was, &now)
        }
        return add(was.take(ends.before), now.take(ends.after), at: place, ends.lastLine)
    }

    /// Adds a section, or more of the last one.
    @discardableResult
    private mutating func add(_ old: Cell, _ new: Cell, at place: Int, _ lastLine: Int) -> Bool {
        if let last = sections.last, last.before.upperBound == place {
            sections[sections.count - 1].before = last.before.lowerBound..<place + old.count
            sections[sections.count - 1].lastLine = lastLine
        } else {
            let (range, copied) = (place..<place + old.count, (before.count, after.count))
            sections.append(
                Section(before: range, copied: copied, linesLeftOut: linesLeftOut, lastLine: lastLine)
            )
        }
        before.append(old)
        after.append(new)
        return max(before.count, after.count) <= limit
    }

    /// All that is left of both files.
    private mutating func addRest(_ was: inout FileWindow, _ now: inout FileWindow) -> Bool {
        while !was.isAtEnd || !now.isAtEnd {
            let place = was.place
            guard was.show(1), now.show(1), add(was.take(was.left), now.take(now.left), at: place, 0) else {
                return false
            }
        }
        return true
    }

    /// Where sections and their last lines begin in the copies, in order; the files begin with no record, and may end with none.
    var recordPlaces: (before: [Int], after: [Int]) {
        var places: (before: [Int], after: [Int]) = ([], [])
        for (index, section) in sections.enumerated() {
            let next = index + 1 < sections.count ? sections[index + 1].copied : (before.count, after.count)
            if index > 0 {
                places.before.append(section.copied.before)
                places.after.append(section.copied.after)
            }
            guard section.lastLine > 0 else { continue }
            places.before.append(next.0 - section.lastLine)
            places.after.append(next.1 - section.lastLine)
        }
        return places
    }

    /// How many lines of its file stand before a byte of a copy, and not in it.
    func linesLeftOut(atCopied place: Int, isLater: Bool) -> Int {
        let next = sections.partitioningIndex { (isLater ? $0.copied.after : $0.copied.before) > place }
        return next > 0 ? sections[next - 1].linesLeftOut : 0
    }
}

/// A part of a file that is held in memory, and moves on.
private struct FileWindow {
    let size: Int
    private let file: Descriptor
    private let bytes: Bytes
    /// Where the bytes begin in the file, and the next one of them.
    private var (start, next) = (0, 0)

    init?(_ path: String, _ capacity: Int) {
        guard let file = Descriptor.plainFile(at: path), let size = try? file.status().size else { return nil }
        (self.file, self.size, bytes) = (file, size, Bytes(capacity: capacity))
    }

    /// The place of the next byte in the file.
    var place: Int { start + next }
    /// How many bytes of the window are left.
    var left: Int { bytes.count - next }
    var rest: Cell { bytes.cell(next..<bytes.count) }
    /// Whether the file ends where the window does.
    var isLast: Bool { start + bytes.count == size }
    var isAtEnd: Bool { place == size }

    /// Holds the bytes from a place on; false if they cannot be read.
    mutating func move(to place: Int) -> Bool {
        bytes.removeAll()
        let count = min(bytes.capacity, size - place)
        (start, next) = (place, 0)
        return bytes.append(upTo: count, from: file.number, at: place) == count
    }

    /// Has so many bytes left, if the file has.
    mutating func show(_ count: Int) -> Bool { left >= count || isLast || move(to: place) }

    /// Passes some bytes, which stay until the window moves.
    mutating func take(_ count: Int) -> Cell {
        next += count
        return bytes.cell(next - count..<next)
    }

    /// How many of the next bytes are the same in another window.
    func sameBytes(as other: FileWindow) -> Int {
        let (one, two) = (rest, other.rest)
        let common = min(one.count, two.count)
        let (block, word) = (1 << 12, 8)
        var count = 0
        while count + block <= common, memcmp(one.baseAddress! + count, two.baseAddress! + count, block) == 0 {
            count += block
        }
        while count + word <= common, one.word(at: count) == two.word(at: count) { count += word }
        while count < common, one[count] == two[count] { count += 1 }
        return count
    }

    /// Where the line begins that holds the byte before `count`, or begins at it.
    func lineStart(before count: Int) -> Int {
        Cell(rebasing: rest.prefix(max(0, count))).lastIndex(of: 10).map { $0 + 1 } ?? 0
    }
}

/// The nearest lines of two texts that are the same.
private enum MeetingLines {
    /// The ends of those lines, and how long they are; nil if no lines meet.
    static func ends(_ before: Cell, _ after: Cell, from start: Int) -> (before: Int, after: Int, lastLine: Int)? {
        // Mostly one line has changed.
        let (old, new) = (lines(before, from: start, 2), lines(after, from: start, 2))
        if old.count == 3, new.count == 3, Cell(rebasing: before[old[1]..<old[2]]).elementsEqual(after[new[1]..<new[2]])
        {
            return (old[2], new[2], old[2] - old[1])
        }
        var most = 2
        while true {
            let (old, new) = (lines(before, from: start, most), lines(after, from: start, most))
            if let met = nearest(hashes(before, old), hashes(after, new)) {
                let (line, other) = (old[met.0]..<old[met.0 + 1], new[met.1]..<new[met.1 + 1])
                // Lines with one hash may differ.
                guard before[line].elementsEqual(after[other]) else { return nil }
                return (line.upperBound, other.upperBound, line.count)
            }
            guard old.count > most || new.count > most else { return nil }
            most *= 8
        }
    }

    /// Where some lines begin, and where the last one ends. A line without an end is none.
    private static func lines(_ text: Cell, from start: Int, _ most: Int) -> [Int] {
        var starts = [start]
        while starts.count <= most, let end = memchr(text.baseAddress! + starts.last!, 10, text.count - starts.last!) {
            starts.append(Int(bitPattern: end) - Int(bitPattern: text.baseAddress!) + 1)
        }
        return starts
    }

    private static func hashes(_ text: Cell, _ starts: [Int]) -> [UInt64] {
        zip(starts, starts.dropFirst()).map { KeyIndex.hash(Cell(rebasing: text[$0..<$1])) }
    }

    /// The lines of both texts that are the same with the fewest lines before them.
    private static func nearest(_ before: [UInt64], _ after: [UInt64]) -> (before: Int, after: Int)? {
        let places = Dictionary(zip(after, after.indices)) { first, _ in first }
        let met = before.indices.compactMap { old in places[before[old]].map { (before: old, after: $0) } }
        return met.min { $0.before + $0.after < $1.before + $1.after }
    }
}
