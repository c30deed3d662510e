extension RandomAccessCollection where Index == Int {
    /// The first place whose element is in the second part of a collection that has two: those for which `isInSecond` is
    /// false, and behind them those for which it is true. `endIndex` where the second part is empty.
    @inlinable
    @inline(__always)
    public func partitioningIndex(where isInSecond: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low &+ (high &- low) / 2
            if isInSecond(self[middle]) { high = middle } else { low = middle &+ 1 }
        }
        return low
    }
}
