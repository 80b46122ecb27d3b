import type { MovingFailure } from '../../../wire/moving.ts'
import type { Logger } from '../../logging/logger.ts'
import { refusals } from './MovingRefused.ts'
import { runCommand, type ProgressEvent } from './runCommand.ts'

/** Free bytes of the disk, and those of them that must stay free; null if the system does not respond. */
export type ReadDiskSpace = () => Promise<{ freeBytes: number; reserveBytes: number } | null>

/** The result of a command: what it printed, or why it failed. */
export type CommandResult =
  | { ok: true; stdout: string }
  | { ok: false; failure: MovingFailure | 'cancelled'; reason: string }

export interface CommandRunner {
  isBusy(): boolean
  /** Throws MovingRefused if the disk has too little space for this many bytes. */
  requireSpace(bytes: number): Promise<void>
  /** Reserves the only slot. The caller releases it. Throws MovingRefused if another one is reserved. */
  reserve(): Slot
  /** Ends the command that runs, as an owner has requested. */
  cancel(): void
  /** Ends the command that runs, and waits for its end. */
  close(): Promise<void>
}

export interface Slot {
  run(args: readonly string[], onProgress: (event: ProgressEvent) => void): Promise<CommandResult>
  release(): void
}

const checkIntervalMs = 2_000

/**
 * Runs commands of this installation, one at a time: each of them reads or writes a whole workspace. A command ends when the disk
 * becomes full, before the database has no space.
 * @param o.command the command line of `linnet`: a program and its first arguments
 * @param o.installation options that name this installation
 */
export function createCommandRunner(o: {
  command: readonly string[]
  installation: readonly string[]
  diskSpace: ReadDiskSpace
  log: Logger
}): CommandRunner {
  let controller: AbortController | null = null
  let ended: Promise<void> = Promise.resolve()

  const hasSpace = async (bytes: number): Promise<boolean> => {
    const space = await o.diskSpace()
    // Without a response of the system, the write itself shows whether there is space.
    return space === null || space.freeBytes - space.reserveBytes >= bytes
  }

  const run = async (
    running: AbortController,
    args: readonly string[],
    onProgress: (event: ProgressEvent) => void,
  ): Promise<CommandResult> => {
    const timer = setInterval(() => {
      void hasSpace(0).then((isEnough) => isEnough || running.abort('disk_full'))
    }, checkIntervalMs)
    const end = await runCommand([...o.command, ...args, ...o.installation], {
      signal: running.signal,
      onProgress,
    })
    clearInterval(timer)
    if (end.code === 0) return { ok: true, stdout: end.stdout }
    const failure = (running.signal.reason ?? 'command_failed') as MovingFailure | 'cancelled'
    if (running.signal.aborted) return { ok: false, failure, reason: '' }
    // A defect has a stack, which is for the operator.
    const isDefect = /\n\s+at /.test(end.reason)
    if (isDefect) o.log.error('moving.command_failed', { reason: end.reason })
    return { ok: false, failure, reason: isDefect ? '' : end.reason }
  }

  return {
    isBusy: () => controller !== null,
    async requireSpace(bytes) {
      if (!(await hasSpace(bytes))) throw refusals.diskFull()
    },
    reserve() {
      if (controller !== null) throw refusals.busy()
      const reserved = new AbortController()
      let onReleased = (): void => {}
      ended = new Promise((resolve) => {
        onReleased = resolve
      })
      controller = reserved
      return {
        run: (args, onProgress) => run(reserved, args, onProgress),
        release() {
          if (controller === reserved) controller = null
          onReleased()
        },
      }
    },
    cancel: () => controller?.abort('cancelled'),
    async close() {
      controller?.abort('interrupted')
      await ended
    },
  }
}
