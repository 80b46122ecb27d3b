// Where a function, table, view or policy of the schema is defined: `npm run sql -- send_message`.
// Migrations that have landed are never edited, so that a function that changed is defined in several: the last one counts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './setup.mjs'

const folder = 'supabase/migrations'
const definition =
  /^(?:create(?: or replace)?(?: materialized)? (?:table|view|function|type|trigger|index|unique index|policy)|drop (?:function|view|table|trigger|policy|index|type)(?: if exists)?|alter (?:function|table)(?: only)?) ("[^"]+"|[\w.]+)/gim

/** The definitions of `name` in the order in which they are applied; a name without a schema is that of any schema. */
function findDefinitions(name) {
  const found = []
  for (const file of readdirSync(join(root, folder)).sort()) {
    const text = readFileSync(join(root, folder, file), 'utf8')
    for (const { 0: statement, 1: object, index } of text.matchAll(definition)) {
      const plain = object.replaceAll('"', '').toLowerCase()
      if (plain !== name && plain.split('.').at(-1) !== name) continue
      found.push(`${folder}/${file}:${text.slice(0, index).split('\n').length}  ${statement}`)
    }
  }
  return found
}

const name = process.argv.slice(2).join(' ').toLowerCase()
const definitions = name ? findDefinitions(name) : []
if (definitions.length === 0) {
  process.stderr.write(
    name
      ? `No migration defines ${name}.\n`
      : 'Name a function, table, view or policy: npm run sql -- send_message\n',
  )
  process.exit(1)
}
process.stdout.write(`${definitions.join('\n')}\n`)
