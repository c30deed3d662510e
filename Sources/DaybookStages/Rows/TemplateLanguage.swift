/// What templates write dates with: the names of one language, and the job's time zone for instants.
struct TemplateLanguage: Sendable {
    private let names: LocaleNames?
    private let timezone: String?
    private let zone: ZoneRules

    /// Reads the option `locale`, which has the same meaning in every stage with templates.
    init(reading options: inout OptionReader) {
        let locale: String? = options.optional("locale", help: "Whose names of months and weekdays are written: ko_KR.")
        names = locale.flatMap { LocaleNames.named($0, reading: &options) }
        timezone = options.context.timezone
        // Without a zone the check of the columns lets no template write instants by a pattern.
        zone = timezone.flatMap { ZoneRules(named: $0) } ?? .utc
    }

    func compile(_ template: TextTemplate) -> CompiledTemplate {
        CompiledTemplate(template, names: names, zone: zone)
    }

    /// Refuses a template with a column that is not there, or with a format that its column does not take.
    func check(_ template: CompiledTemplate, in schema: Schema) throws(DaybookError) {
        for value in template.values {
            guard let field = try schema.requiring(value.column) else { continue }
            try value.format?.check(field.kind, of: value.column, timezone: timezone, hasNames: names != nil)
        }
    }
}
