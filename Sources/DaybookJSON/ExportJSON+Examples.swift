extension ExportJSON {
    static let examples: [StageExample] = [
        StageExample(
            "one array, a row a line; what is missing is null",
            options: "path: out.json",
            input: """
                day:day,emotion:text,share:decimal,done:flag
                2026-03-01,"say ""hi""\",0.25,true
                2026-03-02,,3,false
                """,
            output: """
                [
                {"day":"2026-03-01","emotion":"say \\"hi\\"","share":0.25,"done":true},
                {"day":"2026-03-02","emotion":null,"share":3,"done":false}
                ]

                """
        ),
        StageExample(
            "JSON Lines, with dotted columns made objects again",
            options: "path: out.ndjson\nlayout: lines\nnest: true",
            input: """
                name:text,main.temp:decimal,tags:json,main.humidity:integer
                Seoul,21.3,"[1, 2]",60
                Busan,,,-1
                """,
            output: """
                {"name":"Seoul","main":{"temp":21.3,"humidity":60},"tags":[1, 2]}
                {"name":"Busan","main":{"temp":null,"humidity":-1},"tags":null}

                """
        ),
        StageExample(
            "a part for each shard of a run; one behind the other they are this",
            options: "path: ../out/days.ndjson\nlayout: lines\nparts: shards",
            input: "day:day\n2026-03-01",
            output: "{\"day\":\"2026-03-01\"}\n"
        ),
        StageExample(
            "a file that grows: rows come behind those of the runs before",
            options: "path: all.ndjson\nlayout: lines\nappend: true",
            base: "{\"day\":\"2026-03-01\"}\n",
            input: "day:day\n2026-03-02",
            output: "{\"day\":\"2026-03-01\"}\n{\"day\":\"2026-03-02\"}\n"
        ),
        StageExample(
            "what is missing left out, and an object left without keys too",
            options: "path: out.ndjson\nlayout: lines\nnest: true\nmissing: leave_out",
            input: """
                name:text,rain.1h:decimal,wind.speed:decimal,wind.gust:decimal
                Seoul,,2.1,
                Busan,0.42,6.69,9.3
                ,,,
                """,
            output: """
                {"name":"Seoul","wind":{"speed":2.1}}
                {"name":"Busan","rain":{"1h":0.42},"wind":{"speed":6.69,"gust":9.3}}
                {}

                """
        ),
        StageExample(
            "an object in which each row has a key, inside a document",
            options: "path: days.json\nrecords: { at: /days, each_key: day }",
            input: """
                day:day,count:integer
                2026-03-01,3
                ,4
                2026-03-02,
                """,
            output: """
                {"days":{
                "2026-03-01":{"count":3},
                "2026-03-02":{"count":null}
                }}

                """,
            findings: ["2 day missing-key"]
        ),
        StageExample(
            "keys and values in turn, as Swift reads a dictionary whose keys are of an enum",
            options: "path: counts.json\nrecords: { each_key: mood, pairs: true }",
            input: "mood:text,value:integer\ngood,3\nbad,1",
            output: "[\n\"good\",{\"value\":3},\n\"bad\",{\"value\":1}\n]\n"
        ),
        StageExample(
            "for people to read",
            options: "path: out.json\npretty: true",
            input: """
                id:integer,at:instant
                1,2026-03-01T08:30:00Z
                """,
            output: """
                [
                  {
                    "id": 1,
                    "at": "2026-03-01T08:30:00Z"
                  }
                ]

                """
        ),
        StageExample(
            "a number that JSON cannot write is rejected with its row",
            options: "path: out.ndjson\nlayout: lines",
            input: """
                id:integer,ratio:decimal
                1,nan
                2,0.1
                """,
            output: "{\"id\":2,\"ratio\":0.1}\n",
            findings: ["1 ratio not-a-json-number"]
        ),
        StageExample(
            "what an app's own decoder reads: the model as declared, dates as seconds since 2001",
            options: """
                path: todos.json
                dates: apple_seconds
                fields:
                  id: integer
                  title: { from: note, kind: text }
                  due: date
                  done: { from: finished, kind: date? }
                """,
            input: """
                note:text,id:decimal,due:day,finished:instant,unread:flag
                milk,1,2026-03-01,2026-02-28T23:59:59.5Z,true
                bread,2,2026-03-02,,false
                salt,2.5,2026-03-02,,false
                ,4,2026-03-02,,false
                """,
            output: """
                [
                {"id":1,"title":"milk","due":793983600,"done":794015999.5},
                {"id":2,"title":"bread","due":794070000}
                ]

                """,
            findings: ["3 id not-an-integer", "4 note missing-value"]
        ),
        StageExample(
            "the answer of a web service, written back whole",
            options: "path: weather.json\nlayout: object\nnest: true",
            input: """
                name:text,main.temp:decimal,main.humidity:integer,weather:json
                Seoul,21.3,60,"[{""id"": 800}]"
                """,
            output: """
                {"name":"Seoul","main":{"temp":21.3,"humidity":60},"weather":[{"id": 800}]}

                """
        ),
        StageExample(
            "a key cannot be a value and an object at once",
            options: "path: out.json\nnest: true",
            input: "main:integer,main.temp:decimal",
            refused: "'main' and 'main.temp' cannot both be written: the one would stand inside the other"
        ),
        StageExample(
            "a declared field says itself whether it may lack",
            options: "path: out.json\nmissing: leave_out\nfields: { day: date? }",
            input: "day:day",
            refused: "'missing' is about columns as they stand, and 'fields' says of each field whether it may lack"
        ),
        StageExample(
            "text that is JSON fills a field of any JSON; dotted fields are keys inside objects",
            options:
                "path: out.ndjson\nlayout: lines\nfields: { user.id: integer, user.tags: { from: tags, kind: json } }",
            input: """
                user.id:integer,tags:text
                1,"[""a"", 2]"
                2,none
                """,
            output: "{\"user\":{\"id\":1,\"tags\":[\"a\", 2]}}\n",
            findings: ["2 tags not-json"]
        ),
        StageExample(
            "a file of days: the rows take the place of those of their days, and the others stay",
            options: "path: all.ndjson\nlayout: lines\nreplace_by: [day]",
            base: "{\"day\":\"2026-03-01\",\"count\":3}\n{\"day\":\"2026-03-02\",\"count\":4}\n",
            input: "day:day,count:integer\n2026-03-03,7\n2026-03-02,8",
            output:
                "{\"day\":\"2026-03-01\",\"count\":3}\n{\"day\":\"2026-03-02\",\"count\":8}\n{\"day\":\"2026-03-03\",\"count\":7}\n"
        ),
        StageExample(
            "the app's own type reads what is written",
            options: """
                path: todos.ndjson
                layout: lines
                model: { swift: "struct Todo: Codable { let id: Int8; let due: Date; let note: String? }", type: Todo }
                """,
            input: """
                id:integer,due:instant,note:text
                7,2026-11-21T05:00:00Z,
                """,
            output: "{\"id\":7,\"due\":\"2026-11-21T05:00:00Z\",\"note\":null}\n"
        ),
        StageExample(
            "a model must be one that the reader knows",
            options:
                "path: out.json\nmodel: { swift: 'struct Todo: Codable { let size: CGSize }', type: '[Todo]' }",
            input: "size:json",
            refused: "'model': 'CGSize' is no type that this file declares or this reader knows"
        ),
        StageExample(
            "the fields that no column names are kept where each row is a record of JSON",
            options: "path: out.json\nunlisted: keep",
            input: "id:integer",
            refused:
                "'unlisted' is about the records that rows came from, and here a row is no record of JSON any more"
        ),
        StageExample(
            "text is not read as a date here",
            options: "path: out.json\nfields: { day: date }",
            input: "day:text\n1 March",
            refused: "column 'day' holds text, and the field 'day' is date"
        ),
    ]
}
