import { isAlive, processIdentity } from '../postgres/server/processIdentity.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { UsageError, defineCommand } from './Command.ts'
import { projectOptions } from './findProject.ts'
import { createProgress } from './progress.ts'

/** Longer than the server waits for its last requests. */
const timeoutMs = 30_000

/** `linnet stop`: signals the server and waits until its process has ended. */
export const stop = defineCommand({
  name: 'stop',
  group: 'Server',
  summary: 'Stop the running server',
  help: 'Waits until it has ended. The exit code is 1 if no server is running.',
  options: projectOptions,
  async run({ dataDir }) {
    const running = readRunningServer(dataDir)
    if (running === null) {
      process.stderr.write(`No server is running on ${dataDir}.\n`)
      return 1
    }
    const pid = running.pids.server
    const identity = processIdentity(pid)
    const hasEnded = (): boolean => !isAlive(pid) || processIdentity(pid) !== identity
    try {
      process.kill(pid, 'SIGTERM')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
      throw new UsageError(`Linnet (process ${pid}) runs as another user. Stop it as that user or as root.`)
    }
    const progress = createProgress({ stream: process.stderr, format: 'text' })
    progress.step(`Stopping Linnet at ${running.url}`)
    const until = Date.now() + timeoutMs
    while (!hasEnded()) {
      if (Date.now() > until) {
        progress.fail()
        process.stderr.write(`Process ${pid} has not ended within 30 seconds.\n`)
        return 1
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 50)
      })
    }
    progress.done('stopped')
    return 0
  },
})
