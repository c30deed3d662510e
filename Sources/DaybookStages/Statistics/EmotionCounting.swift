import DaybookCore

/// Counts the rows of one batch into months and emotions.
struct EmotionCounting {
    let stage: SummariseMonthlyEmotions
    let batch: Batch

    func count(into counts: inout MonthlyCounts, _ findings: inout Findings) {
        let noDate = findings.token(.missingValue, in: stage.date)
        let noEmotion = findings.token(.missingValue, in: stage.emotion)
        let unknown = findings.token(.unknownEmotion, in: stage.emotion)
        let days = batch.days(in: stage.date)
        let text = batch.text(in: stage.emotion)
        let places = places(days, text, &counts)
        let weights = Weights(stage.count.map { batch.column($0) }, stage.count, &findings)
        let missingDays = days.missing
        let missingEmotions = text.missing
        places.withUnsafeBufferPointer { places in
            for row in 0..<places.count {
                let place = Int(places[row])
                guard place >= 0 else {
                    if missingDays.isMissing(row) {
                        findings.reject(row, noDate)
                    } else {
                        findings.reject(row, missingEmotions.isMissing(row) ? noEmotion : unknown)
                    }
                    continue
                }
                weights.add(row, at: place, to: &counts, &findings)
            }
        }
    }

    /// The place of every row among months and emotions, or -1 for a row that has none.
    private func places(_ days: Values<Int32>, _ text: TextColumn, _ counts: inout MonthlyCounts) -> [Int32] {
        var months = MonthPlaces()
        let lookup = stage.emotions.lookup
        let missing = days.missing
        var places = [Int32](repeating: -1, count: batch.count)
        days.elements.withUnsafeBufferPointer { days in
            places.withUnsafeMutableBufferPointer { places in
                text.forEachValue { row, cell in
                    if missing.isMissing(row) { return }
                    let emotion = lookup.find(cell)
                    guard emotion >= 0 else { return }
                    places[row] = Int32(truncatingIfNeeded: months.place(of: days[row], &counts) &+ emotion)
                }
            }
        }
        return places
    }

    /// Remembers the months of the days it was asked for last, since a batch has few of them.
    private struct MonthPlaces {
        private var days = [Int32](repeating: .min, count: 512)
        private var places = [Int32](repeating: 0, count: 512)

        @inline(__always)
        mutating func place(of day: Int32, _ counts: inout MonthlyCounts) -> Int {
            let slot = Int(day & 511)
            if days[slot] == day { return Int(places[slot]) }
            let place = counts.place(of: CalendarDay.month(of: day))
            days[slot] = day
            places[slot] = Int32(truncatingIfNeeded: place)
            return place
        }
    }

    /// How much each row counts.
    private struct Weights {
        private enum Source {
            case one
            case whole(Values<Int64>)
            case decimal(Values<Double>)
            case text(TextColumn)
        }

        private let source: Source
        private let missing: Finding.Token
        private let tooLarge: Finding.Token
        private let notANumber: Finding.Token

        init(_ column: Column?, _ name: ColumnName?, _ findings: inout Findings) {
            missing = findings.token(.missingValue, in: name)
            tooLarge = findings.token(.countTooLarge, in: name)
            notANumber = findings.token(.notADecimal, in: name)
            switch column {
            case .integers(let values): source = .whole(values)
            case .decimals(let values): source = .decimal(values)
            case .text(let text): source = .text(text)
            default: source = .one
            }
        }

        @inline(__always)
        func add(_ row: Int, at place: Int, to counts: inout MonthlyCounts, _ findings: inout Findings) {
            switch source {
            case .one: counts.add(1 as Int64, at: place)
            case .whole(let values):
                guard !values.missing.isMissing(row) else { return findings.reject(row, missing) }
                let value = values.elements[row]
                guard value.magnitude <= MonthlyCounts.largestCount else { return findings.reject(row, tooLarge) }
                counts.add(value, at: place)
            case .decimal(let values):
                guard !values.missing.isMissing(row) else { return findings.reject(row, missing) }
                guard values.elements[row].isFinite else { return findings.reject(row, notANumber) }
                counts.add(values.elements[row], at: place)
            case .text(let text):
                guard !text.missing.isMissing(row) else { return findings.reject(row, missing) }
                guard let value = text.withCell(row, CellReading.decimal) else {
                    return findings.reject(row, notANumber)
                }
                counts.add(value, at: place)
            }
        }
    }
}
