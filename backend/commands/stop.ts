import { readRunning } from '../start/running.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'

/** Longer than the server gives its last requests. */
const patienceMs = 30_000

/** `linnet stop`: asks the server to end and waits until it has. */
export const stop = defineCommand({
  name: 'stop',
  group: 'The house',
  summary: 'End it cleanly',
  options: placeOptions,
  async run({ dataDir }) {
    const running = readRunning(dataDir)
    if (running === null) {
      process.stderr.write(`Nothing runs on ${dataDir}.\n`)
      return 0
    }
    process.kill(running.pids.server, 'SIGTERM')
    const until = Date.now() + patienceMs
    while (readRunning(dataDir) !== null) {
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
  },
})
