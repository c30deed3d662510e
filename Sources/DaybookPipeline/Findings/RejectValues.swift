import CScan
import DaybookCore

/// The values of rejected rows as texts, one after another.
///
/// What a row is rejected for cannot be foretold, so the loop over the rows does not branch on it: each subject has views and gaps to
/// look at, though they be of a column that is not there.
struct RejectValues {
    /// Where the values stand that one subject is about.
    private struct Source {
        /// Views of text, or one that is empty.
        var views: UnsafePointer<TextView>
        var text: UnsafePointer<UInt8>
        /// The gaps, or a word for all rows.
        var gaps: UnsafePointer<UInt64>
        /// All ones where there is a view for each row, else 0; and the same for the gaps.
        var viewMask: Int
        var gapMask: Int
        /// Whether the values are not text, and have to be written out; and the numbers where they are whole ones.
        var isWritten: Bool
        var integers: UnsafePointer<Int64>?
    }

    private let sources: [Source]

    /// - Parameter cells: by subject, the cells that it is about; nil where there are none.
    init(_ cells: [CellPointers?]) {
        sources = cells.map { cells in
            guard let cells else {
                return Source(
                    views: RejectValues.noView,
                    text: RejectValues.noText,
                    gaps: RejectValues.allGaps,
                    viewMask: 0,
                    gapMask: 0,
                    isWritten: false
                )
            }
            let isText = cells.kind == .text || cells.kind == .json
            return Source(
                views: isText ? cells.views : RejectValues.noView,
                text: isText ? cells.text : RejectValues.noText,
                gaps: cells.missing ?? RejectValues.noGaps,
                viewMask: isText ? -1 : 0,
                gapMask: cells.missing == nil ? 0 : -1,
                isWritten: !isText,
                integers: cells.integers
            )
        }
    }

    nonisolated(unsafe) private static let noView = constant(TextView(offset: 0, length: 0))
    nonisolated(unsafe) private static let noText = constant(SIMD16<UInt8>()).withMemoryRebound(
        to: UInt8.self,
        capacity: 16
    ) { $0 }
    nonisolated(unsafe) private static let noGaps = constant(UInt64(0))
    nonisolated(unsafe) private static let allGaps = constant(UInt64.max)

    /// A value in memory that is never let go.
    private static func constant<Value: BitwiseCopyable>(_ value: Value) -> UnsafePointer<Value> {
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        memory.initialize(to: value)
        return UnsafePointer(memory)
    }

    /// The values of rejects, written to `bytes`.
    ///
    /// - Parameter write: writes a value that is neither text nor a whole number.
    func column(
        of rows: [UInt32],
        _ subjects: [UInt16],
        in bytes: Bytes,
        _ write: (_ row: Int, _ subject: Int) -> Void
    ) -> TextColumn {
        let count = rows.count
        var gaps = [UInt64](repeating: 0, count: (count + 63) / 64)
        var written: [Int] = []
        var views = [TextView](unsafeUninitializedCapacity: count) { views, filled in
            written = [Int](unsafeUninitializedCapacity: count) { written, writtenCount in
                writtenCount = copy(rows, subjects, to: bytes, views, &gaps, written)
            }
            filled = count
        }
        var out = ByteCursor(bytes)
        for place in written {
            let start = out.count
            let (row, subject) = (Int(rows[place]), Int(subjects[place]))
            if let integers = sources[subject].integers {
                out.reserve(NumberText.maximumLength)
                out.next += NumberText.write(integers[row], to: out.next)
            } else {
                out.finish()
                write(row, subject)
                out = ByteCursor(bytes)
            }
            views[place] = TextView(offset: start, length: out.count - start)
        }
        out.finish()
        let hasGaps = gaps.contains { $0 != 0 }
        return TextColumn(bytes, views: views, missing: hasGaps ? Mask(words: gaps, count: count) : nil)
    }

    /// Copies the texts, and says how many values are to be written; their places are noted in `written`.
    private func copy(
        _ rows: [UInt32],
        _ subjects: [UInt16],
        to bytes: Bytes,
        _ views: UnsafeMutableBufferPointer<TextView>,
        _ gaps: inout [UInt64],
        _ written: UnsafeMutableBufferPointer<Int>
    ) -> Int {
        var out = ByteCursor(bytes)
        var writtenCount = 0
        sources.withUnsafeBufferPointer { sources in
            rows.withUnsafeBufferPointer { rows in
                subjects.withUnsafeBufferPointer { subjects in
                    for first in stride(from: 0, to: rows.count, by: 64) {
                        var word: UInt64 = 0
                        for place in first..<min(first + 64, rows.count) {
                            let source = sources[Int(subjects[place])]
                            let row = Int(rows[place])
                            let isGap = source.gaps[row >> 6 & source.gapMask] >> UInt64(row & 63) & 1
                            word |= isGap << UInt64(place & 63)
                            let view = source.views[row & source.viewMask]
                            let length = Int(view.length) & (Int(truncatingIfNeeded: isGap) - 1)
                            out.reserve(length + 16)
                            views[place] = TextView(offset: out.count, length: length)
                            // Both buffers have room to read and write some bytes more.
                            let text = source.text + Int(view.offset)
                            if length <= 16 {
                                let block = UnsafeRawPointer(text).loadUnaligned(as: SIMD16<UInt8>.self)
                                UnsafeMutableRawPointer(out.next).storeBytes(of: block, as: SIMD16<UInt8>.self)
                            } else {
                                out.next.update(from: text, count: length)
                            }
                            out.next += length
                            written[writtenCount] = place
                            writtenCount += source.isWritten ? 1 - Int(truncatingIfNeeded: isGap) : 0
                        }
                        gaps[first >> 6] = word
                    }
                }
            }
        }
        out.finish()
        return writtenCount
    }
}
