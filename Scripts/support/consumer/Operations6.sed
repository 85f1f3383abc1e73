# What Swift 6 mode asks of the code in Operations5.swift: subclasses restate `@unchecked Sendable`. Nothing else differs.
s/^class \(APIClient: AFHTTPClient\) {/final class \1, @unchecked Sendable {/
s/^class \(EnvelopeOperation: AFJSONRequestOperation\) {/final class \1, @unchecked Sendable {/
