import { StartError } from '../postgres/server/StartError.ts'
import {
  releaseVariable,
  type ParentMessage,
  type ReleaseMessage,
  type ReleaseStart,
  type SwitchRequest,
} from './releaseMessages.ts'

/** The server that has started this release. When it ends, this process receives SIGTERM. */
export interface ParentServer {
  kind: ReleaseStart
  /** Reports that the code is loaded, and waits until the release may use the data. Throws StoppedByParent. */
  waitForStart(): Promise<void>
  /** Reports that all services have started, and waits. Throws StoppedByParent if the release must end now. */
  waitToServe(): Promise<void>
  reportReady(server: { url: string; secretKey: string }): Promise<void>
  reportFailure(reason: string): Promise<void>
  /** Has the parent load the code of another release, before this one stops for it. Throws StartError if that fails. */
  loadNext(request: SwitchRequest): Promise<void>
  reportReplaced(request: SwitchRequest): Promise<void>
}

/** Thrown where the parent ends a release that it has only tested. */
export class StoppedByParent extends Error {}

/** The parent of this process; null if no server has started it as a release. */
export function connectToParent(): ParentServer | null {
  const kind = process.env[releaseVariable] as ReleaseStart | undefined
  // Functions of the server don't inherit it.
  delete process.env[releaseVariable]
  const { channel } = process
  if (kind === undefined || !channel) return null
  // Before the server handles the signal, it ends the process at once, and PostgreSQL with it.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // The channel alone keeps no process running, unless the release waits for a message.
  channel.unref()

  const send = (message: ReleaseMessage): Promise<void> =>
    new Promise((resolve) => {
      if (process.connected) process.send!(message, undefined, undefined, () => resolve())
      else resolve()
    })
  const waitFor = async (
    report: ReleaseMessage,
    expected: ParentMessage['linnet'],
  ): Promise<ParentMessage> => {
    channel.ref()
    const received = new Promise<ParentMessage>((resolve) => {
      process.once('message', (message) => resolve(message as ParentMessage))
    })
    await send(report)
    const message = await received
    channel.unref()
    if (message.linnet !== expected) throw new StoppedByParent()
    return message
  }
  return {
    kind,
    async waitForStart() {
      await waitFor({ linnet: 'loaded' }, 'start')
    },
    async waitToServe() {
      await waitFor({ linnet: 'prepared' }, 'serve')
    },
    async loadNext(request) {
      const message = await waitFor({ linnet: 'replacing', request }, 'loaded')
      if (message.linnet === 'loaded' && message.reason !== '') throw new StartError(message.reason)
    },
    reportReady: ({ url, secretKey }) => send({ linnet: 'ready', url, secretKey }),
    reportFailure: (reason) => send({ linnet: 'failed', reason }),
    reportReplaced: (request) => send({ linnet: 'replaced', request }),
  }
}
