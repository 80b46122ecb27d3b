import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Logger } from '../logging/logger.ts'
import { copyWal, removeWalSlot } from './copyRunningData.ts'
import { readShutdownPosition } from './controlFile.ts'
import {
  readProgram,
  readSelection,
  removeOldReleases,
  rootOfRelease,
  selectRelease,
} from './installedReleases.ts'
import { recordOutcome } from './outcome.ts'
import type { SwitchRequest } from './releaseMessages.ts'
import { startRelease, type StartedRelease } from './startRelease.ts'
import { beginSwitch, finishSwitch, hasUnfinishedSwitch } from './unfinishedSwitch.ts'

/** A switch for which the running server stops. */
export interface PendingSwitch {
  request: SwitchRequest
  /** The release, already loaded; null if the parent of this process starts it. */
  child: StartedRelease | null
  /** `performance.now()` when the server stopped accepting requests. */
  stoppedAt: number
}

/** The root of the program that people start: for the selected release, the program in whose place it runs. */
export function findProgramRoot(dataDir: string, root: string): string {
  const selection = readSelection(dataDir)
  const isSelected = selection !== null && rootOfRelease(dataDir, selection.release) === root
  return isSelected ? selection.program.root : root
}

/**
 * Completes the copy of the database once PostgreSQL of the old version has stopped. From then on the new version may change the
 * data. Throws if the copy can't be completed; nothing has changed then.
 */
export async function leaveDataToRelease(dataDir: string, request: SwitchRequest): Promise<void> {
  const data = join(dataDir, 'postgres')
  try {
    const copy = { folder: request.copy, firstWalFile: request.firstWalFile }
    if (request.firstWalFile !== '') await copyWal(copy, data, readShutdownPosition(data))
  } finally {
    removeWalSlot(dataDir)
  }
  beginSwitch(dataDir, request.release, request.copy)
}

/** Arguments of `linnet start` for a release. */
export type ReleaseArguments = (release: string) => readonly string[]

/** Starts a release that takes the data over from another version. It starts the release that takes its place, in turn. */
export function startSuccessor(
  o: { dataDir: string; argumentsOf: ReleaseArguments },
  release: string,
  kind: 'switch' | 'return' = 'switch',
): Promise<StartedRelease> {
  return startRelease({
    root: rootOfRelease(o.dataDir, release),
    kind,
    args: o.argumentsOf(release),
    startNext: (request) => startSuccessor(o, request.release),
    output: 'inherited',
  })
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a release as a child of this process, and further ones that take its place, until one ends. Passes signals on. If a
 * release can't start, the one before it runs again, on the data as they were.
 * @returns the exit code; null if this process is to run its own version again
 */
export async function runReleases(o: {
  dataDir: string
  programRoot: string
  first: PendingSwitch
  argumentsOf: ReleaseArguments
  log: Logger
}): Promise<number | null> {
  const { dataDir, log } = o
  let child: StartedRelease | null = o.first.child
  let isEnding = false
  const onSignal = (signal: NodeJS.Signals): void => {
    isEnding = true
    child?.signal(signal)
  }
  for (const signal of endSignals) process.on(signal, onSignal)
  try {
    let { request } = o.first
    let { stoppedAt } = o.first
    /** The release that ran before; null for this process itself. */
    let previous: SwitchRequest | null = null
    let isReturn = false
    for (;;) {
      try {
        child ??= await startSuccessor(o, request.release, isReturn ? 'return' : 'switch')
        const [, program] = await Promise.all([
          child.prepare(request.timeoutMs),
          // Read for each switch, since "git pull" changes it before an upgrade. The release starts in the meantime.
          isReturn ? null : (async () => readProgram(o.programRoot))(),
        ])
        if (program !== null) {
          selectRelease(dataDir, request.release, program)
          finishSwitch(dataDir)
        }
        await child.serve()
      } catch (error) {
        await child?.end()
        child = null
        const reason = (error as Error).message
        const canReturn = !isReturn && hasUnfinishedSwitch(dataDir)
        const result = canReturn ? 'restored' : 'failed'
        if (!isReturn)
          recordOutcome(dataDir, { release: request.release, result, reason, withoutServiceMs: 0 })
        log.error('upgrade.failed', { release: request.release, reason })
        if (isEnding || !canReturn) return 1
        if (previous === null) return null
        request = previous
        isReturn = true
        continue
      }
      const withoutServiceMs = Math.round(performance.now() - stoppedAt)
      if (!isReturn) {
        recordOutcome(dataDir, { release: request.release, result: 'switched', reason: '', withoutServiceMs })
        removeOldReleases(dataDir, [request.release])
      }
      log.info('upgrade.release_running', { release: request.release, process: child.pid, withoutServiceMs })
      collectGarbage()
      const { code, replacedBy } = await child.ended
      child = replacedBy?.child ?? null
      if (replacedBy === null) return code
      stoppedAt = performance.now()
      previous = request
      request = replacedBy.request
      isReturn = false
    }
  } finally {
    for (const signal of endSignals) process.off(signal, onSignal)
  }
}

/** Frees the memory of the services that have ended: this process may now wait for months. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setTimeout(collect, 1_000).unref()
}
