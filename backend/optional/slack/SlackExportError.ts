/** A file that is no export of Slack, or is beyond a limit. The message is a sentence for the operator. */
export class SlackExportError extends Error {
  override name = 'SlackExportError'
}
