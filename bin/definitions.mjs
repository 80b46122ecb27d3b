// Checks the definitions of objects in the schema; `npm run lint` runs it. It prints each object that the files of the
// schema or of the platform define twice. It also prints each statement of the schema that changes or drops an object.
// Decision 70 has the reasons.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const schemas = 'supabase/schemas'
const platform = 'backend/postgres/platform'

const kinds =
  'event trigger|constraint trigger|trigger|unique index|index|materialized view|view|unlogged table|table|function|procedure|type|sequence|schema|extension|policy|role'
const statement = new RegExp(
  `^(create or replace|create|alter|drop) (${kinds}) (?:if (?:not )?exists |only )?(?!on )("[^"]+"|[\\w.]+)(?:[^;]*? on (?:only )?([\\w.]+))?`,
  'gim',
)
/** Nothing that PostgreSQL can do within the statement that creates the object. */
const unavoidable =
  /^alter (?:table \S+ enable row level security|index \S+ alter column \d+ set statistics \d+|role \S+ set [^;]*)$/i

/** The text with spaces in place of comments and of what is quoted with dollars, so that lines and offsets stay the same. */
function withoutBodies(/** @type {string} */ text) {
  return text.replaceAll(/--[^\n]*|(\$\w*\$)[\s\S]*?\1|'(?:[^']|'')*'/g, (/** @type {string} */ found) =>
    found.replaceAll(/[^\n]/g, ' '),
  )
}

/**
 * The statements that create, change or drop an object, outside of bodies.
 * @returns verb in lower case, kind and name of the object (of a policy or trigger with its table), and the line
 */
export function findDefinitions(/** @type {string} */ text) {
  const plain = withoutBodies(text)
  return [...plain.matchAll(statement)].map((match) => {
    const [, verb = '', kindOfMatch = '', nameOfMatch = '', tableOfMatch] = match
    const kind = kindOfMatch.toLowerCase().replace(/^(?:constraint|unique|materialized|unlogged) /, '')
    const name = nameOfMatch.replaceAll('"', '').toLowerCase()
    const table = ['policy', 'trigger', 'index'].includes(kind) ? tableOfMatch?.toLowerCase() : undefined
    return {
      verb: verb.toLowerCase(),
      kind,
      name,
      table,
      // Two tables can have policies of the same name, but not indexes.
      object: `${kind} ${name}${table === undefined || kind === 'index' ? '' : ` on ${table}`}`,
      line: plain.slice(0, match.index).split('\n').length,
      statement: plain.slice(match.index, plain.indexOf(';', match.index)).replaceAll(/\s+/g, ' ').trim(),
    }
  })
}

/**
 * What is wrong with files that define each object once.
 * @param {object} o
 * @param {{ path: string; text: string }[]} o.files in the order in which they run
 * @param {boolean} o.mayReplace whether they run again, and so replace what they have defined
 */
export function findRepeatedDefinitions(o) {
  const problems = []
  const seen = new Map()
  for (const { path, text } of o.files) {
    for (const { verb, object, line, statement: whole } of findDefinitions(text)) {
      const at = `${path}:${line}`
      if (verb.startsWith('create')) {
        const first = seen.get(object)
        if (first !== undefined) problems.push(`${at} ${object}: ${first} defines it as well`)
        else seen.set(object, at)
        if (verb !== 'create' && !o.mayReplace) problems.push(`${at} ${object}: nothing is there to replace`)
      } else if (!o.mayReplace && !unavoidable.test(whole)) {
        problems.push(`${at} ${verb} ${object}: define it in its final form`)
      } else if (/^alter table .* add column/.test(whole)) {
        problems.push(`${at} ${object}: a column belongs into the definition of the table`)
      }
    }
  }
  return problems
}

/**
 * The statements that define or change an object, and those of the policies, triggers and indexes of a table.
 * @param {string} text
 * @param {string} name of the object. A name without a schema finds the objects of every schema.
 */
export function findByName(text, name) {
  const isMeant = (/** @type {string | undefined} */ one) =>
    one !== undefined && (one === name || one.split('.').at(-1) === name)
  return findDefinitions(text).filter((one) => isMeant(one.name) || isMeant(one.table))
}

/** The SQL files below a directory. */
export function readSqlFiles(/** @type {string} */ directory) {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({
      path: `${directory}/${name}`,
      text: readFileSync(join(root, directory, name), 'utf8'),
    }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = [
    ...findRepeatedDefinitions({ files: readSqlFiles(schemas), mayReplace: false }),
    ...findRepeatedDefinitions({ files: readSqlFiles(platform), mayReplace: true }),
  ]
  for (const problem of problems) console.log(problem)
  console.log(
    problems.length === 0
      ? 'The schema and the platform define each object once.'
      : `${problems.length} statements repeat or change a definition.`,
  )
  process.exitCode = problems.length === 0 ? 0 : 1
}
