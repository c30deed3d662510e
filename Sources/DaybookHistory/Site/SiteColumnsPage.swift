import DaybookPages

/// The page of what the columns of a job's outputs are, and where each comes from.
struct SiteColumnsPage {
    let job: ListedJob
    let pages: JobPages
    /// A table, whose label is `columns-h`.
    let table: HTML

    var markup: HTML {
        Site.page(
            "\(job.name) · Columns",
            kicker: "<a href=\"\(pages.job)\">Daybook · all runs of the job</a>",
            heading: job.name,
            below:
                "<p class=\"soft\">Of the job file as its last run had it. Of the steps that make a column, the last one first.</p>\n",
            main: PageSection(id: "columns", heading: "Columns of the outputs", body: table).markup
        )
    }
}
