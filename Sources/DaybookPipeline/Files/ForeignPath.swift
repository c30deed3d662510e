/// Why a path means something else elsewhere, and is the name of no file here: a home directory, an address, a variable of a shell.
///
/// Whoever has a file of such a name writes `./` before it.
enum ForeignPath {
    /// What to write instead; nil for a path that stands for itself.
    static func hint(for text: String) -> String? {
        let first = text.prefix { $0 != "/" }
        let rest = text.dropFirst(first.count)
        if first == "~" { return "'~' is not the home directory here; write '${env:HOME}\(rest)'" }
        if first.hasPrefix("~"), !rest.isEmpty { return "'\(first)' is not a home directory here; write the path out" }
        if first.hasSuffix(":"), rest.hasPrefix("//") {
            let path = rest.dropFirst(2)
            if first == "file:", path.hasPrefix("/") { return "a path has no 'file://' before it; write '\(path)'" }
            return "only files are read and written; let another program fetch '\(first)//' or send to it"
        }
        let name = first.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        if first.hasPrefix("$"), name.first?.isNumber == false {
            return "'$\(name)' is not filled in here; write '${env:\(name)}\(text.dropFirst(name.count + 1))'"
        }
        return nil
    }
}
