// Where an object of the schema is defined, changed or dropped: `npm run sql -- send_message`. The baseline defines each
// object once; a later migration may define it again, since none that has landed is edited: the last one counts. With the
// name of a table its policies, triggers and indexes are listed too.
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
