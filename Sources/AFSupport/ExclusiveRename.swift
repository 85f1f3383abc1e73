import CLinux
import Glibc

/// Renames a file unless there is something at `destination` already.
/// - Returns: 0, or the value of `errno`: `EEXIST`, `EXDEV` for another file system, `EINVAL` where the file system cannot
///   promise it, and the rest of `rename(2)`.
package func renameExclusively(_ source: String, to destination: String) -> Int32 {
  af_rename_exclusive(source, destination) == 0 ? 0 : errno
}
