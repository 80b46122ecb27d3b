import { readSettingsText, settingsFile } from '../config/settingsFile.ts'
import type { Logger } from '../logging/logger.ts'
import type { Linnet } from '../main.ts'
import { removeFileSync, replaceFileSync } from '../runtime/durableFiles.ts'

/** The value with which `requested` resolves. */
export const restartRequest = Symbol('restart')

/** How `linnet start` restarts with changed settings, and undoes settings with which the server does not start. */
interface SettingsRestart {
  /** Called at the beginning of each start. */
  begin(): void
  /** Called once the server has started. */
  succeed(): void
  /**
   * Called with the error of a failed start. Stores the settings of the last successful start again and returns true if
   * settings.json has changed since then.
   */
  undo(error: unknown): boolean
  /** Requests a restart. */
  request(): void
  /** Resolves after a request since the beginning of the start. */
  requested(): Promise<typeof restartRequest>
  /** Why the settings were undone; null if the last start succeeded with them. */
  undone(): string | null
}

/** Milliseconds that requests in progress have when the server restarts: clients repeat them. */
const requestTimeoutMs = 1_500

/** Creates the state of restarts that owners request on the page "Server". */
export function createSettingsRestart(dataDir: string): SettingsRestart {
  /** The content of settings.json at the last successful start; undefined before the first one. */
  let last: string | null | undefined
  let current: string | null = null
  let reason: string | null = null
  let accept = (_request: typeof restartRequest): void => {}
  let requested = new Promise<typeof restartRequest>(() => {})
  return {
    begin() {
      current = readSettingsText(dataDir)
      requested = new Promise((resolve) => {
        accept = resolve
      })
    },
    succeed() {
      // The start after an undone one has the same settings, and the page still shows the reason.
      if (last !== undefined && current !== last) reason = null
      last = current
    },
    undo(error) {
      if (last === undefined || current === last) return false
      if (last === null) removeFileSync(settingsFile(dataDir))
      else replaceFileSync(settingsFile(dataDir), last)
      reason = error instanceof Error ? error.message : String(error)
      return true
    },
    request: () => accept(restartRequest),
    requested: () => requested,
    undone: () => reason,
  }
}

/** Stops the server so that it can start again. Resolves with an exit code if a signal has arrived meanwhile. */
export async function stopForSettings(
  linnet: Linnet,
  signal: Promise<string>,
  log: Logger,
): Promise<number | 'restart'> {
  let isEnding = false
  void signal.then(() => (isEnding = true))
  log.info('server.restarting')
  await linnet.stop({ requestTimeoutMs })
  return isEnding ? 0 : 'restart'
}
