import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { readRunning } from '../running.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { UsageError } from './UsageError.ts'

/** `linnet reset`: deletes the data folder, after a "yes" typed by a person or `--yes`. */
export const reset = defineCommand({
  name: 'reset',
  group: 'The house',
  summary: 'Delete the data and begin again',
  options: { yes: { short: 'y', help: 'do not ask' }, ...placeOptions },
  async run({ dataDir, options }) {
    if (readRunning(dataDir) !== null) throw new UsageError(`Linnet runs on ${dataDir}. Stop it first.`)
    if (!existsSync(dataDir)) {
      process.stderr.write(`There are no data in ${dataDir}.\n`)
      return 0
    }
    // `--data` might name any folder: only one that a start has made is ever deleted.
    if (!existsSync(join(dataDir, 'secrets.json'))) {
      throw new UsageError(`${dataDir} is no data folder of Linnet. Nothing was deleted.`)
    }
    if (!options.yes) {
      if (!process.stdin.isTTY) throw new UsageError('reset deletes everything: say --yes to mean it.')
      const prompt = createInterface({ input: process.stdin, output: process.stderr })
      const answer = await prompt.question(`Delete everything in ${dataDir}? Type yes to do it: `)
      prompt.close()
      if (answer.trim() !== 'yes') {
        process.stderr.write('Nothing was deleted.\n')
        return 1
      }
    }
    rmSync(dataDir, { recursive: true })
    process.stderr.write('Deleted. The next start begins anew.\n')
    return 0
  },
})
