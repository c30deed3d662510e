extension Schema {
    /// The columns with a key for each, also for values that were whole records.
    var withKeysAlone: Schema {
        guard fields.contains(where: { $0.bare != nil }) else { return self }
        var plain = fields
        for index in plain.indices { plain[index].bare = nil }
        return Schema(plain, isOpen: isOpen)
    }
}

/// The keys of an object in the order of their first columns in the schema.
package struct JSONKeyTree {
    enum Member {
        case column(Int)
        case object(JSONKeyTree)
    }

    package struct Entry {
        package var key: String
        var member: Member
    }

    var members: [Entry] = []
    /// The column that is the object itself if it has a value, such as `{}`.
    package private(set) var whole: Int?

    package init() {}

    package init(_ fields: [Field], nests: Bool) {
        self.init(fields.indices.map { JSONKeyTree.path(of: $0, among: fields, nests: nests) })
    }

    /// Each path is the keys that lead to a value.
    package init(_ paths: [[String]]) {
        for (column, path) in paths.enumerated() { insert(path[...], column) }
    }

    /// The keys of a column name.
    package static func path(_ name: String, nests: Bool) -> [String] {
        nests ? name.split(separator: ".", omittingEmptySubsequences: false).map(String.init) : [name]
    }

    /// The keys that lead to the values of a column.
    package static func path(_ field: Field, nests: Bool) -> [String] {
        nests ? field.keys ?? path(field.name, nests: true) : [field.name]
    }

    /// The keys when rows are written as they came: no key for a value that was a whole record, unless a column was
    /// added to the columns of an import without objects.
    static func path(of column: Int, among fields: [Field], nests: Bool) -> [String] {
        switch fields[column].bare {
        case .all where fields.count == 1: []
        case .someBesideObjects: []
        default: path(fields[column], nests: nests)
        }
    }

    /// The keys that lead to the object `name` and on to the values of a column in it; nil where the column is no part of it.
    package static func keys(of field: Field, below name: String) -> (outer: [String], inner: [String])? {
        guard field.name.hasPrefix(name + ".") else { return nil }
        guard let keys = field.keys else {
            return (path(name, nests: true), path(String(field.name.dropFirst(name.count + 1)), nests: true))
        }
        // A name that ends within a key is none of an object.
        guard let count = keys.indices.dropFirst().first(where: { keys[..<$0].joined(separator: ".") == name }) else {
            return nil
        }
        return (Array(keys[..<count]), Array(keys[count...]))
    }

    /// Whether some column may be an object that others are the parts of.
    package var holdsWholes: Bool {
        whole != nil
            || members.contains { entry in
                if case .object(let inner) = entry.member { inner.holdsWholes } else { false }
            }
    }

    /// The first column of the object.
    package var first: Int? {
        switch members.first?.member {
        case .column(let column): column
        case .object(let inner): inner.first
        case nil: nil
        }
    }

    private mutating func insert(_ path: ArraySlice<String>, _ column: Int) {
        guard let key = path.first else {
            whole = column
            return
        }
        let index = members.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
        if index == nil, path.count == 1 {
            members.append(Entry(key: key, member: .column(column)))
            return
        }
        var inner = JSONKeyTree()
        switch index.map({ members[$0].member }) {
        case .object(let known): inner = known
        case .column(let known): inner.whole = known
        case nil: break
        }
        inner.insert(path.dropFirst(), column)
        if let index {
            members[index].member = .object(inner)
        } else {
            members.append(Entry(key: key, member: .object(inner)))
        }
    }
}
