import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { requireRunning } from './requireRunning.ts'

/** `linnet db url`: where psql and other tools reach the database of the running house. */
export const dbUrl = defineCommand({
  name: 'db url',
  group: 'The database',
  summary: 'Print the database\'s address: psql "$(linnet db url)"',
  help: `As the role postgres, the owner of the schema. The address is a socket on this machine;
"linnet start --db-port" opens a TCP port too, and then names that.`,
  options: placeOptions,
  async run({ dataDir }) {
    process.stdout.write(`${requireRunning(dataDir).dbUrl}\n`)
    return 0
  },
})
