import type { ControlAction } from '../control/createControl.ts'
import type { Logger } from '../logging/logger.ts'
import type { Linnet } from '../main.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { isTrusted, readManifest, rootOfRelease } from '../upgrade/installedReleases.ts'
import type { ParentServer } from '../upgrade/parentServer.ts'
import { recordOutcome } from '../upgrade/outcome.ts'
import type { SwitchRequest } from '../upgrade/releaseMessages.ts'
import {
  leaveDataToRelease,
  startSuccessor,
  type PendingSwitch,
  type ReleaseArguments,
} from '../upgrade/runReleases.ts'

/** How `linnet start` continues with another release. */
interface Switching {
  /** The action `switch` of a running server. Resolves once the release is loaded and the server is about to stop. */
  request: ControlAction
  /** Resolves after an accepted request. */
  requested: Promise<PendingSwitch>
  /**
   * Stops the server for the release. Resolves with an exit code if this process is to end, and with `again` if the server is
   * to start again, because the release can't be given the data.
   * @param signal resolves if a signal ends the server
   */
  stopFor(
    linnet: Linnet,
    pending: PendingSwitch,
    signal: Promise<string>,
    log: Logger,
  ): Promise<number | PendingSwitch | 'again'>
}

/** Milliseconds that requests in progress have when the server stops for another version: clients repeat them. */
const requestTimeoutMs = 1_500

/** Throws StartError unless the body is a request for an installed release. */
function readRequest(body: unknown, dataDir: string): SwitchRequest {
  const { release, copy, firstWalFile, timeoutMs } = (body ?? {}) as Partial<SwitchRequest>
  const isComplete =
    typeof release === 'string' &&
    /^[\w.-]+$/.test(release) &&
    typeof copy === 'string' &&
    typeof firstWalFile === 'string' &&
    typeof timeoutMs === 'number'
  if (!isComplete) throw new StartError('The request is incomplete.')
  if (readManifest(rootOfRelease(dataDir, release)) === null)
    throw new StartError(`The release ${release} is not installed in ${dataDir}.`)
  if (!isTrusted(dataDir))
    throw new StartError(`Other users can change ${dataDir}, so this server runs no program from it.`)
  return { release, copy, firstWalFile, timeoutMs }
}

/**
 * Lets a running server continue with another release.
 * @param o.parent the server that has started this one; it starts the next release too, so that no chain of processes grows
 */
export function createSwitching(o: {
  dataDir: string
  parent: ParentServer | null
  argumentsOf: ReleaseArguments
}): Switching {
  let accept: (pending: PendingSwitch) => void = () => {}
  const requested = new Promise<PendingSwitch>((resolve) => {
    accept = resolve
  })
  let isBusy = false
  return {
    requested,
    async request(body) {
      const request = readRequest(body, o.dataDir)
      if (isBusy) throw new StartError('The server switches to another release already.')
      isBusy = true
      try {
        await o.parent?.loadNext(request)
        const child = o.parent ? null : await startSuccessor(o, request.release)
        accept({ request, child, stoppedAt: 0 })
        return {}
      } catch (error) {
        isBusy = false
        throw error
      }
    },
    async stopFor(linnet, { request, child }, signal, log) {
      const { release } = request
      log.info('upgrade.switching', { release })
      let isEnding = false
      void signal.then(() => (isEnding = true))
      try {
        // The shutdown then has less to write.
        await linnet.withSuperuser((pool) => pool.query('checkpoint'))
        const stoppedAt = performance.now()
        await linnet.stop({ requestTimeoutMs })
        if (isEnding) {
          await child?.end()
          return 0
        }
        await leaveDataToRelease(o.dataDir, request)
        if (o.parent === null) return { request, child, stoppedAt }
        await o.parent.reportReplaced(request)
        return 0
      } catch (error) {
        const reason = (error as Error).message
        log.error('upgrade.failed', { release, reason })
        await child?.end()
        await linnet.stop()
        recordOutcome(o.dataDir, { release, result: 'restored', reason, withoutServiceMs: 0 })
        return 'again'
      }
    },
  }
}
