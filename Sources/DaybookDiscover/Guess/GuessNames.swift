import DaybookBytes
import DaybookEngine

/// Names for jobs, ids and outputs, made of the names of files and of their parts.
enum GuessNames {
    /// The name of the file without its endings: `entries-2026` for `samples/entries-2026.csv.gz`.
    static func stem(of path: String) -> String {
        let name = FilePath.name(of: path)
        return GuessNames.name(of: String(name.split(separator: ".", maxSplits: 1).first ?? "rows"))
    }

    /// A name that may stand as an id and as a part of a path: letters and digits of any script, `-` and `_`.
    static func name(of text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(80) {
            let isKept = scalar != "-" && ParamReader.isName(String(scalar)) && CommentText.isShown(scalar)
            if isKept {
                result.unicodeScalars.append(scalar)
            } else if !result.isEmpty, !result.hasSuffix("-") {
                result += "-"
            }
        }
        while result.hasSuffix("-") { result.removeLast() }
        return result.isEmpty ? "rows" : result
    }

    /// Gives each import a name of its own: one of several files is called by what their names share.
    static func makeUnique(_ imports: inout [GuessedImport]) {
        for index in imports.indices where imports[index].suggestion.part == nil {
            if let pattern = imports[index].pattern {
                imports[index].name = self.name(ofPattern: pattern)
            } else if imports[index].paths.count > 1 {
                imports[index].name = shared(imports[index].paths)
            }
        }
        for (index, name) in unique(imports.map(\.name)).enumerated() { imports[index].name = name }
    }

    /// The last part of a pattern that names something: `week` for `in/week-*.csv`, `orders` for `orders/*.csv`.
    static func name(ofPattern pattern: String) -> String {
        for part in pattern.split(separator: "/").reversed() {
            let words = part.prefix { !"*?[{.".contains($0) }
            if words.contains(where: \.isLetter) { return name(of: String(words)) }
        }
        return "rows"
    }

    /// What the names of several files begin with: `entries` for `entries-2025.csv` and `entries-2026.csv`.
    static func shared(_ paths: [String]) -> String {
        let stems = paths.map { FilePath.name(of: $0) }
        guard var shared = stems.first.map({ $0[...] }) else { return "rows" }
        for stem in stems.dropFirst() { shared = shared.prefix(zip(shared, stem).prefix { $0 == $1 }.count) }
        while let last = shared.last, !last.isLetter { shared.removeLast() }
        return shared.isEmpty ? stem(of: paths[0]) : name(of: String(shared))
    }

    /// The same names, with numbers where one comes again.
    static func unique(_ names: [String]) -> [String] {
        var taken: Set<String> = []
        return names.map { name in
            var free = name
            var number = 2
            while !taken.insert(free).inserted {
                free = "\(name)-\(number)"
                number += 1
            }
            return free
        }
    }
}
