/// Something that is gathered from all rows: each batch gives a partial result, and partial results are merged in the order of the input.
///
/// Folds, checks, the rules of a check and observers are aggregators; they differ in what they map (`Rows`), in where they report
/// what they find (`Report`), and in how they end. One partial result serves threads, disk and other processes: it is a value,
/// and its byte form (`PartialCoding`) is that of the containers that it is made of.
public protocol Aggregator: Sendable {
    /// What one partial result is made of.
    associatedtype Rows = Batch
    /// Where it is noted what is wrong with single rows.
    associatedtype Report = Findings
    associatedtype Partial: Sendable

    /// The partial result of some rows; made by any thread, in any order. A fold leaves out the rows that it rejects in `report`.
    func partial(of rows: Rows, reporting report: inout Report) throws(DaybookError) -> Partial

    /// Adds the partial result of later rows to that of earlier ones. Called in the order of the input, at any number of threads,
    /// and in any grouping: (a + b) + c is a + (b + c).
    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError)
}

/// What merges partial results, wherever their rows are.
public protocol ResultMerger: Sendable {
    associatedtype Partial: PartialResult

    /// See `Aggregator`.
    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError)
}

extension ResultMerger {
    /// The same for partial results whose type is no longer named. Nil stands for no rows.
    public func merge(
        erased later: any PartialResult,
        into earlier: inout (any PartialResult)?,
        scratch: any Scratch
    ) throws(DaybookError) {
        guard earlier != nil else {
            earlier = later
            return
        }
        guard let new = later as? Partial, var old = earlier as? Partial else {
            preconditionFailure("\(Self.self) was handed the partial result of another")
        }
        // Let go of, so that it is not copied.
        earlier = nil
        try merge(new, into: &old, scratch: scratch)
        earlier = old
    }
}

/// A partial result that can go to disk and to other processes. `Codable` is all it needs: arrays, dictionaries, batches and the other
/// containers of this module know their bytes.
public protocol PartialResult: Sendable, Codable {
    /// How many rows came to an end in it; 0 where rows go on as they are.
    var endedRows: Int { get }
    /// Bytes in memory that could be on disk; 0 for a few numbers.
    var footprint: Int { get }
    /// Brings those bytes to disk.
    mutating func spill(to scratch: any Scratch) throws(DaybookError)
}

extension PartialResult {
    public var footprint: Int { 0 }
    public mutating func spill(to scratch: any Scratch) throws(DaybookError) {}
}

/// Space on disk for partial results that outgrow their memory. Files vanish with the run.
public protocol Scratch: Sendable {
    /// About how many bytes a partial result keeps in memory before it goes to disk, unless its options say otherwise.
    var memoryLimit: Int { get }
    /// How many threads may work at the end, when all rows have come.
    var threads: Int { get }

    func makeFile() throws(DaybookError) -> any ScratchFile
    /// Calls `body` with every number below `count`, on as many threads as the run has, and returns when all calls have. Throws the
    /// error of the lowest number that failed.
    func concurrently(
        _ count: Int,
        _ body: @escaping @Sendable (Int) throws(DaybookError) -> Void
    ) throws(DaybookError)
}

extension Scratch {
    public var threads: Int { 1 }

    /// What is left of a limit for what a stage holds itself, after what is on its way there: a small part, and 32 MiB for each thread
    /// beyond the first, but never more than half.
    package func share(of limit: Int) -> Int { max(limit / 2, limit - limit / 32 - (threads - 1) * (32 << 20)) }

    public func concurrently(
        _ count: Int,
        _ body: @escaping @Sendable (Int) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        for number in 0..<count { try body(number) }
    }

    /// What `body` makes of every number below `count`, in their order; see `concurrently`.
    public func map<Result: Sendable>(
        _ count: Int,
        _ body: @escaping @Sendable (Int) throws(DaybookError) -> Result
    ) throws(DaybookError) -> [Result] {
        var results = [Result?](repeating: nil, count: count)
        try concurrently(on: &results) { (number, result) throws(DaybookError) in result = try body(number) }
        return results.compactMap(\.self)
    }

    /// Calls `body` with every element and its place; see `concurrently`.
    public func concurrently<Element: Sendable>(
        on elements: inout [Element],
        _ body: @escaping @Sendable (Int, inout Element) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        try elements.withUnsafeMutableBufferPointer { (elements) throws(DaybookError) in
            // Each element is touched by one thread, and by none once the calls have returned.
            nonisolated(unsafe) let elements = elements
            try concurrently(elements.count) { (place) throws(DaybookError) in try body(place, &elements[place]) }
        }
    }
}

/// A file that is written from its start to its end and then read from anywhere.
public protocol ScratchFile: AnyObject, Sendable {
    func append(_ bytes: Bytes) throws(DaybookError)
    /// Reads up to `length` bytes from `offset` on, behind what `bytes` holds.
    func read(_ length: Int, at offset: Int, into bytes: Bytes) throws(DaybookError)
    var length: Int { get }
}

extension PartialResult {
    public var endedRows: Int { 0 }
}

extension FoldPartial {
    public var endedRows: Int { foldedRows }
}
