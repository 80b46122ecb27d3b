/**
 * Ends this process when the process that started it has ended. It does nothing unless that process has opened a channel to this
 * one, as a server does for the commands that it runs.
 */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit(1))
  // The channel alone does not keep the process running.
  process.channel?.unref()
}
