/// The version of the package, as `afnet --version` says it.
package let packageVersion = "0.1.0-dev"
