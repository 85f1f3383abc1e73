// A file of an older app imports one module, and finds all of AFNetworking and Foundation in it.
@_exported public import AFCore
@_exported public import AFMultipart
@_exported public import AFReachability
@_exported public import AFSecurity
@_exported public import AFSerialization
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import FoundationXML
