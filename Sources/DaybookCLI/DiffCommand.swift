import ArgumentParser
import DaybookBytes
import DaybookJob
import DaybookJobTools
import DaybookReports
import Foundation

/// `daybook diff BEFORE AFTER`.
struct DiffCommand: Subcommand {
    static let outline = CommandOutline("diff", "Say what changed from one table to another: columns, rows and cells.")
    { name in
        """
        Compares two files, the tables of two directories or patterns in quotes, or with
        '--git' the files of the working tree with those of a commit. CSV and JSON are
        read, packed or not.

        Rows meet by the columns of '--key'; without it, by columns that are unique in
        both files and by which most rows meet, else by their order or as wholes,
        whichever finds more of them unchanged. What is told: columns that came, went,
        are called otherwise or hold another kind of value; how many rows came, went
        and changed; in which columns cells changed, and whether all became so many
        times what they were, or are only written otherwise; and the first rows of
        each, with their lines.

        Differences are no failure: the exit code is 0, unless a limit of '--fail-on'
        is exceeded, or records could not be read that a limit is about, which makes it
        1. Limits, one after another with commas:

          columns-gone, columns-new, kind-changed, files-gone
          rows-removed, rows-added, rows-changed, cells-changed
          append-only rows that went or changed, and columns and files that are gone;
                      new ones may come, at any place
          breaking    what a reader of the earlier tables cannot read any more

        each alone for none at all, or with a number: 'rows-removed>10', in quotes, or
        for rows and cells a share of those before: 'cells-changed>5%'.

        With '--git REF', the working tree is compared with the commit at which it left
        REF, of some paths or of all that git knows, and only files that changed are
        read. A symbolic link is followed on either side, to a file of that commit, and
        a path that names nothing to compare, such as one in a submodule, is an error.
        In a shallow clone of CI that commit may lack; then the exit code is 3.
        With '--git ONE..OTHER' two commits are compared, with '--git ONE...OTHER' the
        other with where it left the one; neither needs a working tree.

        Examples:
          \(name) diff yesterday.csv today.csv
          \(name) diff old/ new/ --fail-on columns-gone
          \(name) diff log-1.csv log-2.csv --fail-on append-only --format html > log.html
          \(name) diff orders-1.csv orders-2.csv --key shop --key number
          \(name) diff --git origin/main data/ --format markdown > comment.md
          \(name) diff --git origin/main --fail-on 'breaking,rows-removed>1%'
          daybook diff --git v1.0..v1.1 data/
        """
    }

    enum Format: String, CaseIterable, ExpressibleByArgument { case text, json, markdown, html }

    @Argument(
        help: .value("file", "The earlier file, directory or pattern, and the later one; with '--git', paths."),
        completion: .file()
    )
    var files: [String] = []

    @Option(
        help: .value(
            "ref",
            "Compare the working tree with where it left this branch, tag or commit; or two commits, as 'one..other'."
        )
    )
    var git: String?

    @Option(
        name: .customLong("key"),
        parsing: .singleValue,
        help: .value("column", "A column by which a row is known in both; may be repeated.")
    )
    var keys: [String] = []

    @Option(parsing: .singleValue, help: .value("limits", "Limits that make the exit code 1; may be repeated."))
    var failOn: [String] = []

    @Option(help: "How to print it.") var format = Format.text

    mutating func validate() throws {
        guard git == nil, files.count != 2 else { return }
        let found = files.isEmpty ? "none" : "\(files.count)"
        throw ValidationError("expected two files, two directories or two patterns, found \(found)")
    }

    mutating func run() throws {
        Interruption.listen()
        let limits = try failOn.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { try DiffLimit(String($0)) }
        let place = ScratchPlace()
        defer { place.remove() }
        let tables: TablePairs
        if let git {
            try place.make()
            tables = try GitTree(comparing: git, in: URL(fileURLWithPath: place.path)).tables(files)
        } else {
            tables = try TablePairs(files[0], files[1])
        }
        let changes = try tables.changes(by: keys)
        let judged = limits.compactMap { $0.fault(in: changes, filesGone: tables.went) }
        let faults = judged + (limits.isEmpty ? [] : DiffLimit.unjudged(tables, changes))
        let text = TableChangesText(tables, changes, faults)
        Terminal.print(in: format) { _ in
            switch format {
            case .text: text.text
            case .json: JSONDocument.text(of: text.json)
            case .markdown: text.markdown
            case .html: text.page
            }
        }
        if !faults.isEmpty { throw Terminal.ending(with: faults) }
    }
}

extension TablePairs {
    /// What changed in each of the tables.
    ///
    /// - Parameter keys: the columns by which rows meet; empty for those that the rows themselves tell.
    func changes(by keys: [String]) throws(DaybookErrors) -> [RowChanges] {
        var changes: [RowChanges] = []
        var problems: [DaybookError] = []
        for pair in pairs {
            do throws(DaybookErrors) {
                changes.append(
                    try RowChanges(
                        from: pair.before,
                        to: pair.after,
                        by: keys.isEmpty ? nil : keys,
                        CommandContext.current.table,
                        isCancelled: { Interruption.isRequested }
                    )
                )
            } catch {
                guard pairs.count > 1, error.errors.first?.code != DaybookError.interrupted.code else { throw error }
                problems += error.errors.map { problem in
                    var problem = problem
                    if problem.place == nil { problem.message = "\(pair.name): \(problem.message)" }
                    return problem
                }
            }
        }
        guard problems.isEmpty else { throw DaybookErrors(problems) }
        return changes
    }
}
