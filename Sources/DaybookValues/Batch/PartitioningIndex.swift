extension RandomAccessCollection where Index == Int {
    /// The first index of the second part of a partitioned collection: first all elements for which `isInSecond` is
    /// false, then all for which it is true. `endIndex` if the second part is empty.
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
