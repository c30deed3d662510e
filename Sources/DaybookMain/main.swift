import DaybookCLI

DaybookCommand.main()
