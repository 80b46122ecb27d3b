import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { sendControl } from '../control/sendControl.ts'
import { renderDuration } from '../postgres/majorVersion/estimateMove.ts'
import { isLocked } from '../postgres/server/dataLock.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { readRunningServer, type RunningServer } from '../startup/runningServer.ts'
import { connectAsSuperuser } from './connectAsSuperuser.ts'
import { copyRunningData, dropWalSlot, type RunningCopy } from './copyRunningData.ts'
import { readOutcome, type SwitchOutcome } from './outcome.ts'
import { rehearse } from './rehearse.ts'
import type { SwitchRequest } from './releaseMessages.ts'
import { commandName } from '../runtime/commandName.ts'

/** Milliseconds that the server has to load the new version and to stop. */
const loadTimeoutMs = 180_000

/** Between the versions nobody uses the data for some seconds. After this time the server must have been killed. */
const unusedTimeoutMs = 60_000

/** The new version may need this many times longer than in the rehearsal, since the data have grown and others use the disk. */
const maxSlowdown = 10
const minPrepareTimeoutMs = 120_000

/**
 * Waits for the outcome of a switch. Throws StartError if there is none in time, as when the server was killed.
 * @param since ISO 8601; earlier outcomes are of earlier upgrades
 */
async function waitForOutcome(dataDir: string, since: string, timeoutMs: number): Promise<SwitchOutcome> {
  let isUsedAt = Date.now()
  for (const end = Date.now() + timeoutMs; Date.now() < end; await wait(100)) {
    const outcome = readOutcome(dataDir)
    if (outcome !== null && outcome.endedAt > since) {
      // The old version is about to start again.
      if (outcome.result !== 'restored' || readRunningServer(dataDir) !== null) return outcome
    }
    if (isLocked(dataDir)) isUsedAt = Date.now()
    else if (Date.now() - isUsedAt > unusedTimeoutMs) break
  }
  const last = readOutcome(dataDir)
  if (last !== null && last.endedAt > since) return last
  throw new StartError(
    `The server has not reported whether it runs the new version. See "${commandName()} status" and "${commandName()} logs". If it was killed, ` +
      'its next start continues with the old version on the data as they were, or with the new version.',
  )
}

/**
 * Upgrades a running server: backs up the database, rehearses on a copy, and has the server continue with the new version.
 * Throws StartError, after which the old version runs as before.
 * @param o.args arguments of `linnet start` that select the schema
 * @param o.isMove whether the new version moves the data to another major version of PostgreSQL
 * @param o.timeoutMs milliseconds for the rehearsal
 */
export async function upgradeRunningServer(o: {
  dataDir: string
  running: RunningServer
  release: string
  args: readonly string[]
  isMove: boolean
  timeoutMs: number
  onStep: (title: string) => void
}): Promise<SwitchOutcome> {
  const { dataDir, release, isMove, onStep } = o
  const client = await connectAsSuperuser(dataDir, o.running.dbUrl)
  let copy: RunningCopy | null = null
  const removeCopy = async (): Promise<void> => {
    await dropWalSlot(client)
    if (copy) await rm(copy.folder, { recursive: true, force: true })
  }
  let isRequested = false
  try {
    onStep('Backing up the database')
    copy = await copyRunningData(client, dataDir)
    onStep('Starting the new version on a copy')
    const prepareMs = await rehearse({ dataDir, release, copy, args: o.args, timeoutMs: o.timeoutMs })
    // The move keeps the data before it.
    if (isMove) await removeCopy()
    onStep(
      isMove
        ? `Moving the data, about ${renderDuration(prepareMs / 1000)} without service`
        : 'Exchanging the versions',
    )
    const timeoutMs = Math.max(minPrepareTimeoutMs, maxSlowdown * prepareMs)
    const since = new Date().toISOString()
    const { folder, firstWalFile } = isMove ? { folder: '', firstWalFile: '' } : copy
    const request: SwitchRequest = { release, copy: folder, firstWalFile, timeoutMs }
    const { dashboard } = readRunningServer(dataDir) ?? o.running
    await sendControl(dashboard, 'switch', request, loadTimeoutMs)
    isRequested = true
    return await waitForOutcome(dataDir, since, loadTimeoutMs + timeoutMs)
  } finally {
    if (!isRequested) await removeCopy().catch(() => {})
    await client.end().catch(() => {})
  }
}
