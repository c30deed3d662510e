import DaybookCore

/// What the style sheet of a page adds for drawings and calendars.
enum ChartStyle {
    static var sheet: String {
        HTMLStyle.sheet(
            HTMLPalette.drawn,
            adding: HTMLStyle.Additions(
                screen: [charts, CalendarStyle.screen, HTMLPalette.classes],
                narrow: [CalendarStyle.narrow],
                paper: [CalendarStyle.print]
            )
        )
    }

    private static let charts = """
        figure{margin:2.25rem 0 0;min-width:0}
        @media (min-width:62rem){.pair{display:grid;grid-template-columns:1fr 1fr;gap:2rem}}
        figure .frame{overflow-x:auto;overflow-y:hidden}
        svg{display:block;width:100%;height:auto;max-width:var(--w);min-width:min(var(--w),46rem);\
        print-color-adjust:exact;-webkit-print-color-adjust:exact}
        svg text{font-size:12px;fill:var(--ink);font-variant-numeric:tabular-nums}
        svg .end{text-anchor:end;fill:var(--soft)}
        svg .mid{text-anchor:middle}
        svg .name{fill:var(--ink)}
        svg .year{fill:var(--soft);font-weight:600}
        svg .grid{stroke:var(--rule);fill:none}
        svg .axis{stroke:var(--soft);fill:none}
        svg .tick{stroke:var(--rule);fill:none}
        svg .edge{stroke:var(--page);stroke-width:.75}
        svg .none{fill:none;stroke:var(--soft);stroke-width:1;stroke-dasharray:3 2}
        svg .tip{fill:transparent}
        svg .tip:hover{fill:var(--ink);fill-opacity:.06}
        .legend{display:flex;flex-wrap:wrap;gap:.3rem 1.25rem;margin:.35rem 0 0;padding:0;list-style:none;\
        font-size:.875rem}
        .legend li{display:flex;align-items:center;gap:.45rem;min-width:0}
        .legend b{font-weight:500;color:var(--soft);font-variant-numeric:tabular-nums}
        .key{flex:none;width:.8rem;height:.8rem;border-radius:3px;print-color-adjust:exact;\
        -webkit-print-color-adjust:exact}
        .ramp{display:flex;flex-wrap:wrap;align-items:center;gap:.2rem .6rem;margin:.35rem 0 0;color:var(--soft);font-size:.8125rem;\
        font-variant-numeric:tabular-nums}
        .ramp span{display:flex;min-width:0}
        .ramp i{width:1.6rem;height:.7rem;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        .ramp i:first-child{border-radius:3px 0 0 3px}
        .ramp i:last-child{border-radius:0 3px 3px 0}
        .ramp .none{align-items:center;gap:.6rem;margin-inline-start:.6rem;white-space:nowrap}
        .ramp .none i{width:1.4rem;height:.9rem;border:1px dashed var(--soft);border-radius:0}
        """
}
