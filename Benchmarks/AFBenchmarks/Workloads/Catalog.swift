/// The workloads there are, in the order in which they run.
enum Catalog {
  static let workloads: [Workload] = [
    .requests, .batch, .parked, .cookies, .tls, .upload, .download, .slow, .stream, .serialize, .manager,
  ]

  static func workload(_ name: String) -> Workload? {
    workloads.first { $0.name == name }
  }
}
