import DaybookCLI
import WordbookStages

DaybookCommand.main(.wordbook, name: "wordbook")
