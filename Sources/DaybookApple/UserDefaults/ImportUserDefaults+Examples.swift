extension ImportUserDefaults {
    static let examples = [
        StageExample(
            "data in an XML property list that holds what JSONEncoder wrote",
            options: """
                path: dump.plist
                key: DdayManager
                dates: apple_seconds
                """,
            input: """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                    <key>launches</key> <integer>12</integer>
                    <key>DdayManager</key>
                    <data>
                    W3sidGFyZ2V0RGF0ZSI6ODE3NzA3NjAwLCJkZGF5IjoxMDAsImJhY2tncm91bmRDb2xvciI6IiNFQzAwN0YifSx7ImJh
                    Y2tncm91bmRDb2xvciI6IiMwMDAwMDAiLCJkZGF5IjotNSwidGFyZ2V0RGF0ZSI6ODE3NzA3NjAwLjV9XQ==
                    </data>
                </dict>
                </plist>
                """,
            output: """
                targetDate:instant,dday:integer,backgroundColor:text
                2026-11-30T05:00:00Z,100,#EC007F
                2026-11-30T05:00:00.500Z,-5,#000000
                """
        ),
        StageExample(
            "values of the property list itself: its dates are instants already, and its data becomes base64",
            options: "path: dump.plist\nkey: words",
            input: """
                <plist version="1.0"><dict><key>words</key><array>
                  <dict><key>text</key><string>salt &amp; pepper</string><key>saved</key><date>2026-11-21T05:00:00Z</date></dict>
                  <dict><key>text</key><string/><key>icon</key><data>AQID</data></dict>
                </array></dict></plist>
                """,
            output: """
                text:text,saved:instant,icon:text
                salt & pepper,2026-11-21T05:00:00Z,
                "",,AQID
                """
        ),
        StageExample(
            "the app's own type, by which its decoder reads the records: here PropertyListDecoder, for which a date is no text",
            options: """
                path: dump.plist
                key: words
                model: { swift: "struct Word: Codable { let text: String, saved: Date }", type: "[Word]" }
                """,
            input: """
                <plist version="1.0"><dict><key>words</key><array>
                  <dict><key>text</key><string>salt</string><key>saved</key><date>2026-11-21T05:00:00Z</date></dict>
                  <dict><key>text</key><string>pepper</string><key>saved</key><string>today</string></dict>
                </array></dict></plist>
                """,
            output: "text:text,saved:text\nsalt,2026-11-21T05:00:00Z",
            findings: ["2 saved not-decodable"]
        ),
        StageExample(
            "an OpenStep list knows text only; what looks like a number is told from text by 'columns'",
            options: "path: dump.plist\nkey: todos",
            input: """
                // defaults read
                { todos = ( { id = 1; detail = "buy \\Uc6b0\\Uc720"; }, { id = 2; detail = rest; } ); }
                """,
            output: """
                id:text,detail:text
                1,buy 우유
                2,rest
                """
        ),
        StageExample(
            "a JSON dump keeps data as base64; several keys give the rows of all",
            options:
                "path: dumps/2026-03-01.json\nkey: [EmotionManager, older]\nfile_column: dump\nday: { from: name, pattern: \"{yyyy-MM-dd}.json\" }\nredelivery: { other_bytes: redo }\nlate: { after: 3 days, then: warn }",
            input: """
                {"EmotionManager": "W3siZW1vdGlvblN0YXRlIjoi7ZaJ67O17ZW0IiwiZW1vdGlvbkNvdW50IjozfV0=",
                 "older": [{"emotionState": "사랑해", "emotionCount": 2}]}
                """,
            output: """
                emotionState:text,emotionCount:integer,dump:text,day:day
                행복해,3,2026-03-01.json,2026-03-01
                사랑해,2,2026-03-01.json,2026-03-01
                """
        ),
        StageExample(
            "without a key every key is a row",
            options: "path: dump.json",
            input: """
                {"DdayManager": "W3siZGRheSI6MTAwfV0=", "launches": 12, "note": "[draft", "seen": {"a": 1, "b": true},
                 "todos": "[{\\"id\\": 1}]"}
                """,
            output: """
                key:text,kind:text,size:integer
                DdayManager,"base64 text holding JSON, an array",20
                launches,a number,
                note,text,6
                seen,an object,2
                todos,"text holding JSON, an array",13
                """
        ),
        StageExample(
            "dates can be told for each column; what is finer than a microsecond is cut, and text is no number",
            options: """
                path: dump.json
                key: log
                columns: { day: day, main: json }
                dates: { made: epoch_millis, day: apple_seconds, read: iso }
                """,
            input: """
                {"log": [
                  {"made": 1795240800000, "day": 817707600, "read": "2026-11-21T14:00:00+09:00", "main": {}},
                  {"made": 1795240800000.0625, "day": 8.177472e8, "read": null, "main": 1},
                  {"made": "yesterday", "day": 0, "read": null},
                  {"made": 1, "day": 1e300, "read": null}
                ]}
                """,
            output: """
                made:instant,day:day,read:instant,main:json
                2026-11-21T06:00:00Z,2026-11-30,2026-11-21T05:00:00Z,{}
                2026-11-21T06:00:00.000062Z,2026-12-01,,1
                """,
            findings: ["2 made finer-than-a-microsecond", "3 made unexpected-kind", "4 day not-an-instant"]
        ),
        StageExample(
            "a date of a property list is an instant, also where older or newer dumps have numbers",
            options: "path: dump.plist\nkey: days\ncolumns: { start: decimal, note: text }",
            input: """
                <plist version="1.0"><dict><key>days</key><array>
                  <dict><key>start</key><date>2026-11-21T05:00:00Z</date></dict>
                </array></dict></plist>
                """,
            output: "start:instant,note:text\n2026-11-21T05:00:00Z,"
        ),
        StageExample(
            "an empty list has the columns that are declared",
            options: "path: dump.json\nkey: DdayManager\ncolumns: { targetDate: decimal, dday: integer }",
            input: "{\"DdayManager\": \"W10=\"}",
            output: "targetDate:decimal,dday:integer"
        ),
        StageExample(
            "a date that no record has is a mistake where a record has nearly that key",
            options: "path: dump.json\nkey: log\ndates: { targetdate: apple_seconds }",
            input: "{\"log\": [{\"targetDate\": 0}]}",
            refused: "'dates' names 'targetdate', which no record has"
        ),
        StageExample(
            "a key that is not there is refused with the nearest",
            options: "path: dump.plist\nkey: DdayManger",
            input: "{ DdayManager = (); }",
            refused: "dump.plist has no key 'DdayManger'"
        ),
        StageExample(
            "a store in which nothing was tapped yet stands for zeros, as the job says",
            options: """
                path: dump.json
                key: EmotionManager
                absent: '[{"emotionState": "행복해", "emotionCount": 0}, {"emotionState": "사랑해", "emotionCount": 0}]'
                """,
            input: "{\"launches\": 1}",
            output: """
                emotionState:text,emotionCount:integer
                행복해,0
                사랑해,0
                """
        ),
        StageExample(
            "what is nothing but a gap gives no rows; null in a dump is one",
            options: "path: dump.json\nkey: [todos, older, archive]\nabsent: empty",
            input: "{\"todos\": [{\"id\": 1}], \"archive\": null}",
            output: "id:integer\n1"
        ),
        StageExample(
            "a file of its own, in which an app encoded its models; a URL and a decimal are what they are in JSON",
            options: "path: todos.plist\nwhole: true\ncolumns: { note: text }",
            input: """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0">
                <array>
                <dict><key>due</key><date>2026-11-21T05:00:00Z</date>
                <key>link</key><dict><key>relative</key><string>https://example.com</string></dict></dict>
                <dict><key>due</key><date>2026-11-22T05:00:00Z</date></dict>
                </array>
                </plist>
                """,
            output: """
                due:instant,link:text,note:text
                2026-11-21T05:00:00Z,https://example.com,
                2026-11-22T05:00:00Z,,
                """
        ),
        StageExample(
            "a dictionary of the property list itself, in which each day has its record",
            options: "path: old.plist\nkey: diary\nrecords: { each_key: day }\ncolumns: { day: day }",
            input: """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0">
                <dict><key>diary</key><dict>
                  <key>2026-03-01</key><dict><key>mood</key><string>good</string><key>at</key><date>2026-03-01T08:00:00Z</date></dict>
                  <key>2026-03-02</key><dict><key>mood</key><string>bad</string></dict>
                </dict></dict>
                </plist>
                """,
            output: "day:day,mood:text,at:instant\n2026-03-01,good,2026-03-01T08:00:00Z\n2026-03-02,bad,"
        ),
        StageExample(
            "records inside the value, through JSON that an app keeps as text within JSON",
            options: "path: dump.json\nkey: persist:root\nrecords: /todos/items",
            input: """
                {"persist:root": "{\\"todos\\":\\"{\\\\\\"items\\\\\\":[{\\\\\\"id\\\\\\":1}]}\\",\\"version\\":\\"2\\"}"}
                """,
            output: "id:integer\n1"
        ),
        StageExample(
            "SharedPreferences of an Android app, here of one that Flutter made",
            options: "path: FlutterSharedPreferences.xml\nkeys: rows",
            input: """
                <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
                <map>
                    <string name="flutter.todos">[{&quot;id&quot;:1}]</string>
                    <long name="flutter.launches" value="12" />
                    <boolean name="flutter.dark" value="true" />
                    <string name="flutter.volume">VGhpcyBpcyB0aGUgcHJlZml4IGZvciBEb3VibGUu0.5</string>
                    <string name="flutter.tags">VGhpcyBpcyB0aGUgcHJlZml4IGZvciBhIGxpc3Qu![&quot;a&quot;]</string>
                    <set name="seen"><string>b</string></set>
                </map>
                """,
            output: """
                key:text,type:text,value:json
                flutter.todos,string,\"\"\"[{\\""id\\"":1}]\"\"\"
                flutter.launches,integer,12
                flutter.dark,boolean,true
                flutter.volume,real,0.5
                flutter.tags,array,"[""a""]"
                seen,array,"[""b""]"
                """
        ),
        StageExample(
            "objects that an app archived are records of their fields, with their class",
            options: "path: todos.plist\nwhole: true",
            input: """
                <plist version="1.0"><dict>
                <key>$archiver</key><string>NSKeyedArchiver</string>
                <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
                <key>$objects</key><array>
                  <string>$null</string>
                  <dict><key>id</key><integer>7</integer><key>title</key><dict><key>CF$UID</key><integer>2</integer></dict>
                    <key>$class</key><dict><key>CF$UID</key><integer>3</integer></dict></dict>
                  <string>buy milk</string>
                  <dict><key>$classname</key><string>App.Todo</string></dict>
                </array></dict></plist>
                """,
            output: "$class:text,id:integer,title:text\nApp.Todo,7,buy milk"
        ),
        StageExample(
            "each key as a row, to be renamed, dropped and written back",
            options: "path: old.plist\nkeys: rows",
            input: """
                <plist version="1.0"><dict>
                <key>volume</key><real>0.5</real><key>todos</key><data>W10=</data>
                <key>seen</key><date>2001-01-01T00:00:05Z</date><key>tags</key><array><string>a</string><true/></array>
                </dict></plist>
                """,
            output: """
                key:text,type:text,value:json
                volume,real,0.5
                todos,data,\"\"\"W10=\"\"\"
                seen,date,5.0
                tags,array,"[""a"",true]"
                """
        ),
        StageExample(
            "a file is read by its keys or as a whole",
            options: "path: todos.plist\nkey: todos\nwhole: true",
            input: "<plist><array/></plist>",
            refused: "'whole' says that the file has no keys, and 'key' names one"
        ),
        StageExample(
            "records that stand in for a key are JSON",
            options: "path: dump.json\nkey: todos\nabsent: '[{\"id\": 1,}]'",
            input: "{}",
            refused: "'absent': at character 11 of the JSON text: nothing follows the comma"
        ),
        StageExample(
            "a property list that is cut off is refused with its place",
            options: "path: dump.plist\nkey: DdayManager",
            input: "<plist version=\"1.0\">\n<dict>\n<key>DdayManager</key>\n<array>",
            refused: "this <array> is never closed, at byte 52 of dump.plist"
        ),
        StageExample(
            "the dumps of a folder that need not hold any yet, each read by one run that holds",
            options: """
                path: inbox/*.json
                key: days
                columns: { id: integer }
                optional: true
                new_only: true
                describe: { id: Its number }
                """,
            input: "{\"days\": [{\"id\": 7}]}",
            output: "id:integer\n7"
        ),
    ]
}
