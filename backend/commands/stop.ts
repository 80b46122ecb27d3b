import { readRunning } from '../running.ts'
import type { Options } from './options.ts'

/** Longer than the server gives its last requests. */
const patienceMs = 30_000

/** `linnet stop`: asks the server to end and waits until it has. */
export async function stop(options: Options): Promise<number> {
  const running = readRunning(options.dataDir)
  if (running === null) {
    process.stderr.write(`Nothing runs on ${options.dataDir}.\n`)
    return 0
  }
  process.kill(running.pids.server, 'SIGTERM')
  const until = Date.now() + patienceMs
  while (readRunning(options.dataDir) !== null) {
    if (Date.now() > until) {
      process.stderr.write(`Process ${running.pids.server} has not ended within 30 seconds.\n`)
      return 1
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  }
  process.stderr.write('Stopped.\n')
  return 0
}
