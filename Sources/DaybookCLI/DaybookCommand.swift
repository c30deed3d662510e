import DaybookCore
public enum DaybookCommand { public static func main() {} }
