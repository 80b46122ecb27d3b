/**
 * Ends this process when the process that started it has ended. It does nothing unless that process has opened a channel to this
 * one, as a server does for the commands that it runs.
 */
export function endWithParent(): void {
  // The other process may have ended while this one was starting.
  if (process.connected === false) process.exit(1)
  process.once('disconnect', () => process.exit(1))
  // The channel alone does not keep the process running.
  process.channel?.unref()
}
