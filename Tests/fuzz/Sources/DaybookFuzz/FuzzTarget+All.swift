extension FuzzTarget {
    static let all = records + propertyLists + [sqlite] + packed + languages + state
}
