/// The part of the style sheet that is about calendars.
enum CalendarStyle {
    static let screen = """
        .cals{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18.5rem),1fr));gap:2rem 2.5rem;\
        margin-top:1.75rem}
        .solo,.wide{grid-template-columns:minmax(0,1fr)}
        .solo{max-width:42rem}
        .cal{table-layout:fixed;width:calc(100% + 6px);min-width:0;margin:0 -3px;border-spacing:3px;font-size:.8125rem;line-height:1.3}
        .cal caption{padding:0 3px .5rem;text-align:start;font-size:1rem;font-weight:600}
        .cal caption .soft{margin-inline-start:.5rem;font-size:.875rem;font-weight:400}
        .cal th,.cal td,.cal tr>:first-child,.cal tr>:last-child{position:static;max-width:none;border:0;text-align:center;\
        padding:.3rem .1rem}
        .cal thead tr>*{padding-bottom:.35rem;background:none;color:var(--soft);font-size:.75rem;font-weight:500}
        .cal tbody tr>*{height:3rem;border-radius:9px;background:var(--card);white-space:normal}
        .cal tbody tr>.off{background:none}
        .cal tbody tr>.busy{background:var(--h1)}
        .cal .rest time,.cal thead tr>.rest{color:var(--rest)}
        .cal tbody tr>.today{outline:2px solid var(--accent);outline-offset:-2px}
        .cal time{display:block;font-variant-numeric:tabular-nums}
        .today time{font-weight:700}
        .dots{display:flex;justify-content:center;align-items:center;gap:3px;min-height:.9rem;color:var(--accent);\
        font-size:.75rem;font-weight:600;font-variant-numeric:tabular-nums}
        .dots i{flex:none;width:5px;height:5px;border-radius:50%;background:var(--accent)}
        .now{display:block;color:var(--accent);font-size:.6875rem;font-weight:600;line-height:1.2}
        .heard{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .list{display:block;margin-top:.15rem;color:var(--soft);font-size:.75rem;line-height:1.35;text-align:start;\
        overflow-wrap:anywhere}
        .solo .cal,.wide .cal{width:calc(100% + 10px);margin:0 -5px;border-spacing:5px;font-size:1rem}
        .solo .cal caption,.wide .cal caption{padding-inline:5px;font-size:1.125rem}
        .solo .cal thead tr>*,.wide .cal thead tr>*{font-size:.8125rem}
        .solo .cal tbody tr>*{height:4.75rem;padding-top:.6rem;border-radius:12px}
        .wide .cal tbody tr>*{height:5.75rem;padding:.55rem .6rem;border-radius:12px}
        .wide .cal tr>*{text-align:start}
        .wide .cal thead tr>*{padding-inline:.6rem}
        .wide time,.wide .dots,.wide .now{display:inline-flex;margin-inline-end:.4rem}
        .solo .dots,.wide .dots{min-height:1.1rem;gap:4px;font-size:.8125rem}
        .solo .dots i,.wide .dots i{width:6px;height:6px}
        .solo .now,.wide .now{font-size:.75rem}
        """

    static let narrow = """
        .solo .cal,.wide .cal{width:calc(100% + 4px);margin:0 -2px;border-spacing:2px;font-size:.875rem}
        .solo .cal tbody tr>*,.wide .cal tbody tr>*{height:3.5rem;padding:.35rem .1rem;border-radius:9px}
        .wide .cal tr>*,.wide .cal thead tr>*,.wide .cal tbody tr>*{padding-inline:.25rem}
        .wide .list{font-size:.625rem}
        """

    static let print = """
        .cals{gap:1rem 1.5rem;margin-top:.75rem;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr))}
        .solo,.wide{grid-template-columns:minmax(0,1fr)}
        .cal{break-inside:avoid}
        .cals table th,.cals table td{padding:.2rem .1rem}
        .cals .cal tbody tr>td{height:2.2rem;border:1px solid var(--rule);background:none;border-radius:4px}
        .wide .cal tbody tr>td{height:3.4rem}
        .cals .cal tbody tr>.off{border-color:transparent}
        .dots i{print-color-adjust:exact;-webkit-print-color-adjust:exact}
        """
}
