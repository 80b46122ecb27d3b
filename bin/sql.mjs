// Prints the places that define an object of the schema: `npm run sql -- send_message`. For a table, it also prints its
// policies, triggers and indexes.
import { findByName, readSqlFiles } from './definitions.mjs'

const name = process.argv.slice(2).join(' ').toLowerCase()
const found = readSqlFiles('supabase/schemas').flatMap(({ path, text }) =>
  findByName(text, name).map((one) => `${path}:${one.line}  ${one.verb} ${one.object}`),
)
if (found.length === 0) {
  process.stderr.write(
    name
      ? `No file of the schema defines ${name}.\n`
      : 'Name a function, table, view or policy: npm run sql -- send_message\n',
  )
  process.exit(1)
}
process.stdout.write(`${found.join('\n')}\n`)
