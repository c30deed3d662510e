import DaybookCore
import Foundation

extension LocaleNames {
    /// The names that a locale such as `ko_KR` or `fr` has in the Gregorian calendar. Nil when it is not known.
    public init?(locale identifier: String) {
        let wanted = identifier.split(separator: "-").joined(separator: "_")
        guard Locale.availableIdentifiers.contains(wanted) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.locale = Locale(identifier: wanted)
        self.init(
            wideMonths: calendar.monthSymbols,
            shortMonths: calendar.shortMonthSymbols,
            wideWeekdays: LocaleNames.fromMonday(calendar.weekdaySymbols),
            shortWeekdays: LocaleNames.fromMonday(calendar.shortWeekdaySymbols),
            dayPeriods: [calendar.amSymbol, calendar.pmSymbol],
            furtherMonths: [calendar.standaloneMonthSymbols, calendar.shortStandaloneMonthSymbols]
        )
    }

    /// Foundation's weeks start on Sunday.
    private static func fromMonday(_ names: [String]) -> [String] { Array(names.dropFirst()) + names.prefix(1) }
}
