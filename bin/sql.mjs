// Prints the places that define, change or drop an object of the schema: `npm run sql -- send_message`. The baseline
// defines each object once. A later migration may define it again, because a migration that has landed is never
// edited. The last definition counts. For a table, it also prints its policies, triggers and indexes.
import { findByName, readSqlFiles } from './definitions.mjs'

const name = process.argv.slice(2).join(' ').toLowerCase()
const found = readSqlFiles('supabase/migrations').flatMap(({ path, text }) =>
  findByName(text, name).map((one) => `${path}:${one.line}  ${one.verb} ${one.object}`),
)
if (found.length === 0) {
  process.stderr.write(
    name
      ? `No migration defines ${name}.\n`
      : 'Name a function, table, view or policy: npm run sql -- send_message\n',
  )
  process.exit(1)
}
process.stdout.write(`${found.join('\n')}\n`)
