extension MeasureTile {
    /// The measure as the history and mails have it.
    var measure: SinkMeasure {
        let text = spec.text(of: figures.value, run, signs)
        var measure = SinkMeasure(title: spec.title, value: figures.number, text: text, made: figures.days)
        guard let now = number, let past = figures.past else { return measure }
        if let before = past.before, let reference {
            let difference = now - before.value
            measure.change = SinkMeasure.Change(
                text: MeasureChange(before.value, now).text(signs),
                before: reference,
                isGood: spec.good == .none || difference == 0 ? nil : (difference > 0) == (spec.good == .up)
            )
        }
        measure.days = past.days.map { SinkMeasure.Day($0.day, $0.value) } + [SinkMeasure.Day(figures.day, now)]
        return measure
    }
}
