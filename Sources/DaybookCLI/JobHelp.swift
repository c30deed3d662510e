import DaybookEngine

/// What `daybook help job` prints: the keys of a job file.
enum JobHelp {
    static var text: String {
        let name = CommandContext.current.name
        return """
            A job is one YAML file:

              daybook: 1                     # the format of job files; there is only this one
              job: diary-check               # a name for reports and manifests; else that of the file
              timezone: Asia/Seoul           # the zone of times without one, by its IANA name
              as_of: today                   # a date, or the day it is in 'timezone' (in UTC without one), or yesterday
              params:                        # ${name} puts a value in; --set name=value gives another
                diary: { default: diary.csv, help: The diary to read }
              rejects:                       # each refused row becomes a line of JSON there
                path: out/rejects.ndjson
                allow: 1%                    # a count, or a share of what each import reads; none without it
              stages:                        # each reads the one above it, unless 'from' names another
                - import_csv: { path: "${diary}" }
                  id: entries                # a name for 'from' and for reports; unique in the job
                - validate_hex_colours: { column: colour }
                  id: clean
                  rejects: { allow: 25 }     # a gate of its own, which the job's then leaves out
                - export_csv: { path: out/diary.csv }
                - export_json: { path: out/refused.json }
                  from: clean.rejects        # the rows that 'clean' refused
              tests:                         # run by '\(name) test', which reads and writes no file
                - name: a bad colour is refused
                  given: { entries: "id,colour\\n1,red" }
                  expect: { clean: [], clean.rejects: [{ value: red }] }

            A stage has one key with its name, which holds its options, and beside it id,
            from and rejects. 'from' is an id or a list of them. The columns of x.rejects:
              \(RejectColumns.schema.names.joined(separator: ", "))
            and where a rule of check_rows rejects them, its name as rule.

            'publish: { directory: ../out }' makes ../out a link, which each run switches to a
            directory of its own: readers see all outputs of one run or of another, never a
            mix. All outputs then lie below it, and reject files beside it.

            'diff' holds the files that a job reads against earlier ones: what 'against' names, or
            else --changed-since or --past. Beyond a limit of '\(name) diff --fail-on', the run ends
            with 1 and writes nothing; what it reads for the first time is no difference.
              diff: { against: origin/main, key: [shop, day], fail_on: [columns-gone, "rows-removed>1%"] }
              diff: { against: archive/log.csv, append_only: true }   # rows may come, none may go or change

            'for_each' repeats the stages for each place that a pattern finds, all in one run:
            the outputs of all of them appear, or none does. ${user} is the path of a place and
            ${user:name} its name, which imports add as the column user; exports into the stores of an
            app leave it out. A stage with 'once: true' reads all of them together, and so do the
            stages that read it. 'container' copies everything else, with permissions and times.
            A place may be a zip archive: paths of inputs lead into it, as backup.zip/data.json,
            and the copy of a container that is one is an archive again.
              for_each: { user: dumps/*/ }                 # directories; without the slash, files too
              container: { from: "${user}", to: out/ }     # to out/NAME; 'out' is then published
              stages:
                - import_user_defaults: { path: "${user}/app.plist", key: todos }
                - export_user_defaults: { path: "out/${user:name}/app.plist", into: "${user}/app.plist", key: todos }
                - union_rows:
                  from: import_user_defaults
                  once: true
                - export_csv: { path: out/all.csv }

            Where runs keep their state, how many of them, and what has to come first:
              state: /var/lib/daybook          # a directory; else .daybook beside the job; --state wins
              keep: 400 runs                   # of this job, in the history, each with its manifest
              catch_up: daily                  # first, each day since the last that passed; at most 31
              after: [orders, payments]        # jobs that passed for this day; else exit code 3, or --wait
              wait_for: { path: "in/orders-${as_of}.csv", until: 06:00 }   # until it is there and at rest

            'notify' says who is told of a run, and of which: failed (ended with another code
            than 0), recovered (passed, where the run before had failed), warned (passed, with
            warnings), passed, or missed (found by '\(name) history check'). Without 'on' it is
            failed, recovered and missed. A notice that cannot be sent is a warning, and
            changes no exit code. A list of such maps tells several.
              notify:
                on: [failed, recovered]
                command: [/usr/local/bin/tell, --urgent]   # no shell; only with run --allow-commands
                webhook: { url: "https://hooks.example.com/x", secret: "${env:HOOK_SECRET}" }
                mail: { server: "smtp://mail.example.com:587", user: daybook, password: "${env:SMTP_PASSWORD}",
                        from: daybook@example.com, to: [ops@example.com] }
                link: "https://reports.example.com/${as_of}.html"   # in every notice
                values: false                              # no value of the data, only counts
            A command reads the report as JSON on standard input, and DAYBOOK_JOB, DAYBOOK_RUN,
            DAYBOOK_OUTCOME, DAYBOOK_EXIT_CODE, DAYBOOK_AS_OF, DAYBOOK_SUMMARY and others in its
            environment. A webhook is sent a POST of JSON. With a secret, X-Daybook-Signature
            is sha256= and the HMAC-SHA256 of X-Daybook-Timestamp, a dot and the body.
            'headers: { X-Team: data }' adds headers, and 'body: { msg: "{summary}" }' is another
            body. Its texts and that of link may have the fields {job}, {job_file}, {run},
            {outcome}, {events}, {exit_code}, {as_of}, {summary}, {rows_read}, {rejected},
            {rules_failed} and {link}; {{ is a brace.
            A mail is that of --report mail; smtp:// is encrypted by STARTTLS, or nothing is
            sent. 'tls: none' is for a server on this machine. '\(name) notify JOB --try' sends each
            of them now.

            Paths start from the job file; '-' is standard input or output. An input may be a
            pattern such as week-*.csv, an output is one file. ${env:NAME} is a variable of the
            environment, and $${ is the text ${. ${job} is the name of the job, ${as_of} its day, and
            ${as_of:yyyy/MM/dd} the day in other letters, as in out/${as_of:yyyy/MM}/diary.csv.

            A secret is shown as \(SecretMask.mark) in everything but the outputs: the value of a param
            with 'secret: true', and of a param or a variable that is one by its name, in
            which a word is password, secret, token, key or credential. '\(name) history diff'
            shows rows of outputs, and so shows what stands in them.
              params:
                api_token: { default: "${env:API_TOKEN}" }    # a secret by its name
                sort_key: { default: date, secret: false }    # none, whatever its name

            '\(name) stages NAME' shows the options of a stage, '\(name) schema' prints a
            JSON Schema for editors.
            """
    }
}
