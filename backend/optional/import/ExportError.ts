/** A file that is no export, or is beyond a limit. The message is a sentence for the operator. */
export class ExportError extends Error {
  override name = 'ExportError'
}
