import { join } from 'node:path'
import { createLogger } from '../../../backend/logging/logger.ts'
import { migrate } from '../../../backend/postgres/schema/migrate.ts'
import { createDataFromTemplate } from '../../../backend/postgres/server/createDataFromTemplate.ts'

/** Linnet's own folder of the schema. */
export const supabaseDir = join(import.meta.dirname, '..', '..')

/** A line that migrations log at `error` is a fault of the test's setup. */
export const loudLog = createLogger({
  format: 'text',
  minLevel: 'error',
  write: (line) => {
    throw new Error(line)
  },
})

/** Puts a PostgreSQL with the platform and Linnet's migrations, made once a run, into a data folder that is new. */
export function fillLinnetData(dataDir: string): Promise<boolean> {
  return createDataFromTemplate(dataDir, {
    name: 'linnet',
    add: async (postgres) => {
      await migrate({ postgres, dir: supabaseDir, seed: false, log: loudLog })
    },
  })
}
