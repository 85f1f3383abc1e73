import AFSupport

/// What a URL connects to.
typealias Authority = Origin
