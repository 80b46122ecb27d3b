import { spawn, type ChildProcess } from 'node:child_process'
import { earlierBinariesVariable } from '../postgres/majorVersion/findBinariesOfMajor.ts'
import { findBinaries } from '../postgres/server/binaries.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { startedScriptVariable, startedScript } from '../runtime/commandName.ts'
import { entryOf } from './installedReleases.ts'
import {
  releaseVariable,
  type ParentMessage,
  type ReleaseMessage,
  type ReleaseStart,
  type SwitchRequest,
} from './releaseMessages.ts'

/** Milliseconds for loading the code, which a busy machine may need. */
const loadTimeoutMs = 120_000

/** A release that this process has started. */
export interface StartedRelease {
  pid: number
  /** Lets the release start on the data. Resolves when its services have started. Throws StartError. */
  prepare(timeoutMs: number): Promise<void>
  /** Lets the release accept requests. Resolves with its local URL and secret key. Throws StartError. */
  serve(): Promise<{ url: string; secretKey: string }>
  /** Ends the release, whatever its state, and resolves when it has ended. */
  end(): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Resolves with the exit code (1 after a signal), and the release that is to take its place. */
  ended: Promise<{ code: number; replacedBy: Successor | null }>
}

/** A release that takes the place of another one. */
interface Successor {
  request: SwitchRequest
  /** Its code is loaded; null if it has to be started. */
  child: StartedRelease | null
}

/**
 * Starts a release in a process of its own, and resolves when its code is loaded; it uses the data only after `prepare`. Throws
 * StartError.
 * @param o.args the arguments of `linnet start`
 * @param o.startNext starts the release that is to take the place of this one
 * @param o.output whether the release writes to the output of this process; otherwise the output is part of an error
 */
export async function startRelease(o: {
  root: string
  kind: ReleaseStart
  args: readonly string[]
  startNext?: (request: SwitchRequest) => Promise<StartedRelease>
  output: 'inherited' | 'collected'
}): Promise<StartedRelease> {
  const stdio = o.output === 'inherited' ? 'inherit' : 'pipe'
  const child = spawn(process.execPath, [entryOf(o.root), 'start', ...o.args], {
    stdio: ['ignore', stdio, stdio, 'ipc'],
    env: {
      ...process.env,
      [releaseVariable]: o.kind,
      [earlierBinariesVariable]: findBinaries().root,
      [startedScriptVariable]: startedScript(),
    },
    // A session of its own: Ctrl-C in the terminal reaches this process only, which passes it on once.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)))
  let reason = ''
  let replacedBy: SwitchRequest | null = null
  let next: StartedRelease | null = null
  const loadNext = async (request: SwitchRequest): Promise<void> => {
    // Of an upgrade for which this release could not stop.
    await next?.end()
    next = null
    let refusal = ''
    try {
      next = (await o.startNext?.(request)) ?? null
    } catch (error) {
      refusal = (error as Error).message
    }
    if (child.connected) child.send({ linnet: 'loaded', reason: refusal } satisfies ParentMessage)
    else await next?.end()
  }
  /** Whether the release waits for a message. A signal would end it without a clean shutdown then. */
  let isWaiting = false
  let onMessage: (message: ReleaseMessage) => void = () => {}
  child.on('message', (message: ReleaseMessage) => {
    if (message.linnet === 'failed') reason = message.reason
    if (message.linnet === 'loaded' || message.linnet === 'prepared') isWaiting = true
    if (message.linnet === 'replacing') void loadNext(message.request)
    if (message.linnet === 'replaced') replacedBy = message.request
    onMessage(message)
  })
  const ended = new Promise<{ code: number; replacedBy: Successor | null }>((resolve) => {
    child.once('error', (error) => {
      reason = error.message
      resolve({ code: 1, replacedBy: null })
    })
    child.once('exit', (code) => {
      if (replacedBy === null) void next?.end()
      resolve({ code: code ?? 1, replacedBy: replacedBy && { request: replacedBy, child: next } })
    })
  })

  /** Sends a message and waits for the response. Throws StartError if the release ends or does not respond. */
  const request = async <Kind extends ReleaseMessage['linnet']>(
    message: ParentMessage | null,
    expected: Kind,
    timeoutMs: number,
  ): Promise<Extract<ReleaseMessage, { linnet: Kind }>> => {
    const response = new Promise<ReleaseMessage>((resolve) => {
      onMessage = (received) => {
        if (received.linnet === expected) resolve(received)
      }
    })
    if (message && child.connected) {
      isWaiting = false
      child.send(message)
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, null)
    })
    const first = await Promise.race([response, ended, late])
    clearTimeout(timer)
    onMessage = () => {}
    if (first !== null && 'linnet' in first) return first as Extract<ReleaseMessage, { linnet: Kind }>
    if (first === null) {
      await end()
      throw new StartError(`It did not start within ${Math.round(timeoutMs / 1000)} seconds.`)
    }
    throw new StartError(reason || lastLines(output) || 'It ended without a message.')
  }
  const end = (): Promise<void> => endProcess(child, ended, isWaiting)

  try {
    await request(null, 'loaded', loadTimeoutMs)
  } catch (error) {
    await end()
    throw error
  }
  return {
    pid: child.pid!,
    async prepare(timeoutMs) {
      await request({ linnet: 'start' }, 'prepared', timeoutMs)
    },
    async serve() {
      const { url, secretKey } = await request({ linnet: 'serve' }, 'ready', loadTimeoutMs)
      return { url, secretKey }
    },
    end,
    signal: (signal) => void child.kill(signal),
    ended,
  }
}

/** Milliseconds that a release has to stop its services and PostgreSQL. */
const endTimeoutMs = 40_000

async function endProcess(child: ChildProcess, ended: Promise<unknown>, isWaiting: boolean): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  if (isWaiting && child.connected) child.send({ linnet: 'stop' } satisfies ParentMessage)
  else child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs)
  await ended
  clearTimeout(timer)
}

/** The line with an error of a release that has crashed, else the last lines. */
function lastLines(output: string): string {
  const lines = output.trim().split('\n')
  return lines.findLast((line) => /^\w*Error\b/.test(line)) ?? lines.slice(-3).join('\n')
}
