import DaybookCore

/// Gathers the sections of a page and writes it when the run is over, since its first lines already speak of the ledger.
///
/// It holds no more than `rowLimit` rows of each input, and of the figures by month what `MonthSums` allows.
public struct HTMLWriter: SinkWriter {
    let title: String?
    let lang: String
    let rowLimit: Int
    /// Inputs that `sections` names and that are not there.
    let problem: DaybookError?
    private var sections: [HTMLSection]
    public private(set) var writtenRows = 0

    init(title: String?, lang: String, rowLimit: Int, sections: [HTMLSection], problem: DaybookError?) {
        self.title = title
        self.lang = lang
        self.rowLimit = rowLimit
        self.sections = sections
        self.problem = problem
    }

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) {
        if let problem { throw problem }
    }

    public mutating func append(_ piece: HTMLPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        sections[input].append(piece, limit: rowLimit)
        writtenRows += piece.rowCount
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        try HTMLPage(title: title ?? run.job, lang: lang, sections: sections, run: run).write(to: out)
    }
}
