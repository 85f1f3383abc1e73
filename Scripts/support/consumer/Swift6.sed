# What Swift 6 mode asks of the code in Swift5.swift: subclasses restate `@unchecked Sendable`, and closures that are handed on
# are `@Sendable`. Nothing else differs.
s/^class \(APIClient: AFHTTPSessionManager\) {/final class \1, @unchecked Sendable {/
s/^class \(EnvelopeSerializer: AFJSONResponseSerializer\) {/final class \1, @unchecked Sendable {/
s/ProgressBlock: ((Progress)/ProgressBlock: (@Sendable (Progress)/
s/completionHandler: ((URLResponse, Any?, Error?) -> Void)? = nil/completionHandler: (@Sendable (URLResponse, Any?, Error?) -> Void)? = nil/
s/@escaping (URLSessionDataTask?/@escaping @Sendable (URLSessionDataTask?/
