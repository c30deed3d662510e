import DaybookCore

/// A node with what following an alias to it costs.
struct YAMLSubtree {
    var node: OptionNode
    var nodeCount = 1
    var height = 0
}

/// A list or map whose end has not come yet.
struct YAMLOpenCollection {
    enum Key {
        case awaited
        case written(String, SourcePlace)
        /// A key that was wrong; its value is read and dropped.
        case refused
    }

    let isMap: Bool
    let isFlow: Bool
    let place: SourcePlace
    let anchor: String?
    var items: [OptionNode] = []
    var entries: [OptionNode.Entry] = []
    var keyPlaces: [String: SourcePlace] = [:]
    var key = Key.awaited
    var nodeCount = 1
    var height = 1

    var awaitsKey: Bool {
        if isMap, case .awaited = key { true } else { false }
    }
}
