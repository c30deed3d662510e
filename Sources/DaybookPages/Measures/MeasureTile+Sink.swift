extension MeasureTile {
    /// The measure as the history and mails have it.
    var measure: SinkMeasure {
        let text = spec.text(of: value, run, signs)
        var measure = SinkMeasure(title: spec.title, value: spec.number(value, run), text: text)
        guard let now = number, let past = spec.past else { return measure }
        if let before = past.before, let reference {
            let difference = now - before.value
            measure.change = SinkMeasure.Change(
                text: MeasureChange(before.value, now).text(signs),
                before: reference,
                isGood: spec.good == .none || difference == 0 ? nil : (difference > 0) == (spec.good == .up)
            )
        }
        measure.days = past.days.map { SinkMeasure.Day($0.day, $0.value) } + [SinkMeasure.Day(run.asOf, now)]
        return measure
    }
}
