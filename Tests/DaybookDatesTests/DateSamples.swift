@testable import DaybookContracts
@testable import DaybookDates
@testable import DaybookValues

/// Small things that the date tests share.
enum Samples {
    static let korean = LocaleNames(
        wideMonths: (1...12).map { "\($0)월" },
        shortMonths: (1...12).map { "\($0)월" },
        wideWeekdays: ["월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"],
        shortWeekdays: ["월", "화", "수", "목", "금", "토", "일"],
        dayPeriods: ["오전", "오후"]
    )

    static let english = LocaleNames(
        wideMonths: [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ],
        shortMonths: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
        wideWeekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
        shortWeekdays: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
        dayPeriods: ["AM", "PM"]
    )

    static let seoul = ZoneRules(name: "Asia/Seoul", fixedOffset: 9 * 3_600)

    /// Berlin in 2026: an hour is skipped on 29 March and doubled on 25 October.
    static let berlin2026 = ZoneRules(
        name: "Europe/Berlin",
        changes: [1_774_746_000, 1_792_890_000],
        offsets: [3_600, 7_200, 3_600],
        end: 1_792_890_000 + ZoneRules.period
    )

    static func column(_ texts: [String?]) -> TextColumn {
        var builder = TextColumnBuilder(rows: texts.count)
        for text in texts { if let text { builder.append(text) } else { builder.appendMissing() } }
        return builder.build()
    }

    static func format(_ pattern: String, pivotYear: Int32? = nil) throws -> DateFormat {
        try DateFormat(DatePattern(pattern), names: [korean, english], pivotYear: pivotYear)
    }

    /// What each text reads as: the value as text, or the outcome.
    static func read(
        _ texts: [String],
        _ formats: [DateFormat],
        to target: DateTarget = .day,
        zone: ZoneRules? = nil
    ) -> [String] {
        let reader = DateColumnReader(formats, to: target, zone: zone, names: [korean, english])
        var said: [Int: String] = [:]
        let column = reader.read(.text(column(texts))) { row, failure in said[row] = "\(failure.outcome)" }
        return texts.indices.map { said[$0] ?? column.displayText($0) ?? "missing" }
    }

    static func read(
        _ text: String,
        _ formats: DateFormat...,
        to target: DateTarget = .day,
        zone: ZoneRules? = nil
    ) -> String {
        read([text], formats, to: target, zone: zone)[0]
    }

    static func written(_ write: (UnsafeMutablePointer<UInt8>) -> Int) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { scratch in
            let count = write(scratch.baseAddress!)
            return String(decoding: scratch.prefix(count), as: UTF8.self)
        }
    }
}
